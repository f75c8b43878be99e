package cycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"regreen/fixers"
)

// Causes that have nothing to do with each other are repaired at the same time,
// each in a sandbox of its own and from the same state. What was found is put
// together in the order of the causes, whoever was first, and proved as a
// whole. So the repair does not depend on how fast anything was, nor on how
// many sandboxes there are beyond one. Tests that run at the same time may be
// in each other's way (a port, a database): what was tried in vain is tried
// again alone.

// maxTogether bounds the causes of one round that are repaired independently.
const maxTogether = 8

// together is a cause with its candidates, and the run that repairs it.
type together struct {
	cause
	fixes []fixers.Fix
	run   *run
	later []func(*run)
	err   error
}

// parallel repairs independent causes of a round side by side, where there are
// two of them and sandboxes for them; it does nothing else.
func (c *run) parallel(ctx context.Context, s Strategy, causes []cause) error {
	switch s {
	case Surgical:
		causes = commonest(causes, c.opts.Config.Cycle.SurgicalMinOccurrences)
	case Aggressive:
		return nil
	}
	if c.opts.Jobs < 2 || c.deps.Lanes == nil || len(causes) < 2 {
		return nil
	}
	picked, err := c.independent(ctx, causes)
	if err != nil || len(picked) < 2 {
		return err
	}
	if !c.asksLanes {
		c.asksLanes = true
		if c.lanes, err = c.deps.Lanes(ctx, c.opts.Jobs-1); err != nil {
			return fmt.Errorf("open more sandboxes: %w", err)
		}
	}
	if len(c.lanes) == 0 {
		return nil
	}
	if err := c.repairAll(ctx, picked); err != nil {
		return err
	}
	return c.combine(ctx, picked)
}

// independent are causes with candidates, in order, of which no two surfaced in
// the same test file, are in the same file, or have candidates that do.
func (c *run) independent(ctx context.Context, causes []cause) ([]*together, error) {
	taken := map[string]bool{}
	var out []*together
	for _, x := range causes {
		if len(out) == maxTogether {
			break
		}
		p := x.victimPlan()
		if p[x.unit] == nil {
			continue // it is in every test file
		}
		fixes, err := c.candidates(ctx, x)
		if err != nil {
			return nil, err
		}
		fixes = slices.DeleteFunc(slices.Clone(fixes), func(f fixers.Fix) bool { return c.tried[tryKey(x, f)] || c.besides[tryKey(x, f)] })
		files := slices.Clone(p[x.unit])
		if x.Place.File != "" {
			files = append(files, x.Place.File)
		}
		for _, f := range fixes {
			files = append(files, f.Files()...)
		}
		if len(fixes) == 0 || slices.ContainsFunc(files, func(f string) bool { return taken[f] }) {
			continue
		}
		for _, f := range files {
			taken[f] = true
		}
		out = append(out, &together{cause: x, fixes: fixes})
	}
	return out, nil
}

// repairAll gives each cause to the next free sandbox, and waits for all.
func (c *run) repairAll(ctx context.Context, picked []*together) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.deps.Share != nil {
		c.deps.Share(min(len(c.lanes)+1, len(picked)))
		defer c.deps.Share(1)
	}
	lanes := append([]Lane{{Units: c.deps.Units, Box: c.deps.Box, Workspace: c.deps.Workspace}}, c.lanes...)
	var told sync.Mutex // one event at a time
	todo := make(chan *together)
	var group sync.WaitGroup
	for _, l := range lanes[:min(len(lanes), len(picked))] {
		group.Go(func() {
			for x := range todo {
				x.run = c.fork(l, x, &told)
				if _, x.err = x.run.choose(ctx, x.cause, x.fixes, c.now); x.err != nil {
					cancel()
				}
			}
		})
	}
	for _, x := range picked {
		todo <- x // the lanes take all of them, also when cancelled
	}
	close(todo)
	group.Wait()
	c.littered, c.view = true, nil
	var first error
	for _, x := range picked {
		// What the failure of another one cancelled says nothing itself.
		if x.err != nil && (first == nil || errors.Is(first, context.Canceled)) {
			first = x.err
		}
	}
	return first
}

// fork is the cycle as one sandbox goes on with it for one cause.
func (c *run) fork(l Lane, x *together, told *sync.Mutex) *run {
	f := &run{opts: c.opts, sel: c.sel, deps: c.deps, plan: c.plan, first: c.first, now: c.now, best: c.best,
		tried: maps.Clone(c.tried), offers: map[string]bool{}, later: &x.later, littered: true, iter: &Iteration{},
		baseSkips: maps.Clone(c.baseSkips)}
	f.deps.Units, f.deps.Box, f.deps.Workspace = l.Units, l.Box, l.Workspace
	if c.deps.Sink != nil {
		f.deps.Sink = func(e Event) {
			told.Lock()
			defer told.Unlock()
			c.deps.Sink(e)
		}
	}
	f.doc = newDocument(f.opts, f.sel, f.deps)
	f.suite = &suite{units: l.Units, files: l.Workspace.Files, read: l.Workspace.ReadFile, emit: f.emit}
	f.ledger = newLedger(l.Workspace.ReadFile, func(rel string, file File) error {
		f.view = nil
		return l.Box.Write(rel, file)
	})
	f.ledger.orig, f.ledger.now, f.ledger.list = maps.Clone(c.ledger.orig), maps.Clone(c.ledger.now), slices.Clone(c.ledger.list)
	return f
}

// combine puts what was found together, in the order of the causes.
func (c *run) combine(ctx context.Context, picked []*together) error {
	base := len(c.ledger.list)
	for _, x := range picked {
		f := x.run
		if len(f.ledger.list) == base && len(x.later) == 0 {
			for _, fix := range x.fixes {
				c.besides[tryKey(x.cause, fix)] = true
			}
			continue
		}
		maps.Copy(c.tried, f.tried)
		maps.Copy(c.baseSkips, f.baseSkips)
		for _, r := range f.doc.Refused {
			if !slices.Contains(c.doc.Refused, r) {
				c.doc.Refused = append(c.doc.Refused, r)
			}
		}
		for _, w := range f.doc.Warnings {
			if !slices.Contains(c.doc.Warnings, w) {
				c.doc.Warnings = append(c.doc.Warnings, w)
			}
		}
		for _, do := range x.later { // before any of the fixes is in place
			do(c)
		}
		c.iter.Fixes = append(c.iter.Fixes, f.iter.Fixes...)
	}
	if err := c.tidy(ctx); err != nil {
		return err
	}
	for _, x := range picked {
		for _, found := range x.run.ledger.list[base:] {
			a, err := c.ledger.apply(found.fix, x.cause)
			if err != nil {
				return fmt.Errorf("put independent repairs together: %w", err)
			}
			a.record = found.record
		}
	}
	if len(c.ledger.list) == base+1 {
		for _, x := range picked {
			if len(x.run.ledger.list) > base {
				c.lastTry = x.run.lastTry
			}
		}
	}
	return nil
}
