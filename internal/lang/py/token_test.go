package py

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/lang"
)

// show writes tokens as "kind:text", one a word, with structure in short.
func show(src string) []string {
	var out []string
	for _, t := range tokenize([]byte(src)) {
		switch t.Kind {
		case lang.Newline:
			out = append(out, "NL")
		case lang.Indent:
			out = append(out, ">>")
		case lang.Dedent:
			out = append(out, "<<")
		case lang.Invalid:
			out = append(out, "!"+src[t.Start:t.End])
		case lang.String:
			out = append(out, "s:"+src[t.Start:t.End])
		case lang.Keyword:
			out = append(out, "k:"+src[t.Start:t.End])
		default:
			out = append(out, src[t.Start:t.End])
		}
	}
	return out
}

func TestTokens(t *testing.T) {
	for _, tc := range []struct {
		name, src string
		want      []string
	}{
		{"empty", "", nil},
		{"no newline at the end", "x", []string{"x", "NL"}},
		{"blocks", "if x:\n\ty\n# c\n\n  # d\nz\n", []string{"k:if", "x", ":", "NL", ">>", "y", "NL", "# c", "# d", "<<", "z", "NL"}},
		{"blocks end with the text", "if x:\n  if y:\n    z", []string{"k:if", "x", ":", "NL", ">>", "k:if", "y", ":", "NL", ">>", "z", "NL", "<<", "<<"}},
		{"brackets join lines", "f(a,\n  b)\nc\n", []string{"f", "(", "a", ",", "b", ")", "NL", "c", "NL"}},
		{"backslash joins lines", "a = \\\n  1\r\nb \\\r\n = 2\r\n", []string{"a", "=", "1", "NL", "b", "=", "2", "NL"}},
		{"form feed and tab", "if x:\n \ty\n\f        z\nw", []string{"k:if", "x", ":", "NL", ">>", "y", "NL", "z", "NL", "<<", "w", "NL"}},
		{"byte order mark", "\xef\xbb\xbfx\n", []string{"x", "NL"}},
		{"numbers", "1_0.5e-3j 0xFFor 1if 1..x .5 0b12 0_7 1e 1.e5", []string{"1_0.5e-3j", "0xFF", "k:or", "1", "k:if", "1.", ".", "x", ".5", "0b1", "2", "0_7", "1", "e", "1.e5", "NL"}},
		{"prefixes", `r"\"" Rb'\'' bR"" U'' tr"" x"" rbf""`, []string{`s:r"\""`, `s:Rb'\''`, `s:bR""`, `s:U''`, `s:tr""`, "x", `s:""`, "rbf", `s:""`, "NL"}},
		{"triple", "'''a'\n''b''''\n", []string{"s:'''a'\n''b'''", "!'", "NL"}},
		{"escaped line end", "'a\\\r\nb' 'c\\\n'\n", []string{"s:'a\\\r\nb'", "s:'c\\\n'", "NL"}},
		{"f-string", `f"a{b}c{{d}}{e!r:>{w}.{p}}{f:x}{g=}" h`, []string{`s:f"a`, "{", "b", "}", "s:c{{d}}", "{", "e", "!", "r", ":", "s:>", "{", "w", "}", "s:.", "{", "p", "}", "}", "{", "f", ":", "s:x", "}", "{", "g", "=", "}", `s:"`, "h", "NL"}},
		{"f-string of 3.12", "f\"{x[\"a\"]}{f'{\n1 # c\n}'}\" + 1", []string{`s:f"`, "{", "x", "[", `s:"a"`, "]", "}", "{", "s:f'", "{", "1", "# c", "}", "s:'", "}", `s:"`, "+", "1", "NL"}},
		{"f-string operators", `f"{a!=b}{(lambda x: 1)}{ {1:2}[1]:{3}}"`, []string{`s:f"`, "{", "a", "!=", "b", "}", "{", "(", "k:lambda", "x", ":", "1", ")", "}", "{", "{", "1", ":", "2", "}", "[", "1", "]", ":", "{", "3", "}", "}", `s:"`, "NL"}},
		{"f-string escapes", `f"\N{BULLET}\{x}\"" rf'\{y}\''`, []string{`s:f"\N{BULLET}\`, "{", "x", "}", `s:\""`, `s:rf'\`, "{", "y", "}", `s:\''`, "NL"}},
		{"open string ends with its line", "x = 'abc\ny = 2\n", []string{"x", "=", "!'abc", "NL", "y", "=", "2", "NL"}},
		{"open f-string", "x = f'a{b}c\ny\n", []string{"x", "=", "s:f'a", "{", "b", "}", "!c", "NL", "y", "NL"}},
		{"open hole", "x = f'a{c'\ny\n", []string{"x", "=", "s:f'a", "{", "c", "!'", "NL", "y", "NL"}},
		{"open bracket before a def", "x = foo(1,\n  2\ndef f():\n  pass\n", []string{"x", "=", "foo", "(", "1", ",", "2", "NL", "k:def", "f", "(", ")", ":", "NL", ">>", "k:pass", "NL", "<<"}},
		{"yield from in brackets", "(yield\nfrom x)\n", []string{"(", "k:yield", "k:from", "x", ")", "NL"}},
		{"bad dedent", "if x:\n    y\n  z\nw\n", []string{"k:if", "x", ":", "NL", ">>", "y", "NL", "<<", ">>", "z", "NL", "<<", "w", "NL"}},
		{"non-ASCII", "größe = 变量·x\n", []string{"größe", "=", "变量·x", "NL"}},
		{"stray bytes", "a $ \xff ? € `", []string{"a", "!$", "!\xff", "!?", "!€", "!`", "NL"}},
		{"operators", "a **= b // c -> d := e ... @= <> !", []string{"a", "**=", "b", "//", "c", "->", "d", ":=", "e", "...", "@=", "<>", "!!", "NL"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, show(tc.src)); diff != "" {
				t.Errorf("tokenize(%q) (-want +got):\n%s", tc.src, diff)
			}
		})
	}
}

// lossless checks what lang.Token promises.
func lossless(t *testing.T, src []byte) {
	t.Helper()
	at := 0
	for _, tok := range tokenize(src) {
		if tok.Start < at || tok.End < tok.Start || tok.End > len(src) {
			t.Fatalf("token %v after %d in %q", tok, at, src)
		}
		gap := strings.TrimPrefix(string(src[at:tok.Start]), "\xef\xbb\xbf")
		if rest := strings.Trim(gap, " \t\f\r\n\\"); rest != "" {
			t.Fatalf("tokenize(%q) leaves out %q", src, rest)
		}
		at = tok.End
	}
	if rest := bytes.Trim(bytes.TrimPrefix(src[at:], []byte("\xef\xbb\xbf")), " \t\f\r\n\\"); len(rest) > 0 {
		t.Fatalf("tokenize(%q) leaves out the end %q", src, rest)
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"", "x", "f'{a:{b}}'", "f\"{f'{f\"{1}\"}'}\"", "(\n\tdef", "\\", "'\\", "f'\\N{", "f'{x!r:}'", "\xef\xbb\xbf\\\n", "if x:\n\ty\n z", "rb'\xff'", "f'{\n", "f'''{x:\n}'''", "0x", "1__0"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) { lossless(t, src) })
}
