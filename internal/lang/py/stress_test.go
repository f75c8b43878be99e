package py

import (
	"strings"
	"testing"
	"time"
)

// Reading costs in proportion to the text, whatever stands in it. The bound is
// wide: what is quadratic in these texts takes minutes.
func TestLongTextsAreReadInTime(t *testing.T) {
	nested := ""
	for i := range 1500 {
		nested += strings.Repeat(" ", i) + "def f(x=lambda: 1):\n"
	}
	for name, src := range map[string]string{
		"brackets": strings.Repeat("(", 1e5) + strings.Repeat(")", 1e5), "open": strings.Repeat("[", 2e5),
		"lambdas": strings.Repeat("lambda x: ", 3e4), "defaults": strings.Repeat("lambda x=", 3e4),
		"comprehensions": strings.Repeat("[x for x in ", 2e4) + strings.Repeat("]", 2e4),
		"f-strings":      strings.Repeat("f'{", 5e4), "fields": "f'" + strings.Repeat("{a:{b}}", 3e4) + "'",
		"blocks": nested, "matches": strings.Repeat("match x;", 3e4), "attributes": "import a\n" + strings.Repeat("a.b.c(a.d)\n", 2e4),
		"paths": strings.Repeat("x / 'a' ", 3e4), "files": strings.Repeat("(", 2e4) + "__file__" + strings.Repeat(")", 2e4), "all the files": strings.Repeat("f(__file__, ", 2e4),
		"patches": strings.Repeat("patch('a.b')\n", 2e4), "statements": strings.Repeat("x=", 5e4), "semicolons": strings.Repeat("import a;", 3e4),
		"globals": strings.Repeat("global x\n", 2e4), "imports": strings.Repeat("import_module(", 2e4), "plugins": "pytest_plugins = [" + strings.Repeat("'a.b',", 2e4),
		"strings": "f(" + strings.Repeat("'a.b',", 2e4),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			l := New("")
			l.Scan("a.py", []byte(src))
			scan := time.Since(start)
			l.Uses("a.py", []byte(src), "x", -1)
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("reading %d bytes took %v (Scan %v)", len(src), d, scan)
			}
		})
	}
}
