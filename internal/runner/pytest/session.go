package pytest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"regreen/internal/proc"
	"regreen/internal/runner"
)

// errTimeLimit is the cause of a context that ended at the request's limit.
var errTimeLimit = errors.New("the run passed its time limit")

// outputLimit bounds what is kept of standard output and error.
const outputLimit = 64 << 10

// session starts one pytest process a run.
type session struct {
	env     runner.Env
	project runner.Project
	dir     string // the session's own folder
	python  string // the folder in front of PYTHONPATH
	tree    tree
	config  config
	runs    int
}

func open(env runner.Env, p runner.Project) (*session, error) {
	if len(p.Command) == 0 {
		return nil, errors.New("the project has no command")
	}
	dir, err := os.MkdirTemp(env.Scratch, "pytest-")
	if err != nil {
		return nil, err
	}
	s := &session{env: env, project: p, dir: dir, python: filepath.Join(dir, "python"), tree: newTree(env, p.Command[0])}
	if err := writePython(s.python); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, "metadata"), 0o700); err != nil {
		return nil, err
	}
	return s, nil
}

// Close removes the session's folder.
func (s *session) Close() error {
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("close pytest in %s: %w", s.project.Root, err)
	}
	return nil
}

// Run runs tests in a new process.
func (s *session) Run(ctx context.Context, req runner.Request) (*runner.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	run, err := s.prepare(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(run.dir) }()
	report := &runner.Report{Framework: Name, Project: s.project.Root, Warnings: run.warnings}
	if len(req.Files)+len(req.Tests) > 0 && len(run.files) == 0 {
		report.Ended = true // every file asked for is gone
		return report, nil
	}
	a := newAssembly(s.tree, s.env.OnDisk(), report, req.Progress)
	stream := runner.NewStream(run.report, run.nonce, a.record)
	start := time.Now()
	exit, err := s.exec(ctx, req, run, stream, report)
	if err != nil {
		return nil, err
	}
	report.Duration = time.Since(start)
	report.Exit, report.Ended = exit, stream.Ended()
	report.Opened = runner.ReadOpened(run.opened(), s.env.Root)
	if p := stream.Problem(); p != "" {
		report.Truncated = p
	}
	s.conclude(a, run, req)
	if s.env.Traced {
		report.Executed = s.executed(run, req, report)
	}
	return report, nil
}

// exec starts the process and follows its report until both have ended.
func (s *session) exec(ctx context.Context, req runner.Request, run *prepared, stream *runner.Stream, report *runner.Report) (proc.Exit, error) {
	limited := ctx
	if req.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeoutCause(ctx, req.Timeout, errTimeLimit)
		defer cancel()
	}
	out := proc.NewTail(outputLimit)
	cmd := run.cmd
	cmd.Stdout, cmd.Stderr = out, out
	cmd.BeforeKill = func(pgid int) {
		if errors.Is(context.Cause(limited), errTimeLimit) {
			askWhere(pgid, run.dump)
		}
	}
	follow, stop := context.WithCancel(context.WithoutCancel(ctx))
	followed := make(chan error, 1)
	go func() { followed <- stream.Follow(follow) }()
	exit, err := s.env.Exec.Run(limited, cmd)
	stop()
	followErr := <-followed
	report.Output = out.String()
	if ctx.Err() != nil {
		return exit, context.Cause(ctx)
	}
	if errors.Is(context.Cause(limited), errTimeLimit) && (exit.Stopped || err != nil) {
		report.TimedOut = true
		return exit, nil
	}
	if err != nil {
		return exit, err
	}
	if followErr != nil {
		report.Truncated = followErr.Error()
	}
	return exit, nil
}

func nonce() string { return rand.Text() }

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
