package vitest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"regreen/internal/lang/js"
	"regreen/internal/plain"
	"regreen/internal/runner"
	"regreen/internal/runner/node"
)

//go:embed reporter.mjs
var reporterSource []byte

// session starts a vitest process for every run.
type session struct {
	env      runner.Env
	project  runner.Project
	reporter string
}

// plan is what the reporter is told about a run.
type plan struct {
	Files  []string `json:"files,omitempty"` // abs; absent is all
	Update bool     `json:"update"`
	// Setup is where the reporter may write a setup file that notes in Begun
	// which tests began.
	Setup string `json:"setup"`
	Begun string `json:"begun"`
	// Allow are folders outside the project that tests load files from: our
	// own, and the user's tree with the packages that are linked from it.
	Allow []string `json:"allow"`
}

// maxFilters bounds the bytes of file names on the command line. Beyond it
// vitest finds all files, of which the plan keeps those that are wanted.
const maxFilters = 64 << 10

// Run runs tests.
func (s *session) Run(ctx context.Context, req runner.Request) (*runner.Report, error) {
	files := slices.Clone(req.Files)
	for _, t := range req.Tests {
		if !slices.Contains(files, t.File) {
			files = append(files, t.File)
		}
	}
	flags, filters := kept(s.project.Args)
	p := plan{Update: req.UpdateSnapshots && len(req.Tests) > 0}
	if len(files) > 0 {
		filters = s.filters(files)
		for _, f := range files {
			p.Files = append(p.Files, filepath.ToSlash(filepath.Join(s.env.Root, filepath.FromSlash(f))))
		}
	}
	pattern := narrowed(req.Tests)
	if pattern != "" {
		flags = append(without(flags, "-t", "--testNamePattern", "--test-name-pattern"), "--testNamePattern="+pattern)
	}
	dir, err := os.MkdirTemp(s.env.Scratch, "vitest-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the run: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	p.Setup, p.Begun = filepath.Join(dir, "setup.mjs"), filepath.Join(dir, "begun.jsonl")
	p.Allow = []string{filepath.ToSlash(dir), filepath.ToSlash(s.env.Origin)}
	planFile := filepath.Join(dir, "plan.json")
	if err := p.write(s.env.Scratch, planFile); err != nil {
		return nil, err
	}

	args := append([]string{"run"}, filters...)
	args = append(args, flags...)
	args = append(args, "--reporter=default", "--reporter="+s.reporter, "--coverage.enabled=false", "--bail=0")
	args = append(args, uncached(s.project.Version)...)
	c := s.collector(req)
	probe := node.NewHang(c.Context)
	l := node.Launch{Env: s.env, Project: s.project, Args: args, Extra: []string{"REGREEN_PLAN=" + planFile},
		Timeout: req.Timeout, Probe: probe, Each: c.Each}
	landing, err := l.Run(ctx)
	if err != nil {
		return nil, err
	}
	if !landing.Ended || c.Crashed() {
		c.Noted(p.Begun)
	}
	r := c.Report(s.project, landing, probe.Frames(), files)
	if pattern != "" {
		node.Narrow(r, req.Tests)
	}
	return r, nil
}

// uncached keeps vitest from taking what it transformed in an earlier run. It
// keeps the files that imports led to with it, and goes on to load those when
// others have come to be meant: by a new file, or a tsconfig's paths
// (vitest-dev/vitest#11246). Since 5 it does so unasked; the command line's
// word goes over the configuration's, for every project of a workspace.
func uncached(version string) []string {
	switch major, minor, ok := numbers(version); {
	case !ok || major < 4 || major == 4 && minor == 0: // from 4.0.11 on, where asked for
		return nil
	case major == 4:
		return []string{"--experimental.fsModuleCache=false"}
	default:
		return []string{"--fsModuleCache=false"}
	}
}

// numbers are the first two of a version.
func numbers(version string) (major, minor int, ok bool) {
	first, rest, _ := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	major, err := strconv.Atoi(first)
	minor, err2 := strconv.Atoi(second)
	return major, minor, err == nil && err2 == nil
}

// Close has nothing to end.
func (s *session) Close() error { return nil }

func (s *session) collector(req runner.Request) *node.Collector {
	c := &node.Collector{Context: node.NewContext(s.env, s.project, js.Language{}), Progress: req.Progress, Prepare: typed}
	c.Context.Framework = Name
	return c
}

func (p plan) write(scratch, file string) error {
	src, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode the plan: %w", err)
	}
	if err := plain.WriteIn(scratch, file, src); err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	return nil
}

// filters are the files relative to the folder that vitest starts in.
func (s *session) filters(files []string) []string {
	var out []string
	size := 0
	for _, f := range files {
		rel, err := filepath.Rel(filepath.FromSlash(s.project.Root), filepath.FromSlash(f))
		if err != nil {
			return nil
		}
		rel = filepath.ToSlash(rel)
		if strings.HasPrefix(rel, "-") || strings.HasPrefix(rel, "../") {
			return nil
		}
		if size += len(rel) + 1; size > maxFilters {
			return nil
		}
		out = append(out, rel)
	}
	return out
}

// narrowed is a pattern for exactly these tests, without the mark of a file
// that several projects run.
func narrowed(tests []runner.TestID) string {
	plain := make([]runner.TestID, len(tests))
	for i, t := range tests {
		if n := len(t.Path); n > 1 && strings.HasPrefix(t.Path[0], "[") && strings.HasSuffix(t.Path[0], "]") {
			// A suite may be named like that too: both are asked for.
			plain = append(plain, runner.TestID{Path: t.Path[1:]})
		}
		plain[i] = t
	}
	return node.NamePattern(plain, `(?: > | )`)
}
