//go:build unix

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"regreen/internal/git/gittest"
)

// oddKinds are what a user may put in the place of a file; outside is a file
// (abs) elsewhere.
var oddKinds = []struct {
	name string
	put  func(at, outside string) error
}{
	{"pipe", func(at, _ string) error { return syscall.Mkfifo(at, 0o600) }},
	{"link", func(at, outside string) error { return os.Symlink(outside, at) }},
	{"link to a neighbour", func(at, _ string) error { return os.Symlink("c.js", at) }},
	{"folder", func(at, _ string) error { return os.Mkdir(at, 0o755) }},
	{"full folder", func(at, _ string) error {
		return errors.Join(os.Mkdir(at, 0o755), os.WriteFile(filepath.Join(at, "x"), []byte("x"), 0o600))
	}},
}

// kindRig is a merge into src/a.js (all but "create"), with the user's hand at
// its n-th swap.
type kindRig struct {
	*rig
	at, outside string
	changes     []Change
	snap        *Snapshot
}

func newKindRig(t *testing.T, op string) *kindRig {
	g := simple(t)
	g.Write("src/c.js", "c\n")
	r := &kindRig{rig: newRig(t, g), outside: filepath.Join(t.TempDir(), "outside")}
	if err := os.WriteFile(r.outside, []byte("outside\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.at = r.Path("src/a.js")
	r.snap = r.ready()
	switch op {
	case "modify":
		r.write("src/a.js", "new\n")
	case "delete":
		if err := r.s.Remove("src/a.js"); err != nil {
			t.Fatal(err)
		}
	case "create":
		r.at = r.Path("src/n.js")
		r.write("src/n.js", "new\n")
	}
	r.changes = r.rig.changes(r.snap)
	return r
}

// swaps tells whether a call is the one that takes the file's name from it.
func (r *kindRig) swaps(op string, fallback bool, call, name string) bool {
	switch {
	case op == "create":
		return call == map[bool]string{true: "link", false: "move"}[fallback] && name == filepath.Base(r.at)
	case op == "delete", fallback:
		return call == "rename" && name == filepath.Base(r.at)
	}
	return call == "exchange"
}

func (r *kindRig) noTemp() {
	r.t.Helper()
	for rel := range gittest.HashDir(r.t, r.Dir, ".git") {
		if strings.Contains(rel, TempPrefix) {
			r.t.Errorf("%s is left", rel)
		}
	}
	if src, err := os.ReadFile(r.outside); err != nil || string(src) != "outside\n" {
		r.t.Errorf("the file outside: %q, %v", src, err)
	}
}

// kindOf describes what stands at a path.
func kindOf(t *testing.T, at string) string {
	t.Helper()
	fi, err := os.Lstat(at)
	if err != nil {
		return err.Error()
	}
	out := fi.Mode().Type().String()
	if fi.Mode()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(at)
		if err != nil {
			t.Fatal(err)
		}
		out += " " + to
	}
	if fi.IsDir() {
		entries, err := os.ReadDir(at)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			out += " " + e.Name()
		}
	}
	return out
}

// TestMergeKind has the user put something that is no file in the file's place
// at the moment of the swap: it stays, is not waited for, and not followed.
func TestMergeKind(t *testing.T) {
	for _, op := range []string{"modify", "delete", "create"} {
		for _, how := range []string{"exchange", "links"} {
			for _, kind := range oddKinds {
				t.Run(op+"/"+how+"/"+kind.name, func(t *testing.T) {
					r := newKindRig(t, op)
					fallback := how == "links"
					want, done := "", false
					r.s.fx.hook = func(call, name string) error {
						if !done && r.swaps(op, fallback, call, name) {
							done = true
							if err := errors.Join(os.RemoveAll(r.at), kind.put(r.at, r.outside)); err != nil {
								return err
							}
							want = kindOf(t, r.at)
						}
						return noExchangeIf(fallback, call)
					}
					_, err := r.s.Merge(t.Context(), MergeRequest{ID: "c1", Snap: r.snap, Changes: r.changes})
					if !done {
						t.Fatal("nothing was put in its place")
					}
					var c *Conflict
					if !errors.As(err, &c) || len(c.Rescued) > 0 {
						t.Errorf("Merge = %v (%+v), want a conflict", err, c)
					}
					if got := kindOf(t, r.at); got != want {
						t.Errorf("in its place is %s, want %s", got, want)
					}
					r.noTemp()
					if len(r.s.Undos()) > 0 || Unfinished(r.s.dir) {
						t.Error("a record or a journal is left")
					}
				})
			}
		}
	}
}

