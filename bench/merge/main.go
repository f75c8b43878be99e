// Command merge has a writer process save a file at the very moment at which a
// merge exchanges it, again and again, and counts the saves that were lost.
//
//	go run ./bench/merge -merges 4000
//
// It prints one line for each way to save and each way to merge: with the
// exchange of names, and with links, as where a file system cannot exchange. It
// ends with 1 when a save was lost, or a file left behind.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// near is how close to the exchange a save counts as a race (issue 3).
const near = 200 * time.Microsecond

func main() {
	if os.Getenv(writerEnv) != "" {
		if err := write(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench/merge: writer:", err)
			os.Exit(1)
		}
		return
	}
	merges := flag.Int("merges", 4_000, "how many merges of each kind")
	dir := flag.String("dir", os.TempDir(), "where the repository is made: the file system that is tried")
	seed := flag.Uint64("seed", 1, "of the moments")
	flag.Parse()
	if err := run(context.Background(), *dir, *merges, *seed, os.Environ(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench/merge:", err)
		os.Exit(1)
	}
}

// run makes a repository below dir and races in it.
func run(ctx context.Context, dir string, merges int, seed uint64, environ []string, out io.Writer) (err error) {
	dir, err = os.MkdirTemp(dir, "bench-merge-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if _, err := fmt.Fprintf(out, "%-10s %-10s %8s %8s %8s %10s %8s %6s\n", "save", "merge", "merges", "raced", "merged", "conflicts", "rescued", "lost"); err != nil {
		return err
	}
	lost := 0
	for _, style := range []string{"in place", "rename"} {
		for _, links := range []bool{false, true} {
			r := &race{style: style, links: links, merges: merges}
			if err := r.run(ctx, dir, seed, environ); err != nil {
				return fmt.Errorf("%s, %s: %w", style, r.how(), err)
			}
			lost += r.lost
			if _, err := fmt.Fprintf(out, "%-10s %-10s %8d %8d %8d %10d %8d %6d\n", style, r.how(), merges, r.raced, r.merged, r.conflicts, r.rescued, r.lost); err != nil {
				return err
			}
		}
	}
	if lost > 0 {
		return fmt.Errorf("%d saves were lost", lost)
	}
	return nil
}
