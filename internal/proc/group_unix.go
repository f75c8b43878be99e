//go:build unix

package proc

import (
	"os"
	"os/exec"
	"syscall"
)

// setGroup makes the process the leader of a group, in a session of its own
// unless Setup asked for a group only: without a session of its own it has our
// terminal, could read what the user types there and even type itself
// (TIOCSTI of tty_ioctl(2), into the user's shell).
func setGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = !cmd.SysProcAttr.Setpgid
}

func terminate(pgid int) { _ = syscall.Kill(-pgid, syscall.SIGTERM) }

func kill(pgid int) { _ = syscall.Kill(-pgid, syscall.SIGKILL) }

func signalName(s *os.ProcessState) string {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal().String()
	}
	return ""
}
