package pytest

import (
	"path/filepath"
	"strings"
	"testing"

	"regreen/internal/runner"
)

func TestWantedToken(t *testing.T) {
	tests := []struct {
		msg, text string
		column    int
		want      string
	}{
		{"expected ':'", "def sub(a, b)", 14, ":"},
		{"'(' was never closed", "", 0, ")"},
		{"'{' was never closed", "", 0, "}"},
		{"unmatched ')'", "", 0, ")"},
		{"closing parenthesis ']' does not match opening parenthesis '('", "", 0, "]"},
		{"unterminated string literal (detected at line 2)", `x = "it's`, 5, `"`},
		{"unterminated triple-quoted string literal (detected at line 9)", `'''doc`, 1, `'''`},
		{"unterminated f-string literal (detected at line 2)", `x = f'a`, 5, `'`},
		{"f-string: expecting '}'", "", 0, "}"},
		{"invalid syntax. Perhaps you forgot a comma?", "", 0, ","},
		{"expected 'except' or 'finally' block", "", 0, ""},
		{"invalid syntax", "", 0, ""},
		{"unexpected indent", "", 0, ""},
		{"unterminated string literal", "", 99, ""},
	}
	for _, tt := range tests {
		if got := wantedToken(tt.msg, tt.text, tt.column); got != tt.want {
			t.Errorf("wantedToken(%q) = %q, want %q", tt.msg, got, tt.want)
		}
	}
}

func TestDiscover(t *testing.T) {
	tests := []struct {
		name, src string
		want      []runner.Decl
	}{
		{"functions and classes", `
def helper(): pass
def test_a(): pass
async def test_b():
    def test_inner(): pass
class TestK:
    def test_m(self): pass
    def other(self): pass
    class TestIn:
        def test_deep(self): pass
class Plain:
    def test_no(self): pass
class Case(unittest.TestCase):
    def test_u(self): pass
`, []runner.Decl{
			{Path: []string{"test_a"}, Line: 3, Count: 1}, {Path: []string{"test_b"}, Line: 4, Count: 1},
			{Path: []string{"TestK", "test_m"}, Line: 7, Count: 1}, {Path: []string{"TestK", "TestIn", "test_deep"}, Line: 10, Count: 1},
			{Path: []string{"Case", "test_u"}, Line: 14, Count: 1},
		}},
		{"tables", `
@pytest.mark.parametrize("a", [1, (2, 3), [4, 5]])
@pytest.mark.parametrize(("b", "c"), argvalues=[
    (1, 2),  # one
    ("x, y", "]"),
])
def test_a(a, b, c): pass
@pytest.mark.parametrize("a", [n for n in range(9)])
def test_b(a): pass
@pytest.mark.parametrize("a", range(4))
class TestK:
    @pytest.mark.parametrize("b", CASES)
    def test_m(self, a, b): pass
`, []runner.Decl{
			{Path: []string{"test_a"}, Line: 7, Count: 6}, {Path: []string{"test_b"}, Line: 9, Count: 1},
			{Path: []string{"TestK", "test_m"}, Line: 13, Count: 4},
		}},
		{"skips", `
@pytest.mark.skip(reason="x")
def test_a(): pass
@pytest.mark.skipif(True, reason="x")
def test_b(): pass
@unittest.skip("x")
class TestK:
    def test_m(self): pass
`, []runner.Decl{
			{Path: []string{"test_a"}, Line: 3, Count: 1, Skipped: true}, {Path: []string{"test_b"}, Line: 5, Count: 1},
			{Path: []string{"TestK", "test_m"}, Line: 8, Count: 1, Skipped: true},
		}},
		{"texts that look like tests", `
"""
def test_no(): pass
"""
x = 'def test_no(): pass'
# def test_no(): pass
if True:
    def test_yes(): pass
`, []runner.Decl{{Path: []string{"test_yes"}, Line: 8, Count: 1}}},
		{"an open bracket", "def test_a():\n    x = (1,\n\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_b(n): pass\n", []runner.Decl{
			{Path: []string{"test_a"}, Line: 1, Count: 1}, {Path: []string{"test_b"}, Line: 6, Count: 2},
		}},
		{"an open string", "def test_a():\n    x = 'abc\n\ndef test_b(): pass\n", []runner.Decl{
			{Path: []string{"test_a"}, Line: 1, Count: 1}, {Path: []string{"test_b"}, Line: 4, Count: 1},
		}},
		{"an open docstring", "def test_a():\n    \"\"\"abc\n    pass\n\ndef test_b(): pass\n", []runner.Decl{
			{Path: []string{"test_a"}, Line: 1, Count: 1}, {Path: []string{"test_b"}, Line: 5, Count: 1},
		}},
		{"half a class", "class", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { diff(t, "Discover", tt.want, New().Discover("test_x.py", []byte(tt.src))) })
	}
}

