package engine

import (
	"context"

	"regreen/cycle"
)

// announced is a box that asks before it merges.
type announced struct {
	*box
	before func(context.Context, []cycle.Change) error
}

// Merge merges unless it is told not to.
func (a announced) Merge(ctx context.Context, id string, changes []cycle.Change) (string, error) {
	if a.before != nil {
		if err := a.before(ctx, changes); err != nil {
			return "", err
		}
	}
	return a.box.Merge(ctx, id, changes)
}
