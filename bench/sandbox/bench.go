package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"regreen/internal/git"
	"regreen/internal/jail"
	"regreen/internal/proc"
	"regreen/internal/sandbox"
)

// The limits, as CPU time, and the shape of the repository they are for.
const (
	limitSnapshot = 150 * time.Millisecond // two files saved, of 50,000
	limitUpdate   = 400 * time.Millisecond // ten files changed, of 50,000
	limitSetUp    = 10 * time.Millisecond
	perFolder     = 50
	smallRepo     = 500
)

// bench is one repository and its sandbox.
type bench struct {
	dir    string
	files  int
	runs   int
	helper string // the program that is started as the sandbox's helper
	n      int    // counts what is written, so that every text is new
}

func (b *bench) repo() string { return filepath.Join(b.dir, "repo") }

func (b *bench) file(i int) string {
	return filepath.Join(b.repo(), fmt.Sprintf("src/d%d/m%d.js", i/perFolder, i))
}

// environ is an environment in which git depends on nothing of the machine.
func (b *bench) environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(b.dir, "home"), "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1"}
}

// all measures everything. Putting up walls is measured from a process that
// holds little, and again from one that holds the large repository: starting a
// process in a user namespace copies the tables of the starter's memory.
func all(ctx context.Context, b bench) ([]cost, error) {
	small := b
	small.dir, small.files = filepath.Join(b.dir, "small"), smallRepo
	walls, err := small.measure(ctx)
	if err != nil {
		return nil, err
	}
	b.dir = filepath.Join(b.dir, "large")
	costs, err := b.measure(ctx)
	if err != nil {
		return nil, err
	}
	for i := range costs[3:] {
		costs[3+i].what += ", from a process that holds it all"
		costs[3+i].limit = 0
	}
	return append(costs, walls[3:]...), nil
}

// measure gives the snapshots, the update, and the walls of each level.
func (b *bench) measure(ctx context.Context) ([]cost, error) {
	if err := b.make(ctx); err != nil {
		return nil, err
	}
	snapshot := cost{what: "snapshot, told of two saved files", limit: limitSnapshot}
	whole := cost{what: "snapshot, not told what was saved"}
	update := cost{what: "warm update, ten files changed", limit: limitUpdate}
	var walls []cost
	for _, level := range []string{"namespace", "landlock", "copy"} {
		c := cost{what: "set-up of " + level + ", with true(1) in it"}
		if level == "namespace" {
			c.limit = limitSetUp
		}
		if err := b.level(ctx, level, &c, &snapshot, &whole, &update); err != nil {
			var none *sandbox.Error
			if !errors.As(err, &none) || none.Code != sandbox.CodeNoIsolation {
				return nil, err
			}
			c.note = none.Message
		}
		walls = append(walls, c)
	}
	return append([]cost{snapshot, whole, update}, walls...), nil
}

// make writes and commits the files.
func (b *bench) make(ctx context.Context) error {
	for i := range b.files {
		if i%perFolder == 0 {
			if err := os.MkdirAll(filepath.Dir(b.file(i)), 0o755); err != nil {
				return err
			}
		}
		if err := b.save(i); err != nil {
			return err
		}
	}
	for _, dir := range []string{"home", "repo/node_modules/dep"} {
		if err := os.MkdirAll(filepath.Join(b.dir, dir), 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(b.repo(), ".gitignore"), []byte("node_modules\n"), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=A", "-c", "user.email=a", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "commit", "-qm", "one"}} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir, cmd.Env = b.repo(), b.environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w\n%s", args, err, out)
		}
	}
	return nil
}

func (b *bench) save(i int) error {
	b.n++
	return os.WriteFile(b.file(i), []byte(fmt.Sprintf("export const value%d = %d\n", i, b.n)), 0o644)
}

// level measures one isolation level; the snapshot and the update do not
// depend on it and are measured at the first one that is to be had.
func (b *bench) level(ctx context.Context, name string, walls, snapshot, whole, update *cost) (err error) {
	repo, err := git.Open(ctx, b.repo(), b.environ())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	s, err := sandbox.Open(ctx, sandbox.Config{Repo: repo, StateDir: filepath.Join(b.dir, "state"), Isolation: name,
		Helper: []string{b.helper, jail.Command}, Environ: b.environ()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Isolate(ctx); err != nil {
		return err
	}
	first := len(snapshot.used) == 0
	for i := range b.runs + 1 {
		saved := 2
		if i%2 == 0 {
			saved = 10
		}
		if i > 0 && !first {
			break
		}
		var told []string
		for k := range saved {
			n := (i*perFolder + k) % b.files
			if err := b.save(n); err != nil {
				return err
			}
			rel, err := filepath.Rel(b.repo(), b.file(n))
			if err != nil {
				return err
			}
			told = append(told, filepath.ToSlash(rel))
		}
		var snap *sandbox.Snapshot
		took, err := cpu(func() (err error) { snap, err = s.SnapshotOf(ctx, told); return err })
		if err != nil {
			return err
		}
		if i > 0 && saved == 2 {
			snapshot.used = append(snapshot.used, took)
			if !snap.Told {
				snapshot.note = "the whole tree was listed"
			}
		}
		took, err = cpu(func() (err error) { snap, err = s.Snapshot(ctx); return err })
		if err != nil {
			return err
		}
		if i > 0 && saved == 2 {
			whole.used = append(whole.used, took)
		}
		took, err = cpu(func() error { return s.Prepare(ctx, snap) })
		if err != nil {
			return err
		}
		if i > 0 && saved == 10 {
			update.used = append(update.used, took)
		}
	}
	for range b.runs {
		took, err := cpu(func() error {
			ex, err := s.Run(ctx, proc.Cmd{Path: "/bin/true", Dir: s.Root(), Env: s.Environ()})
			if err == nil && ex.Code != 0 {
				err = fmt.Errorf("true(1) in %s: %s", name, ex.How())
			}
			return err
		})
		if err != nil {
			return err
		}
		walls.used = append(walls.used, took)
	}
	return nil
}

// cpu is the CPU time of a piece of work and of the processes that it started
// and waited for.
func cpu(do func() error) (time.Duration, error) {
	before := used()
	err := do()
	return used() - before, err
}

// removeAll is os.RemoveAll for a tree in which the kernel made folders for
// nobody (an overlay's work folder).
func removeAll(dir string) error {
	_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
