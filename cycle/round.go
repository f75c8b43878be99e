package cycle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"regreen/fixers"
	"regreen/internal/runner"
)

// maxTries bounds the candidates that are run for one cause in one round.
const maxTries = 12

// round takes on causes with the given strategy and its successors until one
// of them keeps a fix. It returns the strategy that did, "" when none could.
func (c *run) round(ctx context.Context, first Strategy, causes []cause) (Strategy, error) {
	for _, s := range handover(first) {
		before := len(c.ledger.list)
		err := c.parallel(ctx, s, causes)
		if err != nil {
			return s, err
		}
		if len(c.ledger.list) > before {
			return s, nil
		}
		switch s {
		case Conservative:
			err = c.conservative(ctx, causes)
		case Surgical:
			err = c.surgical(ctx, causes)
		case Aggressive:
			err = c.aggressive(ctx, causes)
		}
		if err != nil {
			return s, err
		}
		if len(c.ledger.list) > before {
			return s, nil
		}
	}
	rest := slices.DeleteFunc(slices.Clone(causes), func(x cause) bool { return c.held[x.same] })
	if kept, err := c.programs(ctx, rest); err != nil || kept {
		return first, err
	}
	return "", nil
}

// conservative repairs one cause: the most severe with most victims that can be.
func (c *run) conservative(ctx context.Context, causes []cause) error {
	for _, x := range causes {
		kept, err := c.repair(ctx, x, c.now)
		if err != nil || kept {
			return err
		}
	}
	return nil
}

// surgical repairs all causes of the commonest kind, each checked and rolled
// back on its own.
func (c *run) surgical(ctx context.Context, causes []cause) error {
	for _, x := range commonest(causes, c.opts.Config.Cycle.SurgicalMinOccurrences) {
		if _, err := c.repair(ctx, x, c.now); err != nil {
			return err
		}
	}
	return nil
}

// aggressive applies the best certain candidate of every critical and high
// cause at once, and keeps those whose cause is gone; it helps where several
// faults stand in each other's way.
func (c *run) aggressive(ctx context.Context, causes []cause) error {
	base := len(c.ledger.list)
	var put []*applied
	together := plan{}
	for _, x := range causes {
		if x.severity < High {
			continue
		}
		fixes, err := c.candidates(ctx, x)
		if err != nil {
			return err
		}
		fix, ok := c.untriedBest(x, fixes)
		if !ok {
			continue
		}
		if refused := c.guard(fix); len(refused) > 0 {
			c.tried[tryKey(x, fix)] = true
			for _, r := range refused {
				c.refuse(r)
			}
			c.note(fix, false, "refused: "+refused[0].Rule)
			continue
		}
		a, err := c.apply(fix, x)
		if errors.Is(err, errStale) {
			continue
		}
		if err != nil {
			return err
		}
		put = append(put, a)
		for u, files := range x.victimPlan() {
			together[u] = append(together[u], files...)
		}
	}
	if len(put) == 0 {
		return nil
	}
	for u, files := range together {
		slices.Sort(files)
		together[u] = slices.Compact(files)
	}
	after, err := c.runTests(ctx, together, c.tryOptions())
	if err != nil {
		return err
	}
	if len(lost(c.now, after, together)) > 0 || after.timedOut {
		for _, a := range put {
			c.settle(a, false, "together with others it broke a test that passed")
		}
		return c.ledger.rollback(base)
	}
	for _, a := range put {
		if c.score(a.cause, c.now, after) > worse {
			c.settle(a, true, a.fix.Evidence)
			continue
		}
		c.settle(a, false, "the failure stayed")
		gone, err := c.ledger.drop(a)
		if err != nil {
			return err
		}
		for _, g := range gone {
			if g != a {
				c.settle(g, false, "it stood on an edit that was taken back")
			}
		}
	}
	return nil
}

