package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"regreen/watch"
)

// checkout switches between two branches that differ in n files.
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
			if err := put(dir, fmt.Sprintf("src/d%03d/f%05d.ts", i%100, i), branch); err != nil {
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
			if err := b.git(dir, "switch", "-q", branch); err != nil {
				return err
			}
			done := time.Now()
			select {
			case got := <-out:
				fmt.Fprintf(b.out, "git switch over %d files: one batch of %d, %s after git had ended\n", n, len(got.Paths), ms(time.Since(done)))
				if len(got.Paths) != n || !got.Checkout {
					return fmt.Errorf("the batch has %d of %d files, checkout %v", len(got.Paths), n, got.Checkout)
				}
			case <-time.After(patience):
				return fmt.Errorf("git switch gave no batch")
			}
		}
		select {
		case got := <-out:
			return fmt.Errorf("a second batch of %d files came", len(got.Paths)+len(got.Deleted))
		case <-time.After(time.Second):
			return nil
		}
	})
}

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
	for range 3 {
		err := b.watching(ctx, dir, func(w *watch.Watcher, _ <-chan watch.Batch, took time.Duration) error {
			i := w.Info()
			fmt.Fprintf(b.out, "%d folders with %d files watched in %s, %d of them polled\n", i.Folders, i.Files, ms(took), i.Polled)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
