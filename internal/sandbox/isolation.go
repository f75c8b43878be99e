package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"regreen/internal/jail"
	"regreen/internal/proc"
)

// isolation is how strongly the worktree is walled off from the user's tree.
// There is one implementation a level of DESIGN.md section 7.
type isolation interface {
	level() string
	// root is where what runs sees the worktree (abs).
	root() string
	// probe really tries the level.
	probe(ctx context.Context) error
	// prepared is told of each snapshot that the worktree was brought to.
	prepared() error
	// run runs a process whose paths are as root has them.
	run(ctx context.Context, cmd proc.Cmd) (proc.Exit, error)
	// host runs a guest (see Visit), and tells what of the walls is missing.
	host(ctx context.Context, cmd proc.Cmd, network bool) (proc.Exit, []string, error)
	close() error
}

// levels are the names that configuration may give, the strongest first.
var levels = []string{"namespace", "landlock", "copy"}

func checkLevel(name string) error {
	for _, l := range append([]string{"", "auto"}, levels...) {
		if name == l {
			return nil
		}
	}
	return &Error{Code: CodeUnknownLevel, Message: fmt.Sprintf("there is no isolation level %q", name),
		Hint: "choose auto, namespace, landlock or copy"}
}

// Isolate finds the level by trying it, once; Prepare does so by itself. A
// level that was asked for and is not to be had is an *Error.
func (s *Sandbox) Isolate(ctx context.Context) error {
	if s.isolated {
		return nil
	}
	wanted := levels
	if s.wanted != "" && s.wanted != "auto" {
		wanted = []string{s.wanted}
	}
	var notes []string
	for _, name := range wanted {
		l := s.newLevel(name)
		err := l.probe(ctx)
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if err == nil {
			s.iso, s.isolated, s.note = l, true, strings.Join(notes, "; ")
			return nil
		}
		var setup *jail.SetupError
		if !errors.As(err, &setup) && !errors.Is(err, errProbe) {
			return fmt.Errorf("try the isolation level %s: %w", name, err)
		}
		s.log.Debug("isolation level not available", "level", name, "err", err)
		notes = append(notes, fmt.Sprintf("not %s: %v", name, err))
	}
	return &Error{Code: CodeNoIsolation, Message: fmt.Sprintf("the isolation level %q is not available: %s", s.wanted, strings.Join(notes, "; ")),
		Hint: `set sandbox.isolation = "auto" to take the strongest level that works here`}
}

// errProbe is in the chain when a level could be set up and does not hold.
var errProbe = errors.New("the trial did not give what it must")

func (s *Sandbox) newLevel(name string) isolation {
	switch name {
	case "namespace":
		return &namespaceLevel{s: s}
	case "landlock":
		return landlockLevel{s: s}
	}
	return copyLevel{tree: s.tree}
}

// copyLevel runs in the worktree beside the user's tree. Nothing keeps a
// process from writing elsewhere; the links and the probe keep it from reading
// the wrong code.
type copyLevel struct{ tree string }

func (copyLevel) level() string               { return "copy" }
func (l copyLevel) root() string              { return l.tree }
func (copyLevel) probe(context.Context) error { return nil }
func (copyLevel) prepared() error             { return nil }
func (copyLevel) close() error                { return nil }

func (l copyLevel) run(ctx context.Context, cmd proc.Cmd) (proc.Exit, error) {
	return proc.Local{}.Run(ctx, cmd)
}

func (l copyLevel) host(ctx context.Context, cmd proc.Cmd, network bool) (proc.Exit, []string, error) {
	notes := []string{"at the isolation level copy nothing keeps a program from writing outside the sandbox"}
	if !network {
		notes = append(notes, noCut("copy"))
	}
	ex, err := proc.Local{}.Run(ctx, cmd)
	return ex, notes, err
}

// noCut says that a program could reach the network all the same.
func noCut(level string) string {
	return "at the isolation level " + level + " a program cannot be cut off from the network"
}
