package mocha

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"regreen/internal/lang/js"
	"regreen/internal/runner"
	"regreen/internal/runner/node"
)

//go:embed helper.cjs
var helperSource []byte

//go:embed reporter.cjs
var reporterSource []byte

// session starts a mocha process for every run.
type session struct {
	env              runner.Env
	project          runner.Project
	helper, reporter string
	context          node.Context
}

// Run runs tests.
func (s *session) Run(ctx context.Context, req runner.Request) (*runner.Report, error) {
	s.context = node.NewContext(s.env, s.project, js.Language{})
	s.context.Framework = Name
	files := slices.Clone(req.Files)
	for _, t := range req.Tests {
		if !slices.Contains(files, t.File) {
			files = append(files, t.File)
		}
	}
	began := time.Now()
	opts, err := ask(ctx, s.env, s.project)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		// The project's configuration is broken: mocha itself says how.
		return s.raw(ctx, req, files)
	}
	spec := opts.Spec
	if len(files) > 0 {
		spec = nil
		for _, f := range files {
			spec = append(spec, filepath.Join(s.env.Root, filepath.FromSlash(f)))
		}
		delete(opts.Options, "ignore")
	} else {
		files = s.rel(opts.Files)
	}
	r, aborted, err := s.launch(ctx, req, opts, spec, files)
	if err != nil || !aborted || !req.KeepGoing || len(files) < 2 {
		return r, err
	}
	// The loader could not be told to go on: one process for each file.
	return s.oneByOne(ctx, req, opts, files, began)
}

// Close has nothing to end.
func (s *session) Close() error { return nil }

func (s *session) rel(abs []string) []string {
	var out []string
	for _, f := range abs {
		if rel, ok := node.Rel(s.context, f); ok {
			out = append(out, rel)
		}
	}
	return out
}

// launch runs mocha once. aborted tells that a file did not load and that
// mocha therefore ran nothing.
func (s *session) launch(ctx context.Context, req runner.Request, opts *options, spec, files []string) (r *runner.Report, aborted bool, err error) {
	dir, err := os.MkdirTemp(s.env.Scratch, "mocha-")
	if err != nil {
		return nil, false, fmt.Errorf("make a folder for the run: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if len(spec) == 0 {
		spec = []string{"test"} // mocha's own default
	}
	args, err := opts.write(dir, s.helper, s.reporter, spec, node.NamePattern(req.Tests, " "))
	if err != nil {
		return nil, false, err
	}
	extra := []string{"MOCHA_OPTIONS="}
	if req.KeepGoing {
		extra = append(extra, "REGREEN_KEEP_GOING=1")
	}
	return s.run(ctx, req, args, extra, files)
}

func (s *session) run(ctx context.Context, req runner.Request, args, extra, files []string) (*runner.Report, bool, error) {
	c := &node.Collector{Context: s.context, Progress: req.Progress}
	probe := node.NewHang(s.context)
	l := node.Launch{Env: s.env, Project: s.project, Args: args, Extra: extra, Timeout: req.Timeout, Probe: probe, Each: c.Each}
	landing, err := l.Run(ctx)
	if err != nil {
		return nil, false, err
	}
	r := c.Report(s.project, landing, probe.Frames(), files)
	if c.Aborted() {
		r.Tests = nil
		r.NotLoaded = c.Files()
	}
	return r, c.Aborted(), nil
}

// raw starts mocha with the project's own arguments, to learn why it does not
// start.
func (s *session) raw(ctx context.Context, req runner.Request, files []string) (*runner.Report, error) {
	args := append(slices.Clone(s.project.Args), "--require", s.helper, "--reporter", s.reporter)
	r, _, err := s.run(ctx, req, args, nil, files)
	return r, err
}

// oneByOne runs each file in a process of its own and sums the reports up.
func (s *session) oneByOne(ctx context.Context, req runner.Request, opts *options, files []string, began time.Time) (*runner.Report, error) {
	sum := &runner.Report{Framework: Name, Project: s.project.Root, Ended: true}
	for i, f := range files {
		one := req
		if req.Timeout > 0 {
			if one.Timeout = req.Timeout - time.Since(began); one.Timeout <= 0 {
				sum.TimedOut, sum.Ended = true, false
				sum.NotLoaded = append(sum.NotLoaded, files[i:]...)
				break
			}
		}
		r, aborted, err := s.launch(ctx, one, opts, []string{filepath.Join(s.env.Root, filepath.FromSlash(f))}, []string{f})
		if err != nil {
			return nil, err
		}
		if aborted {
			for j := range r.Failures {
				r.Failures[j].Scope = runner.ScopeFile
			}
		}
		add(sum, r)
	}
	sum.Duration = time.Since(began)
	return sum, nil
}

func add(sum, r *runner.Report) {
	sum.Tests = append(sum.Tests, r.Tests...)
	sum.Failures = append(sum.Failures, r.Failures...)
	sum.NotLoaded = append(sum.NotLoaded, r.NotLoaded...)
	sum.Warnings = append(sum.Warnings, r.Warnings...)
	sum.Ended = sum.Ended && r.Ended
	sum.TimedOut = sum.TimedOut || r.TimedOut
	if sum.Truncated == "" {
		sum.Truncated = r.Truncated
	}
	if r.Exit.Code != 0 {
		sum.Exit = r.Exit
	}
	sum.Output += r.Output
	sum.Opened = append(sum.Opened, r.Opened...)
}
