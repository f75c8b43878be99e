//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"regreen/internal/daemon"
)

// sample is what the daemon holds at one moment, at rest.
type sample struct {
	cycle   int
	figures [len(columns)]int
}

// columns are the figures and what each may grow by beside a tenth: figures
// that are small, or go up and down, need room.
var columns = [...]struct {
	name string
	room int
}{
	{"RSS KiB", 6 << 10}, {"heap KiB", 4 << 10}, {"goroutines", 4}, {"threads", 8}, {"files open", 6}, {"inotify watches", 40},
	{"children", 0}, {"shadow KiB", 1 << 10}, {"packs", 60}, {"state KiB", 2 << 10}, {"state files", 400},
}

// measure waits until the daemon rests and takes a sample.
func (d *day) measure(ctx context.Context, cycles int) error {
	if _, err := d.client.Save(ctx, nil, true); err != nil {
		return err
	}
	pid := d.cmd.Process.Pid
	var left, standing []string
	for end := time.Now().Add(10 * time.Second); ; {
		s, err := d.client.Status(ctx)
		if err != nil {
			return err
		}
		left, standing = nil, nil
		for _, p := range ours(pid) {
			if strings.Contains(p, "cat-file --batch") { // kept between cycles
				standing = append(standing, p)
			} else {
				left = append(left, p)
			}
		}
		if len(left) == 0 && s.State == daemon.Idle {
			break
		}
		if time.Now().After(end) {
			return fmt.Errorf("the daemon is %s and does not come to rest; children: %v", s.State, left)
		}
		rest(ctx, 50*time.Millisecond)
	}
	stats, err := d.client.Stats(ctx)
	if err != nil {
		return err
	}
	p, err := look(pid)
	if err != nil {
		return err
	}
	home, err := stateOf(d.state)
	if err != nil {
		return err
	}
	shadow, _, err := size(filepath.Join(home, "shadow.git"))
	if err != nil {
		return err
	}
	packs, err := filepath.Glob(filepath.Join(home, "shadow.git", "objects", "pack", "*.pack"))
	if err != nil {
		return err
	}
	state, files, err := size(home, "undo") // one for each merge of a day, on purpose
	if err != nil {
		return err
	}
	s := sample{d.cycles(), [len(columns)]int{p.rss, int(stats.HeapBytes >> 10), stats.Goroutines, p.threads, p.files, p.watches,
		len(left), shadow >> 10, len(packs), state >> 10, files}}
	if len(d.samples) == 0 {
		fmt.Fprint(d.out, "hour cycle")
		for _, c := range columns {
			fmt.Fprintf(d.out, " | %s", c.name)
		}
		fmt.Fprintln(d.out)
	}
	d.samples = append(d.samples, s)
	fmt.Fprintf(d.out, "%4.1f %5d", 24*float64(s.cycle)/float64(cycles), s.cycle)
	for i, c := range columns {
		fmt.Fprintf(d.out, " | %*d", len(c.name), s.figures[i])
	}
	fmt.Fprintln(d.out)
	return nil
}

// bounded compares the last quarter with the second: what is in use after a
// quarter of the time has to be enough for the rest of it.
func bounded(out io.Writer, all []sample) error {
	if len(all) < 8 {
		return errors.New("too few measurements to tell growth by; lower -every")
	}
	var errs []error
	for i, c := range columns {
		before, after := most(all[len(all)/4:len(all)/2], i), most(all[3*len(all)/4:], i)
		limit := before + before/10 + c.room
		fmt.Fprintf(out, "%-16s most in the second quarter %8d, in the last %8d, allowed %8d\n", c.name, before, after, limit)
		if after > limit {
			errs = append(errs, fmt.Errorf("%s grows: %d, and %d was allowed", c.name, after, limit))
		}
	}
	return errors.Join(errs...)
}

func most(all []sample, i int) int {
	m := 0
	for _, s := range all {
		m = max(m, s.figures[i])
	}
	return m
}

// stateOf is the one repository's folder in a state folder.
func stateOf(state string) (string, error) {
	names, err := filepath.Glob(filepath.Join(state, "regreen", "*", "shadow.git"))
	if err != nil || len(names) != 1 {
		return "", fmt.Errorf("state folders: %v, %w", names, err)
	}
	return filepath.Dir(names[0]), nil
}

// size gives the bytes of the files below dir and how many there are, without
// the folder named skip.
func size(dir string, skip ...string) (bytes, files int, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil // a temporary file's end
		}
		if err != nil {
			return err
		}
		if e.IsDir() {
			if len(skip) > 0 && strings.Join(skip, "/") == e.Name() {
				return fs.SkipDir
			}
			return nil
		}
		if fi, err := e.Info(); err == nil {
			bytes += int(fi.Size())
			files++
		}
		return nil
	})
	return bytes, files, err
}
