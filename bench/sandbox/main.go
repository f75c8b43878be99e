// Command sandbox measures what the sandbox costs: a snapshot after two files
// were saved, bringing the warm worktree to it, and putting up the walls of
// each isolation level, in a made-up repository.
//
//	go run ./bench/sandbox
//	go run ./bench/sandbox -files 1000 -dir bin
//
// It prints CPU time, user and system, of this process and of all that it
// started, as the median and the least of the runs, beside the limit, and ends
// with 1 when a median is above its limit. Wall time is not looked at.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"
)

func main() {
	files := flag.Int("files", 50_000, "files of the repository")
	runs := flag.Int("runs", 15, "runs of each")
	binary := flag.String("regreen", "", "the program whose start is measured; built when not given")
	where := flag.String("dir", "", "where to make it; the user's home folder when not given, since a repository seldom lies in /tmp")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, os.Stdout, *where, *files, *runs, *binary)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sandbox: error:", err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

// cost is one line of the table. Limit 0 is none.
type cost struct {
	what  string
	limit time.Duration
	used  []time.Duration
	note  string
}

func (c cost) median() time.Duration { return slices.Sorted(slices.Values(c.used))[len(c.used)/2] }

// run gives whether all limits hold.
func run(ctx context.Context, out io.Writer, where string, files, runs int, binary string) (ok bool, err error) {
	if where == "" {
		if where, err = os.UserHomeDir(); err != nil {
			return false, err
		}
	}
	if err := os.MkdirAll(where, 0o755); err != nil {
		return false, err
	}
	where, err = filepath.Abs(where)
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp(where, "regreen-bench-")
	if err != nil {
		return false, err
	}
	defer func() {
		if rerr := removeAll(dir); err == nil {
			err = rerr
		}
	}()
	if binary == "" {
		binary = filepath.Join(dir, "regreen")
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if msg, err := build.CombinedOutput(); err != nil {
			return false, fmt.Errorf("build the program in the module's root: %w\n%s", err, msg)
		}
	}
	costs, err := all(ctx, bench{dir: dir, files: files, runs: runs, helper: binary})
	if err != nil {
		return false, err
	}
	return report(out, files, costs), nil
}

// report prints the table.
func report(out io.Writer, files int, costs []cost) bool {
	ok := true
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%d files\tmedian\tleast\tlimit\t\n", files)
	for _, c := range costs {
		if len(c.used) == 0 {
			fmt.Fprintf(w, "%s\t-\t-\t-\t%s\n", c.what, c.note)
			continue
		}
		limit, verdict := "none", ""
		if c.limit > 0 {
			limit, verdict = ms(c.limit), "ok"
			if c.median() > c.limit {
				verdict, ok = "OVER", false
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", c.what, ms(c.median()), ms(slices.Min(c.used)), limit, verdict)
	}
	_ = w.Flush()
	return ok
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }
