package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// redate gives an undo record another time, as a clock that is wrong does.
func (r *rig) redate(id string, by time.Duration) {
	r.t.Helper()
	dir := filepath.Join(r.s.dir, "undo", id)
	p, err := loadPlan(dir)
	if err != nil {
		r.t.Fatal(err)
	}
	p.Started = p.Started.Add(by)
	src, err := p.encode()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, planFile), src, 0o600)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) undoIDs() (ids []string) {
	for _, u := range r.s.Undos() {
		ids = append(ids, u.ID)
	}
	return ids
}

// TestUndoClockGoesBack has the clock go back between merges: undo takes the
// one that was made last.
func TestUndoClockGoesBack(t *testing.T) {
	r := newRig(t, simple(t))
	was := r.Read("src/a.js")
	// The names sort the wrong way round, too.
	for i, id := range []string{"c", "b", "a"} {
		snap := r.ready()
		r.write("src/a.js", fmt.Sprintf("%d\n", i))
		if _, err := r.merge(id, snap); err != nil {
			t.Fatal(err)
		}
		r.redate(id, time.Duration(-i)*30*time.Hour)
		r.close() // the order survives a restart
		r.open()
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, r.undoIDs()); diff != "" {
		t.Errorf("Undos (-want +got):\n%s", diff)
	}
	for _, want := range []string{"1\n", "0\n", was} {
		if _, err := r.s.Undo(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if got := r.Read("src/a.js"); got != want {
			t.Errorf("after undo a.js = %q, want %q", got, want)
		}
	}
	if _, err := r.s.Undo(t.Context(), ""); !errors.Is(err, ErrNothingToUndo) {
		t.Errorf("one more Undo = %v", err)
	}
}

// TestUndoAfterUndo has a merge after one that was undone: it is the newest.
func TestUndoAfterUndo(t *testing.T) {
	r := newRig(t, simple(t))
	for i, id := range []string{"a", "b", "c"} {
		snap := r.ready()
		r.write("src/a.js", fmt.Sprintf("%d\n", i))
		if _, err := r.merge(id, snap); err != nil {
			t.Fatal(err)
		}
		if id == "b" {
			if _, err := r.s.Undo(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.redate("c", -time.Hour)
	if diff := cmp.Diff([]string{"c", "a"}, r.undoIDs()); diff != "" {
		t.Errorf("Undos (-want +got):\n%s", diff)
	}
}

// TestSweepClockJumps has the clock jump past the age of all undo records: the
// newest stay, those before them go.
func TestSweepClockJumps(t *testing.T) {
	r := newRig(t, simple(t))
	var want []string
	for i := range undoKept + 3 {
		p := newPlan("merge", fmt.Sprintf("c%02d", i), r.Dir)
		p.Seq = nextSeq(r.s.dir)
		if err := p.save(filepath.Join(r.s.dir, "undo", p.ID), r.s.fx); err != nil {
			t.Fatal(err)
		}
		if i >= 3 {
			want = append([]string{p.ID}, want...)
		}
	}
	now := time.Now()
	for _, at := range []time.Time{now, now.Add(-365 * 24 * time.Hour)} {
		if r.s.sweep(at); len(r.s.Undos()) != undoKept+3 {
			t.Fatalf("at %v %v are left", at, r.undoIDs())
		}
	}
	r.s.sweep(now.Add(365 * 24 * time.Hour))
	if diff := cmp.Diff(want, r.undoIDs()); diff != "" {
		t.Errorf("Undos (-want +got):\n%s", diff)
	}
}
