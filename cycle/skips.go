package cycle

import (
	"context"
	"maps"
	"slices"

	"regreen/fixers"
	"regreen/internal/runner"
)

// A file that does not load and whose tests are all skipped, or that holds none
// (what others share), has no test that could turn green: that it loads again is
// all that a repair can do for it. That alone proves nothing, for a file can load
// and skip for the wrong reason. So such a file counts as repaired only where it
// has just the same tests, skipped, with the base revision's bytes, and where the
// run of everything selected has tests that pass again and see what was edited.

// onlySkips tells whether the cause is files that did not load, and a run has
// nothing of them but skipped tests, if any.
func onlySkips(x cause, after *result) bool {
	of := map[string]bool{}
	for _, f := range x.Failures {
		if f.Test.File == "" || f.Scope != runner.ScopeFile && f.Scope != runner.ScopeRun {
			return false
		}
		of[f.Test.File] = true
	}
	if !after.ended || after.timedOut || after.distrust != "" {
		return false
	}
	for _, f := range after.failures {
		if of[f.Test.File] || f.Test.File == "" {
			return false
		}
	}
	for _, f := range after.notLoaded[x.unit] {
		if of[f] {
			return false
		}
	}
	for k, t := range after.tests {
		if k.unit == x.unit && of[t.ID.File] && t.Verdict != runner.Skipped && t.Verdict != runner.Todo {
			return false
		}
	}
	return len(of) > 0
}

// verdictsIn are the tests of a plan's files with what became of them.
func (r *result) verdictsIn(p plan) map[testKey]runner.Verdict {
	out := map[testKey]runner.Verdict{}
	for k, t := range r.tests {
		if p.has(k.unit, t.ID.File) {
			out[k] = t.Verdict
		}
	}
	return out
}

// skipsAsAtBase tells whether a cause's files, which hold skipped tests alone or
// none in a run, are just so with the base revision's bytes. What it finds out is kept
// for loadedAsAtBase.
func (c *run) skipsAsAtBase(ctx context.Context, x cause, after *result) (bool, error) {
	if len(c.deps.Workspace.Changed()) == 0 {
		return false, nil // nothing is modified: the base is what fails
	}
	p := x.victimPlan()
	if _, ok := c.baseSkips[x.same]; !ok {
		if err := c.reset(ctx, c.baseFiles()); err != nil {
			return false, err
		}
		c.littered = true // the fixes are missing in it, too
		o := c.tryOptions()
		base, err := c.suite.run(ctx, p, o)
		if err != nil {
			return false, err
		}
		c.baseSkips[x.same] = nil
		if onlySkips(x, base) {
			c.baseSkips[x.same] = base.verdictsIn(p)
		}
	}
	return c.loadedAsAtBase(x, after), nil
}

// loadedAsAtBase tells the same of causes that were asked about, and is false
// of all others.
func (c *run) loadedAsAtBase(x cause, after *result) bool {
	base := c.baseSkips[x.same]
	return base != nil && onlySkips(x, after) && maps.Equal(base, after.verdictsIn(x.victimPlan()))
}

// seenGains counts the tests of the whole selection that pass and did not
// before, if one of them sees what the cause's fixes edit: none otherwise.
func (c *run) seenGains(x cause, before, after *result) int {
	if c.deps.Sees == nil {
		return 0
	}
	var edited []string
	for _, a := range c.ledger.list {
		if a.cause.same == x.same {
			edited = append(edited, a.fix.Files()...)
		}
	}
	was, n, seen := before.passedIn(c.plan), 0, map[string]bool{}
	for k := range after.passedIn(c.plan) {
		if !was[k] {
			n++
			seen[after.tests[k].ID.File] = true
		}
	}
	if len(edited) == 0 || !slices.ContainsFunc(slices.Collect(maps.Keys(seen)), func(test string) bool { return c.deps.Sees(edited, test) }) {
		return 0
	}
	return n
}

// tryWhole runs the whole selection for a candidate, which is applied, whose
// victims load and hold what they hold at the base, skipped; it gives nil where
// that is not so.
func (c *run) tryWhole(ctx context.Context, x cause, f fixers.Fix, after *result) (*result, error) {
	if f.Applicability == fixers.Propose || !onlySkips(x, after) {
		return nil, nil
	}
	if ok, err := c.skipsAsAtBase(ctx, x, after); !ok || err != nil {
		return nil, err
	}
	o := c.runOptions()
	o.quiet = true
	return c.runTests(ctx, c.plan, o)
}
