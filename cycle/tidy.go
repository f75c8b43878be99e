package cycle

import (
	"context"
	"fmt"
)

// Tests write into the tree that they run in: they generate files, rewrite
// data, and some rewrite sources. A second run would start from what the first
// one left, and could be green for a reason that the user's tree does not have.
// So every run, and every search for a repair, starts from the snapshot with
// the ledger's edits and nothing else.

// runTests runs a plan on a tidy tree.
func (c *run) runTests(ctx context.Context, p plan, o runOptions) (*result, error) {
	if err := c.tidy(ctx); err != nil {
		return nil, err
	}
	c.littered = true
	return c.suite.run(ctx, p, o)
}

// tidy removes what the runs since the last call left behind.
func (c *run) tidy(ctx context.Context) error {
	if !c.littered {
		return nil
	}
	if err := c.reset(ctx, c.ledger.edits()); err != nil {
		return err
	}
	c.littered = false
	return nil
}

func (c *run) reset(ctx context.Context, edits map[string]File) error {
	c.view = nil
	if err := c.deps.Box.Reset(ctx, edits); err != nil {
		return fmt.Errorf("tidy the sandbox: %w", err)
	}
	return nil
}
