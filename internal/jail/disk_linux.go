package jail

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// recount is how long lies between two looks at what a run wrote, which walks
// its folders, when as much as it may use is gone; countAnyway when it is not,
// since others may make room meanwhile. A look costs at most a fiftieth of the
// time (countShare).
const (
	recount     = time.Second
	countAnyway = 5 * time.Second
	countShare  = 50
)

// diskWatch holds a run to the disk that it may use.
type diskWatch struct {
	limits  Limits
	began   time.Time
	most    int64 // the most bytes that were free since the start
	floor   int64 // bytes that must stay free
	counted time.Time
	took    time.Duration // the last count
}

func newDiskWatch(l Limits) *diskWatch {
	now := time.Now()
	d := &diskWatch{limits: l, began: now, counted: now.Add(-recount)} // the first look need not wait
	if free, ok := diskFree(l.Disk); ok {
		d.most, d.floor = free, min(maxFloor, free/4)
	}
	return d
}

// passed names the limit that was passed. Free space is what is looked at each
// time; what the run itself wrote is counted when as much as it may use is gone,
// since others write to the disk as well, and now and then.
func (d *diskWatch) passed(pids []int) string {
	free, ok := diskFree(d.limits.Disk)
	if !ok {
		return ""
	}
	if free < d.floor {
		return "the limit of the disk, of which less than " + gigabytes(d.floor) + " is free"
	}
	d.most = max(d.most, free)
	limit := d.limits.DiskBytes
	wait := max(countAnyway, countShare*d.took)
	if d.most-free >= limit {
		wait = recount
	}
	if limit == 0 || time.Since(d.counted) < wait {
		return ""
	}
	start := time.Now()
	written := d.written(pids)
	d.counted = time.Now()
	d.took = d.counted.Sub(start)
	if written < limit {
		return ""
	}
	return "the disk limit of " + gigabytes(limit)
}

// written is what the run's folders hold of files that were changed since its
// start, and what its processes hold open of files without a name.
func (d *diskWatch) written(pids []int) int64 {
	seen := map[[2]uint64]bool{}
	var total int64
	add := func(fi fs.FileInfo) {
		st, ok := fi.Sys().(*syscall.Stat_t)
		if !ok || !fi.Mode().IsRegular() || time.Unix(st.Ctim.Unix()).Before(d.began) {
			return
		}
		if id := [2]uint64{st.Dev, st.Ino}; !seen[id] {
			seen[id] = true
			total += st.Blocks * 512 // the unit of stat(2)
		}
	}
	for _, dir := range d.limits.Written {
		_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if fi, err := e.Info(); err == nil {
				add(fi)
			}
			return nil
		})
	}
	for _, pid := range pids {
		fds := "/proc/" + strconv.Itoa(pid) + "/fd"
		entries, _ := os.ReadDir(fds)
		for _, e := range entries {
			at := filepath.Join(fds, e.Name())
			if name, err := os.Readlink(at); err != nil || !strings.HasSuffix(name, " (deleted)") {
				continue
			}
			if fi, err := os.Stat(at); err == nil {
				add(fi)
			}
		}
	}
	return total
}

// maxFloor is what a run must leave free of a large disk; of a small or full
// one it is a quarter of what was free.
const maxFloor = 512 << 20

func diskFree(dir string) (int64, bool) {
	var st unix.Statfs_t
	if dir == "" || unix.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Bavail) * st.Bsize, true
}

// sharedMemory is where programs put memory that several of them use.
const sharedMemory = "/dev/shm"

// mountShared gives the run a memory file system of its own, which ends with it
// and counts as its memory. Where that cannot be had, the machine's stays.
func (w *warden) mountShared() {
	size := ""
	if w.Limits.MemoryBytes > 0 {
		size = ",size=" + strconv.FormatInt(w.Limits.MemoryBytes, 10)
	}
	if fi, err := os.Stat(sharedMemory); err != nil || !fi.IsDir() {
		return
	}
	w.ownShared = unix.Mount("tmpfs", sharedMemory, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"+size) == nil
}

// inShared is how much is in it.
func (w *warden) inShared() int64 {
	var st unix.Statfs_t
	if !w.ownShared || unix.Statfs(sharedMemory, &st) != nil {
		return 0
	}
	return int64(st.Blocks-st.Bfree) * st.Bsize
}
