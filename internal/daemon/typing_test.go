package daemon

import (
	"slices"
	"testing"
	"time"

	"regreen/cycle"
	"regreen/internal/config"
)

func halfWritten(file string) *cycle.Document {
	doc := failed("a.test.ts")
	doc.HalfWritten = []cycle.HalfWritten{{File: file, Line: 12}}
	return doc
}

// TestHalfWrittenWaits holds that what somebody is writing has its verdict at
// once and says what it waits for, and that a save elsewhere does not end that.
func TestHalfWrittenWaits(t *testing.T) {
	f := begin(t, func(c *Config) { c.Config.Cycle.TypingQuiet = config.Duration(time.Hour) })
	f.finish(passed())
	f.until(Idle)
	f.save("a.ts", "const a =")
	var typed []string
	select {
	case r := <-f.work.begun:
		typed = r.Typing()
	case <-time.After(patience):
		t.Fatal("no cycle began")
	}
	if !slices.Equal(typed, []string{"a.ts"}) {
		t.Errorf("typing in %q, want a.ts", typed)
	}
	f.finish(halfWritten("a.ts"))
	f.until(Waiting)
	if s, err := f.c.Status(t.Context()); err != nil || s.Why != "for you to finish line 12 of a.ts" || s.Outcome != cycle.Failed {
		t.Errorf("status = %+v, %v", s, err)
	}
	if doc, err := f.c.Save(t.Context(), nil, true); err != nil || doc.Outcome != cycle.Failed {
		t.Errorf("save --wait = %+v, %v, want the red verdict", doc, err)
	}
	f.save("b.ts", "1")
	f.began()
	f.finish(passed())
	f.until(Waiting)
	f.save("a.ts", "const a = 1")
	f.began()
	f.finish(passed())
	f.idle()
}

// TestHalfWrittenComesAgain holds that it is taken up once it was quiet.
func TestHalfWrittenComesAgain(t *testing.T) {
	f := begin(t, func(c *Config) { c.Config.Cycle.TypingQuiet = config.Duration(time.Millisecond) })
	f.finish(passed())
	f.until(Idle)
	f.save("a.ts", "const a =")
	f.began()
	f.finish(halfWritten("a.ts"))
	if r := f.began(); !slices.Equal(r.Files, []string{"a.ts"}) {
		t.Errorf("a cycle over %q, want a.ts", r.Files)
	}
	f.finish(passed())
	f.idle()
}

func TestTypingTimes(t *testing.T) {
	start := time.Now()
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	const quiet = 3 * time.Second
	w := typing{quiet: time.NewTimer(time.Hour)}
	defer w.quiet.Stop()
	w.saved([]string{"a", "b"}, at(0), quiet)
	w.saved([]string{"b"}, at(2), quiet)
	if got := w.now(at(3), quiet); !slices.Equal(got, []string{"b"}) {
		t.Errorf("now = %q, want b", got)
	}
	w.wait([]cycle.HalfWritten{{File: "a", Line: 1}, {File: "b", Line: 2}}, at(2), quiet)
	if got := w.until(at(2), quiet); got != quiet {
		t.Errorf("until = %s, want the whole quiet time of b", got)
	}
	if j := w.finish(at(4), quiet); j != nil {
		t.Errorf("finish = %v before b was quiet", j)
	}
	if j := w.finish(at(5), quiet); j == nil || !j.files["a"] || !j.files["b"] || len(w.half) > 0 {
		t.Errorf("finish = %v, %v left, want both", j, w.half)
	}
}
