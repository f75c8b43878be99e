package daemon

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"regreen/cycle"
	"regreen/internal/engine"
	"regreen/internal/runner"
)

// TestMatters holds that it is the selection that tells which saves can change
// a verdict, and that a save before the selection is never left out.
func TestMatters(t *testing.T) {
	l := &loop{running: &job{}}
	no := func([]string) bool { return false }
	for _, c := range []struct {
		name   string
		matter func([]string) bool
		job    *job
		files  []string
		want   bool
	}{
		{"not chosen yet", nil, &job{}, []string{"README.md"}, true},
		{"no test sees it", no, &job{}, []string{"src/other.ts"}, false},
		{"a test sees it", func([]string) bool { return true }, &job{}, []string{"README.md"}, true},
		{"all tests run", no, &job{all: true}, []string{"src/other.ts"}, true},
		{"the configuration", no, &job{}, []string{"a.ts", "regreen.toml"}, true},
	} {
		l.matter, l.running = c.matter, c.job
		if got := l.matters(c.files); got != c.want {
			t.Errorf("%s: matters = %v, want %v", c.name, got, c.want)
		}
	}
}

// TestFailingRunAgain holds that a cycle hears which tests failed before.
func TestFailingRunAgain(t *testing.T) {
	f := begin(t, nil)
	f.finish(failed("a.test.ts"))
	f.until(Idle)
	f.save("b.ts", "1")
	if got := f.began().Failing; !slices.Equal(got, []string{"a.test.ts"}) {
		t.Errorf("failing = %v", got)
	}
	f.finish(&cycle.Document{Outcome: cycle.Passed, AffectedTests: []cycle.Affected{{File: "a.test.ts"}}})
	f.until(Idle)
	f.save("b.ts", "2")
	if got := f.began().Failing; len(got) != 0 {
		t.Errorf("failing after they passed = %v", got)
	}
	f.finish(passed())
	f.idle()
}

// TestUndoneElsewhere holds that after an undo or an apply by a command the
// status is about the files as they are now, and that nothing comes again by
// itself that was taken back.
func TestUndoneElsewhere(t *testing.T) {
	f := begin(t, nil)
	f.finish(&cycle.Document{ID: "c1", Outcome: cycle.Repaired, Undo: "c1", Merged: []cycle.Merged{{File: "a.ts", After: "x"}},
		Proposals: []cycle.Proposal{{ID: "p1"}, {ID: "p2"}}})
	f.until(Idle)
	for _, id := range []string{"c1", "p1"} {
		loan, err := f.c.Borrow(t.Context())
		must(t, err)
		must(t, loan.Wrote(t.Context(), &engine.Written{ID: id, Files: []cycle.Merged{{File: "a.ts", After: hexSum([]byte(id))}}}))
		if s, err := f.c.Status(t.Context()); err != nil || s.Undo != "" || slices.Contains(s.Proposals, id) || !slices.Contains(s.Proposals, "p2") {
			t.Errorf("status after %s = %+v, %v", id, s, err)
		}
		loan.Return()
		if r := f.began(); !r.NoMerge || !strings.Contains(r.NoMergeReason, "undo") || !slices.Equal(r.Files, []string{"a.ts"}) {
			t.Errorf("after %s the cycle is %+v", id, r)
		}
		if id == "c1" {
			f.finish(&cycle.Document{ID: "c2", Outcome: cycle.Failed, Proposals: []cycle.Proposal{{ID: "p1"}, {ID: "p2"}}})
			f.until(Idle)
		}
	}
	f.save("a.ts", "mine") // and a person's save is as any other
	if r := f.began(); r.NoMerge {
		t.Errorf("after a save the cycle is %+v", r)
	}
	f.finish(passed())
	f.idle()
}

// TestStatusIsAsTold holds that who hears a verdict and asks for the status
// then, hears the same.
func TestStatusIsAsTold(t *testing.T) {
	var f *fixture
	told := make(chan Status, 10)
	f = prepare(t, func(c *Config) {
		next := c.Sink
		c.Sink = func(e Event) {
			next(e)
			if e.Kind == cycle.EventVerdict { // in the cycle's goroutine, which waits
				s, err := f.c.Status(t.Context())
				must(t, err)
				told <- s
			}
		}
	})
	f.start()
	f.finish(failed("a.test.ts"))
	if s := <-told; s.Outcome != cycle.Failed || len(s.Failing) != 1 {
		t.Errorf("status = %+v", s)
	}
	f.idle()
}

// TestNothingToRun holds that a daemon ends where no cycle is possible from the
// start, and stays where that comes about later.
func TestNothingToRun(t *testing.T) {
	none := &runner.Problem{Code: "no_framework", Message: "none", Hint: "name one"}
	f := begin(t, func(c *Config) {
		c.Explain = func(error) (string, string) { return none.Code, none.Hint }
	})
	f.finish(passed())
	f.until(Idle)
	f.save("a.ts", "1")
	f.began()
	f.work.fail <- none
	if e := f.told(EventError); e.Text != "none" || e.Hint != "name one" {
		t.Errorf("event = %+v", e)
	}
	f.until(Idle)

	g := begin(t, nil)
	g.work.fail <- none
	if err := <-g.done; !errors.Is(err, none) {
		t.Errorf("Run = %v", err)
	}
}

