package py

import (
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/lang"
)

// tree is an in-memory lang.Tree.
type tree map[string]string

func (t tree) ReadFile(rel string) ([]byte, error) {
	if s, ok := t[rel]; ok {
		return []byte(s), nil
	}
	return nil, fs.ErrNotExist
}

func (t tree) Exists(rel string) bool { _, ok := t[rel]; return ok }

func (t tree) IsDir(rel string) bool {
	for f := range t {
		if strings.HasPrefix(f, rel+"/") || rel == "." {
			return true
		}
	}
	return false
}

func (t tree) Files() []string {
	var out []string
	for f := range t {
		out = append(out, f)
	}
	sort.Strings(out)
	return out
}

func TestResolve(t *testing.T) {
	files := func(list string) tree {
		t := tree{}
		for _, f := range strings.Fields(list) {
			name, text, _ := strings.Cut(f, "=")
			t[name] = strings.NewReplacer("~", " ", "⏎", "\n").Replace(text)
		}
		return t
	}
	for _, tc := range []struct {
		name, files, importer, stmt string
		want                        string
	}{
		{"module beside the test", "test_a.py calc.py", "test_a.py", "import calc", "calc.py"},
		{"package", "pkg/__init__.py pkg/m.py tests/test_a.py", "tests/test_a.py", "from pkg.m import f", "pkg/__init__.py pkg/m.py"},
		{"src layout", "src/pkg/__init__.py src/pkg/m.py tests/test_a.py", "tests/test_a.py", "import pkg.m", "src/pkg/__init__.py src/pkg/m.py"},
		{"submodule by from", "pkg/__init__.py pkg/m.py test_a.py", "test_a.py", "from pkg import m, x", "pkg/__init__.py pkg/m.py missing"},
		{"attribute by from", "pkg/__init__.py=x=1 test_a.py", "test_a.py", "from pkg import x", "pkg/__init__.py"},
		{"attribute unknown", "pkg/__init__.py=from~.m~import~* pkg/m.py test_a.py", "test_a.py", "from pkg import x", "pkg/__init__.py"},
		{"namespace package", "ns/a/m.py test_a.py", "test_a.py", "from ns.a import m", "ns/a/m.py"},
		{"namespace package over two roots", "src/ns/a.py ns/b.py setup.py tests/test_a.py", "tests/test_a.py", "from ns import a, b", "src/ns/a.py ns/b.py? ns is found in more than one folder of sys.path"},
		{"relative", "p/__init__.py p/a.py p/q/__init__.py p/q/b.py", "p/q/b.py", "from ..a import x", "p/a.py p/__init__.py"},
		{"relative package", "p/__init__.py p/a.py p/b.py", "p/b.py", "from . import a", "p/__init__.py p/a.py"},
		{"relative missing", "p/__init__.py p/b.py", "p/b.py", "from .gone import a", "p/__init__.py missing"},
		{"relative too far", "a.py", "a.py", "from ..x import y", "missing"},
		{"helper of a test folder", "tests/unit/helpers.py tests/unit/test_a.py", "tests/unit/test_a.py", "import helpers", "tests/unit/helpers.py"},
		{"tests as a package", "tests/__init__.py tests/helpers.py tests/test_a.py", "tests/test_a.py", "from tests.helpers import x", "tests/__init__.py tests/helpers.py"},
		{"conftest of another folder", "tests/a/conftest.py tests/a/util.py tests/b/test_b.py", "tests/b/test_b.py", "import util", "tests/a/util.py"},
		{"pythonpath of pytest.ini", "pytest.ini=[pytest]⏎pythonpath~=~lib~other lib/m.py tests/test_a.py", "tests/test_a.py", "import m", "lib/m.py"},
		{"pythonpath of pyproject", "pyproject.toml=[tool.pytest.ini_options]⏎pythonpath=['lib'] lib/m.py tests/test_a.py", "tests/test_a.py", "import m", "lib/m.py"},
		{"package_dir of setup.cfg", "setup.cfg=[options]⏎package_dir~=⏎~~=~lib lib/m.py tests/test_a.py", "tests/test_a.py", "import m", "lib/m.py"},
		{"monorepo", "libs/a/pyproject.toml libs/a/src/a/__init__.py libs/b/pyproject.toml libs/b/tests/test_b.py", "libs/b/tests/test_b.py", "import a", "libs/a/src/a/__init__.py"},
		{"folder of the package's name", "a/pyproject.toml a/a/__init__.py a/a/m.py a/tests/test_a.py", "a/tests/test_a.py", "from a.m import x", "a/a/__init__.py a/a/m.py"},
		{"two modules of one name", "src/m.py lib/m.py pytest.ini=[pytest]⏎pythonpath=lib tests/test_a.py", "tests/test_a.py", "import m", "lib/m.py src/m.py? m is found in more than one folder of sys.path"},
		{"standard library", "a.py", "a.py", "import os.path", "package os"},
		{"standard library shadowed", "types.py test_a.py", "test_a.py", "import types", "types.py package types? types is a module of the standard library too"},
		{"not shadowed by a package's own module", "p/__init__.py p/types.py p/a.py", "p/a.py", "import types", "package types"},
		{"third party", "a.py", "a.py", "from numpy.linalg import x", "package numpy"},
		{"missing submodule", "p/__init__.py a.py", "a.py", "import p.gone", "p/__init__.py missing"},
		{"patched", "p/__init__.py p/m.py test_a.py", "test_a.py", "patch('p.m.C.f')", "p/__init__.py p/m.py"},
		{"patched and gone", "p/__init__.py test_a.py", "test_a.py", "patch('p.m.C')", "p/__init__.py missing"},
		{"attribute of a package", "p/__init__.py p/m.py test_a.py", "test_a.py", "import p; p.m.f()", "p/__init__.py | p/__init__.py p/m.py"},
		{"attribute that is none", "p/__init__.py test_a.py", "test_a.py", "import p; p.m.f()", "p/__init__.py | "},
		{"string", "p/__init__.py p/m.py s.py", "s.py", "X = ['p.m.C', 'gone.x']", "p/__init__.py p/m.py | "},
		{"computed", "p/__init__.py p/a.py p/b/c.py s.py", "s.py", "import_module('p.' + n)", "p/__init__.py p/a.py p/b/c.py? a computed import may load any module p.*"},
		{"computed stem", "p/__init__.py p/x_a.py p/y.py s.py", "s.py", "import_module(f'p.x_{n}')", "p/__init__.py p/x_a.py? a computed import may load any module p.x_*"},
		{"computed relative", "p/__init__.py p/a.py q.py", "p/__init__.py", "import_module('.' + n, __name__)", "p/__init__.py p/a.py? a computed import may load any module .*"},
		{"computed without a prefix", "s.py", "s.py", "import_module(n)", "? a computed import may load any module"},
		{"star with __all__", "p/__init__.py=__all__=['m'] p/m.py a.py", "a.py", "from p import *", "p/__init__.py p/m.py"},
		{"compiled", "p/__init__.py p/fast.pyx a.py", "a.py", "from p import fast", "p/__init__.py p/fast.pyx"},
		{"non-ASCII and spaced folders", "my_tests/größe.py my_tests/test_a.py", "my_tests/test_a.py", "import größe", "my_tests/größe.py"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := New("")
			r := l.NewResolver(files(tc.files))
			var all []string
			for _, imp := range l.Scan(tc.importer, []byte(tc.stmt+"\n")).Imports {
				res := r.Resolve(tc.importer, imp)
				got := res.Files
				if res.Missing {
					got = append(got, "missing")
				}
				if res.Package != "" {
					got = append(got, "package "+res.Package)
				}
				s := strings.Join(got, " ")
				if res.Wide != "" {
					s += "? " + res.Wide
				}
				all = append(all, s)
			}
			if diff := cmp.Diff(tc.want, strings.Join(all, " | ")); diff != "" {
				t.Errorf("%s in %s (-want +got):\n%s", tc.stmt, tc.importer, diff)
			}
		})
	}
}

