package jest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"regreen/internal/proc"
	"regreen/internal/runner"
	"regreen/internal/runner/node"
)

// session starts jest anew for each run.
type session struct {
	env               runner.Env
	project           runner.Project
	context           node.Context
	reporter, preload string
	cache             string
}

// Close has nothing to end: no process outlives a run.
func (s *session) Close() error { return nil }

// Run runs tests.
func (s *session) Run(ctx context.Context, req runner.Request) (*runner.Report, error) {
	b := newBook(s.context, req)
	hang := node.NewHang(s.context)
	l, err := node.Launch{
		Env: s.env, Project: s.project, Args: s.args(req), Extra: s.extra(), Timeout: req.Timeout, Probe: hang, Each: b.each,
	}.Run(ctx)
	if err != nil {
		return nil, err
	}
	if l.Ended {
		return b.ended(s.project, l), nil
	}
	known, err := s.known(ctx, req)
	switch {
	case b.began || l.TimedOut:
		// Without the list some tests of the run stay unknown, no more.
		return b.cut(s.project, l, known, hang.Frames()), nil
	case err == nil && len(known) == 0:
		return nothing(s.project, l), nil
	}
	r := b.unstarted(s.project, l, known)
	if r == nil {
		return nil, notStarted(l)
	}
	return r, nil
}

// notStarted is the problem of a command that ended without a report, whatever
// its exit code was.
func notStarted(l node.Landing) error {
	said := node.FirstLines(l.Output, 12)
	if said == "" {
		said = "it printed nothing"
	}
	return &runner.Problem{Code: "environment", Message: fmt.Sprintf("jest did not start (%s): %s", l.Exit.How(), said),
		Hint: "see that the tests run by hand, or set command of the [[project]] in regreen.toml"}
}

// extra is the environment of our own.
func (s *session) extra() []string {
	quoted := `"` + strings.ReplaceAll(s.preload, `\`, `\\`) + `"`
	return []string{"NODE_OPTIONS=--require " + quoted}
}

// files are the absolute test files of a request, nil for all.
func (s *session) files(req runner.Request) []string {
	rels := slices.Clone(req.Files)
	if len(rels) == 0 {
		for _, t := range req.Tests {
			rels = append(rels, t.File)
		}
	}
	slices.Sort(rels)
	var out []string
	for _, f := range slices.Compact(rels) {
		if f != "" {
			out = append(out, filepath.Join(s.env.Root, filepath.FromSlash(f)))
		}
	}
	return out
}

// known lists the test files (rel) that a request's run takes in. It is asked
// only where a run did not say so itself.
func (s *session) known(ctx context.Context, req runner.Request) ([]string, error) {
	c := parse(s.project.Args)
	files := s.files(req)
	args := c.kept()
	if len(files) > 0 {
		args = append(c.kept(selecting...), "--runTestsByPath")
	}
	args = append(args, "--cacheDirectory="+s.cache, "--watchman=false", "--json", "--listTests")
	out, err := s.ask(ctx, append(append(args, files...), whenEmpty(files, c.patterns)...))
	if err != nil {
		return nil, err
	}
	var paths []string
	if out = bytes.TrimSpace(out); len(out) > 0 {
		if err := json.Unmarshal(out, &paths); err != nil {
			return nil, fmt.Errorf("read jest's list of tests: %w", err)
		}
	}
	var rels []string
	for _, p := range paths {
		if rel, ok := node.Rel(s.context, p); ok {
			rels = append(rels, rel)
		}
	}
	slices.Sort(rels)
	return slices.Compact(rels), nil
}

func whenEmpty(files, patterns []string) []string {
	if len(files) > 0 {
		return nil
	}
	return patterns
}

// askLimit bounds a question; loading a configuration takes a second or two.
const askLimit = 60 * time.Second

var errSlow = errors.New("jest does not answer")

// ask starts jest for an answer on its standard output.
func (s *session) ask(ctx context.Context, args []string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, askLimit, errSlow)
	defer cancel()
	cmd, err := node.Command(s.env, s.project)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	stderr := proc.NewTail(16 << 10)
	exit, err := s.env.Exec.Run(ctx, proc.Cmd{
		Path: cmd[0], Args: append(cmd[1:], args...), Dir: node.Dir(s.env, s.project),
		Env: node.Environ(s.env, s.project, nil), Stdout: &out, Stderr: stderr,
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("ask jest: %w", err)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case exit.Code != 0:
		return nil, fmt.Errorf("ask jest: %w", errors.New(node.FirstLines(stderr.String(), 6)))
	}
	return out.Bytes(), nil
}
