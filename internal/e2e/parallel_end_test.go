//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"regreen/cycle"
)

// TestParallelEnds ends a run while two sandboxes try repairs whose tests never
// end, by Ctrl-C and by kill -9: no process is left, nothing was written, and
// the next run repairs both faults.
func TestParallelEnds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		signal os.Signal
	}{{"interrupt", os.Interrupt}, {"kill -9", syscall.SIGKILL}} {
		t.Run(tc.name, func(t *testing.T) {
			files := map[string]string{"package.json": `{"type":"module","scripts":{"test":"mocha"},"devDependencies":{"mocha":"*"}}`,
				"regreen.toml": "[cycle]\njobs = 2\n", "hold": "1\n"}
			for _, n := range []string{"one", "two"} {
				files["src/"+n+".js"] = "export const double = (value) => value + value;\n"
				files["test/"+n+".test.js"] = "import assert from 'node:assert';\nimport fs from 'node:fs';\nimport os from 'node:os';\nimport { double } from '../src/" + n + ".js';\n" +
					"it('doubles', async function () {\n  this.timeout(0);\n  assert.equal(double(2), 4);\n  if (fs.existsSync('hold')) {\n" +
					"    fs.writeFileSync(os.tmpdir() + '/held', '');\n    await new Promise((done) => setTimeout(done, 600000));\n  }\n});\n"
			}
			r := newRepo(t, "mocha12", files)
			for _, n := range []string{"one", "two"} {
				r.write("src/"+n+".js", strings.Replace(files["src/"+n+".js"], "value + value", "value + valeu", 1))
			}
			before := r.files()
			home := filepath.Dir(filepath.Dir(r.dir))
			cmd := exec.Command(binary, "run")
			cmd.Dir, cmd.Env = r.dir, r.environ
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, or the test failed
			for _, pattern := range []string{"*/t/held", "*/s1/*/t/held"} {
				eventually(t, "no try is under way in "+pattern, func() string {
					if held, _ := filepath.Glob(filepath.Join(home, "state", "regreen", pattern)); len(held) > 0 {
						return ""
					}
					return "none"
				})
			}
			if err := cmd.Process.Signal(tc.signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			eventually(t, "left behind", func() string { return strings.Join(processesIn(home), "\n") })
			diffMaps(t, "files", before, r.files())
			r.remove("hold")
			doc, res := r.run()
			if doc.Outcome != cycle.Repaired || len(doc.Merged) != 2 {
				t.Errorf("next run: %s, %d files merged: %s", doc.Outcome, len(doc.Merged), res.stderr)
			}
		})
	}
}