// What a deleted file would have satisfied waits for it.
// TestResolveLinked: a linked folder is one file of the repository's, and what
// lies below it none (vitest-dev/vitest#4101).
func TestResolveLinked(t *testing.T) {
	on := linked{tree: tree{"tests/test_a.py": "", "pytest.ini": "[pytest]\npythonpath = lib ext\n", "ext": "", "app/__init__.py": "", "app/part": "", "lib/tool": ""}, below: tree{
		"ext/e.py": "", "app/part/m.py": "", "app/part/sub/n.py": "", "lib/tool/__init__.py": "", "lib/tool/t.py": ""}}
	for stmt, want := range map[string]string{
		"from app.part.m import f":   "app/__init__.py app/part/m.py",
		"from app.part import m":     "app/__init__.py app/part/m.py",
		"import app.part.sub.n":      "app/__init__.py app/part/sub/n.py",
		"import e":                   "ext/e.py",
		"from tool import t":         "lib/tool/__init__.py lib/tool/t.py",
		"from app.part.sub import o": "app/__init__.py",
	} {
		r := New("").NewResolver(on)
		var got []string
		for _, imp := range New("").Scan("tests/test_a.py", []byte(stmt+"\n")).Imports {
			got = append(got, r.Resolve("tests/test_a.py", imp).Files...)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s leads to %q, want %q", stmt, got, want)
		}
	}
}

// linked is a tree with links, each a file, and what can be read below them.
type linked struct{ tree, below tree }

func (l linked) ReadFile(rel string) ([]byte, error) {
	if _, ok := l.below[rel]; ok {
		return l.below.ReadFile(rel)
	}
	return l.tree.ReadFile(rel)
}

