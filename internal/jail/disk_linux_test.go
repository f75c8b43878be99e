package jail

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestDiskWatchCounts: what a run wrote is found out when the disk's free space
// tells of it, and also when others made room meanwhile.
func TestDiskWatchCounts(t *testing.T) {
	for _, c := range []struct {
		name   string
		others int64         // bytes that others freed since the start
		ago    time.Duration // since the last look
		want   string
	}{
		{"space is gone", 0, 2 * recount, "the disk limit of 1 MB"},
		{"looked just now", 0, 0, ""},
		{"others made room", 1 << 40, 2 * countAnyway, "the disk limit of 1 MB"},
		{"others made room, looked not long ago", 1 << 40, 2 * recount, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			d := newDiskWatch(Limits{Disk: dir, DiskBytes: 1 << 20, Written: []string{dir}})
			if err := os.WriteFile(filepath.Join(dir, "big"), make([]byte, 2<<20), 0o644); err != nil {
				t.Fatal(err)
			}
			d.most, d.floor = 1<<60, 0
			if c.others > 0 {
				d.most = 0 // there is more room than ever
			}
			d.began, d.counted = d.began.Add(-time.Minute), time.Now().Add(-c.ago)
			if got := d.passed(nil); got != c.want {
				t.Errorf("passed = %q, want %q", got, c.want)
			}
		})
	}
}
