package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"regreen/internal/plain"
)

// Edit is a file of the worktree that is to differ from the snapshot.
type Edit struct {
	Data []byte
	// Mode are the permission bits; 0 keeps those there are.
	Mode fs.FileMode
	Gone bool // there is no such file
}

// Put makes a file of the worktree as the edit has it. See Write and Remove.
func (s *Sandbox) Put(rel string, e Edit) error {
	if e.Gone {
		return s.Remove(rel)
	}
	if err := s.Write(rel, e.Data); err != nil {
		return err
	}
	if e.Mode == 0 {
		return nil
	}
	root, err := os.OpenRoot(s.tree)
	if err == nil {
		err = errors.Join(root.Chmod(rel, boxMode(e.Mode).Perm()), root.Close())
	}
	if err != nil {
		return fmt.Errorf("set the mode of %s in the sandbox: %w", rel, err)
	}
	return nil
}

// Reset brings the worktree back to the snapshot it was prepared for, with
// these files edited: what runs wrote, removed or left behind goes. Package
// folders and carried files stay as they are. Only what differs is touched.
func (s *Sandbox) Reset(ctx context.Context, edits map[string]Edit) error {
	if err := s.reset(ctx, edits); err != nil {
		return fmt.Errorf("reset the sandbox: %w", err)
	}
	return nil
}

func (s *Sandbox) reset(ctx context.Context, edits map[string]Edit) error {
	if s.current == nil {
		return errNotPrepared
	}
	if fi, err := os.Lstat(s.tree); err != nil || !fi.IsDir() {
		return fmt.Errorf("the worktree is gone: %w", errNotPrepared)
	}
	seen, err := s.scan(ctx)
	if err != nil {
		return err
	}
	for _, rel := range seen.litter {
		if e, ours := edits[rel]; ours && !e.Gone {
			continue
		}
		if err := removeAll(s.boxPath(rel)); err != nil {
			return fmt.Errorf("remove %s: %w", rel, err)
		}
	}
	// What is to be gone goes first: it may be a folder where a file was, or the
	// other way round.
	for rel, e := range edits {
		if !e.Gone {
			continue
		}
		if _, ok := seen.files[rel]; ok {
			if err := s.Remove(rel); err != nil {
				return err
			}
		}
	}
	for _, rel := range s.current.names {
		if _, ours := edits[rel]; ours {
			continue
		}
		if fi, ok := seen.files[rel]; ok {
			if e, err := s.entry(rel, fi); err == nil && sameEntry(e, s.current.Files[rel]) {
				continue
			}
		}
		if err := s.Restore(ctx, rel); err != nil {
			return err
		}
	}
	for rel, want := range edits {
		if want.Gone {
			continue
		}
		mode := want.Mode
		if mode == 0 {
			mode = s.current.Files[rel].Mode
		}
		if fi, ok := seen.files[rel]; ok && fi.Mode() == boxMode(mode) {
			if have, err := plain.ReadFile(s.boxPath(rel)); err == nil && bytes.Equal(have, want.Data) {
				continue
			}
		}
		// First as it was, for its kind, mode and folders.
		if err := s.Restore(ctx, rel); err != nil {
			return err
		}
		if err := s.Put(rel, want); err != nil {
			return err
		}
	}
	return nil
}
