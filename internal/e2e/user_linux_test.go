package e2e

import (
	"os/exec"
	"syscall"
)

// as has a program run as another user; 0 changes nothing.
func as(cmd *exec.Cmd, uid int) {
	if uid == 0 {
		return
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
}
