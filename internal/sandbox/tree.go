package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"regreen/internal/plain"
)

// errNotPrepared says that a method needs Prepare first.
var errNotPrepared = errors.New("the sandbox was not prepared")

// Tree is the worktree as a language's resolver sees it: a lang.Tree.
type Tree struct {
	abs   func(rel string) string
	files []string
}

// Tree gives the worktree with the given files; nil gives the snapshot's.
// Reads see the worktree as it is at the moment of the call.
func (s *Sandbox) Tree(files []string) *Tree {
	if files == nil && s.current != nil {
		files = s.current.names
	}
	return &Tree{abs: s.outside, files: files}
}

// ReadFile reads a file, following links.
func (t *Tree) ReadFile(rel string) ([]byte, error) { return plain.ReadFile(t.abs(rel)) }

// Exists is true for a regular file or a link to one.
func (t *Tree) Exists(rel string) bool {
	fi, err := os.Stat(t.abs(rel))
	return err == nil && fi.Mode().IsRegular()
}

// IsDir is true for a folder or a link to one.
func (t *Tree) IsDir(rel string) bool {
	fi, err := os.Stat(t.abs(rel))
	return err == nil && fi.IsDir()
}

// Files are the repository's own files, sorted.
func (t *Tree) Files() []string { return t.files }

// Write puts bytes in a file of the worktree, and makes its folders. An
// existing file keeps its mode. A path that leads out of the worktree, also
// through a link, is an error.
func (s *Sandbox) Write(rel string, src []byte) error {
	if err := s.write(rel, src); err != nil {
		return fmt.Errorf("write %s in the sandbox: %w", rel, err)
	}
	return nil
}

func (s *Sandbox) write(rel string, src []byte) error {
	if s.current == nil {
		return errNotPrepared
	}
	root, err := os.OpenRoot(s.tree)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	before, err := root.Stat(rel)
	perm := fs.FileMode(0o644)
	switch {
	case err == nil && !before.Mode().IsRegular():
		return errors.New("not a regular file")
	case err == nil:
		perm = before.Mode().Perm()
		if perm&0o200 == 0 {
			if err := root.Chmod(rel, perm|0o200); err != nil {
				return err
			}
		}
	case errors.Is(err, fs.ErrNotExist):
		before = nil
		if dir := path.Dir(rel); dir != "." {
			if err := root.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
	default:
		return err
	}
	at := s.stamp(rel, before)
	f, err := root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(src)
	if err == nil && before != nil {
		err = f.Chmod(perm)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return root.Chtimes(rel, at, at)
}

// Remove removes a file of the worktree; one that is not there is no error.
func (s *Sandbox) Remove(rel string) error {
	root, err := os.OpenRoot(s.tree)
	if err != nil {
		return fmt.Errorf("remove %s in the sandbox: %w", rel, err)
	}
	defer func() { _ = root.Close() }()
	if fi, err := root.Lstat(rel); err == nil {
		s.stamp(rel, fi) // what comes next must be younger
	}
	if err := root.Remove(rel); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s in the sandbox: %w", rel, err)
	}
	return nil
}

// Restore brings a file of the worktree back to the snapshot's bytes and mode;
// one that the snapshot does not have is removed.
func (s *Sandbox) Restore(ctx context.Context, rel string) error {
	if s.current == nil {
		return fmt.Errorf("restore %s in the sandbox: %w", rel, errNotPrepared)
	}
	e, ok := s.current.Files[rel]
	if !ok {
		return s.Remove(rel)
	}
	before, err := os.Lstat(s.boxPath(rel))
	if err == nil {
		if now, err := s.entry(rel, before); err == nil && sameEntry(now, e) {
			return nil
		}
	} else {
		before = nil
	}
	src, err := s.current.Bytes(ctx, rel)
	if err == nil {
		err = s.makeDir(path.Dir(rel))
	}
	if err == nil {
		err = s.put(rel, src, e.Mode, s.stamp(rel, before))
	}
	if err != nil {
		return fmt.Errorf("restore %s in the sandbox: %w", rel, err)
	}
	return nil
}