// TestUndoneHere holds that what the daemon's own undo writes is no save, even
// where the watcher tells of it before the undo has ended.
func TestUndoneHere(t *testing.T) {
	f := begin(t, nil)
	f.finish(passed())
	f.until(Idle)
	f.work.mu.Lock()
	f.work.undo = func(id string) (*engine.Written, error) {
		f.save("a.ts", "as before") // the watcher is quick
		for come := false; !come; {
			must(t, f.d.ask(t.Context(), func() { come = len(f.d.loop.held) > 0 || !f.d.loop.pending.empty() }))
		}
		return &engine.Written{ID: id, Files: []cycle.Merged{{File: "a.ts", After: hexSum([]byte("as before"))}}}, nil
	}
	f.work.mu.Unlock()
	_, err := f.d.Undo(t.Context(), "c1")
	must(t, err)
	if r := f.began(); !r.NoMerge || !slices.Equal(r.Files, []string{"a.ts"}) {
		t.Errorf("after the undo the cycle is %+v", r)
	}
	f.finish(passed())
	f.idle()
}

// TestUndoneStaysUndone holds that no later cycle writes again into a file that
// an undo left as it is, until a person saves it.
func TestUndoneStaysUndone(t *testing.T) {
	f := begin(t, nil)
	f.finish(&cycle.Document{ID: "c1", Outcome: cycle.Repaired, Undo: "c1", Merged: []cycle.Merged{{File: "a.ts", After: "x"}}})
	f.until(Idle)
	f.save("b.ts", "1") // its cycle runs while the merge is undone
	f.began()
	wrote := func(w *engine.Written) {
		t.Helper()
		loan, err := f.c.Borrow(t.Context())
		must(t, err)
		must(t, loan.Wrote(t.Context(), w))
		loan.Return()
		f.began()
	}
	merges := func(want bool) {
		t.Helper()
		f.work.merge <- []cycle.Change{{File: "b.ts", After: []byte("x")}, {File: "a.ts", After: []byte("x")}}
		err := <-f.work.met
		if no := new(cycle.NotMerged); (err == nil) != want || err != nil && !errors.As(err, &no) {
			t.Errorf("BeforeMerge = %v, want a merge %v", err, want)
		}
	}
	a := []cycle.Merged{{File: "a.ts", After: hexSum([]byte("old"))}}
	wrote(&engine.Written{ID: "c1", Files: a})
	merges(false)
	f.finish(failed("a.test.ts"))
	f.until(Idle)
	f.save("b.ts", "2")
	f.began()
	merges(false)
	wrote(&engine.Written{ID: "p1", Undo: "p1", Files: a}) // an apply is a person's wish
	merges(true)
	wrote(&engine.Written{ID: "p1", Files: a})
	merges(false)
	f.save("a.ts", "mine")
	f.began()
	merges(true)
	f.finish(passed())
}

// TestRefusedChangesNothing holds that a merge whose undo was refused can still
// be undone.
func TestRefusedChangesNothing(t *testing.T) {
	f := begin(t, nil)
	f.finish(&cycle.Document{ID: "c1", Outcome: cycle.Repaired, Undo: "c1", Proposals: []cycle.Proposal{{ID: "p1"}}})
	f.until(Idle)
	for _, id := range []string{"c1", "p1"} {
		loan, err := f.c.Borrow(t.Context())
		must(t, err)
		must(t, loan.Wrote(t.Context(), &engine.Written{ID: id, Refused: "a.ts changed in the same place"}))
		loan.Return()
	}
	f.idle()
	if s, err := f.c.Status(t.Context()); err != nil || s.Undo != "c1" || len(s.Proposals) != 1 {
		t.Errorf("status = %+v, %v", s, err)
	}
}

// TestErrorIsOwed holds that saves whose cycle found nothing out are not
// forgotten when the next save has its cycle.
func TestErrorIsOwed(t *testing.T) {
	f := begin(t, nil)
	f.finish(passed())
	f.until(Idle)
	f.save("a.ts", "1")
	f.began()
	f.work.fail <- errors.New("no space left on device")
	f.idle() // nor are they tried again and again
	go func() { _, _ = f.c.Save(t.Context(), []string{"a.ts"}, true) }()
	if r := f.began(); !slices.Equal(r.Files, []string{"a.ts"}) {
		t.Errorf("who waits has a cycle about %v", r.Files)
	}
	f.work.fail <- errors.New("no space left on device")
	f.idle()
	f.save("b.ts", "1")
	if r := f.began(); !slices.Equal(r.Files, []string{"a.ts", "b.ts"}) {
		t.Errorf("after an error the cycle is about %v", r.Files)
	}
	f.finish(&cycle.Document{Outcome: cycle.Errored})
	f.idle()
	f.save("c.ts", "1")
	if r := f.began(); !slices.Equal(r.Files, []string{"a.ts", "b.ts", "c.ts"}) {
		t.Errorf("after an outcome of error the cycle is about %v", r.Files)
	}
	f.finish(passed())
	f.until(Idle)
	f.save("d.ts", "1")
	if r := f.began(); !slices.Equal(r.Files, []string{"d.ts"}) {
		t.Errorf("after a verdict the cycle is about %v", r.Files)
	}
	f.finish(passed())
	f.idle()
}

// TestLargeDocument holds that a command's verdict with thousands of failures
// is heard.
func TestLargeDocument(t *testing.T) {
	f := begin(t, nil)
	loan, err := f.c.Borrow(t.Context())
	must(t, err)
	must(t, loan.Ran(t.Context(), &cycle.Document{ID: "c9", Outcome: cycle.Failed, Patch: strings.Repeat("x", 3*maxBody)}))
	if s, err := f.c.Status(t.Context()); err != nil || s.Cycle != "c9" {
		t.Errorf("status = %+v, %v", s, err)
	}
	f.cancel()
	<-f.d.ended
	if err := loan.Ran(t.Context(), &cycle.Document{ID: "c10"}); err != nil {
		t.Errorf("telling a daemon that has ended = %v", err)
	}
}
