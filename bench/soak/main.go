//go:build linux

// Command soak puts a daemon through days of work in a short time: saves,
// failures, repairs, undos, checkouts, new and deleted files, bursts, reloads
// and pauses over a small project with mocha, with the built program and real
// cycles. It measures what the daemon holds as it goes.
//
//	go build -o /tmp/regreen . && go run ./bench/soak -regreen /tmp/regreen -deps testdata/deps/mocha12
//
// With -idle and -hooks it measures what a person feels who does not save: what
// a daemon at rest costs, and how long a save hook takes.
//
//	go run ./bench/soak -regreen /tmp/regreen -files 5000 -idle 60s -hooks 200
//
// It ends with 1 when a verdict was not that of the last content, something
// was left behind, or anything grew without bound. It needs Linux.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.regreen, "regreen", "", "the built program")
	flag.StringVar(&o.deps, "deps", "testdata/deps/mocha12", "a folder whose node_modules hold mocha")
	flag.IntVar(&o.cycles, "cycles", 2000, "how many cycles")
	flag.IntVar(&o.every, "every", 50, "cycles between two measurements")
	flag.IntVar(&o.files, "files", 0, "so many files more, that nothing happens to")
	flag.DurationVar(&o.idle, "idle", 0, "instead, measure the daemon at rest for so long")
	flag.IntVar(&o.hooks, "hooks", 0, "instead, measure so many calls of regreen save")
	flag.Uint64Var(&o.seed, "seed", 1, "of the random order")
	flag.BoolVar(&o.keep, "keep", false, "keep the folders and say where they are")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench/soak:", err)
		os.Exit(1)
	}
}

type options struct {
	regreen, deps string
	cycles, every int
	seed          uint64
	keep          bool
	files, hooks  int
	idle          time.Duration
}

func run(ctx context.Context, out io.Writer, o options) (err error) {
	if o.regreen == "" {
		return errors.New("-regreen names the built program")
	}
	if o.regreen, err = filepath.Abs(o.regreen); err != nil {
		return err
	}
	if o.deps, err = filepath.Abs(o.deps); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "soak") // short: a socket lies below it
	if err != nil {
		return err
	}
	if o.keep {
		fmt.Fprintln(out, "in", dir)
	} else {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	d, err := begin(ctx, out, dir, o)
	if err != nil {
		return err
	}
	if o.idle > 0 || o.hooks > 0 {
		return quiet(ctx, out, d, o)
	}
	start := time.Now()
	if err = d.live(ctx, o); err != nil {
		return errors.Join(err, d.dump())
	}
	fmt.Fprintf(out, "%d cycles in %s: %v\n", d.cycles(), time.Since(start).Round(time.Second), d.did)
	if err = d.stop(ctx); err != nil {
		return errors.Join(err, d.dump())
	}
	return bounded(out, d.samples)
}
