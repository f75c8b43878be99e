//go:build unix

package pytest

import (
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// samples is how often a hung process is asked where it is: a loop that calls
// something stands elsewhere each time, a wait does not.
const samples = 3

// askWhere makes every Python process of the group append its threads' stacks
// to dump.<pid>. Processes without the plugin die of the signal; the group is
// about to be killed.
func askWhere(pgid int, dump string) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.NewTimer(600 * time.Millisecond)
	defer limit.Stop()
	for range samples {
		before := dumpSize(dump)
		if syscall.Kill(-pgid, syscall.SIGUSR2) != nil {
			return
		}
		// What is written within the next ticks is one sample; four quiet
		// ticks after the first byte end it.
		quiet, size := 0, before
		for quiet < 4 {
			select {
			case <-limit.C:
				return
			case <-tick.C:
			}
			if now := dumpSize(dump); now != size {
				size, quiet = now, 0
			} else if size > before {
				quiet++
			}
		}
	}
}

func dumpSize(dump string) int64 {
	files, _ := filepath.Glob(dump + ".*")
	var n int64
	for _, f := range files {
		if fi, err := os.Stat(f); err == nil {
			n += fi.Size()
		}
	}
	return n
}
