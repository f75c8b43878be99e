package fixers

import (
	"slices"
	"strings"
	"testing"

	"regreen/internal/runner"
)

// TestMarksComeBackAsTheyWere loses each bracket and mark of a text, alone and
// with the space before or behind it: what comes back are the base's very bytes.
func TestMarksComeBackAsTheyWere(t *testing.T) {
	langs := languages(t)
	for _, tc := range []struct{ file, src, marks string }{
		{"src/a.js", "const { round } = require('./round');\n\nfunction minus(a, b) {\n  if (a) { return a - b; } else { return { a: 1, b: { c: 2 } }; }\n}\n\n" +
			"const f = (x) => { return x; };\n\nmodule.exports = { minus, f };\n", "{}()"},
		{"src/a.ts", "export class A {\n\tprivate x: Map<string, { a: number }> = new Map();\n\n\tget(k: string) { return this.x.get(k); }\n}\n", "{}()"},
		{"a.py", "def f(a, b):\n    d = { 'a': 1, 'b': [ 2, 3 ] }\n    if a: return d[ 'a' ]\n    return f( a, b )\n", "{}()[]:"},
	} {
		for i, c := range tc.src {
			if !strings.ContainsRune(tc.marks, c) {
				continue
			}
			for _, cut := range [][2]int{{i, i + 1}, {i - 1, i + 1}, {i, i + 2}, {i - 1, i + 2}} {
				lost := tc.src[cut[0]:cut[1]]
				if strings.TrimSpace(lost) != string(c) {
					continue
				}
				now := tc.src[:cut[0]] + tc.src[cut[1]:]
				w := newMemory(langs, map[string]string{tc.file: tc.src}, map[string]string{tc.file: now})
				fixes, err := Candidates(t.Context(), Cause{Kind: runner.SyntaxError, Place: runner.Place{File: tc.file, Line: 1},
					Failures: []runner.Failure{{Kind: runner.SyntaxError}}}, w, New(Options{}))
				if err != nil {
					t.Fatal(err)
				}
				i := slices.IndexFunc(fixes, func(f Fix) bool { return f.Applicability > Propose })
				if i < 0 {
					continue // it parses without, or nobody can tell
				}
				got, err := fixes[i].Apply(w.ReadFile)
				if err != nil || string(got[tc.file]) != tc.src {
					t.Errorf("%q lost in %q: it came back as\n%s", lost, tc.src[max(0, cut[0]-10):min(len(tc.src), cut[1]+10)], got[tc.file])
				}
			}
		}
	}
}
