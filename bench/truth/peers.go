package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/runner"
)

// peer is another program that selects.
type peer interface {
	// name is the program's, with its version.
	name() string
	// selects names the test files for the tree as it is; false where the
	// program fails.
	selects(ctx context.Context) ([]string, bool)
}

// newPeers are the programs that can be asked in the repository: they list the
// tests of its one project.
func (b *bench) newPeers(ctx context.Context) ([]peer, error) {
	if b.noPeers || len(b.projects) != 1 {
		return nil, nil
	}
	p := b.projects[0]
	var out []peer
	switch p.Framework {
	case "vitest":
		args := []string{"list", "--changed", "--filesOnly"}
		for _, a := range p.Args {
			if strings.HasPrefix(a, "-") && a != "--typecheck" {
				args = append(args, a)
			}
		}
		return []peer{lister{b, "vitest " + p.Version, p, args}}, nil
	case "jest":
		out = append(out, lister{b, "jest " + p.Version, p, append(slices.Clone(p.Args), "--listTests", "--onlyChanged")})
	case "pytest":
		return b.newTestmon(ctx, p)
	}
	if b.vitest != "" {
		v, err := b.newVitest(ctx, p)
		return append(out, v), err
	}
	return out, nil
}

// lister is a framework's own list of the tests that git's changes affect.
type lister struct {
	b       *bench
	called  string
	project runner.Project
	args    []string
}

func (l lister) name() string { return l.called }

func (l lister) selects(ctx context.Context) ([]string, bool) {
	// Vitest keeps what it transformed. Of a run that was killed it may keep
	// half a module, for which it then selects everything.
	if err := os.RemoveAll(filepath.Join(l.b.root, filepath.FromSlash(l.project.Root), "node_modules", ".vitest-cache")); err != nil {
		return nil, false
	}
	out, err := l.b.run(ctx, l.project, l.args...)
	return l.b.paths(out), err == nil
}

// newVitest lists with a vitest that is no part of the project.
func (b *bench) newVitest(ctx context.Context, p runner.Project) (peer, error) {
	home, err := filepath.Abs(filepath.Join(b.vitest, "node_modules", "vitest"))
	if err != nil {
		return nil, err
	}
	var manifest struct{ Version string }
	text, err := os.ReadFile(filepath.Join(home, "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		return nil, fmt.Errorf("find vitest: %w", err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, err
	}
	include, err := json.Marshal(b.start.Tests)
	if err != nil {
		return nil, err
	}
	config := filepath.Join(b.scratch, "vitest.config.mjs")
	if err := os.WriteFile(config, fmt.Appendf(nil, "export default { test: { include: %s } };\n", include), 0o600); err != nil {
		return nil, err
	}
	p.Command = []string{node, filepath.Join(home, "vitest.mjs")}
	return lister{b, "vitest " + manifest.Version + "'s graph", p, []string{"list", "--changed", "--filesOnly", "--root", b.root, "--config", config}}, nil
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

// run starts the project's framework with other arguments.
func (b *bench) run(ctx context.Context, p runner.Project, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, p.Command[0], append(slices.Clone(p.Command[1:]), args...)...)
	cmd.Dir = filepath.Join(b.root, filepath.FromSlash(p.Root))
	cmd.Env = append(slices.Clone(b.environ), "NO_COLOR=1", "TESTMON_DATAFILE="+filepath.Join(b.scratch, "testmondata"))
	return cmd.Output()
}

// testmon must be installed in the repository's environment.
type testmon struct {
	b       *bench
	version string
	project runner.Project
}

func (t testmon) name() string { return "testmon " + t.version }

// newTestmon gives none where testmon is not installed.
func (b *bench) newTestmon(ctx context.Context, p runner.Project) ([]peer, error) {
	t := testmon{b: b, project: p}
	version := runner.Project{Root: p.Root, Command: []string{p.Command[0], "-c", "import importlib.metadata as m; print(m.version('pytest-testmon'))"}}
	out, err := b.run(ctx, version)
	if err != nil {
		return nil, nil
	}
	t.version = strings.TrimSpace(string(out))
	// Its data is made by a run of everything.
	if out, err := t.run(ctx, "--testmon", "-q"); err != nil && !bytes.Contains(out, []byte("passed")) {
		return nil, fmt.Errorf("testmon: %w: %s", err, out)
	}
	return []peer{t}, nil
}

func (t testmon) run(ctx context.Context, args ...string) ([]byte, error) {
	return t.b.run(ctx, t.project, append(args, "-o", "cache_dir="+filepath.Join(t.b.scratch, "cache"))...)
}

func (t testmon) selects(ctx context.Context) ([]string, bool) {
	out, err := t.run(ctx, "--testmon", "--testmon-nocollect", "--collect-only", "-q")
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
