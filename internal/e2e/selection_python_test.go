package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// pythonHazards is a project of Python in which each test depends on one thing
// in one way.
func pythonHazards() map[string]string {
	return map[string]string{
		"pyproject.toml": "[project]\nname = \"shop\"\nversion = \"1\"\ndependencies = [\"left\", \"right\"]\n\n" +
			"[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\npythonpath = [\"src\", \"tools\"]\n",
		"uv.lock": "version = 1\n\n[[package]]\nname = \"left\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"right\"\nversion = \"1.0.0\"\n\n" +
			"[[package]]\nname = \"shop\"\nversion = \"1\"\nsource = { editable = \".\" }\ndependencies = [\n    { name = \"left\" },\n    { name = \"right\" },\n]\n",
		"README.md":                     "# shop\n",
		"src/shop/__init__.py":          "",
		"src/shop/dep.py":               "DEP = 1\n",
		"src/shop/far.py":               "from .mid import MID\n",
		"src/shop/mid.py":               "from shop.leaf import LEAF\n\nMID = LEAF\n",
		"src/shop/leaf.py":              "LEAF = 1\n",
		"src/shop/parts/__init__.py":    "from .one import ONE\nfrom .two import TWO\n",
		"src/shop/parts/one.py":         "ONE = 1\n",
		"src/shop/parts/two.py":         "TWO = 1\n",
		"src/shop/plugins/__init__.py":  "",
		"src/shop/plugins/a.py":         "A = 1\n",
		"src/shop/plugins/b.py":         "A = 1\n",
		"src/shop/load.py":              "from importlib import import_module\n\n\ndef load(name):\n    return import_module(\"shop.plugins.\" + name)\n",
		"src/shop/query.py":             "from pathlib import Path\n\n\ndef query():\n    return (Path(__file__).parent / \"sql\" / \"q.sql\").read_text()\n",
		"src/shop/sql/q.sql":            "select 1",
		"src/shop/types_only.py":        "class Price:\n    pass\n",
		"src/shop/naïve.py":             "N = 1\n",
		"space/part.py":                 "PART = 1\n",
		"tools/tool.py":                 "TOOL = 1\n",
		"src/colorsys.py":               "SHADOW = 1\n",
		"data/secret.txt":               "1",
		"data/cases.json":               "[1, 1]",
		"notes/a.txt":                   "1",
		"regreen.toml":                  "[affected]\ndata = { \"notes/*.txt\" = [\"tests/test_two.py\"] }\n",
		"tests/cases/a.txt":             "1",
		"tests/test_folder.py":          "from pathlib import Path\n\n\ndef test_folder():\n    assert {f.read_text() for f in (Path(__file__).parent / \"cases\").glob(\"*.txt\")} == {\"1\"}\n",
		"tests/sp ace/x y.txt":          "1",
		"tests/sp ace/test_blank.py":    "from pathlib import Path\n\n\ndef test_blank():\n    assert Path(__file__).with_name(\"x y.txt\").read_text() == \"1\"\n",
		"shared/deep.py":                "DEEP = 1\n",
		"tests/test_link.py":            "from shop.linked.deep import DEEP\n\n\ndef test_deep():\n    assert DEEP == 1\n",
		"tests/conftest.py":             "import pytest\n\nfrom helper import HELP\n\nassert HELP == 1\n\n\n@pytest.fixture\ndef price():\n    return 1\n\n\ndef unused():\n    return 1\n",
		"tests/helper.py":               "HELP = 1\n",
		"tests/plugin_price.py":         "import pytest\n\n\n@pytest.fixture\ndef plugged():\n    return 1\n",
		"tests/test_dep.py":             "from shop import dep\n\n\ndef test_dep():\n    assert dep.DEP == 1\n",
		"tests/test_lazy.py":            "def test_lazy():\n    from shop.dep import DEP\n\n    assert DEP == 1\n",
		"tests/test_far.py":             "from shop.far import MID\n\n\ndef test_far():\n    assert MID == 1\n",
		"tests/test_one.py":             "from shop.parts import ONE\n\n\ndef test_one():\n    assert ONE == 1\n",
		"tests/test_two.py":             "from shop.parts import TWO\n\n\ndef test_two():\n    assert TWO == 1\n",
		"tests/test_load.py":            "from shop.load import load\n\n\ndef test_load():\n    assert load(\"a\").A + load(\"b\").A == 2\n",
		"tests/test_query.py":           "from shop.query import query\n\n\ndef test_query():\n    assert query() == \"select 1\"\n",
		"tests/test_cases.py":           "import json\nfrom pathlib import Path\n\nimport pytest\n\nCASES = json.loads((Path(__file__).parent.parent / \"data\" / \"cases.json\").read_text())\n\n\n@pytest.mark.parametrize(\"case\", CASES)\ndef test_case(case):\n    assert case == 1\n",
		"tests/test_secret.py":          "def test_secret():\n    with open(\"txt.terces/atad\"[::-1]) as f:\n        assert f.read() == \"1\"\n",
		"tests/test_naïve.py":           "from shop import naïve\n\n\ndef test_n():\n    assert naïve.N == 1\n",
		"tests/test_space.py":           "import os\nimport sys\n\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), \"..\"))\n\nfrom space.part import PART\n\n\ndef test_part():\n    assert PART == 1\n",
		"tests/test_tool.py":            "import importlib\n\ntool = importlib.import_module(\"tool\")\n\n\ndef test_tool():\n    assert tool.TOOL == 1\n",
		"tests/test_shadow.py":          "import colorsys\n\n\ndef test_shadow():\n    assert colorsys.SHADOW == 1\n",
		"tests/test_types.py":           "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from shop.types_only import Price\n\n\ndef test_types():\n    got: \"Price | None\" = None\n    assert got is None\n",
		"tests/test_patch.py":           "from unittest.mock import patch\n\n\n@patch(\"shop.leaf.LEAF\", 2)\ndef test_patch():\n    pass\n",
		"tests/test_left.py":            "import left\n\n\ndef test_left():\n    assert left.LEFT == 1\n",
		"tests/test_right.py":           "import right\n\n\ndef test_right():\n    assert right.RIGHT == 1\n",
		"tests/unit/conftest.py":        "import pytest\n\n\n@pytest.fixture\ndef cost():\n    return 1\n\n\n@pytest.fixture\ndef other():\n    return 1\n\n\n@pytest.fixture(autouse=True)\ndef always():\n    assert True\n",
		"tests/unit/test_cost.py":       "def test_cost(cost):\n    assert cost == 1\n",
		"tests/unit/test_other.py":      "import pytest\n\n\n@pytest.mark.usefixtures(\"other\")\ndef test_other(request):\n    assert request.getfixturevalue(\"other\") == 1\n",
		"tests/unit/test_price.py":      "def test_price(price):\n    assert price == 1\n",
		"tests/unit/sub/test_nested.py": "def test_nested():\n    pass\n",
		"tests/plugs/conftest.py":       "",
		"conftest.py":                   "pytest_plugins = [\"tests.plugin_price\"]\n",
		"tests/plugs/test_plugged.py":   "def test_plugged(plugged):\n    assert plugged == 1\n",
		"tests/plugs/test_unplugged.py": "def test_unplugged():\n    pass\n",
	}
}

