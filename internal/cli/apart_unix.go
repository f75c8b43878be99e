//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// apart puts a process into a session of its own, so that it stays when the
// terminal goes.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
