package cycle

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"regreen/fixers"
	"regreen/internal/runner"
)

// settleBest goes back to the best state and takes out every fix whose own
// tests do not pass there: what is not proved is not merged.
func (c *run) settleBest(ctx context.Context) error {
	for _, a := range c.ledger.list[c.best.fixes:] {
		c.settle(a, false, "the state without it was better")
		c.taken = append(c.taken, a.fix.Title)
	}
	if err := c.ledger.rollback(c.best.fixes); err != nil {
		return err
	}
	c.now = c.best.res
	for range c.opts.Config.Cycle.MaxIterations {
		var bad *applied
		for _, a := range c.ledger.list {
			if !c.proved(a) {
				bad = a
				break
			}
		}
		if bad == nil {
			return nil
		}
		gone, err := c.ledger.drop(bad)
		if err != nil {
			return err
		}
		for _, g := range gone {
			c.settle(g, false, "its tests still fail with it: not proved")
			c.taken = append(c.taken, g.fix.Title)
		}
		if len(c.ledger.list) == 0 {
			c.now = c.first
			return nil
		}
		if c.now, err = c.runTests(ctx, c.plan, c.runOptions()); err != nil {
			return err
		}
	}
	return nil
}

// proved: the fix's victims pass in the present state, or at least more of
// their files' tests do than before it and its cause is gone.
func (c *run) proved(a *applied) bool { return c.score(a.cause, c.first, c.now) >= better }

// finish decides and merges.
func (c *run) finish(ctx context.Context) error {
	c.doc.BestPassRate = round1(c.now.passRate())
	c.doc.Final = totalsOf(c.now)
	if len(c.ledger.list) == 0 {
		return c.unrepaired()
	}
	v, err := c.gate(ctx, c.now)
	if err != nil {
		return err
	}
	c.doc.FullSuiteRun = v.full
	for _, f := range v.before {
		c.doc.FailedBefore = append(c.doc.FailedBefore, c.remaining(f))
	}
	if v.ok {
		if v.reason, err = c.redAgain(ctx); err != nil {
			return err
		}
		v.ok = v.reason == ""
	}
	changes := c.ledger.changes()
	patch := Patch(changes)
	if !v.ok {
		c.doc.Outcome, c.doc.Reason = Failed, v.reason
		if v.open {
			c.doc.Outcome = Proposed
		}
		if len(v.broken) > 0 {
			for _, ch := range changes {
				c.refuse(Refused{Rule: "breaks another test: " + testName(v.broken[0]), File: ch.File})
			}
		} else {
			c.propose("what could be repaired", v.reason, patch, changes)
		}
		c.leave(c.first)
		return nil
	}
	return c.merge(ctx, changes, patch)
}

// unrepaired: nothing is in the ledger, so the verdict is the first run's.
func (c *run) unrepaired() error {
	c.doc.FullSuiteRun = c.sel.All
	switch {
	case c.first.green():
		c.doc.Outcome = Passed
	case c.first.nothing() && c.first.distrust == "":
		c.doc.Outcome, c.doc.Reason = NoTests, "no test was run"
		if c.first.counts.Skipped > 0 {
			c.doc.Reason = fmt.Sprintf("all %d tests are skipped", c.first.counts.Skipped)
		}
	default:
		c.doc.Outcome, c.doc.Reason = Failed, c.stopped
		if len(c.taken) > 0 {
			// They were called kept while the cycle ran.
			if c.doc.Reason != "" {
				c.doc.Reason += "; "
			}
			c.doc.Reason += "taken back, since no more tests pass with it: " + strings.Join(c.taken, "; ")
		}
		if c.first.distrust != "" {
			c.doc.Reason = c.first.distrust
		}
		c.leave(c.first)
	}
	if c.first.timedOut {
		c.doc.Error = &Problem{Code: "timeout", Message: c.timeoutReason(), Hint: "a test may never end; it is named in the result"}
	}
	return nil
}

// onlyProposed says that candidates are kept for the user to decide on, "" where
// none is.
func (c *run) onlyProposed() string {
	switch n := len(c.doc.Proposals); n {
	case 0:
		return ""
	case 1:
		return "a repair was found that only you can decide on"
	default:
		return fmt.Sprintf("%d repairs were found that only you can decide on", n)
	}
}

func (c *run) timeoutReason() string {
	return fmt.Sprintf("the run passed its time limit of %s", c.timeout())
}

