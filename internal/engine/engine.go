package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"

	"regreen/affected"
	"regreen/cycle"
	"regreen/fixers"
	"regreen/internal/config"
	"regreen/internal/git"
	"regreen/internal/history"
	"regreen/internal/lang"
	"regreen/internal/runner"
	"regreen/internal/sandbox"
)

// Options say which repository and how.
type Options struct {
	Dir      string // any folder of the repository, abs
	Environ  []string
	Config   config.Config
	StateDir string // regreen's state folder, abs
	Log      *slog.Logger
	// Waiting is called when another regreen works in this repository, with
	// its process id; the engine then waits for it. May be nil.
	Waiting func(pid int)
	// Helper is the command line that starts this program as jail.Help; without
	// it tests run at the isolation level copy.
	Helper []string
}

// Engine is one repository, opened.
type Engine struct {
	opts Options
	repo *git.Repo
	box  *sandbox.Sandbox
	// spares are further sandboxes, opened when they were first needed, by
	// boxConfig.
	spares    []*sandbox.Sandbox
	boxConfig sandbox.Config
	hist      *history.Store
	projects  []affected.Project
	langs     *languages
	warnings  []string          // of the last detection
	notes     []string          // of the configuration
	good      map[string][]byte // what saved files were when they last parsed
	earlier   map[string][]byte // what they were before that, where they differed

	selecting selecting
	settled   settled
	edited    atomic.Bool // the sandbox may hold another tree than the snapshot's
}

// Open opens the repository and its sandbox, and recovers what a crash left.
// Close it.
func Open(ctx context.Context, o Options) (*Engine, error) {
	repo, err := git.Open(ctx, o.Dir, o.Environ)
	if err != nil {
		return nil, err
	}
	memory, err := config.ParseSize(o.Config.Sandbox.Memory)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read sandbox.memory: %w", err), repo.Close())
	}
	keep := history.Limits{Age: o.Config.History.MaxAge.Std(), Cycles: o.Config.History.MaxCycles}
	if keep.Bytes, err = config.ParseSize(o.Config.History.MaxSize); err != nil {
		return nil, errors.Join(fmt.Errorf("read history.max_size: %w", err), repo.Close())
	}
	disk, err := config.ParseSize(o.Config.Sandbox.Disk)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read sandbox.disk: %w", err), repo.Close())
	}
	boxConfig := sandbox.Config{Repo: repo, StateDir: o.StateDir, Isolation: o.Config.Sandbox.Isolation,
		NoNetwork: !o.Config.Sandbox.Network, MemoryBytes: memory, Processes: o.Config.Sandbox.Processes, DiskBytes: disk, Helper: o.Helper,
		Carry: o.Config.Sandbox.Carry, Environ: o.Environ, Log: o.Log, Wait: true, Waiting: o.Waiting}
	box, err := sandbox.Open(ctx, boxConfig)
	if err != nil {
		return nil, errors.Join(err, repo.Close())
	}
	for _, r := range box.Recovered() {
		if r.Kept != "" {
			o.Log.Warn("a crash had interrupted a merge, and it cannot be put right whole: its journal is kept", "id", r.ID, "kept", r.Kept,
				"hint", "look at the files that it changed; what they were is in the folder's pre")
			continue
		}
		o.Log.Warn("a crash had interrupted a merge; it is put right", "id", r.ID, "finished", r.Finished,
			"files", r.Files, "rescued", r.Rescued)
	}
	hist, err := history.Open(box.Dir(), keep)
	if err != nil {
		return nil, errors.Join(err, box.Close(), repo.Close())
	}
	e := &Engine{opts: o, repo: repo, box: box, boxConfig: boxConfig, hist: hist}
	return e, nil
}

// Close keeps what later starts can use, and lets the sandbox go.
func (e *Engine) Close() error {
	var errs []error
	if e.selecting.graph != nil { // all scans of the present tree were asked for
		e.keepScans()
	}
	if e.langs != nil {
		errs = append(errs, e.langs.Close())
	}
	return errors.Join(append(errs, e.closeSpares(), e.box.Close(), e.repo.Close())...)
}

