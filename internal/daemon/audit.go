package daemon

import (
	"context"
	"errors"

	"regreen/cycle"
)

// audit has the worker audit the last cycle's selection, once, when the daemon
// has rested and is tidy: twice as long after the last work as it tidies up.
func (l *loop) audit(ctx context.Context) {
	if !l.config.Affected.Audit || !l.settled || l.worker == nil || l.untidy > 0 || l.busy || l.lent > 0 || l.mustEndAudit() {
		return
	}
	ctx, l.auditing = context.WithCancel(ctx)
	l.background(ctx, func(ctx context.Context) error {
		return l.worker.Audit(ctx, func(e cycle.Event) { l.hub.emit(Event{Event: e}) })
	}, func(err error) {
		cancelled := ctx.Err() != nil
		l.auditing()
		l.auditing = nil
		if cancelled {
			return // what cancelled it has a verdict to come, or it is tried again
		}
		l.settled = false
		if err != nil && !errors.Is(err, context.Canceled) {
			l.hub.emit(Event{Event: cycle.Event{Kind: cycle.EventWarning, Text: "the selection was not audited: " + err.Error()}})
		}
	})
}

// mustEndAudit tells whether there is something that no audit may delay, or
// that changes the tree under it.
func (l *loop) mustEndAudit() bool {
	return len(l.ops) > 0 || !l.pending.empty() || l.paused || l.gitWait != ""
}

// whileAuditing ends the audit when it must, and else answers those who wait
// for a verdict.
func (l *loop) whileAuditing() {
	if l.mustEndAudit() {
		l.auditing()
		return
	}
	l.answer()
}