func (c *run) merge(ctx context.Context, changes []Change, patch string) error {
	why := ""
	switch {
	case c.opts.NoMerge:
		why = cmp.Or(c.opts.NoMergeReason, "merging was switched off for this run")
	case c.opts.Config.Cycle.Merge == "propose":
		why = `cycle.merge is "propose"`
	case c.opts.Distrust != "":
		why = c.opts.Distrust
	case c.doubt() != "":
		why = c.doubt()
	case c.unsure() != "":
		why = c.unsure()
	case len(c.now.foreign) > 0:
		why = "the tests loaded code from outside the sandbox: " + strings.Join(c.now.foreign, ", ")
	}
	if why == "" {
		busy, err := c.deps.Box.Guard(ctx)
		if err != nil {
			return err
		}
		why = busy
	}
	if why == "" {
		undo, merged, reason, err := c.putBack(ctx, changes)
		switch {
		case err != nil:
			c.propose(c.repairTitle(), err.Error(), patch, changes)
			c.leave(c.first)
			return fmt.Errorf("merge: %w", err)
		case reason == "":
			c.merged(merged, Patch(merged), undo)
			if c.deps.Learn != nil {
				if err := c.deps.Learn(c.learned()); err != nil {
					c.doc.Warnings = append(c.doc.Warnings, err.Error())
				}
			}
			return nil
		}
		why = reason
	}
	c.doc.Outcome, c.doc.Reason = Proposed, why
	c.propose(c.repairTitle(), why, patch, changes)
	c.leave(c.first)
	return nil
}

func (c *run) merged(changes []Change, patch, undo string) {
	if undo == "" {
		// The user was faster: a checkout, or the same edit by hand.
		c.doc.Outcome, c.doc.Reason = Repaired, "the files had meanwhile become just what the repair makes of them; nothing was written"
		c.leave(c.now)
		return
	}
	c.doc.Outcome, c.doc.Undo, c.doc.Patch = Repaired, undo, patch
	for _, ch := range changes {
		c.doc.Merged = append(c.doc.Merged, mergedOf(ch))
	}
	c.leave(c.now)
	c.emit(Event{Kind: EventMerged, Text: undo, Total: len(changes)})
}

// leave lists the failures that are left in the user's tree.
func (c *run) leave(r *result) {
	if r == nil {
		return
	}
	c.doc.Remaining = c.doc.Remaining[:0]
	for _, f := range r.failures {
		c.doc.Remaining = append(c.doc.Remaining, c.remaining(f))
	}
	if len(r.failures) == 0 && r.distrust != "" {
		c.doc.Remaining = append(c.doc.Remaining, Remaining{Scope: "run", Kind: string(runner.Unknown),
			Severity: Critical.String(), Test: TestRef{Path: []string{}}, Message: r.distrust})
	}
}

func (c *run) propose(title, reason, patch string, changes []Change) {
	c.proposals++
	id := c.opts.ID
	if c.proposals > 1 {
		id = fmt.Sprintf("%s-%d", c.opts.ID, c.proposals)
	}
	if err := c.deps.Keep(id, changes); err != nil {
		c.doc.Warnings = append(c.doc.Warnings, fmt.Sprintf("the proposal could not be kept: %v", err))
	}
	c.doc.Proposals = append(c.doc.Proposals, Proposal{ID: id, Title: title, Reason: reason, Patch: patch})
	c.emit(Event{Kind: EventProposed, Text: reason})
}

// repairTitle names the fixes that the repair consists of.
func (c *run) repairTitle() string {
	var titles []string
	for _, it := range c.doc.Iterations {
		for _, f := range it.Fixes {
			if f.Kept && !slices.Contains(titles, f.Title) {
				titles = append(titles, f.Title)
			}
		}
	}
	if len(titles) == 0 {
		return "the repair"
	}
	return strings.Join(titles, "; ")
}

// offer keeps one candidate as a proposal of its own.
func (c *run) offer(f fixers.Fix, reason string) {
	if c.later != nil {
		*c.later = append(*c.later, func(p *run) { p.offer(f, reason) })
		return
	}
	if c.offers[f.ID] {
		return
	}
	c.offers[f.ID] = true
	var changes []Change
	for _, file := range editedFiles(f) {
		before, after, err := c.ledger.after(f, file)
		if err != nil {
			return
		}
		if orig, ok := c.ledger.orig[file]; ok {
			before = orig
		}
		changes = append(changes, changeOf(file, before, after))
	}
	c.propose(f.Title, reason, Patch(changes), changes)
}
