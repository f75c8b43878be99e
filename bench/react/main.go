//go:build linux

// Command react measures how long it takes from a save to the first verdict:
// regreen watch beside the framework's own watch mode and beside one cold run
// of the same tests, on the same made-up project, in turns.
//
//	go build -o /tmp/regreen . && go run ./bench/react -regreen /tmp/regreen -n 100
//	go run ./bench/react -regreen /tmp/regreen -n 1000 -frameworks mocha,pytest
//
// Each save makes a module right or wrong, once a module that one test file
// depends on (leaf), once one that about ten do (mid), and a verdict that does
// not say so is counted as wrong. The verdict of regreen watch is the first
// event that tells it: the iteration of a red run, the verdict of a green one.
// A peer is read on a pseudo-terminal. pytest has no watch mode: its peer is a
// loop that waits 50 ms after a save and runs the tests that depend on it, which
// it is told for nothing.
//
// It prints medians with the least, and ratios: they alone are worth keeping.
// CPU is that of all processes until each rests again; a red verdict is followed
// by regreen's search for the cause, so CPU is given for green ones. Wrong
// verdicts of ours end it with 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	o := options{}
	var names string
	flag.StringVar(&o.regreen, "regreen", "", "the program")
	flag.StringVar(&o.deps, "deps", "testdata/deps", "the folder with the installed frameworks")
	flag.StringVar(&names, "frameworks", "jest,vitest,mocha,pytest", "which")
	flag.IntVar(&o.modules, "n", 100, "modules; each has a test file")
	flag.IntVar(&o.saves, "saves", 9, "saves of each module, an odd number, of which the first is not counted")
	flag.BoolVar(&o.alone, "alone", false, "regreen alone, without the peer and the cold run")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, o, strings.Split(names, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "react: error:", err)
		os.Exit(1)
	}
}

type options struct {
	regreen, deps  string
	modules, saves int
	alone          bool
}

func run(ctx context.Context, out io.Writer, o options, names []string) (err error) {
	if o.regreen == "" {
		return errors.New("-regreen is needed")
	}
	if o.regreen, err = filepath.Abs(o.regreen); err != nil {
		return err
	}
	if o.deps, err = filepath.Abs(o.deps); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-react-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	wrong := 0
	for _, name := range names {
		f, ok := frameworks[name]
		if !ok {
			return fmt.Errorf("unknown framework %q", name)
		}
		table, err := measure(ctx, filepath.Join(dir, name), f, o)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		wrong += table.print(out, name, o.modules)
	}
	if wrong > 0 {
		return fmt.Errorf("%d wrong verdicts of regreen", wrong)
	}
	return nil
}

// measure makes the project twice, one for each watcher, and saves in turns.
func measure(ctx context.Context, dir string, f framework, o options) (t *table, err error) {
	m := newModel(o.modules, f)
	ours, err := newProject(filepath.Join(dir, "ours"), m, o.deps)
	if err != nil {
		return nil, err
	}
	us, err := startRegreen(ctx, ours, o.regreen)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, us.stop()) }()
	t = &table{}
	us.rest()
	t.oursPSS = us.memory()
	rows := []*row{{what: "regreen watch", who: us, p: ours}}
	if !o.alone {
		theirs, err := newProject(filepath.Join(dir, "theirs"), m, o.deps)
		if err != nil {
			return nil, err
		}
		them, err := f.peer(ctx, theirs)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, them.stop()) }()
		t.peerPSS = them.memory()
		rows = append(rows, &row{what: f.watch, who: them, p: theirs}, &row{what: "one cold run", who: newCold(ctx, theirs), p: theirs})
	}
	for _, at := range []struct {
		name string
		i    int
	}{{"leaf", m.leaf}, {"mid", m.mid}} {
		for k := range o.saves | 1 { // the last one makes it right again
			for _, r := range rows {
				if err := r.save(at.name, at.i, k); err != nil {
					return nil, fmt.Errorf("%s, save %d of %s: %w", r.what, k, at.name, err)
				}
			}
		}
	}
	t.rows = rows
	return t, ctx.Err()
}
