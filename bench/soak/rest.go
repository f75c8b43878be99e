//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The goals for a daemon at rest and for a save hook.
const (
	restCPU  = 0.1      // percent of one processor
	restRSS  = 40 << 10 // KiB
	hookTime = 50 * time.Millisecond
)

// many adds files that nothing happens to.
func (d *day) many(n int) error {
	if n == 0 {
		return nil
	}
	var errs []error
	for i := range n {
		errs = append(errs, d.put(fmt.Sprintf("src/more/d%02d/f%04d.js", i%50, i),
			fmt.Sprintf("import { add0 } from '../../m0.js';\nexport const n%d = add0(%d, 1);\n", i, i)))
	}
	errs = append(errs, d.git("add", "-A"), d.git("commit", "-q", "-m", "many"))
	return errors.Join(errs...)
}

// idling measures the daemon while nothing happens.
func (d *day) idling(ctx context.Context, o options) error {
	if _, err := d.write(ctx, 1, good, "passed"); err != nil { // it has worked once
		return err
	}
	rest(ctx, 15*time.Second) // it tidies up five seconds after its last work
	before, err := ticks(d.cmd.Process.Pid)
	if err != nil {
		return err
	}
	rest(ctx, o.idle)
	after, err := ticks(d.cmd.Process.Pid)
	if err != nil {
		return err
	}
	p, err := look(d.cmd.Process.Pid)
	if err != nil {
		return err
	}
	cpu := 100 * float64(after-before) / 100 / o.idle.Seconds() // a tick is 10 ms
	fmt.Fprintf(d.out, "idle for %s over %d files: CPU %.3f %% (%d ticks), RSS %.1f MiB\n", o.idle, o.files, cpu, after-before, float64(p.rss)/1024)
	if cpu > restCPU || p.rss > restRSS {
		return fmt.Errorf("more than %.1f %% or %d MiB", restCPU, restRSS>>10)
	}
	return nil
}

// ticks is the processor time of a process in hundredths of a second.
func ticks(pid int) (int, error) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, err
	}
	f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	user, err := strconv.Atoi(f[11])
	system, err2 := strconv.Atoi(f[12])
	return user + system, errors.Join(err, err2)
}

// hooks measures `regreen save FILE` from its start to its end.
func (d *day) hooks(ctx context.Context, n int, what string) error {
	var wall, cpu []time.Duration
	for range n {
		d.serial++
		if err := d.put("README.md", fmt.Sprintf("a shop, edition %d\n", d.serial)); err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, d.regreen, "save", "README.md")
		cmd.Dir, cmd.Env = d.dir, d.environ
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("regreen save: %w: %s", err, out)
		}
		wall = append(wall, time.Since(start))
		cpu = append(cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	fmt.Fprintf(d.out, "regreen save, %s, %d times: wall %s; CPU %s\n", what, n, spread(wall), spread(cpu))
	if m := at(wall, 0.5); m > hookTime {
		return fmt.Errorf("the median of regreen save %s is %s, and %s is allowed", what, m, hookTime)
	}
	return nil
}

func at(all []time.Duration, q float64) time.Duration {
	slices.Sort(all)
	return all[int(q*float64(len(all)-1))]
}

func spread(all []time.Duration) string {
	return fmt.Sprintf("p50 %.1f ms, p95 %.1f ms, most %.1f ms", ms(at(all, 0.5)), ms(at(all, 0.95)), ms(at(all, 1)))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// quiet measures what a person feels who does not save: a daemon at rest, and
// the save hook with it and without it.
func quiet(ctx context.Context, out io.Writer, d *day, o options) error {
	var errs []error
	if o.hooks > 0 {
		errs = append(errs, d.hooks(ctx, o.hooks, "with a daemon"))
	}
	if o.idle > 0 {
		errs = append(errs, d.idling(ctx, o))
	}
	if err := d.stop(ctx); err != nil {
		return errors.Join(append(errs, err)...)
	}
	if o.hooks > 0 {
		errs = append(errs, d.hooks(ctx, o.hooks, "without one"))
	}
	return errors.Join(errs...)
}
