package py

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/lang"
)

// The mark "§" is the offset asked about; it is no part of the text.
func cut(src string) ([]byte, int) {
	i := strings.Index(src, "§")
	return []byte(strings.Replace(src, "§", "", 1)), i
}

func TestInScope(t *testing.T) {
	for _, tc := range []struct {
		name, src string
		want      string // without builtins
	}{
		{"module", "import os\nx = 1\ndef f(a): b = 1\n§\n", "os:import x:module f:module"},
		{"function", "x = 1\ndef f(a, *b, c=x, **d):\n    e = 1\n    §e\n    for g in h: pass\n", "a:param b:param c:param d:param e:local g:local x:module f:module"},
		{"nested", "def f(a):\n    b = 1\n    def g(c):\n        §c\n    d = 2\n", "c:param a:param b:local g:local d:local f:module"},
		{"class", "class C:\n    x = 1\n    y = §x\n", "x:local y:local C:module"},
		{"method", "class C:\n    x = 1\n    def m(self): return §x\n", "self:param C:module"},
		{"comprehension", "z = [a for a in b if §a]\n", "a:local z:module"},
		{"first iterable", "z = [a for a in §b]\n", "z:module"},
		{"lambda", "f = lambda p, q=1: §p\n", "p:param q:param f:module"},
		{"default", "def f(a=§x): pass\n", "f:module"},
		{"walrus", "def f():\n    [y := 1 for x in z]\n    §y\n", "y:local f:module"},
		{"with, except, match", "def f():\n    with a as b, c() as (d, e): pass\n    try: pass\n    except E as g: pass\n    match v:\n        case P(q, r=s) | [t, *u] if w: pass\n    §x\n", "b:local d:local e:local g:local q:local s:local t:local u:local f:module"},
		{"global", "def f():\n    global n\n    n = 1\n    §n\n", "f:module n:module"},
		{"type parameters", "def f[T: int](x: T) -> T:\n    §x\n", "x:param T:param f:module"},
		{"imports in a function", "def f():\n    import a.b, c as d\n    from e import g as h\n    §h\n", "a:import d:import h:import f:module"},
		{"broken text", "def f(a:\n    b = (\n    §c\n", "a:param b:local f:module"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src, at := cut(tc.src)
			var got []string
			builtin := false
			for _, b := range New("").InScope("x.py", src, at) {
				if b.Kind == "builtin" {
					builtin = builtin || b.Name == "print"
					continue
				}
				if name := string(src[b.Span.Start:b.Span.End]); name != b.Name {
					t.Errorf("binding %v stands at %q", b, name)
				}
				got = append(got, b.Name+":"+b.Kind)
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("InScope(%q) (-want +got):\n%s", tc.src, diff)
			}
			if !builtin {
				t.Error("print is not in scope")
			}
		})
	}
}

func TestUses(t *testing.T) {
	for _, tc := range []struct {
		name, src, of string
		want          string // the text with each use in brackets
	}{
		{"module", "from m import f\nx.f(f, f=f)\n{'f': f}\ndef g(f): return f\n", "f", "from m import [f]\nx.f([f], f=[f])\n{'f': [f]}\ndef g(f): return f\n"},
		{"parameter", "def g(f): return f§\nf()\n", "f", "def g([f]): return [f]\nf()\n"},
		{"closure", "def g():\n    n = 1\n    def h():\n        nonlocal n\n        n§ += 1\n    return n\nn\n", "n", "def g():\n    [n] = 1\n    def h():\n        nonlocal [n]\n        [n] += 1\n    return [n]\nn\n"},
		{"class", "x = 1\nclass C:\n    x = 2\n    def m(self): return x\n    y = x\n", "x", "[x] = 1\nclass C:\n    x = 2\n    def m(self): return [x]\n    y = x\n"},
		{"f-string", "a = 1\nf'{a} {b!a:{a}} a'\n", "a", "[a] = 1\nf'{[a]} {b!a:{[a]}} a'\n"},
		{"comprehension", "a = 1\n[a for a in a]\n", "a", "[a] = 1\n[a for a in [a]]\n"},
		{"import alias", "import a.b as c\nc.a\nimport a\na.b.c\n", "a", "import a.b as c\nc.a\nimport [a]\n[a].b.c\n"},
		{"decorator, default, annotation", "@a\ndef f(x: a = a) -> a: pass\nclass C(a, metaclass=a): pass\na = 1\n", "a", "@[a]\ndef f(x: [a] = [a]) -> [a]: pass\nclass C([a], metaclass=[a]): pass\n[a] = 1\n"},
		{"unbound", "def f():\n    return os.path\nos\n", "os", "def f():\n    return [os].path\n[os]\n"},
		{"match", "match c:\n    case C(c=d) if c: pass\n    case c.x: pass\n", "c", "match [c]:\n    case C(c=d) if [c]: pass\n    case [c].x: pass\n"},
		{"quoted annotation", "class T: pass\ndef f(a: 'T', b: \"list[T] | x.T\" = 'T') -> 'T | None':\n    c: 'T' = {'k': 'T'}\n    d: Literal['T'] = 'T'\n    e: Annotated[int, 'T'] = 1\n", "T",
			"class [T]: pass\ndef f(a: '[T]', b: \"list[[T]] | x.T\" = 'T') -> '[T] | None':\n    c: '[T]' = {'k': 'T'}\n    d: Literal['T'] = 'T'\n    e: Annotated[int, 'T'] = 1\n"},
		{"global", "n = 1\ndef f():\n    global n\n    n = 2\n", "n", "[n] = 1\ndef f():\n    global [n]\n    [n] = 2\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src, at := cut(tc.src)
			var edits []lang.TextEdit
			for _, s := range New("").Uses("x.py", src, tc.of, at) {
				edits = append(edits, lang.TextEdit{Span: s, New: "[" + tc.of + "]"})
			}
			if diff := cmp.Diff(tc.want, string(lang.Apply(src, edits))); diff != "" {
				t.Errorf("Uses(%q, %s) (-want +got):\n%s", tc.src, tc.of, diff)
			}
		})
	}
}
