package cycle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"regreen/fixers"
	"regreen/internal/runner"
)

// run is one cycle's state.
type run struct {
	opts   Options
	sel    Selection
	deps   Deps
	suite  *suite
	plan   plan
	ledger *ledger
	doc    *Document
	first  *result // the state that the cycle found
	now    *result // a run of the selection on the present tree
	best   state
	tried  map[string]bool
	view   fixers.Workspace // what the fixers have read of the present tree; nil after a write
	// lastTry is the newest run of victims, with the plan and the ledger's
	// length it ran on: the very same run need not be repeated.
	lastTry struct {
		plan plan
		fix  string
		base int
		res  *result
	}
	littered  bool // a run may have left something in the tree
	iter      *Iteration
	offers    map[string]bool
	proposals int
	asked     map[string]*asked // by program
	failed    map[string]int    // by cause: changes of programs that did not help
	history   []fixers.Tried    // what programs tried
	stopped   string            // why the loop ended with failures left
	later     *[]func(*run)     // of a lane: what only the cycle itself may do, and does after it
	lanes     []Lane            // further sandboxes, once they were asked for
	asksLanes bool              // they were
	besides   map[string]bool   // candidates that were tried while others ran, in vain
	blamed    []failure         // what passes without the guilty lines
	taken     []string          // titles of the fixes that settleBest took back
	cursors   []Cursor          // where somebody writes
	held      map[string]bool   // by cause: left alone for what is written there
	conflict  string            // where a merge is not resolved, "" for nowhere
	// baseSkips are, by cause, the tests of its files at the base, where all of
	// them are skipped; nil where that is not so.
	baseSkips map[string]map[testKey]runner.Verdict
}

// state is a point to come back to.
type state struct {
	fixes int
	res   *result
}

// Run is one cycle: from the first run of the selection to the verdict. The
// document is never nil. The error is set when something could not be found
// out; the document then has the outcome error or cancelled.
func Run(ctx context.Context, sel Selection, opts Options, deps Deps) (*Document, error) {
	c := &run{opts: opts, sel: sel, deps: deps, tried: map[string]bool{}, offers: map[string]bool{},
		asked: map[string]*asked{}, failed: map[string]int{}, besides: map[string]bool{},
		baseSkips: map[string]map[testKey]runner.Verdict{}}
	c.suite = &suite{units: deps.Units, files: deps.Workspace.Files, read: deps.Workspace.ReadFile, emit: c.emit}
	c.ledger = newLedger(deps.Workspace.ReadFile, func(rel string, f File) error {
		c.view = nil
		return deps.Box.Write(rel, f)
	})
	c.plan = sel.plan(len(deps.Units))
	c.doc = newDocument(opts, sel, deps)
	budget := opts.Config.Cycle.Budget.Std()
	if budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, budget, &BudgetError{Name: "cycle's budget", Limit: budget})
		defer cancel()
	}
	err := c.cycle(ctx)
	if err != nil {
		err = c.ended(ctx, err)
	}
	c.doc.Timings.Total = time.Since(opts.Started).Milliseconds()
	c.emit(Event{Kind: EventVerdict, Document: c.doc})
	return c.doc, err
}

// ended turns an early end into an outcome.
func (c *run) ended(ctx context.Context, err error) error {
	var b *BudgetError
	switch {
	case errors.As(err, &b) || errors.As(context.Cause(ctx), &b):
		c.doc.Outcome = Failed
		c.doc.Reason = b.Error()
		c.doc.Error = &Problem{Code: "budget", Message: b.Error(), Hint: "raise cycle.budget or --timeout, or run fewer tests"}
		c.leave(c.first)
		return nil
	case ctx.Err() != nil:
		c.doc.Outcome = Cancelled
		c.doc.Reason = "cancelled"
		return context.Cause(ctx)
	}
	c.doc.Outcome = Errored
	return err
}

func (c *run) cycle(ctx context.Context) error {
	if len(c.plan) == 0 {
		c.doc.Outcome = NoTests
		switch {
		case c.sel.Reason != "":
			c.doc.Reason = c.sel.Reason
		case len(c.sel.Modified) == 0 && !c.sel.All:
			c.doc.Reason = NothingModified
		default:
			c.doc.Reason = NoTestSees
		}
		return nil
	}
	c.emit(Event{Kind: EventSelected, Total: len(c.sel.Tests), Text: c.sel.Reason})
	c.emit(Event{Kind: EventPhase, Text: "first run"})
	start := time.Now()
	res, err := c.runTests(ctx, c.plan, c.runOptions())
	c.doc.Timings.FirstRun = time.Since(start).Milliseconds()
	if err != nil {
		return err
	}
	c.first, c.now = res, res
	c.best = state{0, res}
	c.doc.Warnings = append(c.doc.Warnings, res.warnings...)
	start = time.Now()
	if err := c.loop(ctx); err != nil {
		return err
	}
	if err := c.settleBest(ctx); err != nil {
		return err
	}
	if err := c.dropFlaky(ctx); err != nil {
		return err
	}
	c.doc.Timings.Fix = time.Since(start).Milliseconds()
	if err := c.finish(ctx); err != nil {
		return err
	}
	// The verdict stands, whatever comes of the search.
	err = c.guilt(ctx, c.now)
	if err == nil {
		err = c.guess(ctx)
	}
	if err != nil && ctx.Err() == nil {
		c.doc.Warnings = append(c.doc.Warnings, fmt.Sprintf("the cause was not searched for to the end: %v", err))
	}
	return nil
}

