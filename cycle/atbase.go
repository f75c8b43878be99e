package cycle

import (
	"context"
	"fmt"
	"strings"
	"time"

	"regreen/internal/runner"
)

// A test that is red for reasons of its own may well be able to reach the
// modified files. Whether the user's changes have to do with it, a run with the
// base revision's bytes tells: what fails there in the same way did so before.

// baseKey identifies a failure beyond one run: the test and the way it fails,
// wherever its line is now.
func baseKey(f failure) string {
	return fmt.Sprintf("%d\x00%s\x00%s\x00%s", f.unit, f.Scope, f.Test.Key(), sameKey(f.Failure))
}

// newFailures are the failures of a run that count, with the numbers without
// those that do not. The base is asked only where the rest would keep a repair
// from being merged.
func (c *run) newFailures(ctx context.Context, v *verdict, now *result) ([]failure, runner.Counts, error) {
	blocks := now.passRate() < c.opts.Config.Cycle.TargetPassRate
	for _, x := range c.suite.causes(now, c.opts.Config.Severity) {
		blocks = blocks || x.severity == Critical
	}
	if !blocks || now.distrust != "" || now.timedOut || !now.ended || now.counts.Passed == 0 {
		return now.failures, now.counts, nil
	}
	old, err := c.failedAtBase(ctx, now.failures, c.tryOptions())
	if err != nil {
		return nil, now.counts, err
	}
	var left []failure
	counts := now.counts
	for _, f := range now.failures {
		if !old[baseKey(f)] {
			left = append(left, f)
			continue
		}
		v.before = append(v.before, f)
		counts = c.discount(counts, f)
	}
	return left, counts, nil
}

// reachable are the failures that the modified files can have to do with.
func (c *run) reachable(fs []failure) []failure {
	var out []failure
	for _, f := range fs {
		if c.deps.Reaches != nil && c.deps.Reaches(f.Test.File) {
			out = append(out, f)
		}
	}
	return out
}

// failedAtBase runs the files of some failures with the base revision's bytes
// and gives the keys of what fails there. Where that run cannot be trusted,
// nothing failed before.
func (c *run) failedAtBase(ctx context.Context, fs []failure, o runOptions) (map[string]bool, error) {
	p := plan{}
	for _, f := range fs {
		if f.Test.File != "" {
			p[f.unit] = appendNew(p[f.unit], f.Test.File)
		}
	}
	if len(p) == 0 || len(c.deps.Workspace.Changed()) == 0 {
		return nil, nil // nothing is modified: the base is what runs
	}
	edits := c.baseFiles()
	start := time.Now()
	defer func() { c.doc.Timings.AtBase += time.Since(start).Milliseconds() }()
	c.emit(Event{Kind: EventPhase, Text: "ask the base what failed before"})
	if err := c.reset(ctx, edits); err != nil {
		return nil, err
	}
	o.quiet = true
	c.littered = true // the fixes are missing in it, too
	res, err := c.suite.run(ctx, p, o)
	if err != nil || res.timedOut || !res.ended || res.distrust != "" {
		return nil, err
	}
	out := map[string]bool{}
	for _, f := range res.failures {
		out[baseKey(f)] = true
	}
	return out, nil
}

// baseFiles are the changed and the repaired files as the base has them.
func (c *run) baseFiles() map[string]File {
	out := map[string]File{}
	w := c.deps.Workspace
	put := func(file string) {
		if src, ok := w.Base(file); ok {
			out[file] = File{Data: src}
		} else if !strings.HasSuffix(file, "/") {
			out[file] = File{Gone: true}
		}
	}
	for _, file := range w.Changed() {
		put(file)
	}
	for file := range c.ledger.edits() {
		put(file)
	}
	return out
}
