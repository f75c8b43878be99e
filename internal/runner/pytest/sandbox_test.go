package pytest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"regreen/internal/runner"
)

// project is a package in src, with a test that tells which tree it is from.
const project = `
-- pyproject.toml --
[project]
name = "shop"
version = "1.2"
[tool.pytest.ini_options]
testpaths = ["tests"]
-- src/shop/__init__.py --
from shop.where import TREE
-- src/shop/where.py --
TREE = "origin"
-- src/single.py --
TREE = "origin"
-- tests/test_where.py --
import subprocess
import sys

import shop
import single


def test_tree():
    assert shop.TREE == "copy"
    assert single.TREE == "copy"


def test_child():
    code = "import shop, single; print(shop.TREE, single.TREE)"
    out = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    assert out.stdout.split() == [b"copy", b"copy"]
`

// twoTrees gives a user's tree with a virtual environment and a changed copy.
func twoTrees(t *testing.T, text string) (env runner.Env, site, interpreter string) {
	t.Helper()
	dir := resolved(t.TempDir())
	origin, root := filepath.Join(dir, "origin"), filepath.Join(dir, "copy")
	write(t, origin, text)
	write(t, root, strings.ReplaceAll(text, `TREE = "origin"`, `TREE = "copy"`))
	base := python(t, "9")
	out, err := exec.Command(base, "-m", "venv", "--without-pip", filepath.Join(origin, ".venv")).CombinedOutput()
	if err != nil {
		t.Fatalf("make a virtual environment: %v\n%s", err, out)
	}
	interpreter = interpreterIn(filepath.Join(origin, ".venv"))
	site = ask(t, interpreter, "import sysconfig; print(sysconfig.get_path('purelib'))")
	pytests := ask(t, base, "import sysconfig; print(sysconfig.get_path('purelib'))")
	save(t, filepath.Join(site, "pytest-of-deps.pth"), pytests+"\n")
	return testEnv(t, root, origin), site, interpreter
}

