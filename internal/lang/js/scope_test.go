package js

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"regreen/internal/lang"
)

func TestUses(t *testing.T) {
	// In each text ‸ marks the uses that are wanted; the offset is that of the
	// first ‸ after → when → stands in it, else -1.
	tests := []struct{ name, path, src string }{
		{"function and calls", "a.js", "function ‸n() { return ‸n }\nx.n; ({ n: ‸n }); ‸n();"},
		{"shadowed by a parameter", "a.js", "let ‸n; f(n => n); f(‸n); function g(n) { n }"},
		{"shadowed by a block", "a.js", "let ‸n; { let n; n } ‸n"},
		{"var is hoisted", "a.js", "function f() { if (x) { var n = 1 } return n } ‸n()"},
		{"the parameter", "a.js", "let n; function g(→‸n, m = ‸n) { return () => ‸n }"},
		{"shorthand", "a.js", "const ‸n = 1; ({ ‸n, m: { ‸n } })"},
		{"key of a pattern", "a.js", "const ‸n = 1; const { n: m, o = ‸n } = x"},
		{"pattern", "a.js", "const { ‸n } = x; ‸n"},
		{"catch", "a.js", "let ‸n; try { ‸n } catch (n) { n } finally { ‸n }"},
		{"for", "a.js", "let ‸n; for (const n of [n].map(y)) { }; for (let n = 0; n < 1; n++) n; ‸n"},
		{"class", "a.js", "class ‸n { n = 1; static m = ‸n; n() { ‸n } #n } new ‸n"},
		{"label", "a.js", "let ‸n; n: for (;;) { break n }"},
		{"template", "a.js", "let ‸n; `n ${‸n} n ${`${‸n}`}`"},
		{"import and export", "a.js", "import { ‸n } from 'n'; export { ‸n, m as n }; export { n } from 'n'"},
		{"import with alias", "a.js", "import { n as ‸m } from 'n'; ‸m"},
		{"export with alias", "a.js", "const ‸n = 1; export { ‸n as m }"},
		{"default import", "a.js", "import ‸n, * as m from 'n'; ‸n.n"},
		{"tags", "a.jsx", "import { ‸N } from 'n'; <‸N n={‸N}><‸N.n/><n N='N'>N</n></‸N>"},
		{"types", "a.ts", "interface ‸N { N: ‸N } let x: ‸N<‸N[]>; type M = { [N in keyof T]: N }; y as ‸N"},
		{"type parameter", "a.ts", "class N {} function f<→‸N extends string>(x: ‸N): ‸N { return x as ‸N }"},
		{"function type", "a.ts", "let ‸n; type F = (n: number) => typeof n; x as typeof ‸n"},
		{"arrow with return type", "a.ts", "let ‸n; const f = (n: string): n is string => n; ‸n"},
		{"generic call", "a.ts", "type ‸N = 1; f<‸N>(); new Map<string, ‸N>(); a < b"},
		{"enum", "a.ts", "enum ‸N { N, M = N } ‸N.N"},
		{"namespace", "a.ts", "namespace ‸N { export const n = ‸N }"},
		{"decorator", "a.ts", "import { ‸N } from 'n'; @‸N() class A { @‸N.n m() {} constructor(@‸N() private n: ‸N) {} }"},
		{"unbound", "a.js", "‸n(); function f(n) { n } x.n; y(‸n)"},
		{"conditional with arrow", "a.ts", "let ‸n; x ? (‸n) : (n) => n; ‸n"},
		{"infer", "a.ts", "type ‸N = 1; type M<T> = T extends (infer N)[] ? N : ‸N"},
		{"broken text", "a.js", "const ‸n = 1;\nf(‸n;\ng(‸n);\n"},
		{"unclosed block", "a.js", "const ‸n = 1;\nfunction f() {\n  if (‸n) {\n  return ‸n\n}\ng(‸n)\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name, src, want, offset := marked(tt.src)
			got := Language{}.Uses(tt.path, []byte(src), name, offset)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("Uses(%q, %q, %d) (-want +got):\n%s", src, name, offset, d)
			}
		})
	}
}

