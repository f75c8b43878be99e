package daemon

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"regreen/cycle"
)

// tidyAfter is how long the daemon rests before it tidies up what its work left:
// longer than somebody who works pauses between two saves.
const tidyAfter = 5 * time.Second

// untidyLimit is how many operations there may be without a rest. After them it
// tidies up between two cycles, and is not interrupted; that takes a fraction
// of a second.
const untidyLimit = 100

// tidy bounds what the work left, and gives memory back to the system: what a
// cycle needs is many times what a resting daemon does.
func (l *loop) tidy(ctx context.Context) {
	if l.busy || l.lent > 0 || l.untidy == 0 {
		return
	}
	ctx, l.tidying = context.WithCancel(ctx)
	worker, untidy := l.worker, l.untidy
	l.background(ctx, func(ctx context.Context) error {
		var err error
		if worker != nil {
			err = worker.Tidy(ctx)
		}
		if ctx.Err() == nil {
			debug.FreeOSMemory()
			releaseCode()
		}
		return err
	}, func(err error) {
		cancelled := ctx.Err() != nil
		l.tidying()
		l.tidying = nil
		if l.untidy = 0; cancelled {
			l.untidy = untidy
			return
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			l.hub.emit(Event{Event: cycle.Event{Kind: cycle.EventWarning, Text: err.Error()}})
		}
	})
}