func ask(t *testing.T, interpreter, code string, args ...string) string {
	t.Helper()
	out, err := exec.Command(interpreter, append([]string{"-c", code}, args...)...).Output()
	if err != nil {
		t.Fatalf("ask Python: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func save(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// finder is the text of setuptools' own editable finder.
const finder = `
import sys
from setuptools.command.editable_wheel import _finder_template
src = sys.argv[1]
print(_finder_template("__editable__.shop", {"shop": src + "/shop", "single": src + "/single.py"}, {}))
`

func TestEditableInstallsLeadToTheCopy(t *testing.T) {
	tests := []struct {
		name    string
		install func(t *testing.T, origin, site, interpreter string)
	}{
		{"pth file", func(t *testing.T, origin, site, _ string) {
			save(t, filepath.Join(site, "__editable__.shop-1.2.pth"), filepath.Join(origin, "src")+"\n")
		}},
		{"setuptools finder", func(t *testing.T, origin, site, interpreter string) {
			save(t, filepath.Join(site, "__editable___shop_1_2_finder.py"), ask(t, interpreter, finder, filepath.ToSlash(filepath.Join(origin, "src"))))
			save(t, filepath.Join(site, "__editable__.shop-1.2.pth"), "import __editable___shop_1_2_finder; __editable___shop_1_2_finder.install()\n")
		}},
		{"setuptools strict", func(t *testing.T, origin, site, _ string) {
			links := filepath.Join(origin, "build", "__editable__.shop-1.2-py3-none-any")
			for _, f := range []string{"shop/__init__.py", "shop/where.py", "single.py"} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(links, f)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(filepath.Join(origin, "src", f), filepath.Join(links, f)); err != nil {
					t.Fatal(err)
				}
			}
			save(t, filepath.Join(site, "__editable__.shop-1.2.pth"), links+"\n")
		}},
		{"editables", func(t *testing.T, origin, site, _ string) {
			// the shape of editables.redirector 0.5, which hatchling and pdm use
			save(t, filepath.Join(site, "editables", "__init__.py"), "")
			save(t, filepath.Join(site, "editables", "redirector.py"), `
import importlib.abc, importlib.util, sys
class RedirectingFinder(importlib.abc.MetaPathFinder):
    _redirections = {}
    @classmethod
    def map_module(cls, name, path):
        cls._redirections[name] = path
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if "." in fullname or path is not None or fullname not in cls._redirections:
            return None
        return importlib.util.spec_from_file_location(fullname, cls._redirections[fullname])
    @classmethod
    def install(cls):
        if not any(f is cls for f in sys.meta_path):
            sys.meta_path.append(cls)
`)
			src := filepath.ToSlash(filepath.Join(origin, "src"))
			save(t, filepath.Join(site, "_editable_impl_shop.py"), `
from editables.redirector import RedirectingFinder as F
F.install()
F.map_module("shop", "`+src+`/shop/__init__.py")
F.map_module("single", "`+src+`/single.py")
`)
			save(t, filepath.Join(site, "_shop.pth"), "import _editable_impl_shop\n")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env, site, interpreter := twoTrees(t, project)
			tt.install(t, env.Origin, site, interpreter)
			p := runner.Project{Root: ".", Command: []string{interpreter, "-m", "pytest"}}
			if r := runEnv(t, interpreter, env, p, runner.Request{}); r.Red() != "" || len(r.Foreign) > 0 {
				t.Errorf("red %q, foreign %v\n%s", r.Red(), r.Foreign, r.Output)
			}
			bad, err := Probe(context.Background(), env, p, nil)
			if err != nil || len(bad) > 0 {
				t.Errorf("Probe = %q, %v; want none", bad, err)
			}
		})
	}
}

func TestOldEditableInstallKeepsItsMetadata(t *testing.T) {
	env, site, interpreter := twoTrees(t, project+`
-- tests/test_version.py --
from importlib.metadata import version


def test_version():
    assert version("shop") == "1.2"
`)
	// setup.py develop leaves the metadata in the source, where git ignores it
	src := filepath.Join(env.Origin, "src")
	save(t, filepath.Join(src, "shop.egg-info", "PKG-INFO"), "Metadata-Version: 2.1\nName: shop\nVersion: 1.2\n")
	save(t, filepath.Join(site, "easy-install.pth"), src+"\n")
	save(t, filepath.Join(site, "shop.egg-link"), src+"\n../\n")
	if r := runEnv(t, interpreter, env, runner.Project{}, runner.Request{}); r.Red() != "" {
		t.Errorf("red %q\n%s", r.Red(), r.Output)
	}
}

func TestProbeNamesWhatIsInstalledAsACopy(t *testing.T) {
	env, site, interpreter := twoTrees(t, project)
	save(t, filepath.Join(site, "shop", "__init__.py"), "TREE = 'installed'\n")
	p := runner.Project{Root: ".", Command: []string{interpreter, "-m", "pytest"}}
	got, err := Probe(context.Background(), env, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "Probe", []string{"shop: " + filepath.Join(site, "shop", "__init__.py")}, got)

	// with src on pytest's own path the tests do see the copy
	write(t, env.Root, "-- pytest.ini --\n[pytest]\npythonpath = src\n")
	if got, err = Probe(context.Background(), env, p, nil); err != nil || len(got) > 0 {
		t.Errorf("Probe with pythonpath = %q, %v; want none", got, err)
	}
}

// TestProbeLooksAtEveryPackage: a repository of several packages is tested from
// its root, where none of them lies.
func TestProbeLooksAtEveryPackage(t *testing.T) {
	const files = `
-- pytest.ini --
[pytest]
-- packages/a/pyproject.toml --
-- packages/a/src/apple/__init__.py --
-- packages/a/src/avocado.py --
-- packages/a/tasks.py --
-- packages/a/tests/__init__.py --
-- packages/b/setup.py --
-- packages/b/banana/__init__.py --
-- packages/b/banana/inner/__init__.py --
-- packages/b/tests/data/cherry/setup.py --
-- packages/b/tests/data/cherry/cherry/__init__.py --
-- loose/date/__init__.py --
`
	env, site, interpreter := twoTrees(t, files)
	for _, name := range []string{"apple", "tasks", "tests", "banana", "inner", "cherry", "date"} {
		save(t, filepath.Join(site, name, "__init__.py"), "")
	}
	p := runner.Project{Root: ".", Command: []string{interpreter, "-m", "pytest"}}
	var names []string
	for _, f := range txtar.Parse([]byte(files)).Files {
		names = append(names, f.Name)
	}
	got, err := Probe(context.Background(), env, p, names)
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "Probe", []string{"apple: " + filepath.Join(site, "apple", "__init__.py"), "banana: " + filepath.Join(site, "banana", "__init__.py")}, got)
}

func TestForeignModulesAreTold(t *testing.T) {
	env, _, interpreter := twoTrees(t, project)
	save(t, filepath.Join(env.Root, "conftest.py"), "import sys\nsys.path.insert(0, "+pyString(filepath.Join(env.Origin, "src"))+")\n")
	r := runEnv(t, interpreter, env, runner.Project{}, runner.Request{})
	diff(t, "foreign", []string{"src/shop/__init__.py", "src/shop/where.py", "src/single.py"}, r.Foreign)
	if len(r.Failures) == 0 || r.Failures[0].Place.File != "tests/test_where.py" {
		t.Errorf("failures: %v", briefs(r))
	}
}

// TestModulesFromElsewhereAreTold: an environment that is shared by two copies
// of a repository has one of them installed. Tests of the other are green
// whatever is broken there.
func TestModulesFromElsewhereAreTold(t *testing.T) {
	const shop = `
-- src/shop/__init__.py --
TREE = "here"
-- tests/test_it.py --
import json
import shop


def test_it():
    assert shop and json
`
	told := func(t *testing.T, installed string, env runner.Env, interpreter string) {
		t.Helper()
		r := runEnv(t, interpreter, env, runner.Project{}, runner.Request{})
		warned := slices.ContainsFunc(r.Warnings, func(w string) bool {
			return strings.Contains(w, "the tests loaded shop from "+installed)
		})
		if r.Red() != "" || !warned || len(r.Warnings) != 1 {
			t.Errorf("red %q, warnings %q; want one of %s\n%s", r.Red(), r.Warnings, installed, r.Output)
		}
	}
	t.Run("another copy", func(t *testing.T) {
		env, site, interpreter := twoTrees(t, shop)
		other := resolved(t.TempDir())
		save(t, filepath.Join(other, "shop", "__init__.py"), "TREE = 'other'\n")
		save(t, filepath.Join(site, "shop.pth"), other+"\n")
		told(t, filepath.Join(other, "shop", "__init__.py"), env, interpreter)
	})
	t.Run("installed", func(t *testing.T) {
		env, site, interpreter := twoTrees(t, shop)
		save(t, filepath.Join(site, "shop", "__init__.py"), "TREE = 'installed'\n")
		told(t, resolved(filepath.Join(site, "shop", "__init__.py")), env, interpreter)
	})
	t.Run("none", func(t *testing.T) {
		env, site, interpreter := twoTrees(t, shop)
		save(t, filepath.Join(site, "shop.pth"), filepath.Join(env.Origin, "src")+"\n")
		if r := runEnv(t, interpreter, env, runner.Project{}, runner.Request{}); r.Red() != "" || len(r.Warnings) > 0 {
			t.Errorf("red %q, warnings %q; want none\n%s", r.Red(), r.Warnings, r.Output)
		}
	})
}

func pyString(s string) string { return `r"` + s + `"` }

func TestHiddenSitecustomizeStillRuns(t *testing.T) {
	env, site, interpreter := twoTrees(t, `
-- tests/test_it.py --
import os


def test_it():
    assert os.environ["FROM_SITECUSTOMIZE"] == "yes"
`)
	save(t, filepath.Join(site, "sitecustomize.py"), "import os\nos.environ['FROM_SITECUSTOMIZE'] = 'yes'\n")
	if r := runEnv(t, interpreter, env, runner.Project{}, runner.Request{}); r.Red() != "" {
		t.Errorf("red %q\n%s", r.Red(), r.Output)
	}
}

func TestNothingIsWrittenInEitherTree(t *testing.T) {
	env, site, interpreter := twoTrees(t, project)
	save(t, filepath.Join(site, "shop.pth"), filepath.Join(env.Origin, "src")+"\n")
	before := [2][]string{filesBelow(t, env.Origin), filesBelow(t, env.Root)}
	runEnv(t, interpreter, env, runner.Project{}, runner.Request{})
	diff(t, "the trees' files", before, [2][]string{filesBelow(t, env.Origin), filesBelow(t, env.Root)})
	left, err := os.ReadDir(env.Scratch)
	if err != nil || len(left) > 0 {
		t.Errorf("scratch holds %v, %v after Close", left, err)
	}
}

// filesBelow lists all files below dir.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
