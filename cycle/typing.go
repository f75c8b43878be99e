package cycle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"regreen/fixers"
	"regreen/internal/runner"
)

// waits tells whether failures come of a file that somebody is still writing.
// Then nothing is repaired: what broke is that the line has no end yet, and
// whoever writes it knows how it goes on.
func (c *run) waits(ctx context.Context, causes []cause) (bool, error) {
	if c.deps.HalfWritten == nil {
		return false, nil
	}
	if c.deps.Cursors != nil {
		var err error
		if c.cursors, err = c.deps.Cursors(ctx); err != nil {
			return false, fmt.Errorf("see where somebody writes: %w", err)
		}
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
	c.stopped = c.waitsFor()
	return true, nil
}

// waitsFor says what is waited for, "" for nothing.
func (c *run) waitsFor() string {
	half := c.doc.HalfWritten
	switch len(half) {
	case 0:
		return ""
	case 1:
		return "waiting for " + half[0].String()
	}
	return fmt.Sprintf("waiting for %s and %d more files", half[0], len(half)-1)
}

// unfinished tells whether a candidate goes on with the very word that somebody
// is writing: subtota and subtotal. Then the cause is left alone as what is
// half-written is, for what is put there would be written twice.
func (c *run) unfinished(x cause, fixes []fixers.Fix) bool {
	for _, at := range c.cursors {
		for _, f := range fixes {
			if !slices.ContainsFunc(f.Edits, func(e fixers.Edit) bool { return c.goesOn(e, at) }) {
				continue
			}
			h := HalfWritten{File: at.File, Line: at.Line}
			if !slices.Contains(c.doc.HalfWritten, h) {
				c.doc.HalfWritten = append(c.doc.HalfWritten, h)
			}
			if c.held == nil {
				c.held = map[string]bool{}
			}
			c.held[x.same] = true
			return true
		}
	}
	return false
}

// goesOn tells whether an edit only adds to what stands before the cursor.
func (c *run) goesOn(e fixers.Edit, at Cursor) bool {
	if e.File != at.File || e.Start >= at.Offset || e.End < at.Offset {
		return false
	}
	src, err := c.deps.Workspace.ReadFile(e.File)
	if err != nil || e.End > len(src) {
		return false
	}
	rest, ok := strings.CutPrefix(e.New, string(src[e.Start:at.Offset]))
	return ok && len(rest) > e.End-at.Offset
}
