package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/git/gittest"
)

// everything hashes the user's tree and .git.
func (r *rig) everything() map[string]string {
	r.t.Helper()
	return gittest.HashDir(r.t, r.Dir)
}

func (r *rig) unchanged(before map[string]string) {
	r.t.Helper()
	if d := cmp.Diff(before, r.everything()); d != "" {
		r.t.Errorf("the user's tree changed (-before +after):\n%s", d)
	}
}

func TestMergeAndUndo(t *testing.T) {
	g := simple(t)
	g.Write("crlf.txt", "one\r\ntwo\r\nno end", "bom.txt", "\ufeffx\n", "run.sh", "#!/bin/sh\n", "gone.js", "g\n", "odd\nname", "o")
	g.Commit("more")
	for rel, mode := range map[string]os.FileMode{"run.sh": 0o755, "src/b.js": 0o640} {
		if err := os.Chmod(g.Path(rel), mode); err != nil {
			t.Fatal(err)
		}
	}
	// A file that is staged in part: index, HEAD and tree all differ.
	g.Write("src/a.js", "staged\n")
	g.Git("add", "src/a.js")
	g.Write("src/a.js", "unstaged\n", "untracked.js", "u\n")
	untouchedGit(t, g)
	r := newRig(t, g)
	snap := r.ready()
	before := r.everything()
	r.write("src/a.js", "fixed\n")
	r.write("src/b.js", "b fixed\n")
	r.write("crlf.txt", "one\r\nTWO\r\nno end")
	r.write("bom.txt", "\ufeffy\n")
	r.write("run.sh", "#!/bin/bash\n")
	r.write("untracked.js", "v\n")
	r.write("odd\nname", "p")
	r.write("new/deep/n.js", "n\n")
	if err := r.s.Remove("gone.js"); err != nil {
		t.Fatal(err)
	}
	m, err := r.merge("c1", snap)
	if err != nil {
		t.Fatal(err)
	}
	if m.ID != "c1" || len(m.Files) != 9 {
		t.Errorf("Merge = %+v", m)
	}
	// The user's tree is the sandbox's, and nothing else is left.
	user := gittest.HashDir(t, g.Dir, ".git")
	box := gittest.HashDir(t, r.s.Root(), ".git")
	delete(user, ".")
	delete(box, ".")
	if d := cmp.Diff(box, user); d != "" {
		t.Errorf("after Merge (-sandbox +user):\n%s", d)
	}
	if u := r.s.Undos(); len(u) != 1 || u[0].ID != "c1" || len(u[0].Files) != 9 {
		t.Errorf("Undos = %+v", u)
	}
	// Undo survives a restart.
	r.close()
	r.open()
	if _, err := r.s.Undo(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	r.unchanged(before)
	if _, err := r.s.Undo(t.Context(), ""); !errors.Is(err, ErrNothingToUndo) {
		t.Errorf("second Undo = %v", err)
	}
	if _, err := r.s.Undo(t.Context(), "../c1"); !errors.Is(err, ErrNothingToUndo) {
		t.Errorf("Undo(../c1) = %v", err)
	}
}

func TestMergeConflict(t *testing.T) {
	tests := []struct {
		name string
		fix  func(r *rig)
		user func(r *rig)
		file string
	}{
		{"edited", func(r *rig) { r.write("src/a.js", "fix") }, func(r *rig) { r.Write("src/a.js", "mine") }, "src/a.js"},
		{"same size", func(r *rig) { r.write("src/b.js", "x\n") }, func(r *rig) { r.Write("src/b.js", "c\n") }, "src/b.js"},
		{"removed", func(r *rig) { r.write("src/a.js", "fix") }, func(r *rig) { _ = os.Remove(r.Path("src/a.js")) }, "src/a.js"},
		{"folder removed", func(r *rig) { r.write("src/a.js", "fix") }, func(r *rig) { _ = os.RemoveAll(r.Path("src")) }, "src/a.js"},
		{"created by both", func(r *rig) { r.write("n.js", "fix") }, func(r *rig) { r.Write("n.js", "mine") }, "n.js"},
		{"deleted but edited", func(r *rig) { _ = r.s.Remove("src/a.js") }, func(r *rig) { r.Write("src/a.js", "mine") }, "src/a.js"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, simple(t))
			snap := r.ready()
			r.write("test/t.js", "another file of the fix\n")
			tt.fix(r)
			changes := r.changes(snap)
			tt.user(r)
			before := r.everything()
			_, err := r.s.Merge(t.Context(), MergeRequest{ID: "c1", Snap: snap, Changes: changes})
			var c *Conflict
			if !errors.As(err, &c) || c.Files[0] != tt.file {
				t.Errorf("Merge = %v, want a conflict in %s", err, tt.file)
			}
			r.unchanged(before)
			if len(r.s.Undos()) != 0 {
				t.Error("an undo record was left")
			}
		})
	}
}

