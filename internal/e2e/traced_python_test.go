package e2e

import (
	"strings"
	"testing"

	"regreen/cycle"
)

// TestTracedPython holds that with affected.precision = "traced" a test that a
// run was seen to call nothing of what differs in is spared, and that whatever
// makes that unsure selects as if nothing had been seen. The framework itself
// fails no test that is spared.
func TestTracedPython(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"regreen.toml":    "[affected]\nprecision = \"traced\"\n",
		"pyproject.toml":  "[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\npythonpath = [\".\"]\n",
		"app/__init__.py": "from app.core import one, two, Thing\n",
		"app/core.py": "import functools\n\nfrom app import low\n\n\ndef one():\n    return low.first()\n\n\ndef two():\n    return low.second()\n\n\n" +
			"class Thing:\n    @property\n    def price(self):\n        return low.third()\n\n\n@functools.lru_cache(None)\ndef cached():\n    return low.fourth()\n",
		"app/low.py":             "def first():\n    return 1\n\n\ndef second():\n    return 2\n\n\ndef third():\n    return 3\n\n\ndef fourth():\n    return 4\n\n\ndef fifth():\n    return 5\n\n\ndef at_import():\n    return 6\n\n\nVALUE = at_import()\n",
		"tests/conftest.py":      "import pytest\nfrom app import low\n\n\n@pytest.fixture(scope=\"session\")\ndef five():\n    return low.fifth()\n",
		"tests/test_one.py":      "from app import one\n\n\ndef test_one():\n    assert one() == 1\n",
		"tests/test_two.py":      "from app import two\n\n\ndef test_two():\n    assert two() == 2\n",
		"tests/test_thing.py":    "from app import Thing\n\n\ndef test_thing():\n    assert Thing().price == 3\n",
		"tests/test_cache_a.py":  "from app.core import cached\n\n\ndef test_cached():\n    assert cached() == 4\n",
		"tests/test_cache_b.py":  "from app.core import cached\n\n\ndef test_cached():\n    assert cached() == 4\n",
		"tests/test_fixed_a.py":  "def test_five(five):\n    assert five == 5\n",
		"tests/test_fixed_b.py":  "def test_five(five):\n    assert five == 5\n",
		"tests/test_process.py":  "import subprocess\nimport sys\n\n\ndef test_process():\n    code = \"from app import one; print(one())\"\n    assert subprocess.run([sys.executable, \"-c\", code], capture_output=True, text=True).stdout == \"1\\n\"\n",
		"tests/test_imported.py": "from app import low\n\n\ndef test_value():\n    assert low.VALUE == 6\n",
	}
	p := project{framework: "pytest", deps: "pytest9", files: files, failing: func(r *repo) []string { return failingByFile(r) }}
	all := "tests/test_cache_a.py tests/test_cache_b.py tests/test_fixed_a.py tests/test_fixed_b.py tests/test_imported.py tests/test_one.py tests/test_process.py tests/test_thing.py tests/test_two.py"
	body := func(from, to string) func(*repo) { return replaced("app/low.py", "return "+from, "return "+to) }
	p.holds(t, []selection{
		{name: "before anything ran", ref: "tarpas/pytest-testmon#94", change: body("1", "-1"), want: all, fails: "tests/test_one.py tests/test_process.py"},
		{name: "a function", ref: "wallabyjs/public#1444", learned: true, change: body("2", "-2"), want: "tests/test_process.py tests/test_two.py", fails: "tests/test_two.py"},
		{name: "a function that a child calls", ref: "tarpas/pytest-testmon#192", learned: true, change: body("1", "-1"), want: "tests/test_one.py tests/test_process.py"},
		{name: "behind a property", ref: "-", learned: true, change: body("3", "-3"), want: "tests/test_process.py tests/test_thing.py", fails: "tests/test_thing.py"},
		{name: "behind a cache that another test filled", ref: "tarpas/pytest-testmon#207", learned: true, change: body("4", "-4"), want: all, fails: "tests/test_cache_a.py tests/test_cache_b.py"},
		{name: "behind a fixture that several share", ref: "-", learned: true, change: body("5", "-5"), want: all, fails: "tests/test_fixed_a.py tests/test_fixed_b.py"},
		{name: "called when the module loads", ref: "wallabyjs/public#685", learned: true, change: body("6", "-6"), want: all, fails: "tests/test_imported.py"},
		{name: "a function that nobody called", ref: "tarpas/pytest-testmon#74", learned: true, change: replaced("app/core.py", "return low.second()", "return low.first() + 1"), want: "tests/test_process.py tests/test_two.py", fails: none},
		{name: "the module", ref: "wallabyjs/public#119", learned: true, change: replaced("app/low.py", "VALUE = at_import()", "VALUE = at_import() + 1"), want: all, fails: "tests/test_imported.py"},
	})
}

// failingByFile runs the suite without regreen and tells which files fail.
func failingByFile(r *repo) []string {
	report := r.t.TempDir() + "/report.json"
	return told(r, report, r.start(r.path(".venv/bin/python"), "-c", pytestByFile, report))
}

// TestTracedPythonLater holds that evidence lasts from cycle to cycle, is not
// taken for a tree that it is not of, and is told of.
func TestTracedPythonLater(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "pytest9", map[string]string{
		"regreen.toml":      "[affected]\nprecision = \"traced\"\n",
		"pyproject.toml":    "[tool.pytest.ini_options]\npythonpath = [\".\"]\n",
		"app.py":            "def one():\n    return 1\n\n\ndef two():\n    return 2\n\n\ndef choose(n):\n    return two() if n else one()\n",
		"tests/test_one.py": "import app\n\n\ndef test_one():\n    assert app.choose(0) == 1\n",
		"tests/test_two.py": "import app\n\n\ndef test_two():\n    assert app.two() == 2\n",
	})
	selects := func(want string) {
		t.Helper()
		got, document := r.affected()
		if strings.Join(got, " ") != want {
			t.Errorf("selected %q, want %q\n%s", got, want, document)
		}
	}
	if d, res := r.run("--all"); d.Outcome != cycle.Passed {
		t.Fatalf("run --all: %s", res.stdout)
	}
	replaced("app.py", "return 2", "return 1 + 1")(r)
	selects("tests/test_two.py")
	if res := r.regreen("affected", "--why", "tests/test_one.py"); !strings.Contains(res.stdout, "called nothing of app.py that differs (two)") {
		t.Errorf("--why says\n%s%s", res.stdout, res.stderr)
	}
	// test_two ran in this tree, test_one in the first one: both still count.
	if d, res := r.run(); d.Outcome != cycle.Passed || d.Iterations[0].Total != 1 {
		t.Fatalf("run: %s", res.stdout)
	}
	replaced("app.py", "return 1 + 1", "return 3 - 1")(r)
	selects("tests/test_two.py")
	// What test_one executes differs now, and two itself still does.
	replaced("app.py", "two() if n else one()", "two() if n == 0 else one()")(r)
	selects("tests/test_one.py tests/test_two.py")
}
