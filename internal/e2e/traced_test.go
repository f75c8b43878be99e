package e2e

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/cycle"
)

// TestTraced holds that with affected.precision = "traced" a computed import
// stands for what it was seen to load, whichever module system runs it, and
// for all that it could before anything was seen, or after a commit made it stale.
func TestTraced(t *testing.T) {
	all := stacks()
	for _, s := range all[:4] { // vitest, jest with CommonJS and ES modules, mocha
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := s.repoWith(t, func(files map[string]string) {
				files["src/plug/load"+s.ext] = s.pick("export const load = (n) => import('./' + n + '"+s.ext+"');\n", "module.exports.load = async (n) => require('./' + n);\n", "")
				for _, name := range []string{"one", "two"} {
					files["src/plug/"+name+s.ext] = s.pick("export const name = '"+name+"';\n", "module.exports = { name: '"+name+"' };\n", "")
				}
				head := s.pick(s.imports+"\nimport { load } from '../src/plug/load"+map[bool]string{true: "", false: ".js"}[s.archive == "ts"]+"';\n",
					"const assert = require('node:assert/strict');\nconst { load } = require('../src/plug/load');\n", "")
				files[s.testFile("plug")] = head + "\nit('loads', async () => assert.equal((await load('one')).name, 'one'));\n"
				files["regreen.toml"] = "[affected]\nprecision = \"traced\"\n"
			})
			affected := func(name, want string) {
				t.Helper()
				file := "src/plug/" + name + s.ext
				was := r.read(file)
				r.write(file, was+"\nvoid 0;\n")
				res := r.regreen("affected", "--list", file)
				r.write(file, was)
				if diff := cmp.Diff(want, res.stdout); diff != "" || res.exit != 0 {
					t.Errorf("affected %s: exit %d (-want +got)\n%s%s", file, res.exit, diff, res.stderr)
				}
			}
			test := s.testFile("plug") + "\n"
			affected("two", test)
			if d, res := r.run("--all"); d.Outcome != cycle.Passed {
				t.Fatalf("run --all: %s: %s", d.Outcome, res.stdout)
			}
			affected("one", test)
			affected("two", "")
			// What was committed since, no run has seen.
			replaced(s.testFile("plug"), "load('one')", "load('two')")(r)
			r.start("git", "commit", "-qam", "the other one")
			r.git = hashGit(t, r.dir)
			affected("two", test)
		})
	}
}
