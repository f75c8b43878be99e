package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"regreen/internal/git"
	"regreen/internal/plain"
)

// maxThreeWay is the size above which a changed file is not merged by lines.
const maxThreeWay = 1 << 20

// Apply writes a stored proposal into the user's tree, all files or none, and
// keeps an undo record under id. A file that is as the proposal expects gets
// the proposal's bytes; one that was changed since is merged by lines (git
// merge-file) if it is text and the changes do not touch; otherwise *Conflict
// names it and nothing is written. Errors are as for Merge, but HEAD may have
// moved.
func (s *Sandbox) Apply(ctx context.Context, id string, changes []Change) (*Merged, error) {
	s.last = nil // nobody is told of what we write
	now := make([]Change, 0, len(changes))
	var conflict Conflict
	for _, c := range changes {
		if err := checkPath(c.Path); err != nil {
			return nil, err
		}
		rebased, err := s.rebase(ctx, c)
		switch {
		case errors.Is(err, errChanged):
			conflict.Files = append(conflict.Files, c.Path)
		case err != nil:
			return nil, fmt.Errorf("apply %s: %w", id, err)
		default:
			now = append(now, rebased)
		}
	}
	if conflict.Files != nil {
		return nil, &conflict
	}
	p, err := s.plan(ctx, "apply", id, now, nil)
	if err != nil {
		return nil, err
	}
	return s.carryOut(ctx, p, func(ctx context.Context) error { return s.checkGuard(ctx, nil) })
}

// rebase gives the change on top of what the user's file holds now.
func (s *Sandbox) rebase(ctx context.Context, c Change) (Change, error) {
	if (c.Mode|c.BeforeMode)&fs.ModeSymlink != 0 {
		return c, nil // plan refuses it
	}
	// Links are not followed: check refuses what is not a plain file.
	root, err := os.OpenRoot(s.repo.Root())
	if err != nil {
		return c, err
	}
	defer func() { _ = root.Close() }()
	fi, err := root.Lstat(c.Path)
	if errors.Is(err, fs.ErrNotExist) {
		if c.Op == Modify {
			return c, errChanged
		}
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if !fi.Mode().IsRegular() {
		return c, nil
	}
	f, err := plain.OpenNamed(root, c.Path)
	if errors.Is(err, plain.ErrKind) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	mine, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return c, err
	}
	return s.onto(ctx, c, mine)
}

// Rebase carries changes over to another snapshot, by lines as Apply does, and
// writes nothing. A file that cannot be carried over is named in a *Conflict.
func (s *Sandbox) Rebase(ctx context.Context, changes []Change, snap *Snapshot) ([]Change, error) {
	out := make([]Change, 0, len(changes))
	var conflict Conflict
	for _, c := range changes {
		mine, err := snap.Bytes(ctx, c.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err = nil; c.Op != Create {
				err = errChanged
			}
		case err == nil && snap.Files[c.Path].Mode&fs.ModeSymlink != 0:
			err = errChanged
		case err == nil:
			if mode := snap.Files[c.Path].Mode; c.Op == Modify && c.Mode == c.BeforeMode {
				c.Mode, c.BeforeMode = mode, mode
			}
			c, err = s.onto(ctx, c, mine)
		}
		if errors.Is(err, errChanged) {
			conflict.Files = append(conflict.Files, c.Path)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("carry %s over: %w", c.Path, err)
		}
		out = append(out, c)
	}
	if conflict.Files != nil {
		return nil, &conflict
	}
	return out, nil
}

// onto gives a change on top of other bytes; errChanged is a conflict.
func (s *Sandbox) onto(ctx context.Context, c Change, mine []byte) (Change, error) {
	switch {
	case c.Op == Create && bytes.Equal(mine, c.After), c.Op != Create && bytes.Equal(mine, c.Before):
		return c, nil
	case c.Op == Modify && bytes.Equal(mine, c.After):
		c.Before = mine
		return c, nil // nothing to do: check sees that
	case c.Op != Modify:
		return c, errChanged
	}
	merged, err := s.threeWay(ctx, mine, c.Before, c.After)
	if err != nil {
		return c, err
	}
	c.Before, c.After = mine, merged
	return c, nil
}

// threeWay merges by lines; errChanged is a conflict.
func (s *Sandbox) threeWay(ctx context.Context, mine, base, theirs []byte) ([]byte, error) {
	dir, err := os.MkdirTemp(s.scratch, "merge-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for name, src := range map[string][]byte{"mine": mine, "base": base, "theirs": theirs} {
		if len(src) > maxThreeWay || bytes.IndexByte(src, 0) >= 0 {
			return nil, errChanged
		}
		if err := os.WriteFile(filepath.Join(dir, name), src, 0o600); err != nil {
			return nil, err
		}
	}
	out, err := s.shadow.run.Run(ctx, git.Call{Dir: dir, Args: []string{"merge-file", "-p", "--diff3", "mine", "base", "theirs"}})
	var ee *git.ExitError
	if errors.As(err, &ee) {
		if ee.Code > 0 && ee.Code < 128 {
			return nil, errChanged
		}
		return nil, ee
	}
	return out, err
}