// untriedBest is the best candidate, when it is alone at its rank and not a proposal.
func (c *run) untriedBest(x cause, fixes []fixers.Fix) (fixers.Fix, bool) {
	for i, f := range fixes {
		if f.Applicability == fixers.Propose || c.tried[tryKey(x, f)] {
			continue
		}
		if i+1 < len(fixes) && fixes[i+1].Rank == f.Rank && fixes[i+1].Applicability != fixers.Propose {
			return f, false
		}
		return f, true
	}
	return fixers.Fix{}, false
}

func tryKey(x cause, f fixers.Fix) string { return x.same + "\x00" + f.ID }

func (c *run) candidates(ctx context.Context, x cause) ([]fixers.Fix, error) {
	if err := c.tidy(ctx); err != nil {
		return nil, err
	}
	if c.view == nil {
		c.view = fixers.Cached(c.deps.Workspace)
	}
	fixes, err := c.deps.Candidates(ctx, x.Cause, c.view)
	if err != nil {
		return nil, fmt.Errorf("look for fixes of %s: %w", x.title(), err)
	}
	if c.unfinished(x, fixes) {
		return nil, nil
	}
	return c.knownFirst(x, fixes), nil
}

// repair finds a cause's repair and keeps it.
func (c *run) repair(ctx context.Context, x cause, now *result) (bool, error) {
	fixes, err := c.candidates(ctx, x)
	if err != nil {
		return false, err
	}
	return c.choose(ctx, x, fixes, now)
}

// choose tries a cause's candidates in rank order on its victims alone. The
// first rank at which one helps decides: if two different candidates of that
// rank help, the case is ambiguous and both are only proposed.
func (c *run) choose(ctx context.Context, x cause, fixes []fixers.Fix, now *result) (bool, error) {
	var err error
	var fallback *fixers.Fix
	tries := 0
	for i := 0; i < len(fixes); {
		j := i
		for j < len(fixes) && fixes[j].Rank == fixes[i].Rank {
			j++
		}
		group := fixes[i:j]
		i = j
		var helped []fixers.Fix
		rivals := false // of equal rank, and not tried for want of budget
		for _, f := range group {
			if c.tried[tryKey(x, f)] {
				continue
			}
			if tries >= maxTries {
				rivals = rivals || f.Applicability != fixers.Propose
				continue
			}
			tries++
			if f.UpdateSnapshots {
				c.tried[tryKey(x, f)] = true
				if f, err = c.record(ctx, x, f); err != nil {
					return false, err
				}
			}
			if len(f.Edits) == 0 && len(f.Whole) == 0 {
				c.advise(x, f)
				continue
			}
			s, why, err := c.try(ctx, x, f, now)
			if err != nil {
				return false, err
			}
			if f.Applicability == fixers.Propose {
				if s >= better {
					c.note(f, false, "proved by its tests, but only you can decide it")
					c.offer(f, "needs your decision: "+f.Evidence)
				}
				continue
			}
			switch {
			case s >= better:
				helped = append(helped, f)
			case s == deeper && fallback == nil && len(group) == 1:
				fallback = &f
			case s == worse:
				c.note(f, false, why)
			}
		}
		switch {
		case len(helped) == 0:
			continue
		case len(helped) == 1 && !rivals:
			return c.keep(x, helped[0])
		}
		for _, f := range helped {
			c.note(f, false, "as good as another candidate: ambiguous")
			c.offer(f, "several repairs pass the tests equally well; choose one")
		}
		return false, nil
	}
	if fallback != nil {
		return c.keep(x, *fallback)
	}
	return false, nil
}

