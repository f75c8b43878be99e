package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"regreen/internal/git"
	"regreen/internal/git/gittest"
)

// A state folder that a link leads into the repository is refused before any
// folder is made there.
func TestStateFolderBehindLink(t *testing.T) {
	g := simple(t)
	repo, err := git.Open(t.Context(), g.Dir, gittest.Environ())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = repo.Close() }()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(g.Dir, link); err != nil {
		t.Skip(err)
	}
	_, err = Open(t.Context(), Config{Repo: repo, StateDir: filepath.Join(link, "a", "b")})
	var se *Error
	if !errors.As(err, &se) || se.Code != CodeStateInside {
		t.Errorf("Open = %v, want %s", err, CodeStateInside)
	}
	if _, err := os.Lstat(filepath.Join(g.Dir, "a")); err == nil {
		t.Error("the refused folder was made")
	}
}
