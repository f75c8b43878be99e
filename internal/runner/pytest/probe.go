package pytest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/proc"
	"regreen/internal/runner"
)

// probeScript finds where each name would be imported from. What pytest adds
// to the path (pythonpath) is put in front.
const probeScript = `
import json, os, sys
from importlib.util import find_spec
ask = json.loads(sys.argv[1])
sys.path[:0] = ask["path"]
std = getattr(sys, "stdlib_module_names", ()) or sys.builtin_module_names
out = {}
for name in ask["names"]:
    if name in std or name in sys.modules:
        continue
    try:
        spec = find_spec(name)
    except Exception:
        continue
    if spec is None:
        continue
    if spec.has_location and spec.origin:
        out[name] = [os.path.realpath(spec.origin)]
    else:
        out[name] = [os.path.realpath(p) for p in spec.submodule_search_locations or ()]
print("regreen:" + json.dumps(out))
`

// Probe tells which top-level modules of the project's copy would be imported
// from somewhere else, each as "name: where". None means that a test of the
// copy tests the copy. Files are the copy's (rel), by which the other packages of
// a repository of several are known. It starts one short process in env.
func Probe(ctx context.Context, env runner.Env, p runner.Project, files []string) ([]string, error) {
	s, err := open(env, p)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }()
	run, err := s.prepare(runner.Request{})
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.Root, err)
	}
	names := s.topLevel()
	for _, name := range neighbours(files) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	ask := map[string][]string{"names": names, "path": {}}
	for _, dir := range s.config.pythonpath {
		ask["path"] = append(ask["path"], s.abs(filepath.ToSlash(filepath.Join(s.project.Root, dir))))
	}
	text, err := json.Marshal(ask)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.Root, err)
	}
	cmd := run.cmd
	cmd.Args = []string{"-c", probeScript, string(text)}
	var out bytes.Buffer
	errOut := proc.NewTail(4 << 10)
	cmd.Stdout, cmd.Stderr = &out, errOut
	exit, err := env.Exec.Run(ctx, cmd)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.Root, err)
	}
	_, answer, found := strings.Cut(out.String(), "regreen:")
	var places map[string][]string
	if exit.Code != 0 || !found || json.Unmarshal([]byte(answer), &places) != nil {
		return nil, fmt.Errorf("probe %s: %w", p.Root, errors.New(strings.TrimSpace("no answer from Python; "+errOut.String())))
	}
	return s.offenders(places), nil
}

// offenders are the modules that do not come from the copy.
func (s *session) offenders(places map[string][]string) []string {
	roots := []string{s.env.Root, resolved(s.env.Root)}
	var out []string
	for name, found := range places {
		for _, at := range found {
			inside := slices.ContainsFunc(roots, func(r string) bool {
				return strings.HasPrefix(at, r+string(filepath.Separator))
			})
			if !inside {
				out = append(out, name+": "+at)
				break
			}
		}
	}
	slices.Sort(out)
	return out
}

// topLevel are the importable names in the project's folder, its src, and the
// repository's.
func (s *session) topLevel() []string {
	var out []string
	for _, dir := range []string{s.project.Root, s.project.Root + "/src", ".", "src"} {
		entries, err := os.ReadDir(s.abs(dir))
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := e.Name()
			if e.IsDir() {
				if _, err := os.Stat(filepath.Join(s.abs(dir), name, "__init__.py")); err != nil {
					continue
				}
			} else {
				var ok bool
				if name, ok = strings.CutSuffix(name, ".py"); !ok || name == "setup" || name == "conftest" {
					continue
				}
			}
			if !strings.ContainsAny(name, ".-") && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// neighbours are the importable names of every folder that a manifest makes a
// package of its own: what its src, lib or python holds, and the folders with
// an __init__.py beside the manifest. Modules beside it are mostly scripts
// (noxfile.py, tasks.py). What lies below a folder of tests or examples is
// input of theirs, and installed from nowhere.
func neighbours(files []string) []string {
	owns := map[string]bool{}
	for _, f := range files {
		switch path.Base(f) {
		case "pyproject.toml", "setup.py", "setup.cfg":
			if dir := path.Dir(f); dir != "." && !slices.ContainsFunc(strings.Split(dir, "/"), isInput) {
				owns[dir] = true
			}
		}
	}
	var out []string
	for _, f := range files {
		name, module := strings.CutSuffix(f, ".py")
		if !module || len(owns) == 0 {
			continue
		}
		if pkg, ok := strings.CutSuffix(name, "/__init__"); ok {
			name, module = pkg, false
		}
		dir, base := path.Split(name)
		dir = path.Clean(dir)
		nested := owns[path.Dir(dir)] && slices.Contains([]string{"src", "lib", "python"}, path.Base(dir))
		if (nested || owns[dir] && !module) && !isInput(base) && !strings.ContainsAny(base, ".-") && base != "__init__" && !slices.Contains(out, base) {
			out = append(out, base)
		}
	}
	return out
}

// isInput tells whether a folder of this name holds what tests are made of.
func isInput(name string) bool {
	switch name {
	case "test", "tests", "testing", "testdata", "fixtures", "examples", "example", "docs", "doc":
		return true
	}
	return false
}
