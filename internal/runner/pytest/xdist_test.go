package pytest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"regreen/internal/runner"
)

// xdistProject has tests in three files, one of which fails, that read a file
// and call functions; what is at work in a worker must be told as without one.
const xdistProject = `-- app.py --
def one():
    return 1
def two():
    return 2
def shared():
    return open("da" + "ta.txt").read()
-- data.txt --
3
-- conftest.py --
import pytest
import app
@pytest.fixture(scope="session")
def text():
    return app.shared()
-- test_a.py --
import app
import pytest
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_one(n):
    assert app.one() == 1
def test_skipped():
    pytest.skip("not here")
-- test_b.py --
import app
def test_two():
    assert app.two() == 2
def test_text(text):
    assert text == "3\n"
def test_more():
    assert app.two() + 1 == 3
-- test_c.py --
import app
def test_wrong():
    assert app.one() == 2
`

// TestXdist holds that workers of pytest-xdist change nothing of what is told:
// the tests with their verdicts, the failures, what was opened and what was
// executed (tarpas/pytest-testmon#259, #203, #234). Each worker writes a file of
// its own, so nothing can be locked.
func TestXdist(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, xdistProject)
	env := testEnv(t, root, root)
	env.Traced = true
	type told struct {
		Tests, Failures, Opened, Executed, Doubts []string
		Exit                                      int
	}
	tell := func(r *runner.Report) told {
		var out told
		for _, test := range r.Tests {
			out.Tests = append(out.Tests, fmt.Sprint(test.ID.File, test.ID.Path, test.Verdict, test.NotRun))
		}
		for _, b := range briefs(r) {
			out.Failures = append(out.Failures, fmt.Sprintf("%+v", b))
		}
		for _, o := range r.Opened {
			if o.File == "data.txt" {
				out.Opened = append(out.Opened, o.By+" "+o.Kind)
			}
		}
		if r.Executed == nil {
			t.Fatalf("nothing is known of what was executed\n%s", r.Output)
		}
		out.Executed = append(out.Executed, lines(r.Executed.Shared))
		for file, e := range r.Executed.Tests {
			out.Doubts = append(out.Doubts, file+" "+e.Doubt)
			if e.Doubt == "" {
				out.Executed = append(out.Executed, file+" "+lines(e.Ran))
			}
		}
		for _, list := range [][]string{out.Tests, out.Failures, out.Opened, out.Executed, out.Doubts} {
			slices.Sort(list)
		}
		out.Exit = r.Exit.Code
		if !r.Ended || r.Truncated != "" || len(r.NotLoaded) > 0 {
			t.Errorf("the run did not end well: %+v", r)
		}
		return out
	}
	want := tell(runEnv(t, python(t, "9"), env, runner.Project{}, runner.Request{}))
	if len(want.Tests) != 9 || len(want.Failures) != 1 || strings.Join(want.Opened, " ") != "test_b.py read" || len(want.Executed) != 2 {
		t.Fatalf("without workers: %+v", want)
	}
	for _, args := range [][]string{{"-n", "2"}, {"-n2", "--dist=loadfile"}, {"--numprocesses=2", "--dist", "worksteal"}} {
		r := runEnv(t, python(t, "9"), env, runner.Project{Args: args}, runner.Request{})
		if !strings.Contains(r.Output, "2 workers") {
			t.Errorf("%v: no workers ran\n%s", args, r.Output)
		}
		diff(t, strings.Join(args, " "), want, tell(r))
	}
}

// TestXdistNarrowed: files and tests that are asked for run in workers too, and
// no others do.
func TestXdistNarrowed(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, xdistProject)
	p := runner.Project{Args: []string{"-n", "2"}}
	tests := func(r *runner.Report) string {
		var out []string
		for _, test := range r.Tests {
			out = append(out, strings.Join(test.ID.Path, " "))
		}
		slices.Sort(out)
		return strings.Join(out, ", ")
	}
	r := runIn(t, python(t, "9"), root, p, runner.Request{Files: []string{"test_b.py"}})
	if got := tests(r); got != "test_more, test_text, test_two" {
		t.Errorf("one file: %s\n%s", got, r.Output)
	}
	r = runIn(t, python(t, "9"), root, p, runner.Request{Tests: []runner.TestID{{Framework: Name, File: "test_a.py", Path: []string{"test_one[3]"}}}})
	if got := tests(r); got != "test_one[3]" {
		t.Errorf("one test: %s\n%s", got, r.Output)
	}
	// A worker that dies takes its test down and nothing else.
	write(t, root, "-- test_d.py --\nimport os\ndef test_dies():\n    os._exit(3)\ndef test_lives():\n    pass\n")
	s, err := New().Open(context.Background(), testEnv(t, root, root), runner.Project{Root: ".", Command: []string{python(t, "9"), "-m", "pytest"}, Args: p.Args})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	r, err = s.Run(context.Background(), runner.Request{Files: []string{"test_d.py"}, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range r.Tests {
		if want := map[string]runner.Verdict{"test_dies": runner.Failed, "test_lives": runner.Passed}[test.ID.Path[0]]; test.Verdict != want {
			t.Errorf("%v is %s, want %s\n%s", test.ID.Path, test.Verdict, want, r.Output)
		}
	}
	if len(r.Tests) != 2 || !r.Ended || r.Exit.Code != 1 {
		t.Errorf("a worker died: %d tests, ended %v, exit %d", len(r.Tests), r.Ended, r.Exit.Code)
	}
}
