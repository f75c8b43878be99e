package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/daemon"
	"regreen/internal/git"
	"regreen/internal/runner"
	"regreen/internal/sandbox"
)

// The exit codes of DESIGN.md section 8.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitEnvironment = 3
	ExitProposed    = 4
	ExitBudget      = 124
	ExitHangup      = 129
	ExitInterrupt   = 130
	ExitTerminate   = 143
)

// Problem is an error with all that a person needs: what, what to do now, and
// the exit code.
type Problem struct {
	Code    string // for scripts: "usage", "config", "no_repository", …
	Exit    int
	Message string
	Hint    string // one line, "" for none
	Err     error  // the cause, may be nil
}

// Error is the message.
func (p *Problem) Error() string { return p.Message }

// Unwrap gives the cause.
func (p *Problem) Unwrap() error { return p.Err }

// Stopped is the cause of a context that a signal ended.
type Stopped struct{ Exit int }

// Error names the signal.
func (s Stopped) Error() string {
	switch s.Exit {
	case ExitTerminate:
		return "terminated"
	case ExitHangup:
		return "the terminal was closed"
	}
	return "interrupted"
}

func usage(hint, format string, args ...any) *Problem {
	return &Problem{Code: "usage", Exit: ExitUsage, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// problemOf maps every error to what is shown and to an exit code.
func problemOf(ctx context.Context, err error) *Problem {
	var (
		stopped Stopped
		p       *Problem
		cfg     *config.Error
		repo    *git.Error
		found   *runner.Problem
		box     *sandbox.Error
		busy    *sandbox.BusyError
		budget  *cycle.BudgetError
		socket  *daemon.SocketError
	)
	of := func(code, hint string) *Problem {
		return &Problem{Code: code, Exit: exitOfCode(code), Message: err.Error(), Hint: hint, Err: err}
	}
	switch {
	case errors.As(context.Cause(ctx), &stopped):
		return &Problem{Code: "interrupted", Exit: stopped.Exit, Message: stopped.Error(), Err: err}
	case errors.As(err, &p):
		return p
	case errors.As(err, &cfg):
		return of("config", cfg.Hint)
	case errors.As(err, &repo):
		return of(repo.Code, repo.Hint)
	case errors.As(err, &found):
		return of(found.Code, found.Hint)
	case errors.As(err, &box):
		return of(box.Code, box.Hint)
	case errors.As(err, &socket):
		return &Problem{Code: "socket", Exit: ExitEnvironment, Message: socket.Error(), Hint: "make it your own with mode 0700, or set XDG_RUNTIME_DIR", Err: err}
	case errors.Is(err, daemon.ErrSilent):
		return of("environment", "it may be suspended (kill -CONT goes on); kill -9 ends it and loses nothing: pgrep -af 'regreen watch' names it")
	case errors.As(err, &busy):
		return of("busy", "wait for it to end")
	case errors.As(err, &budget):
		return of("budget", "raise cycle.budget or --timeout, or run fewer tests")
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, sandbox.ErrNoSpace):
		return of("disk_full", "make room, or set XDG_STATE_HOME to a folder on another disk")
	case errors.Is(err, fs.ErrPermission):
		return of("permission", "see who owns the file, and whether it can be written")
	}
	return of("environment", "")
}

func exitOfCode(code string) int {
	switch code {
	case "usage", "config", "ambiguous_framework", git.CodeUnknownRevision, sandbox.CodeUnknownLevel:
		return ExitUsage
	case "budget", "timeout":
		return ExitBudget
	case "conflict":
		return ExitProposed
	}
	return ExitEnvironment
}

// exitOf is the exit code of a cycle: a signal's or an error's before the
// outcome's own.
func exitOf(ctx context.Context, d *cycle.Document) int {
	var stopped Stopped
	if errors.As(context.Cause(ctx), &stopped) {
		return stopped.Exit
	}
	if d.Error != nil {
		return exitOfCode(d.Error.Code)
	}
	return d.ExitCode()
}

// report prints a problem in the form that DESIGN.md section 8 fixes.
func (p *Problem) report(w io.Writer) {
	fmt.Fprintf(w, "regreen: error: %s\n", oneLine(p.Message))
	if p.Hint != "" {
		fmt.Fprintf(w, "regreen: hint: %s\n", oneLine(p.Hint))
	}
}

func (p *Problem) json() *cycle.Problem {
	return &cycle.Problem{Code: p.Code, Message: p.Message, Hint: p.Hint}
}
