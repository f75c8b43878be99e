package notify

import (
	"context"
	"fmt"

	"regreen/internal/proc"
)

// command is how a system shows a notice: a program of PATH, its arguments and
// what is added to its environment. The texts are never part of a script.
type command struct {
	program string
	args    []string
	env     []string
}

// Desktop shows a notice with the system's own program, which find looks up on
// the user's PATH. environ is the user's environment, which tells the program
// which desktop it is.
func Desktop(find func(program string) (string, error), environ []string) func(context.Context, Notice) error {
	return func(ctx context.Context, n Notice) error {
		c := system(n)
		path, err := find(c.program)
		if err != nil {
			return fmt.Errorf("find %s: %w", c.program, err)
		}
		said := proc.NewTail(1024)
		ex, err := proc.Local{}.Run(ctx, proc.Cmd{Path: path, Args: c.args, Dir: rootFolder, Env: append(append([]string{}, environ...), c.env...), Stdout: said, Stderr: said})
		switch {
		case err != nil:
			return fmt.Errorf("run %s: %w", c.program, err)
		case ex.Stopped:
			return fmt.Errorf("%s: %w", c.program, context.Cause(ctx))
		case ex.Code != 0:
			return fmt.Errorf("%s ended with %s: %s", c.program, ex.How(), said)
		}
		return nil
	}
}