func TestLoopHeader(t *testing.T) {
	src := []byte(`def f(xs):
    for x in xs:
        if x:
            y = (x +
                 1)
    else:
        z = 1
    return 2
while True:
    def g():
        return 1
`)
	for line, want := range map[int]int{1: 0, 2: 2, 3: 2, 4: 2, 5: 2, 7: 0, 8: 0, 9: 9, 11: 0, 99: 0} {
		if got := loopHeader(scan(src), line); got != want {
			t.Errorf("loopHeader(%d) = %d, want %d", line, got, want)
		}
	}
}

func TestParseDump(t *testing.T) {
	text := "Thread 0x00007f (most recent call first):\n  File \"/r/caf\\xe9/\\u65e5.py\", line 3 in gr\\xf6\\xdfe\n  File \"/x/_pytest/runner.py\", line 7 in call\n\n" +
		"Current thread 0x00007f [python] (most recent call first):\n  File \"<string>\", line 1 in <module>\n"
	want := []stack{
		{{File: "/r/café/日.py", Line: 3, Function: "größe"}, {File: "/x/_pytest/runner.py", Line: 7, Function: "call"}},
		{{File: "<string>", Line: 1, Function: "<module>"}},
	}
	diff(t, "parseDump", want, parseDump(text))
}

func TestParseINI(t *testing.T) {
	got := parseINI([]byte("; c\n[pytest]\naddopts = -q\n    --tb=short\n# c\ntestpaths: a b\n[other]\nx=[y]\n"))
	want := map[string]map[string]string{"pytest": {"addopts": "-q\n--tb=short", "testpaths": "a b"}, "other": {"x": "[y]"}}
	diff(t, "parseINI", want, got)
}

func TestWords(t *testing.T) {
	diff(t, "words", []string{"-k", "a or b", `x\y`, "", "d'e", "z"}, words(`-k "a or b" 'x\y' "" d\'e`+"\n z"))
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"def test_a():\n  x = (1,\n@a\ndef b(): pass", "'''", "class", "\\\n", "f'{x[\"a\"]}'", "@pytest.mark.parametrize('a', [1, 2"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		last := 0
		for _, s := range scan(src) {
			if s.line < last || s.end < s.line {
				t.Errorf("statement of lines %d to %d after line %d", s.line, s.end, last)
			}
			last = s.line
		}
		for _, d := range discover(src) {
			if d.Count < 1 || len(d.Path) == 0 {
				t.Errorf("declaration %+v", d)
			}
		}
		loopHeader(scan(src), 3)
		pytestPlugins(src)
	})
}

func FuzzConfig(f *testing.F) {
	f.Add("pyproject.toml", []byte("[tool.pytest.ini_options]\naddopts = '-q'\n"))
	f.Add("setup.cfg", []byte("[tool:pytest]\naddopts =\n  -q\n"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		_, _, _ = pytestSection(name, text)
		pyprojectRequires(text)
		parseDump(string(text))
	})
}

// TestErrorsNameNoFramework holds that a session's errors leave it to the caller
// to say which framework and project they are of: said twice, nobody reads on.
func TestErrorsNameNoFramework(t *testing.T) {
	_, err := open(runner.Env{Scratch: filepath.Join(t.TempDir(), "gone")}, runner.Project{Root: "pkg", Command: []string{"python3"}})
	if err == nil || strings.Contains(err.Error(), "in pkg") {
		t.Errorf("open = %v, want an error without the project's name", err)
	}
}
