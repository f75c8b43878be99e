package py

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/lang"
)

// imports writes a file's imports as "kind specifier names @line", with a
// tilde before lazy ones.
func imports(f *lang.File, src string) []string {
	var out []string
	for _, i := range f.Imports {
		var ns []string
		for _, n := range i.Names {
			s := n.Imported
			if n.Local != n.Imported {
				s += ":" + n.Local
			}
			ns = append(ns, s)
		}
		lazy := ""
		if i.Lazy {
			lazy = "~"
		}
		out = append(out, fmt.Sprintf("%s%s %s [%s] @%d %q", lazy, i.Kind, i.Specifier, strings.Join(ns, " "), i.Line, src[i.SpecSpan.Start:i.SpecSpan.End]))
	}
	return out
}

func TestScanImports(t *testing.T) {
	for _, tc := range []struct {
		name, src string
		want      []string
	}{
		{"import", "import os, a.b as c, x.y\n", []string{`import os [*:os] @1 "os"`, `import a.b [*:c] @1 "a.b"`, `import x.y [*:x] @1 "x.y"`}},
		{"from", "from .. m import (a as b,\n  c,)  # d\nfrom . import e; from x import *\n", []string{
			`from import ..m [a:b c] @1 ".. m"`, `from import . [e] @3 "."`, `from import x [*] @3 "x"`}},
		{"from with an ellipsis", "from ...m import a\n", []string{`from import ...m [a] @1 "...m"`}},
		{"in a function", "def f():\n    import a\n    if x:\n        from b import c\nimport d\n", []string{
			`~import a [*:a] @2 "a"`, `~from import b [c] @4 "b"`, `import d [*:d] @5 "d"`}},
		{"typing", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import B\nelse:\n    import c\n", []string{
			`from import typing [TYPE_CHECKING] @1 "typing"`, `~import type a [B] @3 "a"`, `import c [*:c] @5 "c"`}},
		{"guarded", "try:\n    import a\nexcept ImportError:\n    import b\ntry:\n    import c\nexcept KeyError:\n    pass\nwith contextlib.suppress(ImportError):\n    import d\n", []string{
			`~import a [*:a] @2 "a"`, `~import b [*:b] @4 "b"`, `import c [*:c] @6 "c"`, `~import d [*:d] @10 "d"`}},
		{"dynamic", "importlib.import_module('a.b')\n__import__(\"c\")\nx = pytest.importorskip('d')\nimport_module('.e', package='p')\n", []string{
			`import() a.b [] @1 "a.b"`, `import() c [] @2 "c"`, `~import() d [] @3 "d"`, `import() p.e [] @4 ".e"`}},
		{"computed", "import_module(f'a.{n}')\nimport_module('b.' + n)\nimport_module('c.%s' % n)\nimport_module(n)\ndef import_module(x): pass\n", []string{
			`computed import a. [] @1 "a."`, `computed import b. [] @2 "b."`, `computed import c. [] @3 "c."`, `computed import  [] @4 ""`}},
		{"mocks", "@patch('a.b.c')\n@mock.patch.dict('d.e', x=1)\ndef test(monkeypatch):\n    monkeypatch.setattr('f.g', 1)\n    mocker.patch('h.i')\n    setattr(x, 'j.k', 1)\n    patch('noun')\n", []string{
			`mock a.b.c [] @1 "a.b.c"`, `mock d.e [] @2 "d.e"`, `~mock f.g [] @4 "f.g"`, `~mock h.i [] @5 "h.i"`, `~mention j.k [] @6 "j.k"`}},
		{"categories of warning filters", "@pytest.mark.filterwarnings('ignore:why:a.b.C', 'default')\n@pytest.mark.filterwarnings(\"error::D\")\n@pytest.mark.filterwarnings('once')\ndef f(): warnings.filterwarnings('ignore', 'x: y')\n", []string{
			`mock a.b.C [] @1 "a.b.C"`}},
		{"plugins", "pytest_plugins = ['a.b', 'c']\n", []string{`import() a.b [] @1 "a.b"`, `import() c [] @1 "c"`}},
		{"attributes of packages", "import a\nimport os\nfrom . import b\na.c.d()\nos.path.join()\nb.e\nx.a.y\n", []string{
			`import a [*:a] @1 "a"`, `import os [*:os] @2 "os"`, `from import . [b] @3 "."`, `mention a.c.d [] @4 "a.c.d"`, `mention .b.e [] @6 "b.e"`}},
		{"dotted strings", "\"\"\"a.b\"\"\"\nAPPS = ['a.b', 'c', 'd.e:f', 'http://x.y']\nrun(['python', '-m', 'tool'])\n", []string{
			`mention a.b [] @2 "a.b"`, `mention d.e [] @2 "d.e"`, `mention tool [] @3 "tool"`, `mention tool.__main__ [] @3 "tool"`}},
		{"not imports", "# import b\nraise E from c\nimport_ = 1\nx = 'import'\n'''import d'''\n", nil},
		{"code in strings", "exec('import a; import os, b.c as d')\nrun([python, '-c', 'from e import f, g'])\ndef h():\n    \"\"\"Or import i.\n\n    >>> import j.k\n    \"\"\"\n", []string{
			`~mention a [] @1 "import a; import os, b.c as d"`, `~mention b.c [] @1 "import a; import os, b.c as d"`,
			`~mention e [] @2 "from e import f, g"`, `~mention e.f [] @2 "from e import f, g"`, `~mention e.g [] @2 "from e import f, g"`,
			`~mention j.k [] @4 "Or import i.\n\n    >>> import j.k\n    "`}},
		{"broken text", "from a import (b, c\nimport d\nfrom e import\nimport\nfrom\nfrom . import f,\n", []string{
			`from import a [b c] @1 "a"`, `import d [*:d] @2 "d"`, `from import e [] @3 "e"`, `from import . [f] @6 "."`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := New("").Scan("x.py", []byte(tc.src))
			if diff := cmp.Diff(tc.want, imports(f, tc.src)); diff != "" {
				t.Errorf("Scan(%q).Imports (-want +got):\n%s", tc.src, diff)
			}
		})
	}
}

