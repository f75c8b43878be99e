package pytest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"regreen/internal/runner"
)

const twoFiles = `
-- tests/test_a.py --
import pytest


@pytest.mark.parametrize("word", ["x", "日本", "a::b"])
def test_word(word):
    assert word


class TestK:
    def test_m(self):
        pass


def test_other():
    pass
-- tests/test_b.py --
def test_b():
    pass
`

func paths(r *runner.Report) []string {
	var out []string
	for _, t := range r.Tests {
		out = append(out, base(t.ID.File)+" "+strings.Join(t.ID.Path, " "))
	}
	slices.Sort(out)
	return out
}

func TestRunNarrowsToTests(t *testing.T) {
	for _, version := range []string{"7", "9"} {
		root := t.TempDir()
		write(t, root, twoFiles)
		id := func(file string, path ...string) runner.TestID {
			return runner.TestID{Framework: Name, File: file, Path: path}
		}
		req := runner.Request{Tests: []runner.TestID{
			id("tests/test_a.py", "test_word[日本]"), id("tests/test_a.py", "test_word[a::b]"), id("tests/test_a.py", "TestK", "test_m"),
		}}
		r := runIn(t, python(t, version), root, runner.Project{}, req)
		diff(t, "tests of version "+version, []string{"test_a.py TestK test_m", "test_a.py test_word[a::b]", "test_a.py test_word[日本]"}, paths(r))
		if r.Red() != "" {
			t.Errorf("red %q\n%s", r.Red(), r.Output)
		}
	}
}

func TestRunOfFilesThatAreGoneIsNoTests(t *testing.T) {
	root := t.TempDir()
	write(t, root, twoFiles)
	r := runIn(t, python(t, "9"), root, runner.Project{}, runner.Request{Files: []string{"tests/test_gone.py"}})
	if r.Red() != "no test ran" || len(r.Warnings) != 1 || len(r.Tests) != 0 {
		t.Errorf("red %q, warnings %q, tests %v", r.Red(), r.Warnings, r.Tests)
	}
}

func TestRunOfMoreFilesThanACommandLineTakes(t *testing.T) {
	root := t.TempDir()
	var files []string
	for n := range 300 {
		f := fmt.Sprintf("tests/%s/test_%d.py", strings.Repeat("long", 20), n)
		save(t, filepath.Join(root, f), "def test_it():\n    pass\n")
		if n%3 > 0 {
			files = append(files, f)
		}
	}
	r := runIn(t, python(t, "9"), root, runner.Project{}, runner.Request{Files: files})
	if c := r.Counts(known(root)); c.Passed != len(files) || c.Total != len(files) {
		t.Errorf("counts %+v for %d files\n%s", c, len(files), r.Output)
	}
}

func TestProgressTellsBeginAndEnd(t *testing.T) {
	root := t.TempDir()
	write(t, root, twoFiles)
	var got []string
	req := runner.Request{Files: []string{"tests/test_b.py"}, Progress: func(p runner.Progress) {
		got = append(got, fmt.Sprintf("%s %q %t %s", p.Test.File, p.Test.Path, p.Done, p.Verdict))
	}}
	runIn(t, python(t, "9"), root, runner.Project{}, req)
	diff(t, "progress", []string{`tests/test_b.py ["test_b"] false `, `tests/test_b.py ["test_b"] true passed`}, got)
}

