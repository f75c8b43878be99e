package node

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// processes lists the group's processes that catch SIGUSR1, as every Node does
// to start its inspector; to others the signal would be deadly.
func processes(pgid int) []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		group, cpu, ok := procStat(pid)
		if ok && group == pgid && isNode(pid) && catches(pid, syscall.SIGUSR1) {
			out = append(out, process{pid: pid, cpu: cpu})
		}
	}
	return out
}

// procStat reads a process's group and the time it used (proc(5)).
func procStat(pid int) (group int, cpu uint64, ok bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, false
	}
	// The name stands in brackets and may hold anything.
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return 0, 0, false
	}
	f := strings.Fields(string(b[i+1:]))
	if len(f) < 13 {
		return 0, 0, false
	}
	group, err = strconv.Atoi(f[2])
	user, err1 := strconv.ParseUint(f[11], 10, 64)
	system, err2 := strconv.ParseUint(f[12], 10, 64)
	return group, user + system, err == nil && err1 == nil && err2 == nil
}

func isNode(pid int) bool {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil && strings.HasPrefix(filepath.Base(exe), "node")
}

func catches(pid int, sig syscall.Signal) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "SigCgt:"); ok {
			mask, err := strconv.ParseUint(strings.TrimSpace(rest), 16, 64)
			return err == nil && mask&(1<<(uint(sig)-1)) != 0
		}
	}
	return false
}

func startInspector(pid int) bool { return syscall.Kill(pid, syscall.SIGUSR1) == nil }

// inspectorPort is the port on which the process listens on the loopback
// address, 0 while there is none. Of several the newest socket is taken: the
// inspector was started last.
func inspectorPort(_ context.Context, pid int) int {
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return 0
	}
	own := map[string]bool{}
	for _, fd := range fds {
		link, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name()))
		if inode, ok := strings.CutPrefix(link, "socket:["); ok && err == nil {
			own[strings.TrimSuffix(inode, "]")] = true
		}
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", pid))
	if err != nil {
		return 0
	}
	port, newest := 0, 0
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		const listening, loopback = "0A", "0100007F:"
		if len(f) < 10 || f[3] != listening || !own[f[9]] {
			continue
		}
		hex, ok := strings.CutPrefix(f[1], loopback)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(hex, 16, 16)
		inode, err1 := strconv.Atoi(f[9])
		if err == nil && err1 == nil && inode > newest {
			port, newest = int(n), inode
		}
	}
	return port
}
