package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"regreen/internal/git/gittest"
)

// TestLinksLeadToTheSame holds that a link leads where it leads in the user's
// tree, wherever the worktree lies, and that for what it says counts what the
// user's says.
func TestLinksLeadToTheSame(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		g := simple(t)
		out := gittest.At(t, filepath.Join(filepath.Dir(g.Dir), "elsewhere"))
		out.Write("x.js", "out\n", "folder/y.js", "y\n")
		links := map[string]string{"src/x.js": "../../elsewhere/x.js", "src/abs.js": out.Path("x.js"), "away": "../elsewhere/folder",
			"src/in.js": "a.js", "src/absin.js": g.Path("src/a.js"), "lib": g.Path("src"), "src/none.js": "../../elsewhere/none.js"}
		for link, to := range links {
			if err := os.Symlink(to, g.Path(link)); err != nil {
				t.Fatal(err)
			}
		}
		r := newRig(t, g, level)
		for _, when := range []string{"at first", "after a restart"} {
			snap := r.ready()
			before := r.everything()
			r.write("src/a.js", "fixed\n")
			want := map[string]string{"src/x.js": "out", "src/abs.js": "out", "away/y.js": "y", "src/in.js": "fixed",
				"src/absin.js": "fixed", "lib/a.js": "fixed"}
			tree := r.s.Tree(nil)
			for rel, text := range want {
				src, err := tree.ReadFile(rel)
				if err != nil || string(src) != text+"\n" || !tree.Exists(rel) {
					t.Errorf("%s: %s from outside: %q, %v", when, rel, src, err)
				}
				if _, got := r.run("cat", rel); got != text {
					t.Errorf("%s: %s inside: %q, want %q", when, rel, got, text)
				}
			}
			if tree.Exists("src/none.js") || !tree.IsDir("away") || tree.Exists("away") {
				t.Errorf("none exists %v, away is a folder %v", tree.Exists("src/none.js"), tree.IsDir("away"))
			}
			if c := r.changes(snap); len(c) != 1 || c[0].Path != "src/a.js" {
				t.Errorf("%s: Changes = %+v", when, c)
			}
			// A test that points a link elsewhere is seen, and undone.
			if ex, got := r.run("ln", "-sfn", "b.js", "src/x.js"); ex.Code != 0 {
				t.Errorf("ln: %s", got)
			}
			c := r.changes(snap)
			if len(c) != 2 || c[1].Path != "src/x.js" || string(c[1].Before) != links["src/x.js"] || string(c[1].After) != "b.js" {
				t.Errorf("%s: Changes = %+v", when, c)
			}
			if err := r.s.Reset(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if c := r.changes(snap); len(c) != 0 {
				t.Errorf("%s: Changes after Reset = %+v", when, c)
			}
			r.unchanged(before)
			r.close()
			r.open(level)
		}
	})
}
