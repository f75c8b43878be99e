// Package proc starts child processes the way regreen always does: an own
// process group without a terminal, no file but the standard ones, no input, an
// explicit environment, capped output, and an end that leaves no orphan behind.
package proc

import (
	"context"
	"fmt"
	"io"
	"os/exec"
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
	// Stdin is the process's input; nil is /dev/null. Run does not wait for a
	// reader that blocks: what is read then is lost, and the goroutine that reads
	// ends when the caller ends the reader.
	Stdin io.Reader
	// MaxOutput is how many bytes the process may print before it is ended; 0
	// is no limit.
	MaxOutput int64
	// Grace is how long the group may take to end after TERM before KILL;
	// 0 means 2 s.
	Grace time.Duration
	// BeforeKill is called once, with the group's id, when the context ends
	// while the process still runs and before any signal is sent: the place to
	// ask a hung process where it is. It must return soon. May be nil.
	BeforeKill func(pgid int)
	// Setup is called last before the start, to give the process more than
	// the fields above can say (namespaces, files). The group stays; with Setpgid
	// it is one of our session, and who asks for that gives up the terminal
	// itself. May be nil.
	Setup func(*exec.Cmd)
}

// Exit is how a process ended.
type Exit struct {
	Code   int    // -1 when ended by a signal
	Signal string // "killed", "segmentation fault", …; "" for a normal end
	// Stopped says that we ended it because the context was done.
	Stopped bool
	// Limit is the limit of the sandbox at which the process was ended, for
	// people ("the memory limit of 2.0 GB"); "" when none was passed.
	Limit string
}

// How says how the process ended, for people: "exit code 1", "killed", "killed
// at the memory limit of 2.0 GB".
func (e Exit) How() string {
	switch {
	case e.Limit != "":
		return "killed at " + e.Limit
	case e.Signal != "":
		return e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// Local runs processes directly on this machine.
type Local struct{}

// Run starts cmd and waits for it and for its output. The error is nil when
// the process could be started, however it ended; when ctx ended first,
// Exit.Stopped is set and the error is still nil.
func (Local) Run(ctx context.Context, cmd Cmd) (Exit, error) { return run(ctx, cmd) }
