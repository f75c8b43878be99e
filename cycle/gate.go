package cycle

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"time"

	"regreen/internal/runner"
)

// verdict is what the gate says of the present state.
type verdict struct {
	ok     bool
	reason string // why not
	full   bool   // the full suite was run on this very tree
	// broken are tests that pass without the fix and fail with it.
	broken []runner.TestID
	before []failure // failed before and out of reach: they do not count
	// open: the target is reached as far as was seen, but the full suite could
	// not prove it; the user may decide.
	open bool
	rate float64
}

// gate decides whether the present state of the sandbox may be merged
// (DESIGN.md section 4). now is a run of the selection on this very tree.
func (c *run) gate(ctx context.Context, now *result) (verdict, error) {
	v := verdict{full: c.sel.All}
	target := c.opts.Config.Cycle.TargetPassRate
	left, counts, err := c.newFailures(ctx, &v, now)
	if err != nil {
		return v, err
	}
	v.rate, _ = counts.PassRate()
	switch {
	case now.distrust != "":
		v.reason = now.distrust
	case now.timedOut || !now.ended:
		v.reason = "the run did not end"
	case now.counts.Passed == 0:
		v.reason = "no test passed"
	case v.rate < target:
		v.reason = fmt.Sprintf("the pass rate with the repair is %.1f %%, the target %.1f %%", v.rate, target)
	case !c.improved(now):
		v.reason = "it is not better than before"
	}
	if v.reason != "" {
		return v, nil
	}
	if l := lost(c.first, now, c.plan); len(l) > 0 {
		v.broken, v.reason = l, "a test that passed before does not: "+testName(l[0])
		return v, nil
	}
	for _, x := range c.suite.causes(&result{failures: left}, c.opts.Config.Severity) {
		if x.severity == Critical {
			v.reason = "a critical cause is left: " + x.title()
			return v, nil
		}
	}
	if gone := c.missing(now); gone != "" {
		v.reason = gone
		return v, nil
	}
	if v.reason, err = c.deps.Box.Guard(ctx); err != nil || v.reason != "" {
		v.open = true // what the full suite says would not be merged anyway
		return v, err
	}
	if c.coversAll() {
		v.full = true
	}
	if v.full || c.opts.Config.Cycle.FullSuite == "never" {
		v.ok = true
		return v, nil
	}
	if limit := c.opts.Config.Run.FullTimeout.Std(); c.opts.Config.Cycle.FullSuite == "auto" && c.opts.LastFull >= limit {
		c.doc.Warnings = append(c.doc.Warnings, fmt.Sprintf("the full suite was not run: last time it took longer than %s (run.full_timeout)", limit))
		v.ok = true
		return v, nil
	}
	return c.fullSuite(ctx, now, v)
}

// coversAll: the selection happens to be every test file there is, so that its
// run was the full suite.
func (c *run) coversAll() bool {
	for u, unit := range c.deps.Units {
		if unit.Layout.Uncertain != "" || unit.Layout.IsTest == nil {
			return false
		}
		for _, f := range c.suite.testFiles(u) {
			if !c.plan.has(u, f) {
				return false
			}
		}
	}
	return true
}

// improved: strictly better than the state that the cycle found.
func (c *run) improved(now *result) bool {
	return now.counts.Passed > c.first.counts.Passed && now.passRate() > c.first.passRate()
}

// missing guards the denominator: the tests known before the fix are all still
// there, and none is newly skipped.
func (c *run) missing(now *result) string {
	for k, t := range c.first.tests {
		after, ok := now.tests[k]
		switch {
		case !ok && t.Verdict != runner.None:
			return "a test is gone: " + testName(t.ID)
		case ok && (after.Verdict == runner.Skipped || after.Verdict == runner.Todo) &&
			t.Verdict != runner.Skipped && t.Verdict != runner.Todo:
			if !t.NotRun {
				return "a test is skipped now: " + testName(t.ID)
			}
		}
	}
	return ""
}

