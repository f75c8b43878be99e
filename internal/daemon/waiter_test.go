package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"regreen/cycle"
	"regreen/internal/engine"
)

// TestVerdictOfItsOwn holds that who waits for the verdict on a save gets that,
// and not what a later cycle over other files says.
func TestVerdictOfItsOwn(t *testing.T) {
	later := func(o cycle.Outcome, tests ...string) *cycle.Document {
		d := &cycle.Document{ID: "later", Outcome: o}
		for _, f := range tests {
			d.AffectedTests = append(d.AffectedTests, cycle.Affected{File: f})
		}
		return d
	}
	for _, c := range []struct {
		name         string
		first, later *cycle.Document
		want         cycle.Outcome
	}{
		{"no test sees the other", failed("a.test.ts"), later(cycle.NoTests), cycle.Failed},
		{"the other's tests pass", failed("a.test.ts"), later(cycle.Passed, "b.test.ts"), cycle.Failed},
		{"the failed test ran again", failed("a.test.ts"), later(cycle.Passed, "a.test.ts", "b.test.ts"), cycle.Passed},
		{"it passed", passed(), later(cycle.NoTests), cycle.Passed},
		{"it passed, the other fails", passed(), failed("b.test.ts"), cycle.Passed},
		{"the other has an error", failed("a.test.ts"), later(cycle.Errored, "a.test.ts"), cycle.Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := begin(t, nil)
			f.finish(passed())
			f.until(Idle)
			must(t, os.WriteFile(filepath.Join(f.cfg.Root, "a.ts"), []byte("1"), 0o644))
			verdict := make(chan *cycle.Document, 1)
			go func() {
				doc, err := f.d.Save(t.Context(), []string{"a.ts"}, true)
				if err != nil {
					t.Error(err)
				}
				verdict <- doc
			}()
			f.began()
			f.told(EventBatch)
			f.save("README.md", "1") // which waits its turn
			f.told(EventBatch)
			f.finish(c.first)
			if got := files(f.began()); !slices.Equal(got, []string{"README.md"}) {
				t.Fatalf("the second cycle is about %v", got)
			}
			f.finish(c.later)
			if got := <-verdict; got == nil || got.Outcome != c.want {
				t.Errorf("verdict = %+v, want %s", got, c.want)
			}
			f.idle()
		})
	}
}

// TestUndoneAtOnce holds that a repair does not come again by itself that is
// undone while the cycle that made it is ending.
func TestUndoneAtOnce(t *testing.T) {
	var f *fixture
	undone := make(chan error, 1)
	f = prepare(t, func(c *Config) {
		next := c.Sink
		c.Sink = func(e Event) {
			next(e)
			if e.Kind != cycle.EventVerdict || e.Document.Outcome != cycle.Repaired {
				return
			}
			go func() {
				_, err := f.d.Undo(t.Context(), "c1")
				undone <- err
			}()
			for asked := false; !asked; { // in the cycle's goroutine, which waits
				must(t, f.d.ask(t.Context(), func() { asked = len(f.d.loop.ops) > 0 }))
			}
		}
	})
	f.work.undo = func(id string) (*engine.Written, error) {
		return &engine.Written{ID: id, Files: []cycle.Merged{{File: "a.ts", After: hexSum([]byte("broken"))}}}, nil
	}
	f.start()
	f.finish(&cycle.Document{ID: "c1", Outcome: cycle.Repaired, Undo: "c1", Merged: []cycle.Merged{{File: "a.ts", After: "x"}}})
	must(t, <-undone)
	if r := f.began(); !r.NoMerge || !slices.Equal(r.Files, []string{"a.ts"}) {
		t.Errorf("after the undo the cycle is %+v", r)
	}
	f.finish(passed())
	f.idle()
}

// TestStoppedAfterItMerged holds that a cycle that was stopped when it had
// merged already is not run again, and one that had not is.
func TestStoppedAfterItMerged(t *testing.T) {
	for _, c := range []struct {
		name  string
		doc   *cycle.Document
		again bool
	}{
		{"merged", &cycle.Document{Outcome: cycle.Repaired, Merged: []cycle.Merged{{File: "a.ts", After: "x"}}}, false},
		{"only proposed", &cycle.Document{Outcome: cycle.Proposed}, true},
		{"cancelled", &cycle.Document{Outcome: cycle.Cancelled}, true},
		{"nothing", nil, true},
	} {
		l := &loop{hub: &hub{}, contents: contents{seen: map[string]string{}}}
		l.ended(&job{files: map[string]bool{"a.ts": true}}, c.doc, nil, true)
		if got := !l.pending.empty(); got != c.again {
			t.Errorf("%s: runs again = %v, want %v", c.name, got, c.again)
		}
	}
}

// TestUndoBesideASave holds that a save from before an undo, whose cycle the
// undo stopped, does not bring back what was undone.
func TestUndoBesideASave(t *testing.T) {
	f := begin(t, nil)
	f.finish(passed())
	f.until(Idle)
	f.work.mu.Lock()
	f.work.undo = func(id string) (*engine.Written, error) {
		return &engine.Written{ID: id, Files: []cycle.Merged{{File: "a.ts", After: hexSum([]byte("broken"))}}}, nil
	}
	f.work.mu.Unlock()
	f.save("b.ts", "1")
	f.began()
	_, err := f.d.Undo(t.Context(), "c1")
	must(t, err)
	if r := f.began(); !r.NoMerge || !slices.Equal(r.Files, []string{"a.ts", "b.ts"}) {
		t.Errorf("after the undo the cycle is %+v", r)
	}
	f.finish(passed())
	f.idle()
}
