//go:build unix

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/cycle"
)

// audited are two tests that read a file by a name that no text tells: one where
// runs are watched, one through another program, which nobody sees.
func (s stack) audited(files map[string]string) {
	const js = `IMPORTS
READ
const file = ['da', 'ta/ra', 'tes.t', 'xt'].join('');
it('NAME', () => {
  if (!String(CALL).startsWith('20')) throw new Error('other rates');
});
`
	const py = `import READ

def test_NAME():
    name = "".join(["da", "ta/ra", "tes.t", "xt"])
    assert CALL.startswith("20"), "other rates"
`
	put := func(name, read, call, pyRead, pyCall string) {
		text := strings.NewReplacer("IMPORTS", s.imports, "NAME", name, "READ", read, "CALL", call).Replace(js)
		if s.python() {
			text = strings.NewReplacer("NAME", name, "READ", pyRead, "CALL", pyCall).Replace(py)
		}
		files[s.testFile(name)] = text
	}
	load := func(module, name string) string {
		return s.pick("import * as "+name+" from 'node:"+module+"';", "const "+name+" = require('node:"+module+"');", "")
	}
	put("seen", load("fs", "fs"), "fs.readFileSync(file)", "os", `open(name).read()`)
	put("hidden", load("child_process", "child"), "child.execFileSync('cat', [file])", "subprocess", `subprocess.check_output(["cat", name]).decode()`)
	files["data/rates.txt"] = "20\n"
	files["regreen.toml"] = "[affected]\naudit = true\n"
}

// TestAudit holds that a daemon that rests finds tests that the selection
// missed: one that is understood by what its run was seen to read, one that is
// not, for which all tests run until a person says so.
func TestAudit(t *testing.T) {
	all := stacks()
	for _, s := range []stack{all[0], all[1], all[4], all[5]} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel() // each waits for the daemon's rest
			r := s.repoWith(t, s.audited)
			w := startWatching(t, r)
			w.until("regreen: end: ")
			r.write("data/rates.txt", "30\n")
			w.until("regreen: end: no tests")
			lines := strings.Join(w.until("regreen: hint: "), "\n") + strings.Join(w.until("regreen: hint: "), "\n")
			for _, name := range []string{"seen", "hidden"} {
				if !strings.Contains(lines, "regreen: warning: the selection missed "+s.testFile(name)+": data/rates.txt turned it red (no chain: ") {
					t.Errorf("%s is not told:\n%s", name, lines)
				}
			}
			if strings.Count(lines, "from now on it is selected") != 1 {
				t.Errorf("one of them is understood:\n%s", lines)
			}
			var status struct{ Misses []cycle.Miss }
			if err := json.Unmarshal([]byte(r.regreen("status", "--json").stdout), &status); err != nil || len(status.Misses) != 1 ||
				status.Misses[0].Test.File != s.testFile("hidden") {
				t.Errorf("status: %v, %+v", err, status.Misses)
			}

			r.write(s.file("src/words"), "\n"+r.read(s.file("src/words")))
			if out := w.verdict(cycle.Failed); !strings.Contains(out, s.testFile("hidden")) || !strings.Contains(out, s.testFile("seen")) {
				t.Errorf("a save after the miss does not run all tests:\n%s", out)
			}
			if res := r.regreen("affected"); !strings.Contains(res.stdout, "(all): an audit found that the selection missed "+s.testFile("hidden")) {
				t.Errorf("affected: %+v", res)
			}
			res := r.regreen("affected", "--understood", "--list", "data/rates.txt")
			if diff := cmp.Diff(s.testFile("seen")+"\n", res.stdout); diff != "" {
				t.Errorf("affected once it is understood (-want +got)\n%s%s", diff, res.stderr)
			}
			if res := r.regreen("stop"); res.exit != 0 {
				t.Errorf("stop: %+v", res)
			}
			if err := w.ended(); err != nil {
				t.Errorf("watch ended with %v", err)
			}
		})
	}
}
