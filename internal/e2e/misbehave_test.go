package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"regreen/cycle"
)

// TestCommandFixerMisbehaves has programs hang, flood, fail, leave children
// behind and say nonsense in each framework: each costs its budget and is named,
// and the next one still repairs.
func TestCommandFixerMisbehaves(t *testing.T) {
	for _, m := range minis() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			m.misbehave(t)
		})
	}
}

func (m mini) misbehave(t *testing.T) {
	installed, framework, mark := "node_modules", "node_modules/"+m.name+"/package.json", "//"
	if m.python() {
		installed, framework, mark = ".venv", ".venv/pyvenv.cfg", "#"
	}
	script := func(s string) string {
		return strings.NewReplacer("@SOURCE", m.source, "@INSTALLED", installed, "@FRAMEWORK", framework, "@MARK", mark).Replace(s)
	}
	r := m.broken(t,
		program("hang", script("echo x >> @SOURCE; sleep 600 & sleep 600"), `timeout = "1s"`)+
			program("flood", "yes $(seq 100)")+
			program("fail", script("echo x >> @SOURCE; echo 'no such model' >&2; exit 1"))+
			program("nothing", "echo done")+
			program("nonsense", "head -c 100000 /dev/urandom; printf '{\"title\": [1'; kill -9 $$")+
			"[[fixers.command]]\nname = \"missing\"\ncommand = [\"no-such-program\"]\n"+
			program("patch", "printf 'no such line\\n' > p; git apply p || exit 3")+
			program("state", `echo x > "$STATE/regreen/x"; rm -rf "$STATE" "$REAL/tmp"; echo x > "$REAL/x"; true`, `env = ["STATE", "REAL"]`)+
			program("packages", script("rm -rf @INSTALLED; mkdir -p $(dirname @FRAMEWORK); echo x > @FRAMEWORK; "+
				"(sleep 1; echo 'broken(' >> @SOURCE) > /dev/null 2>&1 & echo '@MARK x' >> @SOURCE"))+
			program("mend", m.mend()+`; printf '{"title": "\\u001b[31mred\\u001b[0m %s"}\n' "$(seq -s. 200)"`), nil)
	home := filepath.Dir(filepath.Dir(r.dir))
	r.environ = append(r.environ, "STATE="+filepath.Join(home, "state"), "REAL="+home)
	d, res := r.run()
	if d.Outcome != cycle.Repaired || r.read(m.source) != m.good {
		t.Fatalf("outcome %q: %s\n%q\n%s", d.Outcome, d.Reason, d.Warnings, res.stderr)
	}
	for _, want := range []string{"hang made no repair: its time of 1s ran out", "flood made no repair: it was ended at the limit of 16 MB of output",
		"fail made no repair: it ended with exit code 1: no such model", "nothing made no repair: it changed nothing", "nonsense made no repair: it was ended: killed",
		"patch made no repair: it ended with exit code 3", "the command fixer missing is left out"} {
		if !slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, want) }) {
			t.Errorf("no warning says %q: %q", want, d.Warnings)
		}
	}
	for _, f := range d.Iterations[0].Fixes {
		if f.By == "mend" && (strings.ContainsAny(f.Title, "\x1b") || len([]rune(f.Title)) > 130) {
			t.Errorf("title %q", f.Title)
		}
		if f.By == "packages" && f.Kept {
			t.Error("a comment was kept")
		}
	}
	if _, err := os.Stat(filepath.Join(home, "x")); err == nil {
		t.Error("the home folder was written")
	}
	if fi, err := os.Stat(r.path(framework)); err != nil || fi.Size() < 10 {
		t.Errorf("%s is damaged: %v", framework, err)
	}
}