// allPythonHazards are all tests of the project.
const allPythonHazards = "tests/plugs/test_plugged.py tests/plugs/test_unplugged.py tests/sp ace/test_blank.py tests/test_cases.py tests/test_dep.py tests/test_far.py tests/test_folder.py tests/test_lazy.py tests/test_left.py tests/test_link.py tests/test_load.py " +
	"tests/test_naïve.py tests/test_one.py tests/test_patch.py tests/test_query.py tests/test_right.py tests/test_secret.py tests/test_shadow.py tests/test_space.py tests/test_tool.py tests/test_two.py " +
	"tests/test_types.py tests/unit/sub/test_nested.py tests/unit/test_cost.py tests/unit/test_other.py tests/unit/test_price.py"

// sitePackages is the folder of the virtual environment that packages are in.
func sitePackages(r *repo) string {
	r.t.Helper()
	found, err := filepath.Glob(r.path(".venv/lib/*/site-packages"))
	if err != nil || len(found) != 1 {
		r.t.Fatalf("site-packages: %q, %v", found, err)
	}
	rel, err := filepath.Rel(r.dir, found[0])
	if err != nil {
		r.t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

// installPythonHazards puts in place what is installed.
func installPythonHazards(r *repo) {
	r.t.Helper()
	site := sitePackages(r)
	for _, name := range []string{"left", "right"} {
		r.write(site+"/"+name+".py", strings.ToUpper(name)+" = 1\n")
		r.write(site+"/"+name+"-1.0.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: "+name+"\nVersion: 1.0.0\n")
		r.write(site+"/"+name+"-1.0.0.dist-info/RECORD", name+".py,,\n")
		r.write(site+"/"+name+"-1.0.0.dist-info/top_level.txt", name+"\n")
	}
}

// upgradeLeft is an install that brings another version of a package.
func upgradeLeft(r *repo) {
	r.t.Helper()
	file := sitePackages(r) + "/left.py"
	r.write(file, "LEFT = 22\n")
	r.t.Cleanup(func() { r.write(file, "LEFT = 1\n") })
	replaced("uv.lock", "name = \"left\"\nversion = \"1.0.0\"", "name = \"left\"\nversion = \"2.0.0\"")(r)
}

// pytestByFile runs the suite with pytest's own hooks and tells of each file
// whether it passed. Where one conftest.py does not load pytest runs nothing:
// then each file is run by itself, in a fork of one process.
const pytestByFile = `
import json, os, sys
import pytest

class Told:
    def __init__(self):
        self.failed = set()
    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.add(report.nodeid.split("::")[0])
    def pytest_collectreport(self, report):
        if report.failed:
            self.failed.add(report.nodeid)

def forked(run):
    pid = os.fork()
    if pid == 0:
        os._exit(run())
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

def whole():
    told = Told()
    code = pytest.main(["-q", "-p", "no:cacheprovider", "--continue-on-collection-errors", "tests"], plugins=[told])
    with open(report + ".failed", "w") as f:
        json.dump(sorted(told.failed), f)
    return int(code)

report = sys.argv[1]
files = sorted(os.path.join(folder, name) for folder, _, names in os.walk("tests") for name in names
               if name.startswith("test_") and name.endswith(".py"))
if forked(whole) < 2:
    with open(report + ".failed") as f:
        nodes = json.load(f)
    failed = [file for file in files if any(file == node or file.startswith(node + "/") for node in nodes)]
else:
    failed = [file for file in files if forked(lambda: int(pytest.main(["-q", "-p", "no:cacheprovider", file])))]
results = [{"name": os.path.abspath(file), "status": "failed" if file in failed else "passed"} for file in files]
with open(report, "w") as f:
    json.dump({"testResults": results}, f)
`

// TestPythonSelection is the table for pytest.
func TestPythonSelection(t *testing.T) {
	t.Parallel()
	p := project{framework: "pytest", deps: "pytest9", files: pythonHazards(), links: map[string]string{"src/shop/linked": "../../shared"}, prepare: installPythonHazards, failing: func(r *repo) []string {
		report := filepath.Join(r.t.TempDir(), "report.json")
		out := r.start(r.path(".venv/bin/python"), "-c", pytestByFile, report)
		return told(r, report, out)
	}}
	unit := "tests/unit/sub/test_nested.py tests/unit/test_cost.py tests/unit/test_other.py tests/unit/test_price.py"
	p.holds(t, []selection{
		{name: "edited dependency", ref: "joeyespo/pytest-watch#71, mochajs/mocha#4352", change: replaced("src/shop/dep.py", "1", "2"), want: "tests/test_dep.py tests/test_lazy.py"},
		{name: "deleted dependency", ref: "pantsbuild/pants#23240, #14975, #17512", change: deleted("src/shop/dep.py"), want: "tests/test_dep.py tests/test_lazy.py"},
		{name: "moved dependency", ref: "nrwl/nx#13677", change: moved("src/shop/dep.py", "src/shop/deep.py"), want: "tests/test_dep.py tests/test_lazy.py"},
		{name: "conftest that every test loads", ref: "jestjs/jest#11774", change: replaced("tests/conftest.py", "== 1", "== 2"), want: allPythonHazards},
		{name: "helper of a conftest", ref: "vitest-dev/vitest#2614", change: replaced("tests/helper.py", "1", "2"), want: allPythonHazards},
		{name: "unused function of a conftest", ref: "tarpas/pytest-testmon#74", change: replaced("tests/conftest.py", "def unused():\n    return 1", "def unused():\n    return 2"), want: "", fails: none},
		{name: "new function in a conftest", ref: "tarpas/pytest-testmon#74", change: replaced("tests/conftest.py", "def unused", "def more():\n    return 1\n\n\ndef unused"), want: "", fails: none},
		{name: "fixture", ref: "tarpas/pytest-testmon#74", change: replaced("tests/conftest.py", "price():\n    return 1", "price():\n    return 2"), want: "tests/unit/test_price.py"},
		{name: "fixture of a folder", ref: "tarpas/pytest-testmon#74", change: replaced("tests/unit/conftest.py", "cost():\n    return 1", "cost():\n    return 2"), want: "tests/unit/test_cost.py"},
		{name: "fixture by its mark and value", ref: "tarpas/pytest-testmon#17", change: replaced("tests/unit/conftest.py", "other():\n    return 1", "other():\n    return 2"), want: "tests/unit/test_other.py"},
		{name: "fixture that is always used", ref: "tarpas/pytest-testmon#17, #74", change: replaced("tests/unit/conftest.py", "assert True", "assert False"), want: unit},
		{name: "fixture that hides another", ref: "pantsbuild/pants#10441, pytest-dev/pytest#11527", change: added("tests/unit/sub/conftest.py", "raise RuntimeError\n"), want: "tests/unit/sub/test_nested.py"},
		{name: "fixture of a plugin", ref: "davidhalter/jedi#1907", change: replaced("tests/plugin_price.py", "return 1", "return 2"), want: "tests/plugs/test_plugged.py"},
		{name: "plugin at loading", ref: "davidhalter/jedi#1907", change: replaced("tests/plugin_price.py", "import pytest", "import pytest\n\nassert False"), want: allPythonHazards},
		{name: "lock file", ref: "jestjs/jest#15945, tarpas/pytest-testmon#183", change: upgradeLeft, want: "tests/test_left.py"},
		{name: "configuration", ref: "vitest-dev/vitest#10421", change: replaced("pyproject.toml", "pythonpath = ", "addopts = \"--strict-config\"\nnonsense = 1\npythonpath = "), want: allPythonHazards},
		{name: "settings that pytest does not come to", ref: "wichert/lingua#119", change: added("setup.cfg", "[metadata]\nname = shop\n"), want: "", fails: none},
		{name: "such settings that do not parse", ref: "pytest-dev/pytest#8923", change: added("setup.cfg", "[metadata\n"), want: allPythonHazards},
		{name: "data file", ref: "tarpas/pytest-testmon#49, #12", change: replaced("src/shop/sql/q.sql", "1", "2"), want: "tests/test_query.py"},
		{name: "parametrised data file", ref: "tarpas/pytest-testmon#49", change: replaced("data/cases.json", "[1, ", "[2, "), want: "tests/test_cases.py"},
		{name: "new file in a folder that is read", ref: "tarpas/pytest-testmon#49", change: added("tests/cases/b.txt", "2"), want: "tests/test_folder.py"},
		{name: "data file that the settings name", ref: "tarpas/pytest-testmon#12", change: replaced("notes/a.txt", "1", "2"), want: "tests/test_two.py", fails: none},
		{name: "data file that no text names", ref: "tarpas/pytest-testmon#49", change: replaced("data/secret.txt", "1", "2"), want: "tests/test_secret.py", learned: true},
		{name: "computed import", ref: "vitest-dev/vitest#5429", change: replaced("src/shop/plugins/b.py", "1", "2"), want: "tests/test_load.py"},
		{name: "far dependency", ref: "vitest-dev/vitest#4933", change: replaced("src/shop/leaf.py", "= 1", "= 2"), want: "tests/test_far.py tests/test_patch.py", fails: "tests/test_far.py"},
		{name: "deleted far dependency", ref: "pantsbuild/pants#14975", change: deleted("src/shop/leaf.py"), want: "tests/test_far.py tests/test_patch.py"},
		{name: "behind a package's init", ref: "vitest-dev/vitest#5009", change: replaced("src/shop/parts/one.py", "= 1", "= 2"), want: "tests/test_one.py tests/test_two.py", fails: "tests/test_one.py"},
		{name: "behind a package's init, at loading", ref: "wallabyjs/public#685", change: replaced("src/shop/parts/one.py", "= 1", "= 1 / 0"), want: "tests/test_one.py tests/test_two.py"},
		{name: "path that is not ASCII", ref: "jestjs/jest#10273", change: replaced("src/shop/naïve.py", "1", "2"), want: "tests/test_naïve.py"},
		{name: "path with blanks", ref: "infinitest/infinitest#187", change: replaced("tests/sp ace/x y.txt", "1", "2"), want: "tests/sp ace/test_blank.py"},
		{name: "behind a linked folder", ref: "vitest-dev/vitest#4101", change: replaced("shared/deep.py", "1", "2"), want: "tests/test_link.py"},
		{name: "namespace package on a path of the test's own", ref: "astral-sh/ruff#16205, #20701", change: replaced("space/part.py", "1", "2"), want: "tests/test_space.py"},
		{name: "path of the settings", ref: "jestjs/jest#10222", change: replaced("tools/tool.py", "1", "2"), want: "tests/test_tool.py"},
		{name: "shadowed standard library", ref: "astral-sh/ruff#28274", change: replaced("src/colorsys.py", "1", "2"), want: "tests/test_shadow.py"},
		{name: "import for types", ref: "astral-sh/ruff#20736", change: replaced("src/shop/types_only.py", "pass", "price = 1"), want: "tests/test_types.py", fails: none},
		{name: "deleted document", ref: "nrwl/nx#29699", change: deleted("README.md"), want: "", fails: none},
		{name: "nested working tree", ref: "getsentry/sentry#122196", want: "", fails: none, change: func(r *repo) {
			for name, text := range map[string]string{".git": "gitdir: /nowhere\n", "src/shop/dep.py": "DEP = 2\n", "tests/test_dep.py": r.read("tests/test_dep.py")} {
				r.write("nested/"+name, text)
			}
		}},
		{name: "comment", ref: "vercel/turborepo#10869", change: replaced("src/shop/dep.py", "DEP", "# a comment\nDEP"), want: "", fails: none},
	})
}
