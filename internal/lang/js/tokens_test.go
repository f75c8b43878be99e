package js

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"regreen/internal/lang"
)

func TestTokens(t *testing.T) {
	short := map[lang.TokenKind]string{lang.Ident: "i", lang.Keyword: "k", lang.Number: "n", lang.String: "s", lang.Regexp: "r",
		lang.Comment: "c", lang.Punct: "p", lang.JSXText: "x", lang.Invalid: "!"}
	tests := []struct{ name, path, src, want string }{
		{"regexp or division", "a.js", "a = b / c / d; /e/g.f; (g) / h; if (i) /j/.k; return /l[/]m/u", "i:a p:= i:b p:/ i:c p:/ i:d p:; r:/e/g p:. i:f p:; p:( i:g p:) p:/ i:h p:; k:if p:( i:i p:) r:/j/ p:. i:k p:; k:return r:/l[/]m/u"},
		{"regexp after a brace", "a.js", "{}/a/; x = {}/b/c; function f() {} /d/; y = function () {} / e / g", "p:{ p:} r:/a/ p:; i:x p:= p:{ p:} p:/ i:b p:/ i:c p:; k:function i:f p:( p:) p:{ p:} r:/d/ p:; i:y p:= k:function p:( p:) p:{ p:} p:/ i:e p:/ i:g"},
		{"regexp after ++", "a.js", "a++ / b; x = ++/c/.d", "i:a p:++ p:/ i:b p:; i:x p:= p:++ r:/c/ p:. i:d"},
		{"template", "a.js", "`a${b + `c`}d${{ e: `${f}` }}g` / h", "s:`a${ i:b p:+ s:`c` s:}d${ p:{ i:e p:: s:`${ i:f s:}` p:} s:}g` p:/ i:h"},
		{"numbers", "a.js", "0x1F 0b1_0 1e-5 .5 1. 10n 1..x 5.toFixed", "n:0x1F n:0b1_0 n:1e-5 n:.5 n:1. n:10n n:1. p:. i:x n:5.toFixed"},
		{"names", "a.js", "\\u0061b ünïç $_ #p x.class a?.b a?.5:1", "i:\\u0061b i:ünïç i:$_ i:#p i:x p:. i:class i:a p:?. i:b i:a p:? n:.5 p:: n:1"},
		{"comments", "a.js", "#!x\n<!-- a\n--> b\nc // d\n/* e\n */ f", "c:#!x c:<!-- a c:--> b i:c c:// d c:/* e\n */ i:f"},
		{"elements", "a.jsx", "x = <a.b c-d='e\"f' g={h} {...i}>j's {k} &amp; <l/></a.b>;", "i:x p:= p:< i:a p:. i:b i:c-d p:= s:'e\"f' i:g p:= p:{ i:h p:} p:{ p:... i:i p:} p:> x:j's  p:{ i:k p:} x:&amp;  p:< i:l p:/> p:</ i:a p:. i:b p:> p:;"},
		{"element or comparison", "a.tsx", "a < b; c = <d>{e < f}</d>; g = <T,>(h: T) => h; i = <T extends U>(j) => j; k<l>(m)", "i:a p:< i:b p:; i:c p:= p:< i:d p:> p:{ i:e p:< i:f p:} p:</ i:d p:> p:; i:g p:= p:< i:T p:, p:> p:( i:h p:: i:T p:) p:=> i:h p:; i:i p:= p:< i:T k:extends i:U p:> p:( i:j p:) p:=> i:j p:; i:k p:< i:l p:> p:( i:m p:)"},
		{"assertion", "a.ts", "x = <T>y; a as Array<Array<b>>; c! / d", "i:x p:= p:< i:T p:> i:y p:; i:a i:as i:Array p:< i:Array p:< i:b p:> p:> p:; i:c p:! p:/ i:d"},
		{"operators", "a.js", "a ??= b?.c ** d >>>= e => f", "i:a p:??= i:b p:?. i:c p:** i:d p:>>>= i:e p:=> i:f"},
		{"unclosed string", "a.js", "a = 'b\nc", "i:a p:= !:'b i:c"},
		{"unclosed template", "a.js", "a = `b\nc", "i:a p:= !:`b\nc"},
		{"stray bytes", "a.js", "a \\ b \x00 c", "i:a !:\\ i:b !:\x00 i:c"},
		{"component", "a.vue", "<p>{{ a }}</p>\n<script>\nlet b\n</script>\n", "x:<p>{{ a }}</p>\n<script> k:let i:b x:</script>\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, k := range (Language{}).Tokens(tt.path, []byte(tt.src)) {
				got = append(got, short[k.Kind]+":"+tt.src[k.Start:k.End])
			}
			if d := cmp.Diff(tt.want, strings.Join(got, " ")); d != "" {
				t.Errorf("Tokens(%q) (-want +got):\n%s", tt.src, d)
			}
		})
	}
}
