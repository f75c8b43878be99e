//go:build !unix

package proc

import (
	"os"
	"os/exec"
	"strconv"
)

func setGroup(*exec.Cmd) {}

func terminate(pid int) { kill(pid) }

// kill ends the whole tree: Windows has no process groups to signal.
func kill(pid int) { _ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run() }

func signalName(*os.ProcessState) string { return "" }
