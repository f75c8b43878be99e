package pytest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"regreen/internal/runner"
)

func TestPrintedError(t *testing.T) {
	root := resolved(t.TempDir())
	write(t, root, "-- shop/calc.py --\nclass A:\n    def add(self, a b):\n        pass\n")
	in := func(s string) string { return strings.ReplaceAll(s, "ROOT", filepath.ToSlash(root)) }
	const head = "Traceback (most recent call last):\n  File \"/usr/lib/python3/runpy.py\", line 1, in run\n    go()\n"
	tests := []struct{ name, output, want string }{
		{"syntax", head + "  File \"ROOT/shop/calc.py\", line 2\n    def add(self, a b):\n                  ^^^\nSyntaxError: invalid syntax\n", "syntax_error shop/calc.py:2:19 "},
		{"a caret where no text is", head + "  File \"ROOT/shop/calc.py\", line 2\n    def add(self, a b):\n^\nSyntaxError: invalid syntax\n", "syntax_error shop/calc.py:2:1 "},
		{"a line that is not there", head + "  File \"ROOT/shop/calc.py\", line 99\n    x\n    ^\nSyntaxError: invalid syntax\n", "syntax_error shop/calc.py:99:0 "},
		{"name", head + "  File \"ROOT/shop/calc.py\", line 1, in <module>\n    ad()\n    ^^\nNameError: name 'ad' is not defined. Did you mean: 'add'?\n", "undefined_variable shop/calc.py:1:0 ad"},
		{"module", head + "  File \"ROOT/shop/calc.py\", line 1, in <module>\n    import cart\nModuleNotFoundError: No module named 'cart'\n", "missing_import shop/calc.py:1:0 cart"},
		{"export", head + "  File \"ROOT/shop/calc.py\", line 1, in <module>\n    from a import b\nImportError: cannot import name 'b' from 'a' (ROOT/a.py)\n", "missing_export shop/calc.py:1:0 b"},
		{"member", head + "  File \"ROOT/shop/calc.py\", line 1, in <module>\n    a.b\nAttributeError: module 'a' has no attribute 'b'\n", "attribute_error shop/calc.py:1:0 b"},
		{"the project's own of two", head + "  File \"ROOT/shop/calc.py\", line 1, in <module>\n    ad()\nNameError: name 'ad' is not defined\n\nDuring handling of the above exception, another exception occurred:\n\n" + head + "RuntimeError: stop\n", "undefined_variable shop/calc.py:1:0 ad"},
		{"nothing of the project", head + "RuntimeError: stop\n", ""},
		{"cut off", head + "  File \"ROOT/shop/calc.py\", line 2\n", ""},
		{"one inside another", head + "  File \"ROOT/shop/calc.py\", line 2\n" + head, ""},
		{"none", "SyntaxError: invalid syntax\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := newAssembly(tree{roots: []string{root}}, root, &runner.Report{}, nil)
			got := ""
			if e, ok := a.printedError(in(tt.output)); ok {
				f := a.failure(runner.ScopeRun, runner.TestID{}, 0, e)
				got = fmt.Sprintf("%s %s:%d:%d %s", f.Kind, f.Place.File, f.Place.Line, f.Place.Column, f.Symbol)
			}
			diff(t, "failure", tt.want, got)
		})
	}
}
