package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"regreen/cycle"
)

// finderOf is an import hook as setuptools installs it for a package that is
// laid out in a way that no folder on the path can tell.
const finderOf = `
import importlib.util, sys

MAPPING = {"a": "WHERE"}


class _EditableFinder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name in MAPPING:
            return importlib.util.spec_from_file_location(name, MAPPING[name] + "/__init__.py", submodule_search_locations=[MAPPING[name]])


def install():
    if not any(f is _EditableFinder for f in sys.meta_path):
        sys.meta_path.append(_EditableFinder)
`

// editables are the ways in which a package can stand in an environment: the
// text of each file in site-packages, where WHERE is the package's own folder
// in the user's tree.
func editables() []struct {
	name   string
	files  map[string]string
	copied bool // not editable at all: the tests see what was installed
} {
	return []struct {
		name   string
		files  map[string]string
		copied bool
	}{
		{"pth", map[string]string{"__editable__.a-1.0.pth": "PARENT\n"}, false},
		{"finder", map[string]string{"__editable___a_1_0_finder.py": finderOf,
			"__editable__.a-1.0.pth": "import __editable___a_1_0_finder; __editable___a_1_0_finder.install()\n"}, false},
		{"copied", map[string]string{"a/__init__.py": "from .helper import value\n", "a/helper.py": "def value():\n    return 1\n"}, true},
	}
}

// TestEditableInstalls has package b's test import package a, which is
// installed in place, at each level: hazard 11 of facts/sandbox.md 8. Where a
// copy is installed instead, what the tests say is not about the sandbox's
// code, and below namespace nothing is merged.
func TestEditableInstalls(t *testing.T) {
	for _, level := range []string{"namespace", "landlock", "copy"} {
		for _, e := range editables() {
			t.Run(level+"/"+e.name, func(t *testing.T) {
				t.Parallel()
				r := newRepo(t, "pytest8", map[string]string{
					"regreen.toml":                 isolated(level),
					"packages/a/pyproject.toml":    "[project]\nname = \"a\"\nversion = \"1.0\"\n",
					"packages/a/src/a/__init__.py": "from .helper import value\n",
					"packages/a/src/a/helper.py":   "def value():\n    return 1\n",
					"packages/b/pyproject.toml":    "[project]\nname = \"b\"\nversion = \"1.0\"\ndependencies = [\"a\"]\n",
					"packages/b/tests/test_b.py":   "import a\n\n\ndef test_a():\n    assert a.value() == 1\n",
					"pytest.ini":                   "[pytest]\ntestpaths = packages/b/tests\n",
				})
				site, err := filepath.Glob(r.path(".venv/lib/python3*/site-packages"))
				if err != nil || len(site) != 1 {
					t.Fatalf("site-packages: %v, %v", site, err)
				}
				own := r.path("packages/a/src/a")
				fill := strings.NewReplacer("WHERE", own, "PARENT", filepath.Dir(own))
				for name, text := range e.files {
					at := filepath.Join(site[0], name)
					if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(at, []byte(fill.Replace(text)), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				r.write("packages/a/src/a/aid.py", r.read("packages/a/src/a/helper.py"))
				r.remove("packages/a/src/a/helper.py")
				if e.copied { // a test of the sources themselves, so that there is something to repair
					r.write("packages/b/tests/test_source.py", "from importlib.util import module_from_spec, spec_from_file_location\nfrom pathlib import Path\n\n\n"+
						"def test_source():\n    at = Path(__file__).parents[2] / 'a/src/a/__init__.py'\n"+
						"    spec = spec_from_file_location('source', at, submodule_search_locations=[str(at.parent)])\n"+
						"    import sys\n    mod = sys.modules['source'] = module_from_spec(spec)\n    spec.loader.exec_module(mod)\n    assert mod.value() == 1\n")
				}
				before := r.files()
				d, res := r.run("--all")
				if d.Isolation != level {
					t.Fatalf("it ran at %q: %s\n%s", d.Isolation, d.Reason, res.stderr)
				}
				if e.copied && level != "namespace" {
					if d.Outcome != cycle.Proposed || !strings.Contains(d.Reason, "outside the sandbox: a: ") {
						t.Errorf("outcome %q because %q, want a proposal that names a\n%s\n%s", d.Outcome, d.Reason, res.stdout, res.stderr)
					}
					diffMaps(t, "files", before, r.files())
					return
				}
				if d.Outcome != cycle.Repaired || r.read("packages/a/src/a/__init__.py") != "from .aid import value\n" {
					t.Errorf("outcome %q because %q, want repaired\n%s\n%s", d.Outcome, d.Reason, res.stdout, res.stderr)
				}
			})
		}
	}
}
