package e2e

import (
	"testing"

	"regreen/cycle"
)

// TestProjectArguments gives a framework arguments of the user's own, without
// which the test fails.
func TestProjectArguments(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		deps, config string
		files        map[string]string
	}{
		{"mocha12", "framework = \"mocha\"\nargs = [\"--require\", \"./setup.cjs\"]\n", map[string]string{
			"package.json":       `{"type":"module","scripts":{"test":"mocha"},"devDependencies":{"mocha":"*"}}`,
			"setup.cjs":          "globalThis.ready = true;\n",
			"test/ready.test.js": "import assert from 'node:assert';\nit('is ready', () => assert.ok(globalThis.ready));\n"}},
		{"pytest9", "framework = \"pytest\"\nargs = [\"-o\", \"python_functions=check_*\"]\n", map[string]string{
			"pytest.ini": "[pytest]\n", "test_names.py": "def check_name():\n    assert True\n"}},
	} {
		t.Run(tc.deps, func(t *testing.T) {
			tc.files["regreen.toml"] = "[[project]]\n" + tc.config
			r := newRepo(t, tc.deps, tc.files)
			if doc, res := r.run("--all"); doc.Outcome != cycle.Passed || doc.Final.Passed != 1 {
				t.Errorf("outcome %s, %d passed: %s", doc.Outcome, doc.Final.Passed, res.stderr)
			}
		})
	}
}