// fullSuite runs everything on the tree that is to be merged. A test that
// fails is run again without the fix: one that fails there too failed before
// and does not count, when the modified files cannot reach it or when it fails
// in the same way with the base revision's bytes.
func (c *run) fullSuite(ctx context.Context, now *result, v verdict) (verdict, error) {
	start := time.Now()
	defer func() { c.doc.Timings.FullSuite = time.Since(start).Milliseconds() }()
	c.emit(Event{Kind: EventPhase, Text: "full suite"})
	all := plan{}
	for u := range c.deps.Units {
		all[u] = nil
	}
	o := runOptions{timeout: c.opts.Config.Run.FullTimeout.Std(), keepGoing: true}
	full, err := c.runTests(ctx, all, o)
	if err != nil {
		return v, err
	}
	v.full = true
	if full.timedOut || !full.ended {
		v.open, v.reason = true, "the full suite did not end within its limit"
		return v, nil
	}
	if full.distrust != "" {
		v.open, v.reason = true, "the full suite: "+full.distrust
		return v, nil
	}
	suspects := plan{}
	for _, f := range full.failures {
		if f.Test.File == "" {
			v.reason = "the full suite failed as a whole: " + f.Message
			return v, nil
		}
		suspects[f.unit] = appendNew(suspects[f.unit], f.Test.File)
	}
	counts := full.counts
	if len(suspects) > 0 {
		without, err := c.without(ctx, suspects, o)
		if err != nil {
			return v, err
		}
		old, err := c.failedAtBase(ctx, c.reachable(full.failures), o)
		if err != nil {
			return v, err
		}
		doubt, err := c.forgive(ctx, full, broken(full, without), o)
		if err != nil {
			return v, err
		}
		counts = c.weigh(&v, full, without, old)
		if len(v.broken) == 0 && doubt != "" {
			v.open, v.reason = true, doubt
			return v, nil
		}
		if len(v.broken) > 0 {
			v.reason = "with the fix another test fails: " + testName(v.broken[0])
			return v, nil
		}
	}
	rate, ok := counts.PassRate()
	target := c.opts.Config.Cycle.TargetPassRate
	if !ok || rate < target {
		v.reason = fmt.Sprintf("the full suite's pass rate is %.1f %%, the target %.1f %%", rate, target)
		return v, nil
	}
	v.rate = min(v.rate, rate)
	v.ok = true
	return v, nil
}

// weigh sorts the full suite's failures into broken by the fix, failed before,
// and failing still; it returns the counts without those that failed before.
func (c *run) weigh(v *verdict, full, without *result, old map[string]bool) runner.Counts {
	counts := full.counts
	failedWithout, fileFailed := map[testKey]bool{}, map[testFile]bool{}
	for _, f := range without.failures {
		failedWithout[testKey{f.unit, f.Test.Key()}] = true
		fileFailed[testFile{f.unit, f.Test.File}] = true
	}
	for _, f := range broken(full, without) {
		v.broken = append(v.broken, f.Test)
	}
	for _, f := range full.failures {
		k := testKey{f.unit, f.Test.Key()}
		switch {
		case c.deps.Reaches != nil && c.deps.Reaches(f.Test.File) && !old[baseKey(f)]:
			// It can be reached: it is one of the failures that are left.
		case failedWithout[k] || fileFailed[testFile{f.unit, f.Test.File}]:
			if !slices.ContainsFunc(v.before, func(b failure) bool { return baseKey(b) == baseKey(f) }) {
				v.before = append(v.before, f)
			}
			counts = c.discount(counts, f)
		}
	}
	return counts
}

// testFile is a file of tests within one cycle.
type testFile struct {
	unit int
	file string
}

// broken are the full suite's failures that are none without the fix.
func broken(full, without *result) []failure {
	failed := map[testFile]bool{}
	for _, f := range without.failures {
		failed[testFile{f.unit, f.Test.File}] = true
	}
	var out []failure
	for _, f := range full.failures {
		if f.Scope == runner.ScopeTest && without.passed(testKey{f.unit, f.Test.Key()}) ||
			f.Scope != runner.ScopeTest && !failed[testFile{f.unit, f.Test.File}] {
			out = append(out, f)
		}
	}
	return out
}

// discount takes a failure that does not count out of the numbers.
func (c *run) discount(counts runner.Counts, f failure) runner.Counts {
	if f.Scope == runner.ScopeTest {
		counts.Failed--
		return counts
	}
	counts.Errored = max(0, counts.Errored-1)
	if f.Scope == runner.ScopeFile {
		counts.NotRun = max(0, counts.NotRun-c.suite.known(f.unit)(f.Test.File))
	}
	return counts
}

// without runs test files on the snapshot as it was before any fix.
func (c *run) without(ctx context.Context, p plan, o runOptions) (*result, error) {
	if err := c.reset(ctx, nil); err != nil {
		return nil, err
	}
	o.quiet = true
	c.littered = true // the fixes are missing in it, too
	return c.suite.run(ctx, p, o)
}

func appendNew(list []string, s string) []string {
	i := sort.SearchStrings(list, s)
	if i < len(list) && list[i] == s {
		return list
	}
	list = append(list, "")
	copy(list[i+1:], list[i:])
	list[i] = s
	return list
}
