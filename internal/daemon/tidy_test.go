package daemon

import (
	"context"
	"testing"
	"time"
)

// hold has each tidying wait for the test.
func (f *fixture) hold() {
	f.work.mu.Lock()
	defer f.work.mu.Unlock()
	f.work.heldTidy = true
}

// tidies has the daemon begin to tidy up as if it had rested.
func (f *fixture) tidies() context.Context {
	f.t.Helper()
	f.hold()
	must(f.t, f.d.ask(f.t.Context(), func() { f.d.loop.rest.Reset(0) }))
	select {
	case ctx := <-f.work.tidied:
		return ctx
	case <-time.After(patience):
		f.t.Fatal("it does not tidy up")
	}
	return nil
}

// TestTidy holds that a daemon that rests tidies up once, that this is no work
// to be seen, and that a save ends it at once and is not lost.
func TestTidy(t *testing.T) {
	f := begin(t, nil)
	f.finish(passed())
	f.until(Idle)
	ctx := f.tidies()
	f.until(Idle)
	f.save("a.ts", "1")
	select {
	case <-ctx.Done():
	case <-time.After(patience):
		t.Fatal("a save does not end the tidying")
	}
	f.work.tidyEnd <- struct{}{}
	f.began()
	f.finish(passed())
	f.until(Idle)

	f.tidies()
	f.work.tidyEnd <- struct{}{}
	for untidy := 1; untidy > 0; {
		must(t, f.d.ask(t.Context(), func() { untidy = f.d.loop.untidy }))
	}
	must(t, f.d.ask(t.Context(), func() { f.d.loop.rest.Reset(0) }))
	f.idle()
	select {
	case <-f.work.tidied:
		t.Error("it tidies up although nothing was done")
	case <-f.d.ended:
	default:
	}
}

// TestTidyWithoutARest holds that work without a pause is no reason never to
// tidy up.
func TestTidyWithoutARest(t *testing.T) {
	f := begin(t, nil)
	f.hold()
	must(t, f.d.ask(t.Context(), func() { f.d.loop.untidy = untidyLimit }))
	f.save("a.ts", "1") // cancels the first cycle
	select {
	case ctx := <-f.work.tidied:
		f.save("b.ts", "1")
		f.told(EventBatch)
		f.told(EventBatch)
		if ctx.Err() != nil {
			t.Error("a save ended it")
		}
	case <-time.After(patience):
		t.Fatal("it does not tidy up")
	}
	f.work.tidyEnd <- struct{}{}
	if got := files(f.began()); len(got) != 0 { // the first was over all that is modified
		t.Errorf("files = %v", got)
	}
	f.finish(passed())
	f.idle()
}
