package js

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"regreen/internal/lang"
)

func TestCheck(t *testing.T) {
	tests := []struct {
		name, path, src string
		want            *lang.SyntaxError
	}{
		{name: "good", path: "a.js", src: "const a = 1;\n"},
		{name: "jsx in js", path: "a.js", src: "export const A = () => <b c='d'>{e}</b>;\n"},
		{name: "top-level await", path: "a.mjs", src: "await import('./x');\n"},
		{name: "types", path: "a.ts", src: "type A<T> = { [K in keyof T]: T[K] };\nlet x = <number>y;\n"},
		{name: "decorators", path: "a.ts", src: "@d() class A { constructor(@inject() private x: B) {} }\n"},
		{name: "hashbang", path: "a.cjs", src: "#!/usr/bin/env node\nrequire('x')\n"},
		{name: "component", path: "a.vue", src: "<template>{{ x</template>\n<script setup lang=\"ts\">\nlet a: number = 1\n</script>\n"},
		{name: "component broken", path: "a.vue", src: "<script>\nlet a = (\n</script>\n",
			want: &lang.SyntaxError{Line: 3, Column: 1, Offset: 19, Message: "Unexpected end of file"}},
		{name: "missing paren", path: "a.js", src: "f(1;\n",
			want: &lang.SyntaxError{Line: 1, Column: 4, Offset: 3, Token: ";", Expected: ")", Message: `Expected ")" but found ";"`}},
		{name: "unclosed block", path: "a.js", src: "function f() {\n  return 1\n",
			want: &lang.SyntaxError{Line: 3, Column: 1, Offset: 26, Message: "Unexpected end of file"}},
		{name: "unclosed string", path: "a.ts", src: "let ä = 'x\nlet b\n",
			want: &lang.SyntaxError{Line: 1, Column: 12, Offset: 11, Token: "", Message: "Unterminated string literal"}},
		{name: "line separator", path: "a.js", src: "a;\u2028b c\n",
			want: &lang.SyntaxError{Line: 1, Column: 8, Offset: 7, Token: "c", Expected: ";", Message: `Expected ";" but found "c"`}},
		{name: "js is tried as jsx", path: "a.js", src: "let a = <b>{c}</d>;\n",
			want: &lang.SyntaxError{Line: 1, Column: 17, Offset: 16, Token: "d", Message: `Unexpected closing "d" tag does not match opening "b" tag`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Language{}.Check(t.Context(), tt.path, []byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("Check(%q) (-want +got):\n%s", tt.src, d)
			}
		})
	}
}
