package pytest

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/runner"
)

// executedIn runs the tests of root and gives which lines' functions each test
// file was seen to execute.
func executedIn(t *testing.T, p runner.Project, root string) (*runner.Executed, *runner.Report) {
	t.Helper()
	env := testEnv(t, root, root)
	env.Traced = true
	r := runEnv(t, "", env, p, runner.Request{})
	if r.Executed == nil {
		t.Fatalf("nothing is known of what was executed: %+v\n%s", r.Failures, r.Output)
	}
	return r.Executed, r
}

func lines(ran map[string][]int) string {
	var out []string
	for _, file := range slices.Sorted(maps.Keys(ran)) {
		if !strings.HasPrefix(filepath.Base(file), "test_") {
			out = append(out, fmt.Sprint(file, ran[file]))
		}
	}
	return strings.Join(out, " ")
}

const executedProject = `-- app.py --
import functools
import threading
def plain():
    return 1
def made():
    def inner():
        return 2
    return inner
class Thing:
    @property
    def price(self):
        return 3
    def __getattr__(self, name):
        return 4
def items():
    yield 5
    yield 6
def at_import():
    return 7
VALUE = at_import()
@functools.lru_cache(None)
def cached():
    return below()
def below():
    return 8
key = lambda x: x
_registry = {}
def register(name):
    _registry[name] = made()
def in_thread():
    plain()
def threaded():
    t = threading.Thread(target=in_thread)
    t.start()
    t.join()
def shared():
    return 9
def unused():
    return 10
def down():
    pass
-- conftest.py --
import pytest
import app
@pytest.fixture(scope="session")
def session_wide():
    yield app.shared()
    app.down()
@pytest.fixture(scope="session")
def flow():
    return app.items()
-- test_a.py --
import app
def test_plain():
    assert app.plain() == 1
def test_inner():
    assert app.made()() == 2
-- test_b.py --
import app
def test_thing():
    assert app.Thing().price == 3
    assert app.Thing().any == 4
def test_key():
    assert sorted([2, 1], key=app.key) == [1, 2]
def test_flow(flow):
    assert next(flow) == 5
-- test_c.py --
import app
def test_flow(flow):
    assert list(flow) == [6]
-- test_d.py --
import app
def test_session(session_wide):
    assert session_wide == 9
-- test_e.py --
import app
def test_thread():
    app.threaded()
-- test_f.py --
import app
def test_cached():
    assert app.cached() == 8
-- test_g.py --
import app
def test_cached():
    assert app.cached() == 8
`

// interpreters are those that tell of calls in each of the ways: with every
// pytest that is installed here, and every later Python that is.
func interpreters(t *testing.T) map[string]runner.Project {
	t.Helper()
	out := map[string]runner.Project{}
	for _, major := range []string{"7", "8", "9"} {
		out["pytest "+major] = runner.Project{Command: []string{python(t, major), "-m", "pytest"}}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(home, ".pyenv", "versions", "3.1[2-9]*", "bin", "python"))
	if err != nil {
		t.Fatal(err)
	}
	packages, err := filepath.Glob(filepath.Join(repository(t), "testdata", "deps", "pytest9", ".venv", "lib", "*", "site-packages"))
	if err != nil || len(packages) != 1 {
		t.Fatalf("site-packages %q: %v", packages, err)
	}
	for _, p := range found {
		out["Python of "+filepath.Base(filepath.Dir(filepath.Dir(p)))] = runner.Project{Command: []string{p, "-m", "pytest"}, Env: map[string]string{"PYTHONPATH": packages[0]}}
	}
	return out
}

// TestExecuted: each test file is known to execute what it executes, generators
// that are resumed, threads, shared fixtures and what others left behind among it.
func TestExecuted(t *testing.T) {
	for name, p := range interpreters(t) {
		root, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		write(t, root, executedProject)
		ex, r := executedIn(t, p, root)
		got := map[string]string{"": lines(ex.Shared)}
		for file, e := range ex.Tests {
			got[file] = lines(e.Ran) + e.Doubt
		}
		want := map[string]string{
			"":          "app.py[0 9 18 36 40] conftest.py[0 3 7]",
			"test_a.py": "app.py[3 5 6]",
			"test_b.py": "app.py[10 13 15 26] conftest.py[7]",
			"test_c.py": "app.py[15]",
			"test_d.py": "app.py[36] conftest.py[3]",
			"test_e.py": "app.py[3 30 32]",
			"test_f.py": "app.py[21 24]",
			"test_g.py": "app.py[21 24 40] conftest.py[3]",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: executed (-want +got)\n%s\n%s", name, d, r.Output)
		}
	}
}

// TestExecutedDoubt: where it cannot be seen what a test file executes, that is
// said.
func TestExecutedDoubt(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"a process":          {"import subprocess, sys\ndef test_x():\n    subprocess.run([sys.executable, '-c', ''], check=True)\n", "starts processes"},
		"a fork":             {"import os\ndef test_x():\n    pid = os.fork()\n    if pid == 0:\n        os._exit(0)\n    os.waitpid(pid, 0)\n", "starts processes"},
		"a socket":           {"import socket\ndef test_x():\n    with socket.socket() as s:\n        s.bind(('127.0.0.1', 0))\n        s.listen()\n        c = socket.create_connection(s.getsockname())\n        c.close()\n", "connects to a socket"},
		"a profiler":         {"import cProfile\ndef test_x():\n    p = cProfile.Profile()\n    p.enable()\n    p.disable()\n", "sets a profile function"},
		"a test that failed": {"def test_x():\n    pass\ndef test_y():\n    assert False\n", "did not pass"},
		"a skip inside":      {"import pytest\ndef test_x():\n    pytest.skip('no')\n", "has a test that skipped itself"},
		"a skip by its mark": {"import pytest\n@pytest.mark.skip\ndef test_x():\n    pass\n@pytest.mark.xfail\ndef test_y():\n    assert False\n", ""},
		"a raw thread":       {"import _thread, threading\ndef test_x():\n    e = threading.Event()\n    def f():\n        e.set()\n    _thread.start_new_thread(f, ())\n    e.wait()\n", "starts threads that are not seen"},
		"another profiler":   {"import sys\ndef test_x():\n    sys.setprofile(None)\n", "sets a profile function"},
	} {
		t.Run(name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			write(t, root, "-- test_x.py --\n"+tc.text)
			ex, r := executedIn(t, runner.Project{Command: []string{python(t, "9"), "-m", "pytest"}}, root)
			if got := ex.Tests["test_x.py"].Doubt; got != tc.want {
				t.Errorf("doubt %q, want %q\n%s", got, tc.want, r.Output)
			}
		})
	}
}

// TestExecutedNot: a run that is narrowed to tests, or was cut, tells nothing.
func TestExecutedNot(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "-- test_x.py --\nimport os\ndef test_x():\n    pass\ndef test_y():\n    os._exit(0)\n")
	env := testEnv(t, root, root)
	env.Traced = true
	s, err := New().Open(context.Background(), env, runner.Project{Root: ".", Command: []string{python(t, "9"), "-m", "pytest"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for name, req := range map[string]runner.Request{
		"one test":            {Tests: []runner.TestID{{Framework: Name, File: "test_x.py", Path: []string{"test_x"}}}},
		"a process that ends": {},
	} {
		req.Timeout = time.Minute
		r, err := s.Run(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		if r.Executed != nil {
			t.Errorf("%s: %+v", name, r.Executed)
		}
	}
}
