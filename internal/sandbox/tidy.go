package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Tidy bounds what a long life gathers: the shadow repository's packs (each
// snapshot makes one, of which the next makes most superfluous), undo records
// and private temporary files. It is to be called between cycles, costs nothing
// when nothing has gathered, can be cancelled at any moment, and touches
// nothing of the user's: what the shadow borrows it does not own.
func (s *Sandbox) Tidy(ctx context.Context) error {
	s.sweep(time.Now())
	if err := s.shadow.repack(ctx); err != nil {
		return fmt.Errorf("tidy up: %w", err)
	}
	return nil
}

// repack makes many packs into one, of what the last snapshot needs.
func (s *shadow) repack(ctx context.Context) error {
	if err := s.purge(); err != nil {
		return err
	}
	packs, _ := filepath.Glob(filepath.Join(s.dir, "objects", "pack", "*.pack"))
	if len(packs) <= maxPacks {
		return nil
	}
	s.dropHalves()
	if _, err := s.git(ctx, "repack", "-a", "-d", "-l", "-q", "--window=0"); err != nil {
		return fmt.Errorf("repack the shadow repository: %w", err)
	}
	return nil
}

// dropHalves removes what a git that was killed left of a pack. Nobody else
// writes here: the sandbox is locked.
func (s *shadow) dropHalves() {
	for _, pattern := range []string{".tmp-*", "tmp_*"} {
		for _, dir := range []string{"objects/pack", "objects"} {
			halves, _ := filepath.Glob(filepath.Join(s.dir, filepath.FromSlash(dir), pattern))
			for _, f := range halves {
				_ = os.Remove(f)
			}
		}
	}
}
