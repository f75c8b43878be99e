package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"regreen/internal/git/gittest"
)

// A repository may lie at any path that the system allows.
func TestRepositoryAtAnOddPath(t *testing.T) {
	for _, name := range []string{"a\nb", "#a", `"a"`, `a\b`, "a b\n", "é\n\"x\"", "-a", "%s", "a:b"} {
		t.Run(name, func(t *testing.T) {
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(top, name)
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Skip(err)
			}
			g := gittest.At(t, dir)
			g.Git("init", "-q", "-b", "main", ".")
			g.Write("a.js", "one\n")
			g.Commit("one")
			git := g.Hash()
			g.Write("a.js", "two\n")
			r := newRig(t, g)
			snap := r.ready()
			r.write("a.js", "three\n")
			if got := r.box("a.js"); got != "three\n" {
				t.Errorf("the sandbox has %q", got)
			}
			if _, err := r.merge("m", snap); err != nil {
				t.Fatal(err)
			}
			if got := g.Read("a.js"); got != "three\n" {
				t.Errorf("after the merge the file is %q", got)
			}
			if _, err := r.s.boxGit(t.Context(), nil, "cat-file", "-e", g.Git("rev-parse", "HEAD:a.js")[:40]); err != nil {
				t.Errorf("the user's objects are out of reach: %v", err)
			}
			if now := g.Hash(); len(now) != len(git) {
				t.Errorf(".git has %d files, had %d", len(now), len(git))
			}
		})
	}
}
