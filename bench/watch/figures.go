package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"regreen/watch"
)

// checkout switches between two branches that differ in n files, stashes and
// rebases as many.
func (b bench) checkout(ctx context.Context, n int) error {
	dir, err := b.repo("checkout")
	if err != nil {
		return err
	}
	for _, branch := range []string{"main", "other"} {
		if branch != "main" {
			if err := b.git(dir, "checkout", "-q", "-b", branch); err != nil {
				return err
			}
		}
		for i := range n {
			if err := put(dir, name(i), branch); err != nil {
				return err
			}
		}
		if err := b.git(dir, "add", "-A"); err != nil {
			return err
		}
		if err := b.git(dir, "commit", "-q", "-m", branch); err != nil {
			return err
		}
	}
	return b.watching(ctx, dir, func(_ *watch.Watcher, out <-chan watch.Batch, _ time.Duration) error {
		for _, branch := range []string{"main", "other", "main"} {
			if err := b.batchOf(dir, out, n, "switch", "-q", branch); err != nil {
				return err
			}
		}
		if err := b.stash(dir, out, n); err != nil {
			return err
		}
		if err := b.rebase(dir, out, n); err != nil {
			return err
		}
		return silent(out)
	})
}

// latency is how soon after the last event a command of git's is to be told.
const latency = 300 * time.Millisecond

// batchOf runs a command of git's that changes n files, and takes its one batch.
func (b bench) batchOf(dir string, out <-chan watch.Batch, n int, args ...string) error {
	what := "git " + strings.Join(args, " ")
	if err := b.git(dir, args...); err != nil {
		return err
	}
	done := time.Now()
	select {
	case got := <-out:
		took := time.Since(done)
		fmt.Fprintf(b.out, "%s over %d files: one batch of %d, %s after git had ended\n", what, n, len(got.Paths)+len(got.Deleted), ms(took))
		if len(got.Paths)+len(got.Deleted) != n || !got.Checkout {
			return fmt.Errorf("%s: the batch has %d of %d files, checkout %v", what, len(got.Paths)+len(got.Deleted), n, got.Checkout)
		}
		if b.strict && took > latency {
			return fmt.Errorf("%s: told after %s, and %s is allowed", what, ms(took), ms(latency))
		}
		return nil
	case <-time.After(patience):
		return fmt.Errorf("%s gave no batch", what)
	}
}

// silent tells whether nothing more comes.
func silent(out <-chan watch.Batch) error {
	select {
	case got := <-out:
		return fmt.Errorf("a batch of %d files came that nothing was the cause of", len(got.Paths)+len(got.Deleted))
	case <-time.After(time.Second): // longer than any quiet period
		return nil
	}
}

// stash puts n edited files away, takes them back and commits them.
func (b bench) stash(dir string, out <-chan watch.Batch, n int) error {
	for i := range n {
		if err := put(dir, name(i), "edited"); err != nil {
			return err
		}
	}
	if err := all(out, n); err != nil {
		return err
	}
	for _, args := range [][]string{{"stash", "-q"}, {"stash", "pop", "-q"}} {
		if err := b.batchOf(dir, out, n, args...); err != nil {
			return err
		}
	}
	return b.git(dir, "commit", "-q", "-a", "-m", "edited")
}

// all takes batches until n files were told.
func all(out <-chan watch.Batch, n int) error {
	told := map[string]bool{}
	for len(told) < n {
		select {
		case got := <-out:
			for _, p := range got.Paths {
				told[p] = true
			}
		case <-time.After(patience):
			return fmt.Errorf("%d of %d edited files were told", len(told), n)
		}
	}
	return nil
}

// rebase stops at a conflict over n files, where nothing may be told, and goes
// on. It comes after stash.
func (b bench) rebase(dir string, out <-chan watch.Batch, n int) error {
	if err := b.batchOf(dir, out, n, "switch", "-q", "-c", "mine", "main~1"); err != nil {
		return err
	}
	if err := errors.Join(put(dir, name(0), "mine"), all(out, 1), b.git(dir, "commit", "-q", "-a", "-m", "mine")); err != nil {
		return err
	}
	if err := b.git(dir, "rebase", "-q", "main"); err == nil {
		return errors.New("the rebase did not stop")
	}
	if err := silent(out); err != nil {
		return fmt.Errorf("in the middle of a rebase: %w", err)
	}
	if err := errors.Join(put(dir, name(0), "resolved"), b.git(dir, "add", "-A"), silent(out)); err != nil {
		return fmt.Errorf("in the middle of a rebase: %w", err)
	}
	return b.batchOf(dir, out, n, "-c", "core.editor=true", "rebase", "--continue")
}

func name(i int) string { return fmt.Sprintf("src/d%03d/f%05d.ts", i%100, i) }

// folders tells how long it takes to watch n folders with two files each,
// beside as many in node_modules.
func (b bench) folders(ctx context.Context, n int) error {
	dir, err := b.repo("folders")
	if err != nil {
		return err
	}
	if err := put(dir, ".gitignore", "node_modules\n"); err != nil {
		return err
	}
	for i := range n {
		for _, rel := range []string{fmt.Sprintf("src/g%02d/d%05d/a.ts", i%100, i), fmt.Sprintf("src/g%02d/d%05d/b.ts", i%100, i)} {
			if err := put(dir, rel, rel); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(filepath.Join(dir, "node_modules", fmt.Sprintf("p%02d", i%100), fmt.Sprint(i)), 0o755); err != nil {
			return err
		}
	}
	best := time.Hour
	for range 3 {
		err := b.watching(ctx, dir, func(w *watch.Watcher, _ <-chan watch.Batch, took time.Duration) error {
			i := w.Info()
			fmt.Fprintf(b.out, "%d folders with %d files watched in %s, %d of them polled\n", i.Folders, i.Files, ms(took), i.Polled)
			if i.Folders > n+n/100+200 {
				return fmt.Errorf("%d folders are watched, those of node_modules too", i.Folders)
			}
			best = min(best, took)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if b.strict && best > ready*time.Duration(max(n, 10_000))/10_000 {
		return fmt.Errorf("the watcher was ready after %s at best", ms(best))
	}
	return nil
}

// ready is how soon 10,000 folders are to be watched.
const ready = time.Second
