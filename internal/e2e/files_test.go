package e2e

import (
	"testing"

	"regreen/cycle"
)

// TestNamedFiles holds what a FILE argument may be: a name that fits nothing
// must not look like a file that no test can see.
func TestNamedFiles(t *testing.T) {
	t.Parallel()
	s := stacks()[4]
	r := s.repoWith(t, func(files map[string]string) { files["old.js"] = "export {};\n" })
	r.remove("old.js")
	r.write("node_modules/.x.js", "")
	r.write("new dir/é.js", "export const fresh = true;\n")
	for _, c := range []struct {
		name, arg string
		exit      int
		modified  int // -1: any but 0
	}{
		{"a file", "src/tax.js", 0, 1},
		{"a folder", "src", 0, -1},
		{"a folder with a slash", "src/", 0, -1},
		{"the root", ".", 0, -1},
		{"a deleted file", "old.js", 0, 1},
		{"a new folder", "new dir", 0, 1},
		{"an ignored file", "node_modules/.x.js", 0, 0},
		{"a misspelt file", "src/txa.js", 2, 0},
		{"a misspelt folder", "scr", 2, 0},
		{"a file below a file", "src/tax.js/x", 2, 0},
		{"a name with a line end", "src/tax.js\n", 2, 0},
		{"nothing", "", 2, 0},
		{"outside", "..", 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, res := r.run("--no-merge", "--", c.arg)
			if res.exit != c.exit || (d.Outcome == cycle.Errored) != (c.exit != 0) {
				t.Errorf("exit %d, outcome %q, want exit %d\n%s", res.exit, d.Outcome, c.exit, res.stderr)
			}
			if n := len(d.ModifiedFiles); n != c.modified && (c.modified >= 0 || n == 0) {
				t.Errorf("modified %q, want %d", d.ModifiedFiles, c.modified)
			}
		})
	}
}
