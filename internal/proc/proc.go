// Package proc starts child processes the way regreen always does: an own
// process group, no standard input, an explicit environment, capped output,
// and an end that leaves no orphan behind.
package proc

import (
	"context"
	"io"
	"time"
)

// Cmd is one process to start.
type Cmd struct {
	Path string   // absolute program
	Args []string // without the program
	Dir  string   // absolute
	Env  []string // the whole environment
	// Stdout and Stderr may be the same writer; nil discards.
	Stdout, Stderr io.Writer
	Stdin          io.Reader // nil is /dev/null
	// Grace is how long the group may take to end after TERM before KILL;
	// 0 means 2 s.
	Grace time.Duration
	// BeforeKill is called once, with the group's id, when the context ends
	// while the process still runs and before any signal is sent: the place to
	// ask a hung process where it is. It must return soon. May be nil.
	BeforeKill func(pgid int)
}

// Exit is how a process ended.
type Exit struct {
	Code   int    // -1 when ended by a signal
	Signal string // "killed", "segmentation fault", …; "" for a normal end
	// Stopped says that we ended it because the context was done.
	Stopped bool
}

// Local runs processes directly on this machine.
type Local struct{}

// Run starts cmd and waits for it and for its output. The error is nil when
// the process could be started, however it ended; when ctx ended first,
// Exit.Stopped is set and the error is still nil.
func (Local) Run(ctx context.Context, cmd Cmd) (Exit, error) { return run(ctx, cmd) }
