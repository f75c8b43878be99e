//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// patience is how long a verdict, and rest after it, may take.
const patience = 3 * time.Minute

// watcher is somebody who runs tests after a save.
type watcher interface {
	// mark forgets what was said until now. tests are what the next save can affect.
	mark(tests []string)
	// verdict waits for the next one.
	verdict() (at time.Time, red bool, err error)
	// rest waits until nothing is done any more.
	rest()
	cpu() time.Duration // of all its processes, since they began
	memory() int        // KiB
	stop() error
}

// seen is one save's verdict.
type seen struct {
	took, cpu  time.Duration
	red, wrong bool
	stages     map[string]int64 // ours: the document's timings, in ms
}

// row is one watcher's saves.
type row struct {
	what string
	who  watcher
	p    *project
	all  map[string][]seen // by leaf and mid
}

// save makes module i wrong or right, in turns, and waits for the verdict.
func (r *row) save(name string, i, k int) error {
	red := k%2 == 1
	r.who.mark(r.p.tests(i))
	before, start := r.who.cpu(), time.Now()
	if err := r.p.put(r.p.file(i), r.p.text(i, k+1, red)); err != nil {
		return err
	}
	at, said, err := r.who.verdict()
	if err != nil {
		return err
	}
	r.who.rest()
	s := seen{took: at.Sub(start), cpu: r.who.cpu() - before, red: red, wrong: said != red}
	if us, ok := r.who.(*regreen); ok {
		s.stages = us.stages
	}
	if r.all == nil {
		r.all = map[string][]seen{}
	}
	if k > 0 { // the first finds caches cold
		r.all[name] = append(r.all[name], s)
	}
	return nil
}

// cold runs the tests that a save can affect once, in a process of its own.
type cold struct {
	ctx   context.Context
	p     *project
	tests []string
	used  time.Duration
}

func newCold(ctx context.Context, p *project) *cold { return &cold{ctx: ctx, p: p} }

func (c *cold) mark(tests []string) { c.tests = tests }
func (c *cold) rest()               {}
func (c *cold) cpu() time.Duration  { return c.used }
func (c *cold) memory() int         { return 0 }
func (c *cold) stop() error         { return nil }

func (c *cold) verdict() (time.Time, bool, error) {
	args := append(append([]string(nil), c.p.cold...), c.tests...)
	cmd := exec.CommandContext(c.ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = c.p.dir, c.p.environ
	cmd.Path = lookPath(args[0], c.p)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return time.Time{}, false, fmt.Errorf("%w: %s", err, out)
	}
	c.used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return time.Now(), err != nil, nil
}

// lookPath finds a program by the project's own PATH.
func lookPath(name string, p *project) string {
	if strings.Contains(name, "/") {
		return filepath.Join(p.dir, name)
	}
	for _, dir := range filepath.SplitList(strings.TrimPrefix(p.environ[0], "PATH=")) {
		if exists(filepath.Join(dir, name)) {
			return filepath.Join(dir, name)
		}
	}
	return name
}

// family is a process and all below it.
func family(pid int) []int {
	out := []int{pid}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, t := range tasks {
		text, _ := os.ReadFile(t) // it may have ended
		for _, child := range strings.Fields(string(text)) {
			if id, err := strconv.Atoi(child); err == nil {
				out = append(out, family(id)...)
			}
		}
	}
	return out
}

// familyCPU is the CPU time of a process, of all below it, and of those that
// ended and were waited for. The kernel counts it in hundredths of a second.
func familyCPU(pid int) time.Duration {
	ticks := 0
	for _, id := range family(pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
		f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		for k := 11; k < 15 && k < len(f); k++ {
			n, _ := strconv.Atoi(f[k])
			ticks += n
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// familyPSS is the memory of a process and all below it in KiB, what is shared
// counted once.
func familyPSS(pid int) int {
	sum := 0
	for _, id := range family(pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", id))
		for line := range strings.SplitSeq(string(text), "\n") {
			if f := strings.Fields(line); len(f) > 1 && f[0] == "Pss:" {
				n, _ := strconv.Atoi(f[1])
				sum += n
			}
		}
	}
	return sum
}
