package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// HooksPath is core.hooksPath as the user's configuration has it, the home
// folder put in; "" when it is unset. (Config gives what the runner sets it to:
// no command that we start runs a hook.)
func (r *Repo) HooksPath(ctx context.Context) (string, error) {
	out, err := r.Runner().Run(ctx, Call{Dir: r.Root(), Args: []string{"config", "-z", "--type=path", "--get-all", "core.hooksPath"}})
	var exit *ExitError
	if err != nil && !errors.As(err, &exit) {
		return "", fmt.Errorf("read core.hooksPath: %w", err)
	}
	values := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(values) < 2 { // the last one is the runner's own
		return "", nil
	}
	return values[len(values)-2], nil
}