func (l linked) Exists(rel string) bool {
	return l.below.Exists(rel) || l.tree.Exists(rel) && !l.below.IsDir(rel)
}
func (l linked) IsDir(rel string) bool { return l.below.IsDir(rel) || l.tree.IsDir(rel) }
func (l linked) Files() []string       { return l.tree.Files() }

func TestResolveWaits(t *testing.T) {
	all := tree{"src/pkg/__init__.py": "", "src/pkg/m.py": "", "src/top.py": "", "tests/helpers.py": "", "tests/test_a.py": "", "ns/x.py": ""}
	for gone, stmt := range map[string]string{
		"src/pkg/m.py":        "from pkg import m",
		"src/pkg/__init__.py": "import pkg.m",
		"src/top.py":          "import top",
		"tests/helpers.py":    "from helpers import x",
		"ns/x.py":             "import ns.x",
	} {
		left := tree{}
		for f, s := range all {
			if f != gone {
				left[f] = s
			}
		}
		l := New("")
		imp := l.Scan("tests/test_a.py", []byte(stmt+"\n")).Imports[0]
		res := l.NewResolver(left).Resolve("tests/test_a.py", imp)
		found := false
		for _, w := range res.Waiting {
			found = found || w == gone
		}
		if !found {
			t.Errorf("%s without %s waits for %v", stmt, gone, res.Waiting)
		}
	}
}

func TestSpecifiers(t *testing.T) {
	all := tree{"src/pkg/__init__.py": "", "src/pkg/a.py": "from .b import x\n", "src/pkg/b.py": "", "src/pkg/sub/__init__.py": "", "src/pkg/sub/c.py": "from pkg.a import y\n",
		"tests/test_a.py": "", "tests/util.py": "", "tests/x-y.py": "", "pkg2/tests/__init__.py": "", "pkg2/tests/h.py": "", "pkg2/tests/test_h.py": "", "pkg2/__init__.py": ""}
	for _, tc := range []struct{ importer, target, like, want string }{
		{"tests/test_a.py", "src/pkg/b.py", "", "pkg.b src.pkg.b"},
		{"tests/test_a.py", "src/pkg/b.py", "pkg.old", "pkg.b src.pkg.b"},
		{"tests/test_a.py", "src/pkg/b.py", "src.pkg.old", "src.pkg.b pkg.b"},
		{"tests/test_a.py", "src/pkg/__init__.py", "", "pkg src.pkg"},
		{"tests/test_a.py", "tests/util.py", "", "util tests.util"},
		{"tests/test_a.py", "tests/x-y.py", "", ""},
		{"src/pkg/a.py", "src/pkg/b.py", "", ".b pkg.b src.pkg.b"},
		{"src/pkg/a.py", "src/pkg/b.py", "pkg.c", "pkg.b src.pkg.b .b"},
		{"src/pkg/sub/c.py", "src/pkg/b.py", "", "pkg.b src.pkg.b ..b"},
		{"src/pkg/sub/c.py", "src/pkg/b.py", "..old", "..b pkg.b src.pkg.b"},
		{"src/pkg/a.py", "src/pkg/sub/c.py", ".x", ".sub.c pkg.sub.c src.pkg.sub.c"},
		{"src/pkg/sub/c.py", "src/pkg/__init__.py", "..x", ".. pkg src.pkg"},
		{"pkg2/tests/test_h.py", "pkg2/tests/h.py", "", "pkg2.tests.h .h"},
	} {
		r := New("").NewResolver(all)
		if got := strings.Join(r.Specifiers(tc.importer, tc.target, tc.like), " "); got != tc.want {
			t.Errorf("Specifiers(%s, %s, %q) = %q, want %q", tc.importer, tc.target, tc.like, got, tc.want)
		}
	}
}

// Each specifier leads to its target.
func TestSpecifiersResolve(t *testing.T) {
	all := tree{"src/pkg/__init__.py": "", "src/pkg/a.py": "", "src/pkg/sub/__init__.py": "", "src/pkg/sub/c.py": "", "src/ns/d.py": "", "tests/test_a.py": "", "tests/util.py": ""}
	l := New("")
	r := l.NewResolver(all)
	for importer := range all {
		for target := range all {
			for _, spec := range r.Specifiers(importer, target, "") {
				res := r.Resolve(importer, lang.Import{Kind: lang.From, Specifier: spec, Names: []lang.Name{{Imported: "__name__"}}})
				found := false
				for _, f := range res.Files {
					found = found || f == target
				}
				if !found && path.Base(target) != "__init__.py" {
					t.Errorf("%s in %s leads to %v, not to %s", spec, importer, res.Files, target)
				}
			}
		}
	}
	if diff := cmp.Diff("[src/pkg/sub/__init__.py src/pkg/__init__.py]", fmt.Sprint(r.(lang.Implicit).Implicit("src/pkg/sub/c.py"))); diff != "" {
		t.Error(diff)
	}
}
