package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"regreen/internal/git"
	"regreen/internal/sandbox"
)

// race is many merges of one kind under saves of one kind.
type race struct {
	style  string
	links  bool // names are not exchanged
	merges int

	raced, merged, conflicts, rescued, lost int

	editor *editor
	random *rand.Rand
	at     time.Time // of this exchange
	told   bool
	effErr error
}

func (r *race) how() string {
	if r.links {
		return "links"
	}
	return "exchange"
}

// effect is called before each call that a merge makes on the disk.
func (r *race) effect(call, _ string) error {
	if call == "exchange" && !r.told {
		r.told = true
		var save time.Time
		save, r.effErr = r.editor.now()
		at := save.Add(time.Duration(r.random.Int64N(int64(2*near))) - near)
		for r.effErr == nil && time.Now().Before(at) {
		}
		r.at = time.Now()
	}
	if r.links && (call == "exchange" || call == "move") {
		return sandbox.ErrNoExchange
	}
	return nil
}

// run makes a repository and a sandbox of it, and races.
func (r *race) run(ctx context.Context, dir string, seed uint64, environ []string) (err error) {
	r.random = rand.New(rand.NewPCG(seed, 0))
	if dir, err = os.MkdirTemp(dir, "race-"); err != nil {
		return err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	root, state := filepath.Join(dir, "repo"), filepath.Join(dir, "state")
	if err := makeRepo(ctx, root, environ); err != nil {
		return err
	}
	repo, err := git.Open(ctx, root, environ)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, repo.Close()) }()
	box, err := sandbox.Open(ctx, sandbox.Config{Repo: repo, StateDir: state, Environ: environ, Effect: r.effect})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	if r.editor, err = startEditor(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.editor.close()) }()
	guard, err := repo.Guard(ctx)
	if err != nil {
		return err
	}
	for n := range r.merges {
		if err := r.one(ctx, box, guard, root, n); err != nil {
			return fmt.Errorf("merge %d: %w", n, err)
		}
	}
	left, err := filepath.Glob(filepath.Join(root, sandbox.TempPrefix+"*"))
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("left behind: %s", strings.Join(left, ", "))
	}
	return err
}

// one is one merge with one save.
func (r *race) one(ctx context.Context, box *sandbox.Sandbox, guard git.Guard, root string, n int) error {
	abs := filepath.Join(root, "file.txt")
	start, fix, user := fmt.Sprintf("start %d\n", n), fmt.Sprintf("the fix %d\n", n), fmt.Sprintf("the user's save %d\n", n)
	if err := os.WriteFile(abs, []byte(start), 0o644); err != nil {
		return err
	}
	if err := r.editor.ready(r.style, abs, user); err != nil {
		return err
	}
	r.told = false
	change := sandbox.Change{Path: "file.txt", Op: sandbox.Modify, Mode: 0o644, BeforeMode: 0o644, Before: []byte(start), After: []byte(fix)}
	_, err := box.Merge(ctx, sandbox.MergeRequest{ID: fmt.Sprintf("m%d", n), Guard: guard, Changes: []sandbox.Change{change}})
	if !r.told || r.effErr != nil {
		return errors.Join(err, r.effErr, errors.New("it did not come to the exchange"))
	}
	begun, serr := r.editor.moment()
	if serr != nil {
		return serr
	}
	var conflict *sandbox.Conflict
	switch {
	case err == nil:
		r.merged++
	case errors.As(err, &conflict):
		r.conflicts++
	default:
		return err
	}
	if begun.Sub(r.at).Abs() <= near {
		r.raced++
	}
	box.Settle()
	return r.look(box, abs, user)
}

// look finds the user's save again: in its place, or kept aside.
func (r *race) look(box *sandbox.Sandbox, abs, user string) error {
	got, err := os.ReadFile(abs)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	found := string(got) == user
	aside, err := filepath.Glob(filepath.Join(box.Dir(), "rescued", "*"))
	if err != nil {
		return err
	}
	for _, name := range aside {
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if string(src) == user {
			found = true
			r.rescued++
		}
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	if !found {
		r.lost++
	}
	return nil
}

func makeRepo(ctx context.Context, root string, environ []string) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, "file.txt"), []byte("start\n"), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "one"}} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir, cmd.Env = root, environ
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}
