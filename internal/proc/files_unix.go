//go:build unix

package proc

import (
	"os"
	"strconv"
	"syscall"
)

// keepFiles sees to it that a process gets no file of ours but the standard
// ones: package exec hands on nothing that Go opened, but we may have been
// started with open files (a shell's exec 9>file, a lock of a script), and
// through one of those a process could write where its walls say no.
func keepFiles() {
	if closeOnExec() {
		return
	}
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
