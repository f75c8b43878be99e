// Command truth measures how good the selection is on a public repository that
// is checked out, committed and installed: it makes edits from a seed, runs the
// whole suite after each, and compares the test files whose results really
// differ with those that regreen selects.
//
//	go run ./bench/truth -n 50 -out truth.jsonl /tmp/zustand /tmp/click …
//
// The folders are edited and put right again with git: give copies. With -out a
// stopped run is taken up where it ended, -again makes all selections anew with
// the truth that is stored, and -table prints what is there and runs nothing.
// It ends with 1 where a test was missed.
//
// Beside regreen others select on the same edits: vitest and jest where they
// are the project's framework, testmon where it is installed beside pytest. As
// testmon does, regreen has seen one run of everything before the first edit.
// With -traced regreen selects twice: as it does by default, and with what runs
// were seen to do standing for what texts leave open.
// With -vitest, an installed vitest lists the tests of jest and mocha projects
// that its import graph finds, with a configuration that only names the test
// files; of `require` that graph knows nothing.
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
// Where all test files share one process (pytest, mocha) a module that one of
// them could not load may seem whole to the next: Python finds the part of a
// package that was loaded before the package failed. A test file that somebody
// selected and that does not differ is therefore run by itself too.
//
// A change that provably does nothing when the file is loaded goes on by the
// names that differ, and regreen spares tests that load the file and use none of
// them. Such a test counts as not dependent, and not as missed, if its results
// stay what they were under two more faces: the plausible edit itself, and one
// that throws where the edited value is when the function around it runs. This
// is asked of nobody but those that regreen spares; no peer is held to account
// for selecting one of them, or not.
//
// A file that comes, goes or moves has another face for whoever lists its folder:
// the names that are found there. Most of those tests stay as they were, for
// they look for one name among them, as most that load a source would pass with
// the plausible edit. So a test file of pytest that somebody selected and that
// does not differ is run once more on the tree as it was committed, with a hook
// that makes the listing of that folder throw where the repository's own code
// asks for it. One that differs then depends on the names: whoever selects it
// selected no test too many. Nobody is held to select it.
//
// Tests that are only type-checked cannot fail like that: use repositories, or
// copies, that are set to run none.
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
	flag.IntVar(&o.n, "n", 15, "how many edits of each repository")
	flag.Uint64Var(&o.seed, "seed", 1, "of the edits")
	flag.StringVar(&o.results, "out", "", "file of JSON lines that results are added to and read from")
	flag.BoolVar(&o.again, "again", false, "select anew for the edits of -out too")
	flag.BoolVar(&o.table, "table", false, "print the table of -out and run nothing")
	flag.BoolVar(&o.noPeers, "alone", false, "ask no other program")
	flag.StringVar(&o.vitest, "vitest", "", "folder where vitest is installed, to list the tests of jest and mocha projects")
	flag.StringVar(&o.only, "only", "", "edits of this kind alone")
	flag.BoolVar(&o.verbose, "v", false, "print every edit, not only the missed")
	flag.BoolVar(&o.unseen, "unseen", false, "let regreen see no run of the tests before")
	flag.BoolVar(&o.loads, "loads", false, "make no edits: run the suite once and name what it was seen to load or read that the graph does not know")
	flag.BoolVar(&o.traced, "traced", false, "select with affected.precision = \"traced\" too")
	flag.BoolVar(&o.noSuite, "select", false, "only select, with -cold: run no suite and tell no truth")
	flag.BoolVar(&o.cold, "cold", false, "make every selection by a fresh engine too: it must be the same")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	bad, err := o.all(ctx, flag.Args())
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "truth: error:", err)
		os.Exit(3)
	case bad:
		os.Exit(1)
	}
}

type options struct {
	results string
	n       int
	seed    uint64
	vitest  string
	only    string
	again   bool
	table   bool
	noPeers bool
	verbose bool
	unseen  bool
	cold    bool
	loads   bool
	noSuite bool
	traced  bool
	environ []string
	out     io.Writer
}

// all tells whether a test was missed.
func (o options) all(ctx context.Context, repos []string) (bad bool, err error) {
	s, err := openStore(o.results)
	if err != nil {
		return false, err
	}
	if !o.table {
		for _, dir := range repos {
			unknown, err := o.repo(ctx, dir, s)
			if err != nil {
				return false, fmt.Errorf("%s: %w", filepath.Base(dir), err)
			}
			bad = bad || unknown
		}
	}
	if o.loads || o.noSuite {
		return bad, nil
	}
	rows := s.rows()
	table(o.out, rows)
	for _, r := range rows {
		bad = bad || r.ours.missed > 0 || r.traced.missed > 0
	}
	return bad, nil
}

// repo measures one repository.
func (o options) repo(ctx context.Context, dir string, s *store) (unknown bool, err error) {
	root, err := filepath.Abs(dir)
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
	b := &bench{options: o, alone: results{}, lists: map[string]bool{}, root: root, scratch: scratch, store: s, log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	defer func() {
		if cerr := b.close(ctx); err == nil {
			err = cerr
		}
	}()
	return b.all(ctx)
}
