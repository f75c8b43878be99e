//go:build !unix

package cli

import (
	"os/exec"
	"syscall"
)

// apart gives a process no console and a group of its own, so that it stays
// when the terminal goes (DETACHED_PROCESS and CREATE_NEW_PROCESS_GROUP).
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: 0x8 | 0x200} }
