//go:build unix

package git

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"regreen/internal/git/gittest"
)

// TestNotRead holds that nothing is read that could hold the reader for ever or
// fill its memory: a pipe in a file's place, and an untracked file of a
// thousand gigabytes beside a file that was deleted.
func TestNotRead(t *testing.T) {
	g := gittest.New(t)
	g.Write("a.txt", "some text that is not short\n")
	g.Write("b.txt", "other\n")
	g.Commit("one")
	r := open(t, g.Dir)
	huge := filepath.Join(g.Dir, "huge.bin")
	if err := os.WriteFile(huge, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 1<<40); err != nil {
		t.Skipf("the file system has no files of this size: %v", err)
	}
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.Remove(filepath.Join(g.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(g.Dir, "b.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.Write("moved.txt", "some text that is not short\n")
	changes, err := r.Modified(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		if c.Path == "b.txt" && c.Status == Added {
			t.Errorf("the pipe is %s", c.Status)
		}
	}
	got, err := r.Renames(t.Context(), "HEAD")
	if err != nil || len(got) != 1 || got[0].From != "a.txt" || got[0].To != "moved.txt" {
		t.Errorf("Renames = %v, %v", got, err)
	}
}
