// Package notify shows notices on the user's desktop through the program that
// the system has for it.
//
// Its invariant: whoever tells it something never waits, and the user is not
// flooded: of what comes too soon after a notice only the newest is shown. It
// does not decide what is worth one.
package notify

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Notice is what is shown.
type Notice struct{ Title, Body string }

// Config says how notices are shown.
type Config struct {
	// Show shows one; see Desktop. An error is logged once.
	Show func(ctx context.Context, n Notice) error
	Log  *slog.Logger // may be nil
	// Every is the shortest time between two notices; 0 means 10 s, in which a
	// desktop takes the last one away again.
	Every time.Duration
}

// Notifier shows notices while Run runs. Its methods may be called from any
// goroutine.
type Notifier struct {
	cfg  Config
	poke chan struct{} // holds one

	mu   sync.Mutex // guards the field below
	next *Notice
}

// New prepares a notifier.
func New(cfg Config) *Notifier {
	if cfg.Every == 0 {
		cfg.Every = 10 * time.Second
	}
	return &Notifier{cfg: cfg, poke: make(chan struct{}, 1)}
}

// Tell hands a notice over, in the place of one that waits, and returns at once.
func (n *Notifier) Tell(notice Notice) {
	n.mu.Lock()
	n.next = &notice
	n.mu.Unlock()
	select {
	case n.poke <- struct{}{}:
	default:
	}
}

// showTime bounds one notice: the desktop's service may hang.
const showTime = 5 * time.Second

// Run shows what it is told until ctx is done.
func (n *Notifier) Run(ctx context.Context) {
	told := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.poke:
		}
		n.mu.Lock()
		notice := n.next
		n.next = nil
		n.mu.Unlock()
		if notice == nil {
			continue
		}
		if err := n.show(ctx, *notice); err != nil && ctx.Err() == nil && !told && n.cfg.Log != nil {
			told = true
			n.cfg.Log.Warn("no notice can be shown on the desktop", "err", err)
		}
		rest := time.NewTimer(n.cfg.Every)
		select {
		case <-ctx.Done():
			rest.Stop()
			return
		case <-rest.C:
		}
	}
}

func (n *Notifier) show(ctx context.Context, notice Notice) error {
	ctx, cancel := context.WithTimeoutCause(ctx, showTime, errors.New("the desktop does not answer"))
	defer cancel()
	return n.cfg.Show(ctx, notice)
}
