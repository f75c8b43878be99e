package daemon

import (
	"context"
	"testing"
	"time"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/engine"
)

// beginAudited starts a daemon that audits.
func beginAudited(t *testing.T) *fixture {
	t.Helper()
	f := prepare(t, func(c *Config) {
		c.Config.Affected.Audit = true
		c.Misses = func() []cycle.Miss { return []cycle.Miss{{Test: cycle.TestRef{File: "m.test.ts"}}} }
	})
	f.work.audits = make(chan context.Context)
	f.start()
	return f
}

// rests has the daemon do what it does after a rest, twice: it tidies up and
// then audits.
func (f *fixture) rests() {
	f.t.Helper()
	f.idle()
	must(f.t, f.d.ask(f.t.Context(), func() { f.d.loop.untidy = 0; f.d.loop.rest.Reset(0) }))
}

func (f *fixture) audited() context.Context {
	f.t.Helper()
	select {
	case ctx := <-f.work.audits:
		return ctx
	case <-time.After(patience):
		f.t.Fatal("no audit begins")
	}
	return nil
}

func (f *fixture) endsAudit(ctx context.Context, why string) {
	f.t.Helper()
	select {
	case <-ctx.Done():
	case <-time.After(patience):
		f.t.Fatalf("%s does not end the audit", why)
	}
}

// TestAudit holds that a daemon that rests audits a tree once, that this is no
// work to be seen, that who waits for a verdict does not wait for it, and that
// a save, a command and a pause end it at once.
func TestAudit(t *testing.T) {
	f := beginAudited(t)
	f.finish(passed())

	f.rests()
	ctx := f.audited()
	f.until(Idle)
	s, err := f.c.Status(t.Context())
	must(t, err)
	if s.Why == "" || len(s.Misses) != 1 {
		t.Errorf("status = %+v, want what it does and the miss", s)
	}
	if doc, err := f.d.Save(t.Context(), nil, true); err != nil || doc == nil {
		t.Errorf("a verdict that is known: %v, %v", doc, err)
	}
	if ctx.Err() != nil {
		t.Error("a question ends the audit")
	}

	f.save("a.ts", "1")
	f.endsAudit(ctx, "a save")
	f.began()
	f.finish(passed())

	f.rests()
	ctx = f.audited()
	if _, err := f.d.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.endsAudit(ctx, "a pause")
	f.until(Paused)
	if _, err := f.d.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}

	f.rests()
	ctx = f.audited() // once more, since it was not ended
	f.work.mu.Lock()
	f.work.undo = func(id string) (*engine.Written, error) {
		return &engine.Written{ID: id, Files: []cycle.Merged{{File: "b.ts", After: "x"}}}, nil
	}
	f.work.mu.Unlock()
	if _, err := f.d.Undo(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	f.endsAudit(ctx, "an undo")
	f.began() // the verdict on what the undo left
	f.finish(passed())

	f.rests()
	ctx = f.audited()
	f.work.audits <- ctx
	if e := f.told(cycle.EventAudit); e.Done != 1 {
		t.Errorf("event = %+v", e)
	}
	f.rests()
	f.none("the tree was audited")
}

// none says that no audit begins, as far as a round through the loop tells.
func (f *fixture) none(why string) {
	f.t.Helper()
	for range 3 {
		f.idle()
		must(f.t, f.d.ask(f.t.Context(), func() { f.d.loop.audit(f.t.Context()) }))
	}
	select {
	case <-f.work.audits:
		f.t.Errorf("an audit begins although %s", why)
	default:
	}
	var runs bool
	must(f.t, f.d.ask(f.t.Context(), func() { runs = f.d.loop.auditing != nil }))
	if runs {
		f.t.Errorf("an audit begins although %s", why)
	}
}

// TestNoAudit holds that nothing is audited where it was not asked for.
func TestNoAudit(t *testing.T) {
	f := prepare(t, func(c *Config) { c.Config = config.Default(); c.Config.Cycle.MergeQuiet = 0 })
	f.work.audits = make(chan context.Context)
	f.start()
	f.finish(passed())
	f.rests()
	f.none("affected.audit is false")
}