func (c *run) timeout() time.Duration {
	if c.sel.All {
		return c.opts.Config.Run.FullTimeout.Std()
	}
	return c.opts.Config.Run.AffectedTimeout.Std()
}

func (c *run) runOptions() runOptions { return runOptions{timeout: c.timeout()} }

func (c *run) tryOptions() runOptions {
	limit := c.opts.Config.Run.AffectedTimeout.Std()
	if c.first != nil && c.first.timedOut {
		limit = c.first.patience(limit)
	}
	return runOptions{timeout: limit, quiet: true}
}

// loop runs rounds while something fails and budget is left. It does not stop
// at the target: one red test among a hundred is still repaired.
func (c *run) loop(ctx context.Context) error {
	broke := false
	stale, lastCauses := 0, ""
	limit := c.opts.Config.Cycle.MaxIterations
	for n := 1; n <= limit; n++ {
		seen := c.suite.causes(c.now, c.opts.Config.Severity)
		causes := seen // the run that hung is told with the others, and no candidate repairs it
		if c.now.timedOut {
			causes = slices.DeleteFunc(slices.Clone(seen), isHang)
		}
		causes, c.conflict = c.conflicts(causes)
		want := Strategy("")
		if len(causes) > 0 {
			want = selectStrategy(c.opts.Config.Cycle, n, c.now.passRate(), causes, broke)
		}
		c.begin(n, seen, want)
		if len(causes) == 0 {
			c.stopped = cmp.Or(c.now.distrust, c.conflictReason())
			if c.now.timedOut {
				c.stopped = c.timeoutReason()
			}
			c.close("")
			return nil
		}
		if n == 1 {
			waits, err := c.waits(ctx, causes)
			if err != nil {
				return err
			}
			if waits {
				c.close("")
				return nil
			}
		}
		if key := causesKey(causes); key == lastCauses {
			stale++
		} else {
			stale, lastCauses = 0, key
		}
		if stale >= 3 {
			c.stopped = "the same failures are left after three rounds"
			c.close("")
			return nil
		}
		base := len(c.ledger.list)
		if base > 0 { // what is found by now is kept as a proposal
			moved, err := c.deps.Box.Guard(ctx)
			if err != nil {
				return err
			}
			if moved != "" {
				c.stopped = moved
				c.close("")
				return nil
			}
		}
		used, err := c.round(ctx, want, causes)
		if err != nil {
			c.close(want)
			return err
		}
		if used == "" {
			c.stopped = cmp.Or(c.waitsFor(), c.conflictReason(), c.onlyProposed(), "no repair was found")
			if c.now.timedOut {
				c.stopped = c.timeoutReason()
			}
			c.close(want)
			return nil
		}
		c.close(used)
		if broke, err = c.judgeRound(ctx, base); err != nil {
			return err
		}
		if broke && c.now.timedOut {
			c.stopped = c.timeoutReason() // each further round might take that long
			return nil
		}
		if len(c.now.failures) == 0 && c.now.distrust == "" {
			return nil
		}
	}
	c.stopped = fmt.Sprintf("%d iterations are used up", limit)
	return nil
}

// judgeRound runs the whole selection on the round's result. A round that
// broke a passing test is taken back to the best state.
func (c *run) judgeRound(ctx context.Context, base int) (broke bool, err error) {
	res, err := c.verify(ctx, base)
	if err != nil {
		return false, err
	}
	if err := c.forgiveLost(ctx, c.best.res, res); err != nil {
		return false, err
	}
	if l := lost(c.best.res, res, c.plan); len(l) > 0 || res.timedOut {
		why := "the tests did not end with it"
		if len(l) > 0 {
			why = "it broke " + testName(l[0])
		}
		for _, a := range c.ledger.list[c.best.fixes:] {
			c.settle(a, false, why)
			c.refuse(Refused{Rule: "breaks another test: " + why, File: strings.Join(editedFiles(a.fix), ", ")})
		}
		if err := c.ledger.rollback(c.best.fixes); err != nil {
			return false, err
		}
		c.now = c.best.res
		return true, nil
	}
	c.now = res
	if res.counts.Passed > c.best.res.counts.Passed || len(res.failures) == 0 {
		c.best = state{len(c.ledger.list), res}
	}
	return false, nil
}

// verify runs the selection on the present tree, unless the round's only run
// was just that.
func (c *run) verify(ctx context.Context, base int) (*result, error) {
	t := c.lastTry
	if t.res != nil && t.base == base && len(c.ledger.list) == base+1 &&
		c.ledger.list[base].fix.ID == t.fix && samePlan(t.plan, c.plan) {
		return t.res, nil
	}
	return c.runTests(ctx, c.plan, c.runOptions())
}

func samePlan(a, b plan) bool {
	if len(a) != len(b) {
		return false
	}
	for u, files := range a {
		other, ok := b[u]
		if !ok || files == nil || other == nil || len(files) != len(other) {
			return false
		}
		x, y := slices.Clone(files), slices.Clone(other)
		slices.Sort(x)
		slices.Sort(y)
		if !slices.Equal(x, y) {
			return false
		}
	}
	return true
}

func causesKey(cs []cause) string {
	keys := make([]string, 0, len(cs))
	for _, c := range cs {
		keys = append(keys, c.same)
	}
	slices.Sort(keys)
	return strings.Join(keys, "\x01")
}
