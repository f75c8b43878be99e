package mocha

import (
	"context"

	"regreen/internal/runner"
)

// Layout reads the project's configuration.
func (f Framework) Layout(ctx context.Context, env runner.Env, p runner.Project) (runner.Layout, error) {
	return runner.Layout{}, nil
}
