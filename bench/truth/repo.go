package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"regreen/internal/config"
	"regreen/internal/engine"
	"regreen/internal/proc"
	"regreen/internal/runner"
)

// results are what a run said of each test file: a text that is the same when
// the verdicts of its tests are.
type results map[string]string

// hashed are the same, short.
func (r results) hashed() results {
	out := results{}
	for file, said := range r {
		out[file] = short([]byte(said))
	}
	return out
}

// git runs git in the repository.
func (b *bench) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", b.root, "-c", "core.quotepath=false"}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}

// restore puts every file back as it was committed.
func (b *bench) restore(ctx context.Context) error {
	if _, err := b.git(ctx, "reset", "-q", "--hard"); err != nil {
		return err
	}
	_, err := b.git(ctx, "clean", "-fdq", "-e", ".venv", "-e", "node_modules")
	return err
}

// projects are found as regreen finds them.
func (b *bench) findProjects(ctx context.Context) error {
	cands, err := engine.Candidates(ctx, runner.DetectInput{Root: b.root, Files: b.files, Environ: b.environ, Exec: proc.Local{}})
	if err != nil {
		return err
	}
	var names []string
	for _, f := range engine.Frameworks() {
		names = append(names, f.Name())
	}
	b.projects, _, err = runner.Choose(cands, b.config.Project, names)
	return err
}

// whole is one text of all of them; never "".
func (r results) whole() string {
	var all strings.Builder
	for _, file := range slices.Sorted(maps.Keys(r)) {
		fmt.Fprintf(&all, "%s\x00%s\x00", file, r[file])
	}
	return short([]byte(all.String()))
}

// suite runs all tests, or only some files.
func (b *bench) suite(ctx context.Context, only ...string) (results, error) {
	verdicts := map[string][]string{}
	for _, p := range b.projects {
		for _, f := range engine.Frameworks() {
			if f.Name() != p.Framework {
				continue
			}
			err := b.runProject(ctx, f, p, only, verdicts)
			var refused *runner.Problem
			if errors.As(err, &refused) && ctx.Err() == nil {
				continue // the framework does not start: every test differs
			}
			if err != nil {
				return nil, fmt.Errorf("run %s in %s: %w", p.Framework, p.Root, err)
			}
		}
	}
	out := results{}
	for file, v := range verdicts {
		slices.Sort(v)
		out[file] = strings.Join(v, "\n")
	}
	return out, nil
}

func (b *bench) runProject(ctx context.Context, f runner.Framework, p runner.Project, only []string, verdicts map[string][]string) error {
	env := runner.Env{Root: b.root, Origin: b.root, Scratch: b.scratch, Environ: b.environ, Exec: proc.Local{}}
	s, err := f.Open(ctx, env, p)
	if err != nil {
		return err
	}
	r, err := s.Run(ctx, runner.Request{Files: only, KeepGoing: true, Timeout: 5 * time.Minute})
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	if len(r.Tests) == 0 && b.verbose {
		fmt.Fprintf(b.out, "  no test ran: %s %s %.400s\n", r.Exit.How(), r.Truncated, r.Output)
	}
	b.opened = append(b.opened, r.Opened...)
	for _, t := range r.Tests {
		verdicts[t.ID.File] = append(verdicts[t.ID.File], fmt.Sprintf("%q %s %t", t.ID.Path, t.Verdict, t.NotRun))
	}
	for _, fail := range r.Failures {
		if fail.Test.File != "" {
			verdicts[fail.Test.File] = append(verdicts[fail.Test.File], fmt.Sprintf("%s %q %s", fail.Scope, fail.Test.Path, fail.Kind))
		}
	}
	for _, file := range r.NotLoaded {
		verdicts[file] = append(verdicts[file], "not loaded")
	}
	if r.TimedOut {
		return errors.New("the suite did not end in five minutes")
	}
	return nil
}

// ask gives the test files that regreen selects, sorted.
func (b *bench) ask(ctx context.Context, e *engine.Engine, all bool) ([]string, error) {
	set, err := e.Affected(ctx, engine.Request{All: all})
	if err != nil {
		return nil, err
	}
	out := []string{}
	for _, t := range set.Tests {
		out = append(out, t.File)
	}
	sort.Strings(out)
	return out, nil
}

// treeHash is a hash of what differs from the commit.
func (b *bench) treeHash(ctx context.Context) (string, error) {
	list, err := b.git(ctx, "status", "--porcelain", "-z", "-uall", "--no-renames")
	if err != nil {
		return "", err
	}
	var all bytes.Buffer
	for _, entry := range strings.Split(strings.TrimSuffix(list, "\x00"), "\x00") {
		if len(entry) < 4 {
			continue
		}
		text, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(entry[3:])))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		fmt.Fprintf(&all, "%s\x00%t\x00%d\x00%s", entry[3:], err == nil, len(text), text)
	}
	return short(all.Bytes()), nil
}

func (b *bench) open(ctx context.Context, state string, c config.Config) (*engine.Engine, error) {
	dir := filepath.Join(b.scratch, state)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return engine.Open(ctx, engine.Options{Dir: b.root, Environ: b.environ, Config: c, StateDir: dir, Log: b.log})
}

// unknown lists what the suite was seen to open that the graph has no edge for,
// made by an engine that has seen no run.
func (b *bench) unknown(ctx context.Context) (missed bool, err error) {
	set, err := b.engine.Affected(ctx, engine.Request{All: true})
	if err != nil {
		return false, err
	}
	g := set.Graph()
	tests := map[string]bool{}
	for _, t := range g.Tests() {
		tests[t] = true
	}
	known := map[string]map[string]bool{}
	dependents := func(file string) map[string]bool {
		if known[file] == nil {
			known[file] = map[string]bool{}
			for _, t := range g.Dependents(file) {
				known[file][t.File] = true
			}
		}
		return known[file]
	}
	pairs, lost := 0, map[string][]string{}
	for _, o := range b.opened {
		if o.Kind == runner.OpenedList || !slices.Contains(b.files, o.File) {
			continue
		}
		needs := map[string]bool{o.By: true}
		if !tests[o.By] {
			needs = dependents(o.By)
		}
		for t := range needs {
			pairs++
			if !dependents(o.File)[t] {
				lost[o.File+" ("+o.Kind+" by "+o.By+")"] = append(lost[o.File+" ("+o.Kind+" by "+o.By+")"], t)
			}
		}
	}
	var names []string
	for name := range lost {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(b.out, "  UNKNOWN %s: %d tests, %s\n", name, len(lost[name]), lost[name][0])
	}
	fmt.Fprintf(b.out, "  %d pairs of a test and a file that it was seen to open; %d openings are not known to the graph\n", pairs, len(names))
	return len(names) > 0, nil
}

// settings are the repository's own, where it has any.
func (b *bench) settings() (config.Config, error) {
	name := config.Find(b.root)
	if name == "" {
		return config.Default(), nil
	}
	return config.Load(name)
}