func TestMergeNoop(t *testing.T) {
	r := newRig(t, simple(t))
	snap := r.ready()
	r.write("src/a.js", "fix")
	changes := r.changes(snap)
	r.Write("src/a.js", "fix")
	before := r.everything()
	m, err := r.s.Merge(t.Context(), MergeRequest{ID: "c1", Snap: snap, Changes: changes})
	if err != nil || m.ID != "" || len(m.Files) != 0 {
		t.Errorf("Merge = %+v, %v", m, err)
	}
	r.unchanged(before)
}

func TestMergeMode(t *testing.T) {
	r := newRig(t, simple(t))
	snap := r.ready()
	before := r.everything()
	if err := os.Chmod(r.s.boxPath("src/a.js"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := r.merge("c1", snap); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(r.Path("src/a.js")); err != nil || fi.Mode() != 0o755 {
		t.Errorf("mode = %v, %v", fi.Mode(), err)
	}
	if _, err := r.s.Undo(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	r.unchanged(before)
}

func TestMergeRefusals(t *testing.T) {
	outside := t.TempDir()
	change := func(rel, before string) Change {
		return Change{Path: rel, Op: Modify, Mode: 0o644, BeforeMode: 0o644, Before: []byte(before), After: []byte("fix")}
	}
	tests := []struct {
		name, code string
		set        func(r *rig)
		change     Change
	}{
		{"hard link", RefuseHardLink, func(r *rig) { _ = os.Link(r.Path("src/b.js"), r.Path("other.js")) }, change("src/b.js", "b\n")},
		{"link", RefuseSymlink, func(r *rig) { _ = os.Symlink("b.js", r.Path("src/l.js")) }, change("src/l.js", "b\n")},
		{"folder is a link", RefuseParent, func(r *rig) {
			_ = os.WriteFile(filepath.Join(outside, "x.js"), []byte("x"), 0o644)
			_ = os.Symlink(outside, r.Path("out"))
		}, change("out/x.js", "x")},
		{"read-only file", RefuseReadOnly, func(r *rig) { _ = os.Chmod(r.Path("src/b.js"), 0o444) }, change("src/b.js", "b\n")},
		{"read-only folder", RefuseReadOnly, func(r *rig) { _ = os.Chmod(r.Path("src"), 0o555) }, change("src/b.js", "b\n")},
		{"ignored", RefuseIgnored, func(*rig) {}, Change{Path: "a.log", Op: Create, Mode: 0o644, After: []byte("x")}},
		{"in .git", RefuseGit, func(*rig) {}, Change{Path: ".git/hooks/x", Op: Create, Mode: 0o644, After: []byte("x")}},
		{"upwards", RefuseOutside, func(*rig) {}, change("../x", "x")},
		{"absolute", RefuseOutside, func(*rig) {}, change("/etc/passwd", "x")},
		{"becomes a link", RefuseSymlink, func(*rig) {}, Change{Path: "n", Op: Create, Mode: os.ModeSymlink | 0o777, After: []byte("/etc")}},
		{"merge in progress", RefuseRepoMoved, func(r *rig) { r.Write(".git/MERGE_HEAD", "x") }, change("src/b.js", "b\n")},
		{"commit", RefuseRepoMoved, func(r *rig) { r.Git("commit", "-q", "--allow-empty", "-m", "x") }, change("src/b.js", "b\n")},
		{"stash", RefuseRepoMoved, func(r *rig) {
			r.Write("src/a.js", "x")
			r.Git("stash", "-q")
		}, change("src/b.js", "b\n")},
		{"index.lock", RefuseRepoBusy, func(r *rig) { r.Write(".git/index.lock", "") }, change("src/b.js", "b\n")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "index.lock" {
				t.Parallel() // waits three seconds
			}
			r := newRig(t, simple(t))
			snap := r.ready()
			tt.set(r)
			t.Cleanup(func() { _ = os.Chmod(r.Path("src"), 0o755) })
			before := r.everything()
			_, err := r.s.Merge(t.Context(), MergeRequest{ID: "c1", Snap: snap,
				Changes: []Change{change("test/t.js", "t\n"), tt.change}})
			var ref *Refusal
			if !errors.As(err, &ref) || ref.Code != tt.code {
				t.Errorf("Merge = %v, want %s", err, tt.code)
			}
			r.unchanged(before)
			if e, _ := os.ReadDir(outside); len(e) > 1 {
				t.Errorf("written outside: %v", e)
			}
		})
	}
}

func TestSnapshotWithLockedIndex(t *testing.T) {
	g := simple(t)
	g.Write("src/a.js", "edit\n", ".git/index.lock", "theirs")
	r := newRig(t, g)
	untouchedGit(t, g)
	snap := r.ready()
	if got := r.box("src/a.js"); got != "edit\n" || snap.Guard.Busy() == "" {
		t.Errorf("a.js = %q, Busy = %q", got, snap.Guard.Busy())
	}
}

func TestUndoAfterChange(t *testing.T) {
	r := newRig(t, simple(t))
	snap := r.ready()
	r.write("src/a.js", "fix\n")
	r.write("src/b.js", "fix\n")
	if _, err := r.merge("c1", snap); err != nil {
		t.Fatal(err)
	}
	r.Write("src/b.js", "mine\n")
	before := r.everything()
	_, err := r.s.Undo(t.Context(), "c1")
	var ref *Refusal
	if !errors.As(err, &ref) || ref.Code != RefuseChanged || ref.File != "src/b.js" {
		t.Errorf("Undo = %v", err)
	}
	r.unchanged(before)
	// Back to the bytes of before by hand: the rest is undone.
	r.Write("src/b.js", "b\n")
	if _, err := r.s.Undo(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	if got := r.Read("src/a.js"); got != "export const a = 1\n" {
		t.Errorf("a.js = %q", got)
	}
}

// TestUndoKeepsLaterEdits undoes a merge in a file that the user went on with.
func TestUndoKeepsLaterEdits(t *testing.T) {
	base, fixed := "1\r\n2\n3\n4\n5\xff\n6\n7", "1\r\nTWO\n3\n4\n5\xff\n6\n7"
	tests := []struct {
		name, mine, want string // want "" is a refusal
	}{
		{"elsewhere", "1\r\nTWO\n3\n4\n5\xff\n6\nSEVEN\r\n", "1\r\n2\n3\n4\n5\xff\n6\nSEVEN\r\n"},
		{"above and below", "0\r\n1\r\nTWO\n3\n4\n5\xff\n6\n7\n8", "0\r\n1\r\n2\n3\n4\n5\xff\n6\n7\n8"},
		{"there", "1\r\nzwei\n3\n4\n5\xff\n6\n7", ""},
		{"undone by hand, and more", "1\r\n2\n3\n4\n5\xff\n6\nSEVEN", "1\r\n2\n3\n4\n5\xff\n6\nSEVEN"},
		{"removed", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := simple(t)
			g.Write("n.txt", base)
			g.Commit("n")
			r := newRig(t, g)
			snap := r.ready()
			r.write("n.txt", fixed)
			r.write("new/new.js", "new\n")
			if _, err := r.merge("c1", snap); err != nil {
				t.Fatal(err)
			}
			g.Write("n.txt", tt.mine)
			if tt.name == "removed" {
				_ = os.Remove(g.Path("n.txt"))
			} else if err := os.Chmod(g.Path("n.txt"), 0o755); err != nil {
				t.Fatal(err)
			}
			before := r.everything()
			r.close() // undo survives a restart
			r.open()
			_, err := r.s.Undo(t.Context(), "")
			if tt.want == "" {
				var ref *Refusal
				if !errors.As(err, &ref) || ref.File != "n.txt" {
					t.Errorf("Undo = %v, want a refusal", err)
				}
				r.unchanged(before)
				if len(r.s.Undos()) != 1 {
					t.Error("the undo record is gone")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := g.Read("n.txt"); got != tt.want {
				t.Errorf("n.txt = %q, want %q", got, tt.want)
			}
			if fi, err := os.Stat(g.Path("n.txt")); err != nil || fi.Mode().Perm() != 0o755 {
				t.Errorf("mode = %v, %v, want the one that was set since", fi.Mode(), err)
			}
			if _, err := os.Stat(g.Path("new")); !os.IsNotExist(err) {
				t.Errorf("the new folder is left: %v", err)
			}
		})
	}
}

func TestApply(t *testing.T) {
	base := "1\n2\n3\n4\n5\n6\n7\n"
	tests := []struct {
		name, mine, want string
		conflict         bool
	}{
		{"as proposed", base, "1\nTWO\n3\n4\n5\n6\n7\n", false},
		{"edited elsewhere", "1\n2\n3\n4\n5\n6\nSEVEN\n", "1\nTWO\n3\n4\n5\n6\nSEVEN\n", false},
		{"edited there", "1\nzwei\n3\n4\n5\n6\n7\n", "", true},
		{"already", "1\nTWO\n3\n4\n5\n6\n7\n", "1\nTWO\n3\n4\n5\n6\n7\n", false},
		{"binary", "1\n2\x00\n", "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := simple(t)
			g.Write("n.txt", base)
			g.Commit("n")
			r := newRig(t, g)
			snap := r.ready()
			r.write("n.txt", "1\nTWO\n3\n4\n5\n6\n7\n")
			r.write("new.js", "new\n")
			changes := r.changes(snap)
			g.Write("n.txt", tt.mine)
			g.Git("commit", "-q", "--allow-empty", "-m", "HEAD moves on")
			before := r.everything()
			m, err := r.s.Apply(t.Context(), "p1", changes)
			if tt.conflict {
				var c *Conflict
				if !errors.As(err, &c) || c.Files[0] != "n.txt" {
					t.Errorf("Apply = %v, want a conflict", err)
				}
				r.unchanged(before)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := g.Read("n.txt"); got != tt.want {
				t.Errorf("n.txt = %q, want %q", got, tt.want)
			}
			if _, err := r.s.Undo(t.Context(), m.ID); err != nil {
				t.Fatal(err)
			}
			r.unchanged(before)
		})
	}
}

// TestRace has a user save a file while it is merged, at every moment of the
// merge: no save may be lost. bench/merge does the same from another process,
// and oftener.
func TestRace(t *testing.T) {
	trials := 400
	if testing.Short() {
		trials = 40
	}
	styles := map[string]func(abs string, src []byte) error{
		"in place": func(abs string, src []byte) error { return os.WriteFile(abs, src, 0o644) },
		"rename": func(abs string, src []byte) error {
			if err := os.WriteFile(abs+".swp", src, 0o644); err != nil {
				return err
			}
			return os.Rename(abs+".swp", abs)
		},
	}
	for name, save := range styles {
		for _, how := range []string{"exchange", "links"} {
			t.Run(name+"/"+how, func(t *testing.T) { race(t, trials, how == "links", save) })
		}
	}
}

func race(t *testing.T, trials int, fallback bool, save func(abs string, src []byte) error) {
	inMemory(t)
	r := newRig(t, simple(t), func(c *Config) {
		c.Effect = func(call, _ string) error { return noExchangeIf(fallback, call) }
	})
	abs := r.Path("src/a.js")
	merged, conflicts := 0, 0
	for i := range trials {
		start, user := fmt.Sprintf("start %d\n", i), fmt.Sprintf("the user's save %d\n", i)
		r.Write("src/a.js", start)
		tx := r.raceTx(fmt.Sprintf("r%d", i), start, fmt.Sprintf("the fix %d\n", i))
		var wg sync.WaitGroup
		delay := time.Duration(i*7%400) * time.Microsecond
		tx.look = func(context.Context) error {
			wg.Go(func() {
				for begun := time.Now(); time.Since(begun) < delay; {
				}
				if err := save(abs, []byte(user)); err != nil {
					t.Error(err)
				}
			})
			return nil
		}
		err := tx.run(t.Context())
		wg.Wait()
		var c *Conflict
		switch {
		case err == nil:
			merged++
		case errors.As(err, &c):
			conflicts++
		default:
			t.Fatal(err)
		}
		r.s.Settle()
		if got := r.Read("src/a.js"); got != user && !rescuedHas(t, r.s, user) {
			t.Fatalf("trial %d (%v): the file holds %q: the save is lost", i, err, got)
		}
		r.s.dropLate()
	}
	t.Logf("%d merged, %d conflicts, %d kept aside", merged, conflicts, countRescued(t, r.s))
	if left, err := filepath.Glob(r.Path("src/" + TempPrefix + "*")); err != nil || len(left) > 0 {
		t.Errorf("left %v (%v)", left, err)
	}
}

func (r *rig) raceTx(id, before, after string) *tx {
	r.t.Helper()
	p := newPlan("merge", id, r.Dir)
	p.add(&step{Path: "src/a.js", Op: Modify, Before: sumOf([]byte(before)).String(), After: sumOf([]byte(after)).String(),
		before: []byte(before), after: []byte(after)})
	tx, err := r.s.newTx(p)
	if err != nil {
		r.t.Fatal(err)
	}
	return tx
}

func rescuedHas(t *testing.T, s *Sandbox, src string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.dir, "rescued", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && string(b) == src {
			return true
		}
	}
	return false
}

func countRescued(t *testing.T, s *Sandbox) int {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(s.dir, "rescued", "*"))
	return len(files)
}
