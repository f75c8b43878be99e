// Command truth measures how good the selection is on a public repository that
// is checked out, committed and installed: it makes edits from a seed, runs the
// whole suite after each, and compares the test files whose results really
// differ with those that regreen selects.
//
//	go run ./bench/truth -repo /tmp/zustand -n 50
//	go run ./bench/truth -repo /tmp/click -n 50 -peer testmon
//
// The folder is edited and put right again with git: give a copy.
//
// # How the truth is found
//
// An edit of a source has two faces. The selection is made for a plausible one
// (a number or a string inside an exported function differs). The suite is run
// with one that nobody who loads the file can miss: it throws when it is loaded.
// So the tests that differ are those that load the file, found with no
// instrument but the framework itself. Other edits (a file deleted, moved, added,
// a configuration that throws, a data file of rubbish) are the same for both.
//
// Recall is the part of those tests that was selected, and must be 1. Precision
// is the part of the selected tests that are among them; 1 where nothing was
// selected.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	o := options{out: os.Stdout, environ: append(os.Environ(), "CI=1")}
	flag.StringVar(&o.repo, "repo", "", "the repository's folder: committed, installed, and yours to edit")
	flag.IntVar(&o.n, "n", 15, "how many edits")
	flag.Uint64Var(&o.seed, "seed", 1, "of the edits")
	flag.StringVar(&o.peer, "peer", "", "compare with: vitest (list --changed), jest (--onlyChanged), testmon (in the repository's environment)")
	flag.StringVar(&o.only, "only", "", "edits of this kind alone")
	flag.BoolVar(&o.verbose, "v", false, "print every edit, not only the missed")
	flag.BoolVar(&o.loads, "loads", false, "make no edits: run the suite once and name what it was seen to load or read that the graph does not know")
	flag.BoolVar(&o.noSuite, "select", false, "only select, with -cold: run no suite and tell no truth")
	flag.BoolVar(&o.cold, "cold", false, "make every selection by a fresh engine too: it must be the same")
	flag.Parse()
	if o.repo == "" {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	missed, err := run(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "truth: error:", err)
		os.Exit(3)
	}
	if missed {
		os.Exit(1)
	}
}

type options struct {
	repo    string
	n       int
	seed    uint64
	peer    string
	only    string
	verbose bool
	cold    bool
	loads   bool
	noSuite bool
	environ []string
	out     io.Writer
}

// run tells whether a test was missed.
func run(ctx context.Context, o options) (missed bool, err error) {
	root, err := filepath.Abs(o.repo)
	if err != nil {
		return false, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return false, err
	}
	scratch, err := os.MkdirTemp("", "truth-")
	if err != nil {
		return false, err
	}
	defer func() {
		if rerr := os.RemoveAll(scratch); err == nil {
			err = rerr
		}
	}()
	b := &bench{options: o, root: root, scratch: scratch, log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	defer func() {
		if cerr := b.close(ctx); err == nil {
			err = cerr
		}
	}()
	return b.all(ctx)
}
