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
	"time"

	"regreen/internal/proc"
	"regreen/internal/runner"
)

// interpreter is a Python that was asked who it is.
type interpreter struct {
	path    string // abs, what is to be started
	pytest  string // version, "" when it has none
	source  string // how it was found
	problem string
}

// isVenv tells whether a folder is a virtual environment.
func isVenv(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "pyvenv.cfg"))
	return err == nil
}

// query asks for what is needed with one short start: never through a shim
// again, and without the project's own modules in the way.
const query = `
import sys
sys.path[:] = [p for p in sys.path if p not in ("", ".")]
import json
version = ""
try:
    from importlib.util import find_spec
    if find_spec("pytest") is not None:
        try:
            from importlib.metadata import version as of
            version = of("pytest")
        except Exception:
            import pytest
            version = pytest.__version__
except Exception:
    pass
print("regreen:" + json.dumps({"executable": sys.executable, "pytest": version, "path": sys.path}))
`

// queryLimit is for a cold start through a shim on a busy machine.
const queryLimit = 30 * time.Second

// search finds interpreters for projects of one repository and asks each once.
type search struct {
	in    runner.DetectInput
	asked map[string]interpreter
}

func newSearch(in runner.DetectInput) *search {
	return &search{in: in, asked: map[string]interpreter{}}
}

// find gives the interpreter of a project (rel), in the order of how surely it
// is the project's: its own environment, the active one, the one on PATH. A
// project's environment without pytest is not passed over for PATH's: that one
// would lack the project's packages too.
func (s *search) find(ctx context.Context, root string) (interpreter, error) {
	var first *interpreter
	for _, c := range s.environments(ctx, root) {
		got, err := s.ask(ctx, c.path, c.source, root)
		if err != nil {
			return got, err
		}
		if got.problem == "" && got.pytest != "" {
			return got, nil
		}
		if first == nil {
			first = &got
		}
	}
	if first != nil {
		return *first, nil
	}
	return s.onPath(ctx, root)
}

// onPath takes the first interpreter on PATH that has pytest, else the first.
func (s *search) onPath(ctx context.Context, root string) (interpreter, error) {
	var first *interpreter
	seen := map[string]bool{}
	for _, name := range pythonNames {
		for _, dir := range filepath.SplitList(lookup(s.in.Environ, "PATH")) {
			p := filepath.Join(dir, name)
			key := filepath.Join(resolved(dir), name) // /bin is often /usr/bin
			if !filepath.IsAbs(p) || !isFile(p) || seen[key] {
				continue
			}
			seen[key] = true
			got, err := s.ask(ctx, p, name+" on PATH", root)
			if err != nil {
				return got, err
			}
			if got.problem == "" && got.pytest != "" {
				return got, nil
			}
			if first == nil && got.problem == "" {
				first = &got
			}
		}
	}
	if first != nil {
		return *first, nil
	}
	return interpreter{problem: "no Python interpreter was found"}, nil
}

func isFile(p string) bool {
	fi, err := os.Stat(p)
	return err == nil && fi.Mode().IsRegular()
}

// environments lists the virtual environments that may be the project's.
func (s *search) environments(ctx context.Context, root string) []interpreter {
	var out []interpreter
	add := func(dir, source string) {
		p := interpreterIn(dir)
		if isFile(p) && !slices.ContainsFunc(out, func(i interpreter) bool { return i.path == p }) {
			out = append(out, interpreter{path: p, source: source})
		}
	}
	for dir := path.Clean(root); ; dir = path.Dir(dir) {
		abs := filepath.Join(s.in.Root, filepath.FromSlash(dir))
		for _, name := range []string{".venv", "venv", "env"} {
			if v := filepath.Join(abs, name); isVenv(v) || name != "env" {
				add(v, path.Join(dir, name))
			}
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	for up := filepath.Dir(s.in.Root); ; up = filepath.Dir(up) {
		for _, name := range []string{".venv", "venv"} {
			if v := filepath.Join(up, name); isVenv(v) {
				add(v, v)
			}
		}
		if up == filepath.Dir(up) {
			break
		}
	}
	for _, name := range []string{"UV_PROJECT_ENVIRONMENT", "VIRTUAL_ENV"} {
		if v := lookup(s.in.Environ, name); v != "" {
			if !filepath.IsAbs(v) {
				v = filepath.Join(s.in.Root, filepath.FromSlash(root), v)
			}
			add(v, "$"+name)
		}
	}
	if len(out) == 0 {
		if v := s.poetry(ctx, root); v != "" {
			add(v, "poetry env info")
		}
	}
	return out
}

// poetry asks poetry where it keeps a poetry project's environment.
func (s *search) poetry(ctx context.Context, root string) string {
	if !slices.Contains(s.in.Files, path.Join(root, "poetry.lock")) {
		return ""
	}
	for _, dir := range filepath.SplitList(lookup(s.in.Environ, "PATH")) {
		p := filepath.Join(dir, "poetry")
		if !filepath.IsAbs(p) || !isFile(p) {
			continue
		}
		out, err := s.output(ctx, p, []string{"env", "info", "-p"}, root)
		if err == nil {
			return strings.TrimSpace(out)
		}
		return ""
	}
	return ""
}

// answer is what an interpreter says of itself.
type answer struct {
	Executable, Pytest string
	Path               []string // the folders that it imports from
}

// ask starts an interpreter once, or not at all where its answer is remembered.
// The error is for a context that ended.
func (s *search) ask(ctx context.Context, p, source, root string) (interpreter, error) {
	if got, ok := s.asked[p]; ok {
		return got, nil
	}
	got := interpreter{path: p, source: source}
	a, ok := s.recall(p, root)
	if !ok {
		var err error
		if a, err = s.query(ctx, p, root); ctx.Err() != nil {
			return got, context.Cause(ctx)
		} else if err != nil {
			got.problem = err.Error()
		} else {
			s.remember(p, root, a, time.Now())
		}
	}
	got.pytest = a.Pytest
	if filepath.IsAbs(a.Executable) {
		got.path = a.Executable
	}
	s.asked[p] = got
	return got, nil
}

func (s *search) query(ctx context.Context, p, root string) (a answer, err error) {
	out, err := s.output(ctx, p, []string{"-c", query}, root)
	if err != nil {
		return a, err
	}
	_, text, found := strings.Cut(out, "regreen:")
	if !found || json.Unmarshal([]byte(text), &a) != nil {
		return answer{}, errors.New(p + " does not answer as Python does")
	}
	return a, nil
}

func (s *search) output(ctx context.Context, program string, args []string, root string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, queryLimit)
	defer cancel()
	var out bytes.Buffer
	errOut := proc.NewTail(4 << 10)
	exit, err := s.in.Exec.Run(ctx, proc.Cmd{
		Path: program, Args: args, Dir: filepath.Join(s.in.Root, filepath.FromSlash(root)),
		Env:    merged(s.in.Environ, map[string]string{"PYTHONDONTWRITEBYTECODE": "1"}),
		Stdout: &out, Stderr: errOut,
	})
	if err != nil {
		return "", err
	}
	if exit.Stopped {
		return "", errors.New(program + " did not answer in time")
	}
	if exit.Code != 0 {
		return "", fmt.Errorf("%s ended with exit code %d: %s", program, exit.Code, strings.TrimSpace(errOut.String()))
	}
	return out.String(), nil
}
