package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"regreen/cycle"
	"regreen/internal/sandbox"
)

// Where nothing is said each core has a sandbox, up to maxJobs: beyond that the
// frameworks' own workers are in each other's way. A tree of more than
// maxSpareFiles files takes longer to copy than most repairs to find.
const (
	maxJobs       = 4
	maxSpareFiles = 20_000
)

// jobs is how many sandboxes a cycle over so many files uses at the same time.
func (e *Engine) jobs(files int) int {
	switch n := e.opts.Config.Cycle.Jobs; {
	case n > 0:
		return n
	case files > maxSpareFiles:
		return 1
	}
	return min(runtime.NumCPU(), maxJobs)
}

// spareDir is where the state of the nth further sandbox is.
func (e *Engine) spareDir(n int) string { return filepath.Join(e.box.Dir(), fmt.Sprintf("s%d", n)) }

// openSpare opens the nth further sandbox, from 1, and keeps it open. It is a
// whole one, with its state folder in that of the first, whose lock is there
// for all: what a crash leaves in it is cleared when it is opened again.
func (e *Engine) openSpare(ctx context.Context, n int) (*sandbox.Sandbox, error) {
	if n <= len(e.spares) {
		return e.spares[n-1], nil
	}
	cfg := e.boxConfig
	cfg.StateDir, cfg.Within, cfg.Isolation, cfg.Waiting = e.spareDir(n), e.box.Dir(), e.box.Level(), nil
	box, err := sandbox.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	e.spares = append(e.spares, box)
	return box, nil
}

// lanes gives the cycle over p further sandboxes, and what ends their use.
func (e *Engine) lanes(p *prepared) (open func(context.Context, int) ([]cycle.Lane, error), end func() error) {
	var ends []func() error
	open = func(ctx context.Context, n int) ([]cycle.Lane, error) {
		var out []cycle.Lane
		for i := range n {
			l, closeUnits, err := e.lane(ctx, p, i+1)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				// One after another is as good, only slower.
				e.opts.Log.Debug("no further sandbox", "n", i+1, "err", err)
				break
			}
			ends = append(ends, closeUnits)
			out = append(out, l)
		}
		return out, nil
	}
	return open, func() error {
		var errs []error
		for _, end := range ends {
			errs = append(errs, end())
		}
		return errors.Join(errs...)
	}
}

// share divides what a run may use between n sandboxes that run at once.
func (e *Engine) share(n int) {
	for _, b := range e.boxes() {
		b.Divide(n)
	}
}

// boxes are all sandboxes that are open.
func (e *Engine) boxes() []*sandbox.Sandbox {
	return append([]*sandbox.Sandbox{e.box}, e.spares...)
}

// errMoved says that the user's files are not those of the cycle any more.
var errMoved = errors.New("the files changed since the cycle began")

// lane brings the nth further sandbox to the cycle's snapshot and opens the
// frameworks in it.
func (e *Engine) lane(ctx context.Context, p *prepared, n int) (cycle.Lane, func() error, error) {
	s, err := e.openSpare(ctx, n)
	if err != nil {
		return cycle.Lane{}, nil, err
	}
	snap, err := s.Snapshot(ctx)
	if err != nil {
		return cycle.Lane{}, nil, err
	}
	if moved := differing(p.snap, snap); len(moved) > 0 {
		return cycle.Lane{}, nil, fmt.Errorf("%w: %q", errMoved, moved)
	}
	if err := s.Prepare(ctx, snap); err != nil {
		return cycle.Lane{}, nil, err
	}
	if s.Level() != e.box.Level() {
		return cycle.Lane{}, nil, fmt.Errorf("its isolation level is %s", s.Level())
	}
	units, closeUnits, err := e.unitsIn(ctx, s)
	if err != nil {
		return cycle.Lane{}, nil, err
	}
	work := *p.work
	work.Tree = s.Tree(snap.Names())
	b := &box{s: s, repo: e.repo, snap: snap}
	return cycle.Lane{Units: units, Box: b, Workspace: &work}, closeUnits, nil
}

// closeSpares lets the further sandboxes go, the last first.
func (e *Engine) closeSpares() error {
	var errs []error
	for _, s := range slices.Backward(e.spares) {
		errs = append(errs, s.Close())
	}
	e.spares = nil
	return errors.Join(errs...)
}

// both ends one thing and then another.
func both(a, b func() error) func() error { return func() error { return errors.Join(a(), b()) } }
