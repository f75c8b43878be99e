// Command repair breaks repositories in ways that people break them, runs
// regreen on each, and counts what came of it: repaired as the author would
// have, repaired otherwise, left alone.
//
//	go run ./bench/repair -each 4 -out results.jsonl /path/to/ufo /path/to/click …
//
// A repository is given by its path, with its test framework installed; it is
// never written to: the faults go into a copy below -work. "own" stands for the
// small projects of testdata. Every case is drawn from the seed, the
// repository, the kind and a number, so the same command makes the same cases;
// with -out a stopped run is taken up where it ended, and -table prints what
// is there without running anything. It ends with 1 when a wrong repair or one
// of a trap was merged.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "of the choice of places")
	flag.IntVar(&o.each, "each", 2, "cases of each kind in each repository")
	kinds := flag.String("kinds", "", "only these kinds, with commas between them")
	flag.StringVar(&o.out, "out", "", "file of JSON lines that results are added to and read from")
	flag.StringVar(&o.work, "work", "", "folder for the copies (default: a temporary one)")
	flag.StringVar(&o.program, "program", "", "the regreen to run (default: built from this tree)")
	flag.DurationVar(&o.limit, "limit", 3*time.Minute, "for one run of regreen")
	flag.BoolVar(&o.asJSON, "json", false, "print the table as JSON")
	flag.StringVar(&o.leave, "leave", "", "a case (kind/number) that is only made: the copy of the one repository stays broken, for a look")
	table := flag.Bool("table", false, "print the table of -out and run nothing")
	flag.Parse()
	if *kinds != "" {
		o.kinds = strings.Split(*kinds, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	bad, err := o.all(ctx, flag.Args(), *table)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench/repair:", err)
		os.Exit(2)
	case bad:
		os.Exit(1)
	}
}

type options struct {
	seed    uint64
	each    int
	kinds   []string
	out     string
	work    string
	program string
	limit   time.Duration
	asJSON  bool
	leave   string
}

func (o options) all(ctx context.Context, repos []string, tableOnly bool) (bad bool, err error) {
	s, err := openStore(o.out)
	if err != nil {
		return false, err
	}
	if !tableOnly {
		if o.work == "" {
			if o.work, err = os.MkdirTemp("", "bench-repair-"); err != nil {
				return false, err
			}
			defer os.RemoveAll(o.work)
		}
		if o.work, err = filepath.Abs(o.work); err != nil {
			return false, err
		}
		if o.program == "" {
			if o.program, err = build(ctx, o.work); err != nil {
				return false, err
			}
		}
		if repos, err = withOwn(repos, o.work); err != nil {
			return false, err
		}
		for _, dir := range repos {
			if err := o.repo(ctx, dir, s); ctx.Err() != nil {
				return false, context.Cause(ctx)
			} else if err != nil {
				fmt.Fprintf(os.Stderr, "%s is left out: %v\n", filepath.Base(dir), err)
			}
		}
	}
	rows := tabulate(s.list)
	if err := print(os.Stdout, rows, s.list, o.asJSON); err != nil {
		return false, err
	}
	for _, r := range s.list {
		bad = bad || r.Verdict == wrong
	}
	return bad, nil
}

// repo runs every missing case of one repository.
func (o options) repo(ctx context.Context, dir string, s *store) error {
	if o.leave != "" {
		return o.breakOnly(ctx, dir)
	}
	var want []caseID
	for _, k := range kinds() {
		if len(o.kinds) > 0 && !contains(o.kinds, k.name) {
			continue
		}
		for n := range o.each {
			id := caseID{filepath.Base(dir), k.name, n, o.seed}
			if !s.has(id) {
				want = append(want, id)
			}
		}
	}
	if len(want) == 0 {
		return nil
	}
	r, err := copyRepo(ctx, dir, o)
	if err != nil {
		return err
	}
	defer r.close()
	for _, id := range want {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		res, err := r.run(ctx, id)
		if ctx.Err() != nil { // what an interrupted run says is of no case
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%-16s %-12s %2d  %-10s %6d ms  %s\n", id.Repo, id.Kind, id.N, res.Verdict, res.MS, res.What)
		if err := s.add(res); err != nil {
			return err
		}
	}
	return nil
}

// breakOnly makes a copy and the first fault of one case in it.
func (o options) breakOnly(ctx context.Context, dir string) error {
	r, err := copyRepo(ctx, dir, o)
	if err != nil {
		return err
	}
	defer r.close()
	kind, n, _ := strings.Cut(o.leave, "/")
	number, try, _ := strings.Cut(n, ".")
	id := caseID{Repo: filepath.Base(dir), Kind: kind, Seed: o.seed}
	id.N, _ = strconv.Atoi(number)
	at, _ := strconv.Atoi(try)
	f := inject(rng(id, at), r.orig, r.langs, kind)
	if f == nil {
		return errors.New("there is no place for such a fault")
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", r.dir, f.what)
	_, err = r.put(f.edits)
	return err
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
