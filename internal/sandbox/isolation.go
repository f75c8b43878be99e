package sandbox

import (
	"context"
	"fmt"

	"regreen/internal/proc"
)

// isolation is how strongly the worktree is walled off from the user's tree.
// There is one implementation a level of DESIGN.md section 7.
type isolation interface {
	level() string
	// root is where what runs sees the worktree (abs).
	root() string
	// run runs a process whose paths are as root has them.
	run(ctx context.Context, cmd proc.Cmd) (proc.Exit, error)
	close() error
}

// newIsolation gives the level asked for, or the strongest that works.
func newIsolation(name string, s *Sandbox) (isolation, error) {
	switch name {
	case "", "auto", "copy":
		return copyLevel{tree: s.tree}, nil
	case "namespace", "landlock":
		return nil, &Error{Code: CodeNoIsolation, Message: fmt.Sprintf("the isolation level %q is not available", name),
			Hint: `set sandbox.isolation = "auto" to take the strongest level that works here`}
	}
	return nil, &Error{Code: CodeUnknownLevel, Message: fmt.Sprintf("there is no isolation level %q", name),
		Hint: "choose auto, namespace, landlock or copy"}
}

// copyLevel runs in the worktree beside the user's tree. Nothing keeps a
// process from writing elsewhere; the links and the probe keep it from reading
// the wrong code.
type copyLevel struct{ tree string }

func (copyLevel) level() string  { return "copy" }
func (l copyLevel) root() string { return l.tree }

func (l copyLevel) run(ctx context.Context, cmd proc.Cmd) (proc.Exit, error) {
	return proc.Local{}.Run(ctx, cmd)
}

func (copyLevel) close() error { return nil }
