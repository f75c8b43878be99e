package cycle

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"regreen/internal/runner"
)

// A test that fails and passes on one and the same tree is flaky. Nothing is
// credited to a fix that such a test turned green by itself: before the gate,
// the victims of each fix run once more without any fix and have to fail again.

// certain kinds do not come and go: what a text lacks it lacks in every run.
func certain(k runner.Kind) bool {
	switch k {
	case runner.SyntaxError, runner.MissingImport, runner.MissingExport, runner.UndefinedVariable, runner.MissingFixture:
		return true
	}
	return false
}

// doubtful: a fix, whoever made it, for what may go away by itself. The gate
// asks of a program's change again only where others stand before it.
func doubtful(a *applied) bool { return !certain(a.cause.Kind) }

// dropFlaky takes out every fix whose victims pass without it too.
func (c *run) dropFlaky(ctx context.Context) error {
	p := plan{}
	for _, a := range c.ledger.list {
		if !doubtful(a) {
			continue
		}
		for u, files := range a.cause.victimPlan() {
			if files == nil {
				continue // the run as a whole
			}
			for _, f := range files {
				p[u] = appendNew(p[u], f)
			}
		}
	}
	if len(p) == 0 {
		return nil
	}
	without, err := c.without(ctx, p, c.tryOptions())
	if err != nil || without.timedOut || without.distrust != "" {
		return err
	}
	var bad []*applied
	for _, a := range c.ledger.list {
		if doubtful(a) && slices.ContainsFunc(a.cause.Failures, func(f runner.Failure) bool { return gone(without, failure{f, a.cause.unit}) }) {
			bad = append(bad, a)
		}
	}
	for _, a := range bad {
		for _, f := range a.cause.Failures {
			c.flaky(failure{f, a.cause.unit})
		}
		dropped, err := c.ledger.drop(a)
		if err != nil {
			return err
		}
		for _, g := range dropped {
			c.settle(g, false, "flaky: its tests failed and passed on the same files without it")
			c.taken = append(c.taken, g.fix.Title)
		}
		c.stopped = "the test is flaky: it failed and passed on the same files, without any repair"
	}
	switch {
	case len(bad) == 0:
		return nil
	case len(c.ledger.list) == 0:
		c.now = c.first
		return nil
	}
	c.now, err = c.runTests(ctx, c.plan, c.runOptions())
	return err
}

// flaky notes a test that failed and passed on the same files.
func (c *run) flaky(f failure) {
	t := TestRef{Framework: c.deps.Units[f.unit].Project.Framework, File: f.Test.File, Path: append([]string{}, f.Test.Path...)}
	if slices.ContainsFunc(c.doc.Flaky, func(o TestRef) bool { return o.File == t.File && slices.Equal(o.Path, t.Path) }) {
		return
	}
	c.doc.Flaky = append(c.doc.Flaky, t)
	c.doc.Warnings = append(c.doc.Warnings, fmt.Sprintf("flaky: %s failed and passed on the same files", testName(f.Test)))
}

// forgive runs failures that look as if the fixes made them once more, on the
// same tree. One that passes is flaky. Where its test sees no file of the fixes
// it cannot be of them, and res is as if it had passed at once. Where it does
// they may have made it so: doubt says that, and only a person can know.
func (c *run) forgive(ctx context.Context, res *result, fs []failure, o runOptions) (doubt string, err error) {
	p := plan{}
	for _, f := range fs {
		p[f.unit] = appendNew(p[f.unit], f.Test.File)
	}
	if len(p) == 0 {
		return "", nil
	}
	o.quiet = true
	again, err := c.runTests(ctx, p, o)
	if err != nil {
		return "", err
	}
	edited := slices.Collect(maps.Keys(c.ledger.edits()))
	for _, f := range fs {
		if !gone(again, f) {
			continue
		}
		c.flaky(f)
		if c.deps.Sees == nil || c.deps.Sees(edited, f.Test.File) {
			doubt = testName(f.Test) + " failed with the repair and passed when it ran again on the same files: it is flaky, or the repair makes it so"
		}
		c.passed(res, f)
	}
	return doubt, nil
}

// passed makes a failure of a result one that passed.
func (c *run) passed(res *result, f failure) {
	k := testKey{f.unit, f.Test.Key()}
	res.failures = slices.DeleteFunc(slices.Clone(res.failures), func(o failure) bool {
		return o.unit == f.unit && o.Scope == f.Scope && o.Test.Key() == f.Test.Key()
	})
	res.counts = c.discount(res.counts, f)
	if t, ok := res.tests[k]; ok && f.Scope == runner.ScopeTest {
		t.Verdict = runner.Passed
		res.tests[k] = t
		res.counts.Passed++
	}
}

// forgiveLost forgives tests that passed before a round, that fail after it,
// and that see nothing of what it changed.
func (c *run) forgiveLost(ctx context.Context, before, after *result) error {
	if c.deps.Sees == nil {
		return nil
	}
	edited := slices.Collect(maps.Keys(c.ledger.edits()))
	var fs []failure
	for _, f := range after.failures {
		if f.Scope == runner.ScopeTest && before.passed(testKey{f.unit, f.Test.Key()}) && !c.deps.Sees(edited, f.Test.File) {
			fs = append(fs, f)
		}
	}
	_, err := c.forgive(ctx, after, fs, c.runOptions())
	return err
}