// marked takes the marks out of a text.
func marked(s string) (name, src string, want []lang.Span, offset int) {
	offset = -1
	var b strings.Builder
	at := false
	for len(s) > 0 {
		switch {
		case strings.HasPrefix(s, "→‸"):
			at = true
			s = s[len("→"):]
		case strings.HasPrefix(s, "‸"):
			s = s[len("‸"):]
			n := 0
			for n < len(s) && isIdentByte(s[n]) && s[n] < 0x80 {
				n++
			}
			name = s[:n]
			if at && offset < 0 {
				offset = b.Len()
			}
			want = append(want, lang.Span{Start: b.Len(), End: b.Len() + n})
			b.WriteString(name)
			s = s[n:]
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return name, b.String(), want, offset
}

func TestInScope(t *testing.T) {
	src := "import d, { i } from 'x';\nconst m = 1;\nclass C { f(p, { q }) { let l; for (const k of l) { HERE } var v } }\nfunction g(z) {}\n"
	offset := strings.Index(src, "HERE")
	var got []string
	for _, b := range (Language{}).InScope("a.test.js", []byte(src), offset) {
		if b.Kind == "builtin" {
			break
		}
		if src[b.Span.Start:b.Span.End] != b.Name {
			t.Errorf("the span of %s holds %q", b.Name, src[b.Span.Start:b.Span.End])
		}
		got = append(got, b.Name+" "+b.Kind)
	}
	want := []string{"k local", "p param", "q param", "l local", "v local", "d import", "i import", "m module", "C module", "g module"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("InScope (-want +got):\n%s", d)
	}
}

func TestInScopeBuiltins(t *testing.T) {
	has := func(path, src, name string) bool {
		for _, b := range (Language{}).InScope(path, []byte(src), 0) {
			if b.Name == name && b.Kind == "builtin" {
				return true
			}
		}
		return false
	}
	tests := []struct {
		path, src, name string
		want            bool
	}{
		{"a.js", "", "console", true},
		{"a.js", "", "process", true},
		{"a.js", "", "document", true},
		{"a.js", "", "describe", false},
		{"a.js", "it('x', () => {})", "describe", true},
		{"a.js", "import { it } from 'vitest'; it('x', () => {})", "describe", false},
		{"a.js", "", "Partial", false},
		{"a.ts", "", "Partial", true},
	}
	for _, tt := range tests {
		if got := has(tt.path, tt.src, tt.name); got != tt.want {
			t.Errorf("InScope(%s, %q) has %s = %v, want %v", tt.path, tt.src, tt.name, got, tt.want)
		}
	}
}

func TestShorthands(t *testing.T) {
	src := "const { a, b: c, ...d } = x; f({ a, b: c, e() {}, 'g': a })"
	var got []string
	for _, s := range (Language{}).Shorthands("a.js", []byte(src)) {
		got = append(got, fmt.Sprintf("%d %s", s.Start, src[s.Start:s.End]))
	}
	if d := cmp.Diff([]string{"8 a", "33 a"}, got); d != "" {
		t.Errorf("Shorthands (-want +got):\n%s", d)
	}
}

// FuzzScopes holds that reading scopes ends, does not panic, and gives spans
// that hold the name.
func FuzzScopes(f *testing.F) {
	names := []string{"a.js", "a.ts", "a.tsx", "a.vue"}
	for _, s := range append(seeds, "type A<T> = T extends infer U ? U : (x: T) => U", "a ? (b): c => d : e", "for (let x of y) { var z }", "class { get a() {} [b] = 1 }") {
		for i := range names {
			f.Add(uint8(i), s, "a", 3)
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, src, name string, offset int) {
		path := names[int(n)%len(names)]
		l := Language{}
		for _, s := range l.Uses(path, []byte(src), name, offset) {
			if src[s.Start:s.End] != name {
				t.Fatalf("use of %q at %v", name, s)
			}
		}
		for _, b := range l.InScope(path, []byte(src), offset) {
			if b.Kind != "builtin" && src[b.Span.Start:b.Span.End] != b.Name {
				t.Fatalf("binding %v", b)
			}
		}
		edits, err := l.AddImport(path, []byte(src), "./m", []lang.Name{{Imported: "zz"}, {Imported: "default", Local: "yy"}})
		if err == nil {
			lang.Apply([]byte(src), edits)
		}
	})
}