// env is where sessions run.
func (e *Engine) env() runner.Env { return e.envIn(e.box) }

func (e *Engine) envIn(box *sandbox.Sandbox) runner.Env {
	return runner.Env{Root: box.Root(), Origin: box.Origin(), Disk: box.Disk(), Scratch: box.Scratch(), Keep: filepath.Join(e.box.Dir(), "answers"), Environ: box.Environ(), Exec: box,
		Traced: box == e.box && e.traced()}
}

// detect finds the projects of the snapshot's files and reads their layouts.
func (e *Engine) detect(ctx context.Context, files []string) error {
	if err := checkRoots(e.opts.Config.Project, files); err != nil {
		return err
	}
	frameworks := Frameworks()
	env := e.env()
	cands, err := Candidates(ctx, runner.DetectInput{Root: env.Origin, Files: files, Environ: e.opts.Environ, Exec: env.Exec, Keep: env.Keep})
	if err != nil {
		return err
	}
	ps, warnings, err := runner.Choose(cands, e.opts.Config.Project, names(frameworks))
	if err != nil {
		return withUnsupported(err, e.box.Origin(), files, names(frameworks))
	}
	if err := findPrograms(ps, e.box.Origin(), e.opts.Environ); err != nil {
		return err
	}
	e.warnings = warnings
	e.projects = e.projects[:0]
	for _, p := range ps {
		fw := byName(frameworks, p.Framework)
		l, err := fw.Layout(ctx, e.env(), p)
		if err != nil {
			return fmt.Errorf("read the configuration of %s in %s: %w", p.Framework, p.Root, err)
		}
		if l.Uncertain != "" {
			e.opts.Log.Debug("layout is a guess", "project", p.Root, "framework", p.Framework, "why", l.Uncertain)
		}
		project := affected.Project{Project: p, Layout: l}
		if n, ok := fw.(runner.Narrower); ok {
			project.Narrow = n.Narrow
		}
		e.projects = append(e.projects, project)
	}
	if e.langs != nil {
		if err := e.langs.Close(); err != nil {
			return err
		}
	}
	e.langs = newLanguages(e.projects)
	return nil
}

// units opens a session for each project.
func (e *Engine) units(ctx context.Context) ([]cycle.Unit, func() error, error) {
	return e.unitsIn(ctx, e.box)
}

// unitsIn opens them in one of the sandboxes.
func (e *Engine) unitsIn(ctx context.Context, box *sandbox.Sandbox) ([]cycle.Unit, func() error, error) {
	var us []cycle.Unit
	closeAll := func() error {
		var errs []error
		for _, u := range us {
			errs = append(errs, u.Session.Close())
		}
		return errors.Join(errs...)
	}
	for _, p := range e.projects {
		fw := byName(Frameworks(), p.Framework)
		s, err := fw.Open(ctx, e.envIn(box), p.Project)
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("open %s in %s: %w", p.Framework, p.Root, err), closeAll())
		}
		us = append(us, cycle.Unit{Project: p.Project, Layout: p.Layout, Framework: fw, Session: noted{s, e.note(p.Project, box == e.box && e.traced())}})
	}
	return us, closeAll, nil
}

// candidates asks the fixers.
func (e *Engine) candidates() func(context.Context, fixers.Cause, fixers.Workspace) ([]fixers.Fix, error) {
	fs := fixers.New(fixers.Options{Disabled: e.opts.Config.Fixers.Disabled, UpdateAssertions: e.opts.Config.Fixers.UpdateAssertions})
	return func(ctx context.Context, c fixers.Cause, w fixers.Workspace) ([]fixers.Fix, error) {
		return fixers.Candidates(ctx, c, w, fs)
	}
}

var _ lang.Tree = (*workspace)(nil)
