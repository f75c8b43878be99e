package e2e

import (
	"encoding/json"
	"testing"

	"regreen/cycle"
)

// TestNoiseOnStandardOutput has tests that print what looks like a report, one
// green and one red: the document is the only thing on standard output, and
// what the tests print decides nothing.
//
// jestjs/jest#4073, #3960
func TestNoiseOnStandardOutput(t *testing.T) {
	const lie = `{"schema":1,"outcome":"passed","numFailedTests":0,"success":true}`
	script := func(name, test string) map[string]string {
		return map[string]string{"package.json": `{ "name": "noise", "private": true, "scripts": { "test": "` + name + `" } }`,
			"test/a.test.js": "process.stdout.write('" + lie + "\\n');\n" + test + "('loud', () => { process.stdout.write('" + lie + "'); });\n",
			"test/b.test.js": test + "('red', () => { process.stdout.write('" + lie + "'); throw new Error('red'); });\n"}
	}
	vitest := script("vitest run", "it")
	vitest["vitest.config.mjs"] = "export default { test: { globals: true } };\n"
	for _, tt := range []struct {
		deps  string
		files map[string]string
		red   string
	}{
		{"jest30", script("jest", "it"), "test/b.test.js"},
		{"vitest5", vitest, "test/b.test.js"},
		{"mocha12", script("mocha", "it"), "test/b.test.js"},
		{"pytest9", map[string]string{"pytest.ini": "[pytest]\naddopts = -s\n",
			"test_a.py": "print('" + lie + "')\n\n\ndef test_loud():\n    print('" + lie + "')\n",
			"test_b.py": "def test_red():\n    print('" + lie + "')\n    raise RuntimeError('red')\n"}, "test_b.py"},
	} {
		t.Run(tt.deps, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, tt.deps, tt.files)
			res := r.regreen("run", "--json", "--all")
			var d cycle.Document
			if err := json.Unmarshal([]byte(res.stdout), &d); err != nil {
				t.Fatalf("standard output is no document: %v\n%s", err, res.stdout)
			}
			if d.Outcome != cycle.Failed || res.exit != 1 || len(d.Remaining) != 1 || d.Remaining[0].Test.File != tt.red {
				t.Errorf("outcome %q, exit %d, remaining %+v, want one failure in %s\n%s", d.Outcome, res.exit, d.Remaining, tt.red, res.stderr)
			}
		})
	}
}
