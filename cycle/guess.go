package cycle

import (
	"context"
	"errors"
	"strings"
	"time"

	"regreen/fixers"
)

// Where the guilty lines are known and no repair is, single slips in them can
// be guessed at: each mutation that turns the red tests green, and no other
// red, is a proposal. It is never more than that. That tests pass with it says
// little: with enough guesses some do by chance.

// maxGuesses bounds the proposals of one cycle.
const maxGuesses = 3

// guessReason stands at each of them.
const guessReason = "a guess: the tests pass with it, which does not make it what you meant; look at it before you apply it"

// guess tries mutations of the guilty lines within cycle.guess_budget.
func (c *run) guess(ctx context.Context) error {
	budget := c.opts.Config.Cycle.GuessBudget.Std()
	if budget <= 0 || c.doc.Cause == nil || c.doc.Outcome != Failed || len(c.ledger.list) > 0 {
		return nil
	}
	c.emit(Event{Kind: EventPhase, Text: "guess at the guilty lines"})
	start := time.Now()
	defer func() { c.doc.Timings.Guess = time.Since(start).Milliseconds() }()
	within, cancel := context.WithTimeoutCause(ctx, budget, &BudgetError{Name: "budget for guesses (cycle.guess_budget)", Limit: budget})
	defer cancel()
	found := 0
	for _, f := range c.guesses() {
		good, err := c.holds(within, f)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var over *BudgetError
		if errors.As(err, &over) {
			return nil
		}
		if err != nil {
			return err
		}
		if !good {
			continue
		}
		c.offer(f, guessReason)
		if found++; found == maxGuesses {
			return nil
		}
	}
	return nil
}

// guesses are the mutations of the guilty lines of sources. What tests rely on
// is never guessed at.
func (c *run) guesses() []fixers.Fix {
	var out []fixers.Fix
	for _, part := range c.doc.Cause.Parts {
		l := c.deps.Languages.For(part.File)
		src, err := c.ledger.text(part.File)
		if l == nil || err != nil || part.EndLine < part.Line || c.deps.Workspace.IsTest(part.File) ||
			fixers.IsProtected(part.File) || c.isSupport(part.File, strings.Split(part.File, "/")) {
			continue
		}
		for _, m := range mutations(l, part.File, src, part.Line, part.EndLine) {
			line := 1 + strings.Count(string(src[:m.edits[0].Start]), "\n")
			if f := m.fix(part.File, line); len(c.guard(f)) == 0 {
				out = append(out, f)
			}
		}
	}
	return out
}

// holds tells whether all blamed tests pass with a guess and every other one of
// the selection that passed still does.
func (c *run) holds(ctx context.Context, f fixers.Fix) (good bool, err error) {
	n := len(c.ledger.list)
	if _, err := c.ledger.apply(f, cause{}); err != nil {
		return false, nil // it does not fit
	}
	defer func() { err = errors.Join(err, c.ledger.rollback(n)) }()
	p := plan{}
	for _, b := range c.blamed {
		p[b.unit] = appendNew(p[b.unit], b.Test.File)
	}
	for _, p := range []plan{p, c.plan} {
		res, err := c.runTests(ctx, p, c.tryOptions())
		if err != nil {
			return false, err
		}
		for _, b := range c.blamed {
			if !gone(res, b) {
				return false, nil
			}
		}
		if len(lost(c.first, res, p)) > 0 {
			return false, nil
		}
	}
	return true, nil
}
