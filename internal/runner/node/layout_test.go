package node

import (
	"testing"
)

func TestGlob(t *testing.T) {
	tests := []struct {
		pattern string
		dot     bool
		yes, no []string
	}{
		{"**/*.{test,spec}.?(c|m)[jt]s?(x)", true,
			[]string{"a.test.js", "x/y/a.spec.mts", "a.test.tsx", ".hid/a.test.cjs"}, []string{"a.js", "a.test.json", "a.test.jss", "atest.js"}},
		{"**/__tests__/**/*.[jt]s?(x)", true, []string{"__tests__/a.js", "x/__tests__/y/b.tsx"}, []string{"x/__test__/a.js"}},
		{"**/node_modules/**", true, []string{"node_modules/a", "x/node_modules/y/z.js"}, []string{"x/node_module/y"}},
		{"./test/*.js", false, []string{"test/a.js"}, []string{"test/x/a.js", "test/.a.js"}},
		{"test/**/*.js", false, []string{"test/a.js", "test/x/y/a.js"}, []string{"test/.x/a.js", "testa.js"}},
		{"test/**", false, []string{"test/a.js", "test/x/y"}, []string{"test/.x"}},
		{"**/+(*.)+(spec|test).+(ts|js)?(x)", true, []string{"a/b.spec.ts", "b.test.jsx"}, []string{"a/b.ts"}},
		{"a/{b,c/{d,e}}/*.js", true, []string{"a/b/x.js", "a/c/e/x.js"}, []string{"a/c/x.js"}},
		{"v{1..3}.js", true, []string{"v1.js", "v3.js"}, []string{"v4.js"}},
		{"a[!b]c", true, []string{"adc"}, []string{"abc", "a/c"}},
		{"src/[id].test.ts", true, []string{"src/i.test.ts"}, []string{"src/[id].test.ts"}},
		{`src/\[id\].test.ts`, true, []string{"src/[id].test.ts"}, nil},
		{"src/{a.js", true, []string{"src/{a.js"}, nil},
		{"**/*", true, []string{"a", "b/c"}, nil},
		{"*", false, []string{"a"}, []string{".a", "a/b"}},
		{"@(a|b).js", true, []string{"a.js", "b.js"}, []string{"c.js"}},
	}
	for _, tt := range tests {
		g, err := CompileGlob(tt.pattern, tt.dot)
		if err != nil {
			t.Errorf("CompileGlob(%q): %v", tt.pattern, err)
			continue
		}
		for _, p := range tt.yes {
			if !g.Match(p) {
				t.Errorf("%q does not match %q (%s)", tt.pattern, p, g.re)
			}
		}
		for _, p := range tt.no {
			if g.Match(p) {
				t.Errorf("%q matches %q (%s)", tt.pattern, p, g.re)
			}
		}
	}
}

func TestGlobs(t *testing.T) {
	gs, bad := CompileGlobs([]string{"**/*.js", "!**/x/**", "x/keep.js"}, true)
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	for p, want := range map[string]bool{"a.js": true, "x/a.js": false, "x/keep.js": true, "a.ts": false} {
		if got := gs.Match(p); got != want {
			t.Errorf("Match(%q) = %v, want %v", p, got, want)
		}
	}
}

// FuzzGlob: every pattern compiles or is refused; none panics.
func FuzzGlob(f *testing.F) {
	for _, s := range []string{"**/*.{a,b}", "?(x|+(y", "[", "[[:alpha:]]", "{1..9}", `\`, "!(a)", "{{{{,", "[]a]", "[a-\\]]"} {
		f.Add(s, "a/b.js")
	}
	f.Fuzz(func(t *testing.T, pattern, p string) {
		if g, err := CompileGlob(pattern, true); err == nil {
			g.Match(p)
		}
	})
}
