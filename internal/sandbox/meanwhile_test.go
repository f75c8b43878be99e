package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/git/gittest"
)

// TestMergeMeanwhile has the user change what is not in a file's bytes just
// before the swap: it must not be lost with the file that is displaced.
func TestMergeMeanwhile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such modes and links on Windows")
	}
	tests := []struct {
		name string
		do   func(file string) error
	}{
		{"mode", func(file string) error { return os.Chmod(file, 0o755) }},
		{"hard link", func(file string) error { return os.Link(file, file+".other") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, simple(t))
			snap := r.ready()
			old := r.Read("src/a.js")
			r.write("src/a.js", "new\n")
			done := false
			r.s.fx.hook = func(call, _ string) error {
				if done || call != "exchange" {
					return nil
				}
				done = true
				return tt.do(r.Path("src/a.js"))
			}
			var c *Conflict
			if _, err := r.merge("c1", snap); !errors.As(err, &c) {
				t.Errorf("merge: %v, want a conflict", err)
			}
			if got := r.Read("src/a.js"); got != old {
				t.Errorf("the file holds %q", got)
			}
			fi, err := os.Stat(r.Path("src/a.js"))
			if err != nil {
				t.Fatal(err)
			}
			if tt.name == "mode" && fi.Mode().Perm() != 0o755 || tt.name == "hard link" && links(fi) != 2 {
				t.Errorf("what the user did is lost: %v, %d links", fi.Mode(), links(fi))
			}
		})
	}
}

// TestMergeRepositoryMoved has the user move the repository away between the
// swaps and the mark.
func TestMergeRepositoryMoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a folder that is open cannot be moved on Windows")
	}
	r := newRig(t, simple(t))
	snap := r.ready()
	r.write("src/a.js", "new\n")
	changes := r.changes(snap)
	old := gittest.HashDir(t, r.Dir, ".git")
	away := r.Dir + ".away"
	begun, done := false, false
	r.s.fx.hook = func(call, _ string) error {
		begun = begun || call == "exchange"
		if done || !begun || call != "syncdir" {
			return nil
		}
		done = true
		return os.Rename(r.Dir, away)
	}
	_, err := r.s.Merge(t.Context(), MergeRequest{ID: "c1", Snap: snap, Changes: changes})
	if rerr := os.Rename(away, r.Dir); rerr != nil {
		t.Fatal(rerr)
	}
	var c *Conflict
	if !errors.As(err, &c) {
		t.Errorf("merge: %v, want a conflict", err)
	}
	if d := cmp.Diff(old, gittest.HashDir(t, r.Dir, ".git")); d != "" {
		t.Errorf("the repository changed (-before +after):\n%s", d)
	}
}

// TestMergeFolderMoved has the user move a folder away while files of it are
// swapped: what stands elsewhere then is as it was.
func TestMergeFolderMoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a folder that is open cannot be moved on Windows")
	}
	for _, when := range []string{"exchange", "link", "move", "rename", "syncdir"} {
		for _, again := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/another in its place %v", when, again), func(t *testing.T) {
				r := newRig(t, simple(t))
				snap := r.ready()
				old := gittest.HashDir(t, r.Path("src"))
				r.write("src/a.js", "new\n")
				r.write("src/n.js", "new\n")
				if err := r.s.Remove("src/b.js"); err != nil {
					t.Fatal(err)
				}
				r.write("test/t.js", "new\n")
				changes := r.changes(snap)
				away := filepath.Join(t.TempDir(), "away")
				begun, done := false, false
				r.s.fx.hook = func(call, name string) error {
					// The fallback has a link where the exchange is one call.
					begun = begun || call == "exchange"
					if !done && begun && call == when && filepath.Ext(name) != ".json" {
						done = true
						if err := os.Rename(r.Path("src"), away); err != nil {
							return err
						}
						if again {
							r.Write("src/a.js", "another\n")
						}
					}
					return noExchangeIf(when == "link", call)
				}
				var c *Conflict
				if _, err := r.s.Merge(t.Context(), MergeRequest{ID: "c1", Snap: snap, Changes: changes}); !errors.As(err, &c) {
					t.Errorf("merge: %v, want a conflict", err)
				}
				if !done {
					t.Fatal("the folder was not moved")
				}
				if d := cmp.Diff(old, gittest.HashDir(t, away)); d != "" {
					t.Errorf("the folder that was moved away changed (-before +after):\n%s", d)
				}
				if got := r.Read("test/t.js"); got != "t\n" {
					t.Errorf("another file of the merge holds %q", got)
				}
				if _, err := os.Lstat(r.Path("src/a.js")); again != (err == nil) {
					t.Errorf("the folder in its place: %v", err)
				}
				if len(r.s.Undos()) != 0 {
					t.Error("an undo record was left")
				}
			})
		}
	}
}
