package daemon

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"regreen/internal/jail"
)

// ownPeer tells whether the process that connected is the same user's, and none
// that runs behind the walls: a test has no business with the daemon.
func ownPeer(fd uintptr) bool {
	cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || int(cred.Uid) != os.Getuid() {
		return false
	}
	for range 3 { // a parent may end while one looks for it
		theirs, ok := wallsOf(int(cred.Pid))
		if !ok {
			continue
		}
		ours, ok := wallsOf(os.Getpid()) // we may be the subject of tests ourselves
		return ok && ours == theirs
	}
	return false
}

// wallsOf gives the nearest process, from pid up to its first ancestor, that
// put up walls for what it started, 0 for none; ok is false when one of them is
// gone. Whoever leaves its parent behind the walls is adopted by that process.
func wallsOf(pid int) (helper int, ok bool) {
	for pid > 1 {
		proc := filepath.Join("/proc", strconv.Itoa(pid))
		line, err := os.ReadFile(filepath.Join(proc, "cmdline"))
		if err != nil {
			return 0, false
		}
		if jail.Wanted(strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")) {
			return pid, true
		}
		stat, err := os.ReadFile(filepath.Join(proc, "stat"))
		if err != nil {
			return 0, false
		}
		// The name in parentheses may hold anything; the state and the parent follow.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 2 {
			return 0, false
		}
		if pid, err = strconv.Atoi(string(fields[1])); err != nil {
			return 0, false
		}
	}
	return 0, true
}
