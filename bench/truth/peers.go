package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/runner"
)

// peer is another program that selects.
type peer interface {
	// selects names the test files for the tree as it is; false where the
	// program fails.
	selects(ctx context.Context) ([]string, bool)
}

func (b *bench) newPeer(ctx context.Context) (peer, error) {
	switch b.peer {
	case "":
		return nil, nil
	case "vitest", "jest":
		for _, p := range b.projects {
			if p.Framework == b.peer {
				return command{b: b, project: p}, nil
			}
		}
		return nil, fmt.Errorf("the repository has no project of %s", b.peer)
	case "testmon":
		t := testmon{b: b, project: b.projects[0]}
		// Its data is made by a run of everything.
		if out, err := t.run(ctx, "--testmon", "-q", "-o", "cache_dir="+filepath.Join(t.b.scratch, "cache")); err != nil && !bytes.Contains(out, []byte("passed")) {
			return nil, fmt.Errorf("testmon: %w: %s", err, out)
		}
		return t, nil
	}
	return nil, fmt.Errorf("unknown peer %q", b.peer)
}

// command is a framework's own list of the tests that git's changes affect.
type command struct {
	b       *bench
	project runner.Project
}

func (c command) selects(ctx context.Context) ([]string, bool) {
	args := []string{"list", "--changed", "--filesOnly"}
	if c.b.peer == "jest" {
		args = []string{"--listTests", "--onlyChanged"}
	}
	if c.b.peer == "vitest" {
		for _, a := range c.project.Args {
			if strings.HasPrefix(a, "-") && a != "--typecheck" {
				args = append(args, a)
			}
		}
	}
	out, err := c.b.start(ctx, c.project, args...)
	return c.b.paths(out), err == nil
}

// paths are the lines that name files.
func (b *bench) paths(out []byte) []string {
	var files []string
	for _, line := range strings.Split(string(out), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") { // the project's name
			_, line, _ = strings.Cut(line, "] ")
		}
		if filepath.IsAbs(line) {
			rel, err := filepath.Rel(b.root, line)
			if err != nil {
				continue
			}
			line = filepath.ToSlash(rel)
		}
		if strings.Contains(line, ".") && !strings.ContainsAny(line, " \t") {
			files = append(files, line)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// start runs the project's framework with other arguments.
func (b *bench) start(ctx context.Context, p runner.Project, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, p.Command[0], append(slices.Clone(p.Command[1:]), args...)...)
	cmd.Dir = filepath.Join(b.root, filepath.FromSlash(p.Root))
	cmd.Env = append(slices.Clone(b.environ), "NO_COLOR=1", "TESTMON_DATAFILE="+filepath.Join(b.scratch, "testmondata"))
	return cmd.Output()
}

// testmon must be installed in the repository's environment.
type testmon struct {
	b       *bench
	project runner.Project
}

func (t testmon) run(ctx context.Context, args ...string) ([]byte, error) {
	return t.b.start(ctx, t.project, args...)
}

func (t testmon) selects(ctx context.Context) ([]string, bool) {
	out, err := t.run(ctx, "--testmon", "--testmon-nocollect", "--collect-only", "-q", "-o", "cache_dir="+filepath.Join(t.b.scratch, "cache"))
	var files []string
	for _, line := range strings.Split(string(out), "\n") {
		if file, _, ok := strings.Cut(line, "::"); ok {
			files = append(files, file)
		}
		if rest, ok := strings.CutPrefix(line, "ERROR "); ok {
			files = append(files, strings.Fields(rest)[0])
		}
	}
	slices.Sort(files)
	return slices.Compact(files), err == nil || len(files) > 0 || bytes.Contains(out, []byte("no tests"))
}
