//go:build unix

package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"regreen/watch"
)

// TestNoFile holds that nothing can keep the daemon from looking at a save: a
// pipe that nobody writes into, or a file of a thousand gigabytes.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	must(t, unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "huge"), nil, 0o600))
	if err := os.Truncate(filepath.Join(dir, "huge"), 1<<40); err != nil {
		t.Skipf("the file system has no files of this size: %v", err)
	}
	c := contents{root: dir, seen: map[string]string{}}
	b := watch.Batch{Paths: []string{"pipe", "huge", "."}}
	if got := c.fresh(b); len(got) != 3 {
		t.Errorf("fresh = %v", got)
	}
	if got := c.fresh(b); len(got) != 0 {
		t.Errorf("what did not change is fresh: %v", got)
	}
	must(t, os.Truncate(filepath.Join(dir, "huge"), 1<<40-1))
	if got := c.fresh(b); len(got) != 1 {
		t.Errorf("fresh after a change = %v", got)
	}
}
