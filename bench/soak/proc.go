//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// process is what the kernel says of one.
type process struct{ rss, threads, files, watches int } // rss in KiB

func look(pid int) (p process, err error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	src, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return p, err
	}
	for line := range strings.SplitSeq(string(src), "\n") {
		f := strings.Fields(line)
		switch {
		case len(f) > 1 && f[0] == "VmRSS:":
			p.rss, _ = strconv.Atoi(f[1])
		case len(f) > 1 && f[0] == "Threads:":
			p.threads, _ = strconv.Atoi(f[1])
		}
	}
	names, err := os.ReadDir(filepath.Join(dir, "fdinfo"))
	if err != nil {
		return p, err
	}
	p.files = len(names)
	for _, n := range names {
		src, _ := os.ReadFile(filepath.Join(dir, "fdinfo", n.Name()))
		p.watches += bytes.Count(src, []byte("inotify wd:"))
	}
	return p, nil
}

// ours lists the processes that the daemon started and that still run: those of
// its session, and those with the marker in their environment.
func ours(daemon int) (out []string) {
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range names {
		if filepath.Base(dir) == strconv.Itoa(daemon) {
			continue
		}
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		stat, _ := os.ReadFile(filepath.Join(dir, "stat"))
		// After the name, which may hold anything: state, parent, group, session.
		after := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if bytes.Contains(env, []byte(marker)) || len(after) > 3 && after[3] == strconv.Itoa(daemon) {
			line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
			out = append(out, fmt.Sprintf("%s %s", filepath.Base(dir), bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return out
}
