package pytest

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/runner"
)

// TestOpened: the files that tests read in ways that no text tells are known
// after a run, for the test that read them (tarpas/pytest-testmon#49, #12), and
// what a module reads while it is imported is the module's.
func TestOpened(t *testing.T) {
	for _, major := range []string{"7", "8", "9"} {
		root, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		write(t, root, `-- data/one.json --
1
-- data/two.txt --
2
-- data/three.sql --
3
-- data/four.csv --
4
-- list/x.txt --
-- app.py --
NAME = "three" + ".sql"
TEXT = open("data/" + NAME).read()
-- conftest.py --
import pytest
@pytest.fixture
def four():
    with open("data/four" + "." + "csv") as f:
        yield f
-- child.py --
import os
open(os.path.join("data", "two" + ".txt")).close()
-- tests/test_a.py --
import os, pathlib, subprocess, sys
import app
def test_read():
    pathlib.Path("data", "one" + ".json").read_text()
    os.listdir("li" + "st")
    open("written.txt", "w").close()
def test_child():
    subprocess.run([sys.executable, "chi" + "ld.py"], check=True)
-- tests/test_b.py --
import app
def test(four):
    pass
`)
		r := runIn(t, python(t, major), root, runner.Project{}, runner.Request{})
		var got []string
		for _, o := range r.Opened {
			if strings.HasPrefix(o.File, "data/") || o.File == "list" || o.File == "written.txt" {
				got = append(got, o.By+" "+o.Kind+" "+o.File)
			}
		}
		slices.Sort(got)
		want := []string{"app.py read data/three.sql", "child.py read data/two.txt", "tests/test_a.py list list", "tests/test_a.py read data/one.json",
			"tests/test_a.py read data/three.sql", "tests/test_a.py read data/two.txt", "tests/test_b.py read data/four.csv"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pytest %s: opened (-want +got)\n%s\n%s", major, diff, r.Output)
		}
	}
}