// TestMergeKindOvertaken has the user put something that is no file in the
// file's place at the swap, and save a file there at the swap back: the newer
// has the name, the other is kept beside it.
func TestMergeKindOvertaken(t *testing.T) {
	for _, kind := range oddKinds {
		t.Run(kind.name, func(t *testing.T) {
			r := newKindRig(t, "modify")
			want, swaps := "", 0
			r.s.fx.hook = func(call, _ string) error {
				if call != "exchange" {
					return nil
				}
				switch swaps++; swaps {
				case 1:
					if err := errors.Join(os.Remove(r.at), kind.put(r.at, r.outside)); err != nil {
						return err
					}
					want = kindOf(t, r.at)
				case 2:
					return errors.Join(os.WriteFile(r.at+".swp", []byte("newer\n"), 0o644), os.Rename(r.at+".swp", r.at))
				}
				return nil
			}
			_, err := r.s.Merge(t.Context(), MergeRequest{ID: "c1", Snap: r.snap, Changes: r.changes})
			var c *Conflict
			if !errors.As(err, &c) || len(c.Rescued) != 1 {
				t.Fatalf("Merge = %v (%+v), want a conflict with what was kept", err, c)
			}
			if got := r.Read("src/a.js"); got != "newer\n" {
				t.Errorf("the file holds %q", got)
			}
			if got := kindOf(t, c.Rescued[0]); got != want {
				t.Errorf("%s is %s, want %s", c.Rescued[0], got, want)
			}
			r.noTemp()
		})
	}
}

// TestRecoverKind has the user put something that is no file in the place of
// one after a crash in the middle of a merge, or of its temporary file.
func TestRecoverKind(t *testing.T) {
	for _, kind := range oddKinds {
		t.Run(kind.name, func(t *testing.T) {
			d := newDeathRig(t, false)
			outside := filepath.Join(t.TempDir(), "outside")
			if err := os.WriteFile(outside, []byte("outside\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			d.s.fx.hook = dieAtExchange(2)
			if err := d.run("merge"); !errors.Is(err, ErrUnsettled) {
				t.Fatalf("merge = %v", err)
			}
			d.s.fx.hook = nil
			temps, err := filepath.Glob(d.Path("test/" + TempPrefix + "*"))
			if err != nil || len(temps) != 1 {
				t.Fatalf("temporary files: %v, %v", temps, err)
			}
			a := d.Path("src/a.js")
			if err := errors.Join(os.Remove(a), kind.put(a, outside), os.Remove(temps[0]), kind.put(temps[0], outside)); err != nil {
				t.Fatal(err)
			}
			want := kindOf(t, a)
			if err := d.restart(); err != nil {
				t.Fatal(err)
			}
			if got := kindOf(t, a); got != want {
				t.Errorf("a.js is %s, want %s", got, want)
			}
			for rel := range d.everything() {
				if strings.Contains(rel, TempPrefix) {
					t.Errorf("%s is left", rel)
				}
			}
			if Unfinished(d.s.dir) || len(d.s.healed) != 1 {
				t.Errorf("not ended: %+v", d.s.healed)
			}
			if src, err := os.ReadFile(outside); err != nil || string(src) != "outside\n" {
				t.Errorf("the file outside: %q, %v", src, err)
			}
		})
	}
}

// TestApplyKind has a pipe or a link in the place of a file that a proposal
// changes.
func TestApplyKind(t *testing.T) {
	for _, kind := range oddKinds {
		t.Run(kind.name, func(t *testing.T) {
			r := newKindRig(t, "modify")
			if err := errors.Join(os.Remove(r.at), kind.put(r.at, r.outside)); err != nil {
				t.Fatal(err)
			}
			want := kindOf(t, r.at)
			_, err := r.s.Apply(t.Context(), "p1", r.changes)
			var ref *Refusal
			if !errors.As(err, &ref) {
				t.Errorf("Apply = %v, want a refusal", err)
			}
			if got := kindOf(t, r.at); got != want {
				t.Errorf("a.js is %s, want %s", got, want)
			}
			r.noTemp()
		})
	}
}