// try applies one candidate, runs the victims, and takes it back.
func (c *run) try(ctx context.Context, x cause, f fixers.Fix, now *result) (score, string, error) {
	c.tried[tryKey(x, f)] = true
	if refused := c.guard(f); len(refused) > 0 {
		for _, r := range refused {
			c.refuse(r)
		}
		return worse, "refused: " + refused[0].Rule, nil
	}
	n := len(c.ledger.list)
	if _, err := c.apply(f, x); errors.Is(err, errStale) {
		return worse, "the edit does not fit", nil
	} else if err != nil {
		return worse, "", err
	}
	p := x.victimPlan()
	after, err := c.runTests(ctx, p, c.tryOptions())
	if err != nil {
		return worse, "", errors.Join(err, c.ledger.rollback(n))
	}
	whole, err := c.tryWhole(ctx, x, f, after)
	if err != nil {
		return worse, "", errors.Join(err, c.ledger.rollback(n))
	}
	if whole != nil {
		p, after = c.plan, whole
	}
	s, why := c.score(x, now, after), x.useless(after)
	if whole != nil && s == deeper && len(after.failures) == 0 {
		s, why = worse, "none of its tests can pass, and no other test proves it"
	}
	if l := lost(now, after, p); len(l) > 0 {
		s, why = worse, fmt.Sprintf("it would break %s", testName(l[0]))
	}
	if after.timedOut {
		s, why = worse, "the tests did not end with it"
	}
	if s == worse {
		return s, why, c.ledger.rollback(n)
	}
	c.lastTry.plan, c.lastTry.fix, c.lastTry.base, c.lastTry.res = p, f.ID, n, after
	return s, why, c.ledger.rollback(n)
}

// advise notes a candidate that edits nothing: what the user could do, such as
// installing what the manifest names.
func (c *run) advise(x cause, f fixers.Fix) {
	c.tried[tryKey(x, f)] = true
	c.note(f, false, "advice: "+f.Evidence)
	if text := x.title() + ": " + f.Title; !slices.Contains(c.doc.Warnings, text) {
		c.doc.Warnings = append(c.doc.Warnings, text)
	}
}

// keep applies a candidate for good (until the round as a whole is judged).
func (c *run) keep(x cause, f fixers.Fix) (bool, error) {
	a, err := c.apply(f, x)
	if err != nil {
		return false, err
	}
	c.settle(a, true, f.Evidence)
	return true, nil
}

func (c *run) apply(f fixers.Fix, x cause) (*applied, error) {
	c.emit(Event{Kind: EventTry, Fix: &Fix{ID: f.ID, Title: f.Title, Kind: string(x.Kind),
		Applicability: f.Applicability.String(), Files: editedFiles(f)}})
	return c.ledger.apply(f, x)
}

// record lets the framework write the victims' snapshots anew, takes what it
// wrote as the fix's edits, and puts the files back: from then on it is a fix
// like any other. Snapshots that were not there before are not ours to add.
func (c *run) record(ctx context.Context, x cause, f fixers.Fix) (fixers.Fix, error) {
	before := c.ledger.edits()
	o := c.tryOptions()
	o.snapshots, o.tests = true, map[int][]runner.TestID{x.unit: testIDs(x)}
	if _, err := c.runTests(ctx, x.victimPlan(), o); err != nil {
		return f, err
	}
	changed, err := c.deps.Box.Changed(ctx)
	if err != nil {
		return f, err
	}
	f.UpdateSnapshots = false
	for _, file := range changed {
		was, ok := before[file]
		old := was.Data
		if !ok {
			if old, err = c.deps.Box.Original(ctx, file); err != nil {
				continue
			}
		}
		now, err := c.deps.Workspace.ReadFile(file)
		if err != nil || bytes.Equal(old, now) {
			continue
		}
		if isSnapshot(file) || slices.Contains(x.victimPlan()[x.unit], file) {
			f.Edits = append(f.Edits, fixers.Edit{File: file, Start: 0, End: len(old), New: string(now)})
		}
	}
	f.Seal()
	return f, c.tidy(ctx)
}

// isSnapshot knows recorded expectations by their names: jest's, vitest's and
// node's, and syrupy's.
func isSnapshot(file string) bool {
	switch path.Ext(file) {
	case ".snap", ".snapshot", ".ambr":
		return true
	}
	return false
}

func testIDs(x cause) []runner.TestID {
	var out []runner.TestID
	for _, f := range x.Failures {
		out = append(out, f.Test)
	}
	return out
}
