package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"regreen/cycle"
)

// TestParallelSandboxes repairs three faults that have nothing to do with each
// other, in one sandbox and in three: the same is merged, in the second case in
// one round, and each test saw its own copy of the tree.
func TestParallelSandboxes(t *testing.T) {
	t.Parallel()
	for _, deps := range []string{"mocha12", "vitest5", "pytest9"} {
		t.Run(deps, func(t *testing.T) {
			want := map[string]string{}
			for _, jobs := range []int{1, 3} {
				files := map[string]string{"regreen.toml": fmt.Sprintf("[cycle]\njobs = %d\n", jobs)}
				broken := map[string]string{}
				for _, n := range []string{"one", "two", "three"} {
					switch deps {
					case "pytest9":
						files["pytest.ini"] = "[pytest]\n"
						files[n+".py"] = "def double(value):\n    return value + value\n"
						files["test_"+n+".py"] = "from " + n + " import double\n\n\ndef test_double():\n    assert double(2) == 4\n"
						broken[n+".py"] = strings.Replace(files[n+".py"], "value + value", "value + valeu", 1)
					case "mocha12":
						files["package.json"] = `{"type":"module","scripts":{"test":"mocha"},"devDependencies":{"mocha":"*"}}`
						files["src/"+n+".js"] = "export const double = (value) => value + value;\n"
						files["test/"+n+".test.js"] = "import assert from 'node:assert';\nimport { double } from '../src/" + n + ".js';\nit('doubles', () => assert.equal(double(2), 4));\n"
						broken["src/"+n+".js"] = "export const double = (value) => value + valeu;\n"
					default:
						files["package.json"] = `{"type":"module","scripts":{"test":"vitest run"},"devDependencies":{"vitest":"*"}}`
						files["src/"+n+".js"] = "export const double = (value) => value + value;\n"
						files["test/"+n+".test.js"] = "import { expect, it } from 'vitest';\nimport { double } from '../src/" + n + ".js';\nit('doubles', () => expect(double(2)).toBe(4));\n"
						broken["src/"+n+".js"] = "export const double = (value) => value + valeu;\n"
					}
				}
				r := newRepo(t, deps, files)
				for f, text := range broken {
					r.write(f, text)
				}
				doc, res := r.run()
				if doc.Outcome != cycle.Repaired || len(doc.Merged) != 3 {
					t.Fatalf("jobs %d: outcome %s, %d files merged: %s", jobs, doc.Outcome, len(doc.Merged), res.stderr)
				}
				rounds := 0
				for _, it := range doc.Iterations {
					if len(it.Fixes) > 0 {
						rounds++
					}
				}
				if jobs > 1 && rounds != 1 {
					t.Errorf("jobs %d: %d rounds, want one", jobs, rounds)
				}
				for f := range broken {
					if jobs == 1 {
						want[f] = r.read(f)
					} else if got := r.read(f); got != want[f] || got != files[f] {
						t.Errorf("%s: %q with three sandboxes, %q with one", f, got, want[f])
					}
				}
				state := filepath.Join(filepath.Dir(filepath.Dir(r.dir)), "state", "regreen")
				scratch, err := filepath.Glob(filepath.Join(state, "*", "s*", "*", "scratch"))
				if err != nil || len(scratch) > 0 {
					t.Errorf("left behind: %q, %v", scratch, err)
				}
				spares, _ := filepath.Glob(filepath.Join(state, "*", "s*", "*", "box"))
				if want := jobs - 1; len(spares) != want {
					t.Errorf("jobs %d: %d further sandboxes, want %d", jobs, len(spares), want)
				}
			}
		})
	}
}