func TestScanOffers(t *testing.T) {
	src := `"""Doc."""
from .m import a, _b as b2
import os
__all__ = ["_keep", "os"]
MAX = 1
x, (y, *z) = 1, (2, 3)
_keep = _drop = 0
n: int = 3
@deco
def f(q):
    inner = 1
class C(Base):
    attr = 1
async def g(): pass
if MAX:
    def h(): pass
for i in range(3): w = i
`
	f := New("").Scan("x.py", []byte(src))
	var exports, defs []string
	for _, e := range f.Exports {
		exports = append(exports, strings.TrimSpace(e.Name+" "+e.Kind+" "+e.From+" "+e.Local))
	}
	for _, d := range f.Defs {
		defs = append(defs, fmt.Sprintf("%s %.12q", d.Name, src[d.Body.Start:d.Body.End]))
	}
	if diff := cmp.Diff([]string{"a  .m a", "b2  .m _b", "os   os", "MAX Const  MAX", "x Var  x", "y Var  y", "z Var  z", "_keep Var  _keep", "n Var  n",
		"f Func  f", "C Class  C", "g Func  g", "h Func  h", "i Var  i", "w Var  w"}, exports); diff != "" {
		t.Errorf("Exports (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`__all__ "__all__ = [\""`, `MAX "MAX = 1"`, `x "x, (y, *z) ="`, `y "x, (y, *z) ="`, `z "x, (y, *z) ="`, `_keep "_keep = _dro"`, `_drop "_keep = _dro"`,
		`n "n: int = 3"`, `f "@deco\ndef f("`, `C "class C(Base"`, `g "async def g("`, `h "def h(): pas"`, `i "for i in ran"`, `w "w = i"`}, defs); diff != "" {
		t.Errorf("Defs (-want +got):\n%s", diff)
	}
	if !f.AllKnown {
		t.Error("AllKnown is false")
	}
}

func TestScanAllKnown(t *testing.T) {
	for src, want := range map[string]bool{
		"x = 1\n":                                        true,
		"from m import *\n":                              false,
		"def __getattr__(name): pass\n":                  false,
		"globals()['x'] = 1\n":                           false,
		"def f():\n    return globals()\n":               true,
		"class C:\n    def __getattr__(self, n): pass\n": true,
	} {
		if got := New("").Scan("x.py", []byte(src)).AllKnown; got != want {
			t.Errorf("Scan(%q).AllKnown = %v", src, got)
		}
	}
}

func TestScanDataPaths(t *testing.T) {
	for _, tc := range []struct {
		src  string
		want []string
	}{
		{"open('a.json')", []string{"a.json"}},
		{"open('Makefile')", []string{"Makefile"}},
		{"Path(__file__).parent / 'data' / 'x.json'", []string{"data/x.json"}},
		{"Path(__file__).resolve().parent.parent / 'x.json'", []string{"../x.json"}},
		{"Path(__file__).parents[1] / 'x.json'", []string{"../x.json"}},
		{"(Path(__file__).parent / 'x y.json').read_text()", []string{"x y.json"}},
		{"os.path.join(os.path.dirname(__file__), 'data', 'x.json')", []string{"data/x.json"}},
		{"os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'x.csv')", []string{"../x.csv"}},
		{"DATA = Path(__file__).parent / 'fixtures'", []string{"fixtures/"}},
		{"HERE / 'données' / 'x.json'", []string{"données/x.json"}},
		{"Path('a') / 'b.txt'", []string{"a/b.txt"}},
		{"Path('a') / name", []string{"a"}},
		{"HERE / 'a' / name", []string{"a/"}},
		{"base.joinpath('a', 'b.txt')", []string{"a/b.txt"}},
		{"HERE + '/x.txt'", []string{"x.txt"}},
		{"f'{HERE}/d/x.txt'", []string{"d/x.txt"}},
		{"load('templates/mail.html')", []string{"templates/mail.html"}},
		{"print('hello world. bye', '3.5', 'https://x.y/z.json', 'a*b.c', '.py', '/')", nil},
		{"'''docs/x.md'''", nil},
	} {
		f := New("").Scan("x.py", []byte(tc.src+"\n"))
		got := map[string]bool{}
		for _, p := range f.DataPaths {
			got[p] = true
		}
		for _, w := range tc.want {
			if !got[w] {
				t.Errorf("Scan(%s).DataPaths = %q, want %q among them", tc.src, f.DataPaths, w)
			}
		}
		if tc.want == nil && len(f.DataPaths) > 0 {
			t.Errorf("Scan(%s).DataPaths = %q, want none", tc.src, f.DataPaths)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"import a", "exec('import a, b; from c import (d, e')", "open(f'a/{x}", "from . import (", "import_module(", "patch('a.b'", "Path(__file__).parents[", "os.path.join(", "x / 'a' /", "__all__ = [", "lambda lambda: x: y", "[x for", "def f(a=lambda: 1", "match x:\n case [a, *b] if", "class C[T: (", "with (a as", "x: int =", "@", "type X[", "async", "\\\n \tif"} {
		f.Add([]byte(s))
	}
	l := New("")
	f.Fuzz(func(t *testing.T, src []byte) {
		file := l.Scan("a/b.py", src)
		for _, i := range file.Imports {
			if i.Span.Start < 0 || i.Span.End > len(src) || i.SpecSpan.Start < 0 || i.SpecSpan.End > len(src) || i.SpecSpan.Start > i.SpecSpan.End {
				t.Fatalf("Scan(%q): import %+v", src, i)
			}
		}
		for _, off := range []int{-1, 0, len(src) / 2, len(src)} {
			l.InScope("a/b.py", src, off)
			for _, s := range l.Uses("a/b.py", src, "a", off) {
				if string(src[s.Start:s.End]) != "a" {
					t.Fatalf("Uses(%q) gives %q", src, src[s.Start:s.End])
				}
			}
		}
		edits, err := l.AddImport("a/b.py", src, "zz.yy", []lang.Name{{Imported: "zzz"}})
		if err == nil {
			lang.Apply(src, edits)
		}
	})
}
