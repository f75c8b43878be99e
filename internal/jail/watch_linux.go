package jail

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// How often the limits are looked at. A namespace has few processes, the
// machine's own /proc many.
const (
	watchOwn    = 100 * time.Millisecond
	watchShared = 500 * time.Millisecond
)

// bound sets what the kernel itself limits.
func (w *warden) bound() error {
	// A core file of a large process fills the disk and helps nobody.
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("switch core files off: %w", err)
	}
	w.disk = newDiskWatch(w.Limits)
	// When memory is short, these go first, and not the user's editor.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)
	// The limit counts the processes of the user in this user namespace; without
	// one it would count all that the user has.
	if n := uint64(tasks(w.Limits.Processes)); w.Namespace && w.Limits.Processes > 0 {
		if err := unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: n, Max: n}); err != nil && !errors.Is(err, unix.EPERM) {
			return fmt.Errorf("limit the processes: %w", err)
		}
	}
	return nil
}

// watch ends the run when it passes a limit that the kernel does not hold for
// all processes together.
func (w *warden) watch(stop <-chan struct{}) {
	every := watchShared
	if w.ownPIDs {
		every = watchOwn
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			if why := w.passed(); why != "" {
				w.mu.Lock()
				w.limit = why
				w.mu.Unlock()
				w.killAll()
				return
			}
		}
	}
}

// passed names the limit that the run has passed, "" when it has not.
func (w *warden) passed() string {
	l := w.Limits
	pids := w.processes()
	if l.Processes > 0 && len(pids) > l.Processes {
		return fmt.Sprintf("the limit of %d processes", l.Processes)
	}
	if l.MemoryBytes > 0 && memory(pids)+w.inShared() > l.MemoryBytes {
		return "the memory limit of " + gigabytes(l.MemoryBytes)
	}
	return w.disk.passed(pids)
}

// DefaultLimits are what holds when nothing is said: a run must not take the
// machine down with it.
func DefaultLimits() Limits {
	l := Limits{Processes: 512 + 16*runtime.NumCPU()}
	src, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(src)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemTotal:" {
			if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				l.MemoryBytes = kb << 10 / 4 * 3
			}
		}
	}
	return l
}

// processes are those of the run, without the helper.
func (w *warden) processes() []int {
	if !w.ownPIDs {
		return descendants(os.Getpid())
	}
	pids := numbers()
	for i, pid := range pids {
		if pid == os.Getpid() {
			return append(pids[:i], pids[i+1:]...)
		}
	}
	return pids
}

// numbers are all processes that /proc shows.
func numbers() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	var out []int
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// descendants are the processes below one, found by their parents.
func descendants(top int) []int {
	children := map[int][]int{}
	for _, pid := range numbers() {
		src, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			continue
		}
		// The name stands in brackets and may hold anything.
		f := strings.Fields(string(src[bytes.LastIndexByte(src, ')')+1:]))
		if len(f) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(f[1]); err == nil && f[0] != "Z" {
			children[parent] = append(children[parent], pid)
		}
	}
	out, todo := []int(nil), children[top]
	for len(todo) > 0 {
		pid := todo[0]
		out, todo = append(out, pid), append(todo[1:], children[pid]...)
	}
	return out
}

// memory is what the processes have to themselves: pages of files and shared
// ones are not counted for each of them.
func memory(pids []int) int64 {
	var pages int64
	for _, pid := range pids {
		src, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
		if err != nil {
			continue
		}
		f := strings.Fields(string(src))
		if len(f) < 3 {
			continue
		}
		resident, err1 := strconv.ParseInt(f[1], 10, 64)
		shared, err2 := strconv.ParseInt(f[2], 10, 64)
		if err1 == nil && err2 == nil {
			pages += resident - shared
		}
	}
	return pages * int64(os.Getpagesize())
}
