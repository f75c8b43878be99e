package node

import (
	"context"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// processes lists the group's Node processes; to others SIGUSR1 would be deadly.
func processes(pgid int) []process {
	b, err := exec.Command("/bin/ps", "-A", "-o", "pid=,pgid=,cputime=,comm=").Output()
	if err != nil {
		return nil
	}
	var out []process
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) < 4 || f[1] != strconv.Itoa(pgid) || !strings.HasPrefix(filepath.Base(strings.Join(f[3:], " ")), "node") {
			continue
		}
		if pid, err := strconv.Atoi(f[0]); err == nil {
			out = append(out, process{pid: pid, cpu: centiseconds(f[2])})
		}
	}
	return out
}

// centiseconds reads ps's "minutes:seconds.hundredths".
func centiseconds(s string) uint64 {
	var n uint64
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ':' || r == '-' }) {
		whole, frac, _ := strings.Cut(part, ".")
		w, _ := strconv.ParseUint(whole, 10, 64)
		f, _ := strconv.ParseUint(frac, 10, 64)
		n = n*60 + w*100 + f
	}
	return n
}

func startInspector(pid int) bool { return syscall.Kill(pid, syscall.SIGUSR1) == nil }

// inspectorPort is the port on which the process listens on the loopback
// address, 0 while there is none; of several the last.
func inspectorPort(ctx context.Context, pid int) int {
	b, err := exec.CommandContext(ctx, "/usr/sbin/lsof", "-nP", "-a", "-p", strconv.Itoa(pid), "-iTCP@127.0.0.1", "-sTCP:LISTEN", "-Fn").Output()
	if err != nil {
		return 0
	}
	port := 0
	for line := range strings.Lines(string(b)) {
		if addr, ok := strings.CutPrefix(strings.TrimSpace(line), "n127.0.0.1:"); ok {
			if n, err := strconv.Atoi(addr); err == nil {
				port = n
			}
		}
	}
	return port
}
