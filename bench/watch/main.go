// Command watch puts the watcher through what a day of work does to it, and
// prints figures: saves by the editors that
// are installed and in every editor's style, checkouts, stashes and a rebase, many
// folders.
//
//	go run ./bench/watch -saves 10000 -checkout 5000 -folders 10000
//
// It ends with 1 when a save was lost, told twice, or told without need, or a
// command of git's or many folders took longer than they may.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"regreen/internal/git"
	"regreen/watch"
)

func main() {
	saves := flag.Int("saves", 10_000, "how many saves")
	checkout := flag.Int("checkout", 5_000, "how many files differ between the two branches that are switched")
	folders := flag.Int("folders", 10_000, "how many folders are watched, beside as many in node_modules")
	from := flag.String("repo", "", "a repository, a clone of which is saved in; without it one is made")
	seed := flag.Uint64("seed", 1, "of the random order")
	flag.Parse()
	dir, err := os.MkdirTemp("", "bench-watch-")
	if err == nil {
		b := bench{dir: dir, from: *from, environ: os.Environ(), out: os.Stdout, strict: true}
		err = errors.Join(b.all(context.Background(), *saves, *checkout, *folders, *seed), os.RemoveAll(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/watch:", err)
		os.Exit(1)
	}
}

// bench makes its repositories below dir.
type bench struct {
	dir     string
	from    string // a repository to clone, or ""
	environ []string
	out     io.Writer
	strict  bool // too slow is an error
}

func (b bench) all(ctx context.Context, saves, checkout, folders int, seed uint64) error {
	if saves > 0 {
		if err := b.soak(ctx, saves, seed); err != nil {
			return err
		}
	}
	if checkout > 0 {
		if err := b.checkout(ctx, checkout); err != nil {
			return err
		}
	}
	if folders > 0 {
		return b.folders(ctx, folders)
	}
	return nil
}

func (b bench) git(dir string, args ...string) error {
	cmd := exec.Command("git", append([]string{"-c", "user.name=bench", "-c", "user.email=bench@example.com"}, args...)...)
	cmd.Dir, cmd.Env = dir, b.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// repo makes a repository and gives its real path.
func (b bench) repo(name string) (string, error) {
	dir, err := filepath.EvalSymlinks(b.dir)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return dir, b.git(dir, "init", "-q", "-b", "main", ".")
}

func put(dir, rel, s string) error {
	abs := filepath.Join(dir, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
		return err
	}
	return os.WriteFile(abs, []byte(s), 0o644)
}

// watching runs f beside a watcher over dir; took is what the watcher needed to
// be ready.
func (b bench) watching(ctx context.Context, dir string, f func(w *watch.Watcher, out <-chan watch.Batch, took time.Duration) error) (err error) {
	repo, err := git.Open(ctx, dir, b.environ)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	w, err := watch.New(watch.Config{Repo: repo, Environ: b.environ,
		Warn: func(m, hint string) { fmt.Fprintf(b.out, "warning: %s (%s)\n", m, hint) }})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	out, done := make(chan watch.Batch), make(chan error, 1)
	start := time.Now()
	go func() { done <- w.Run(ctx, out) }()
	select {
	case <-w.Ready():
		err = f(w, out, time.Since(start))
	case err = <-done:
		cancel()
		return err
	}
	cancel()
	return errors.Join(err, <-done)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
