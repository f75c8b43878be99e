package js

import (
	"strings"
	"testing"

	"regreen/internal/lang"
)

// TestDeepTexts holds that no nesting exhausts the stack or the clock.
func TestDeepTexts(t *testing.T) {
	for _, piece := range []string{"(", "[", "{", "<a>", "`${", "a?", "-", "!", "@", "()=>", "function f(", "class {", "if(a)", "x:", "type A=(", "const [", "const {a:", "new ", "[[", "a.b(", "<T,>(", "((a):", "})", "({)"} {
		src := []byte(strings.Repeat(piece, 4000))
		for _, path := range []string{"a.js", "a.ts", "a.tsx"} {
			l := Language{}
			l.Tokens(path, src)
			l.Scan(path, src)
			l.Uses(path, src, "a", len(src)/2)
			_, _ = l.AddImport(path, src, "./m", []lang.Name{{Imported: "zz"}})
		}
	}
}
