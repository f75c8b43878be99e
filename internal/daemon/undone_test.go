package daemon

import (
	"errors"
	"testing"

	"regreen/cycle"
)

// TestUndoneBeforeTheStart holds that a daemon does not merge into a file that
// is as an undo left it when the undo was before its start.
func TestUndoneBeforeTheStart(t *testing.T) {
	f := begin(t, func(c *Config) {
		c.Undone = func() map[string]string { return map[string]string{"a.ts": hexSum([]byte("old")), "new.ts": ""} }
	})
	for _, c := range []struct {
		name   string
		change cycle.Change
		merged bool
	}{
		{"the undone file", cycle.Change{File: "a.ts", Before: []byte("old"), After: []byte("x")}, false},
		{"changed since", cycle.Change{File: "a.ts", Before: []byte("mine"), After: []byte("x")}, true},
		{"another file", cycle.Change{File: "b.ts", Before: []byte("old"), After: []byte("x")}, true},
		{"a file the undo removed", cycle.Change{File: "new.ts", After: []byte("x"), Created: true}, false},
		{"the same, made since and empty", cycle.Change{File: "new.ts", After: []byte("x")}, true},
	} {
		f.work.merge <- []cycle.Change{{File: "c.ts", After: []byte("x")}, c.change}
		err := <-f.work.met
		if no := new(cycle.NotMerged); (err == nil) != c.merged || err != nil && !errors.As(err, &no) {
			t.Errorf("%s: BeforeMerge = %v, want a merge %v", c.name, err, c.merged)
		}
	}
	f.finish(passed())
}

// TestUndoOfNothing holds that an undo or an apply that finds nothing to write
// ends neither the daemon nor its rest.
func TestUndoOfNothing(t *testing.T) {
	f := begin(t, nil)
	f.finish(passed())
	f.until(Idle)
	if _, err := f.d.Undo(t.Context(), "no-such-merge"); err != nil {
		t.Fatal(err)
	}
	f.idle()
}
