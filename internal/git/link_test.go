package git

import (
	"os"
	"path/filepath"
	"testing"

	"regreen/internal/git/gittest"
)

// A link in the place of a folder hides the tracked files of that folder.
func TestListDoesNotLookBehindLinks(t *testing.T) {
	g := gittest.New(t)
	g.Write("src/deep/a.js", "a\n", "src/b.js", "b\n", "c.js", "c\n")
	g.Commit("one")
	away := filepath.Join(t.TempDir(), "away")
	if err := os.Rename(g.Path("src"), away); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(away, g.Path("src")); err != nil {
		t.Skip(err)
	}
	r, err := Open(t.Context(), g.Dir, gittest.Environ())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	l, err := r.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, f := range l.Files {
		got[f.Rel] = true
	}
	if len(got) != 2 || !got["c.js"] || !got["src"] {
		t.Errorf("List = %v, want c.js and the link src", got)
	}
}
