package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
)

// Reset brings the worktree back to the snapshot it was prepared for, with
// these files edited: what runs wrote, removed or left behind goes. Package
// folders and carried files stay as they are. Only what differs is touched.
func (s *Sandbox) Reset(ctx context.Context, edits map[string][]byte) error {
	if err := s.reset(ctx, edits); err != nil {
		return fmt.Errorf("reset the sandbox: %w", err)
	}
	return nil
}

func (s *Sandbox) reset(ctx context.Context, edits map[string][]byte) error {
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
		if _, ours := edits[rel]; ours {
			continue
		}
		if err := removeAll(s.boxPath(rel)); err != nil {
			return fmt.Errorf("remove %s: %w", rel, err)
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
		if fi, ok := seen.files[rel]; ok && fi.Mode() == boxMode(s.current.Files[rel].Mode) {
			if have, err := os.ReadFile(s.boxPath(rel)); err == nil && bytes.Equal(have, want) {
				continue
			}
		}
		// First as it was, for its kind, mode and folders.
		if err := s.Restore(ctx, rel); err != nil {
			return err
		}
		if err := s.Write(rel, want); err != nil {
			return err
		}
	}
	return nil
}