func TestRunEndsWhenCancelled(t *testing.T) {
	root := t.TempDir()
	write(t, root, "-- test_a.py --\nimport time\n\n\ndef test_a():\n    time.sleep(60)\n")
	env := testEnv(t, root, root)
	s, err := New().Open(context.Background(), env, runner.Project{Root: ".", Command: []string{python(t, "9"), "-m", "pytest"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	stop := errors.New("saved again")
	ctx, cancel := context.WithCancelCause(context.Background())
	req := runner.Request{Timeout: time.Minute, Progress: func(runner.Progress) { cancel(stop) }}
	start := time.Now()
	if _, err := s.Run(ctx, req); !errors.Is(err, stop) {
		t.Errorf("Run = %v, want %v", err, stop)
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("Run took %v to end", d)
	}
}

func TestArgumentsAndEnvironmentAreTheCopys(t *testing.T) {
	dir := resolved(t.TempDir())
	origin, root := filepath.Join(dir, "origin"), filepath.Join(dir, "copy")
	files := `
-- sub/extra/helper.py --
VALUE = 1
-- sub/other.ini --
[pytest]
python_files = check_*.py
-- sub/check_it.py --
import os

import helper


def test_it():
    assert os.path.dirname(helper.__file__) == os.environ["EXTRA"]
    assert os.path.realpath(os.getcwd()) == os.environ["WANT_CWD"]
`
	write(t, origin, files)
	write(t, root, files)
	p := runner.Project{Root: "sub", Args: []string{"-c", filepath.Join(origin, "sub", "other.ini")}, Env: map[string]string{
		"PYTHONPATH": filepath.Join(origin, "sub", "extra"), "EXTRA": filepath.Join(origin, "sub", "extra"), "WANT_CWD": filepath.Join(root, "sub"),
	}}
	r := runEnv(t, python(t, "9"), testEnv(t, root, origin), p, runner.Request{})
	diff(t, "tests", []string{"check_it.py test_it"}, paths(r))
	if r.Red() != "" {
		t.Errorf("red %q\n%s", r.Red(), r.Output)
	}
	if len(r.Tests) > 0 && r.Tests[0].ID.File != "sub/check_it.py" {
		t.Errorf("file %q is not rel to the repository", r.Tests[0].ID.File)
	}
}

func TestSecondRunSeesAFixOfEqualLength(t *testing.T) {
	root := t.TempDir()
	write(t, root, "-- calc.py --\ndef add(a, b):\n    return a - b\n-- test_calc.py --\nfrom calc import add\n\n\ndef test_add():\n    assert add(1, 1) == 2\n")
	env := testEnv(t, root, root)
	s, err := New().Open(context.Background(), env, runner.Project{Root: ".", Command: []string{python(t, "9"), "-m", "pytest"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	at := time.Now()
	for _, want := range []struct{ op, red string }{{"-", "tests failed"}, {"+", ""}} {
		f := filepath.Join(root, "calc.py")
		save(t, f, "def add(a, b):\n    return a "+want.op+" b\n")
		if err := os.Chtimes(f, at, at); err != nil {
			t.Fatal(err)
		}
		r, err := s.Run(context.Background(), runner.Request{})
		if err != nil || r.Red() != want.red {
			t.Errorf("red %q, %v with %s; want %q", r.Red(), err, want.op, want.red)
		}
	}
}

func TestAReportThatIsNotOursIsRed(t *testing.T) {
	root := t.TempDir()
	// a program that prints a summary and exits 0
	write(t, root, "-- fake.py --\nprint('1 passed in 0.01s')\n-- test_a.py --\ndef test_a():\n    pass\n")
	p := runner.Project{Root: ".", Command: []string{python(t, "9"), "fake.py"}}
	r := runEnv(t, "", testEnv(t, root, root), p, runner.Request{})
	if r.Red() == "" || len(r.Failures) != 1 || r.Failures[0].Scope != runner.ScopeRun {
		t.Errorf("red %q, failures %v", r.Red(), briefs(r))
	}
	// a test that appends records of its own cannot: it does not know where
	write(t, root, `
-- test_a.py --
import os


def test_a():
    assert "REGREEN_REPORT" not in os.environ
    assert "REGREEN_NONCE" not in os.environ
`)
	if r := runIn(t, python(t, "9"), root, runner.Project{}, runner.Request{}); r.Red() != "" {
		t.Errorf("red %q\n%s", r.Red(), r.Output)
	}
}
