package cycle

import (
	"context"
	"fmt"
	"slices"

	"regreen/internal/runner"
)

// waits tells whether failures come of a file that somebody is still writing.
// Then nothing is repaired: what broke is that the line has no end yet, and
// whoever writes it knows how it goes on.
func (c *run) waits(ctx context.Context, causes []cause) (bool, error) {
	if c.deps.HalfWritten == nil {
		return false, nil
	}
	half, err := c.deps.HalfWritten(ctx)
	if err != nil {
		return false, fmt.Errorf("see what is half-written: %w", err)
	}
	half = slices.DeleteFunc(half, func(h HalfWritten) bool {
		return !slices.ContainsFunc(causes, func(x cause) bool {
			return x.Kind == runner.SyntaxError || x.Place.File == h.File
		})
	})
	if len(half) == 0 {
		return false, nil
	}
	c.doc.HalfWritten = half
	c.stopped = "waiting for " + half[0].String()
	if len(half) > 1 {
		c.stopped += fmt.Sprintf(" and %d more files", len(half)-1)
	}
	return true, nil
}
