package js

import "testing"

func TestSameCode(t *testing.T) {
	for _, tc := range []struct {
		name, file, before, after string
		want                      bool
	}{
		{"equal", "a.ts", "a", "a", true},
		{"comment", "a.ts", "const a = 1 // one\n", "// two\nconst a = 1\n", true},
		{"spaces", "a.js", "f(a,b)", "f( a, b )", true},
		{"wrapped arguments", "a.js", "f(a, b)", "f(\n  a,\n  b\n)", true},
		{"wrapped chain", "a.js", "a.b().c()", "a\n  .b()\n  .c()", true},
		{"blank lines", "a.js", "a\n\n\nb", "a\nb", true},
		{"return and a line", "a.js", "function f() { return a }", "function f() { return\na }", false},
		{"a line before a bracket", "a.js", "a\n(b)", "a(b)", false},
		{"a line before a template", "a.js", "a\n`b`", "a`b`", false},
		{"a line before ++", "a.js", "a\n++b", "a++\nb", false},
		{"a name", "a.js", "a", "b", false},
		{"a text", "a.js", "'a  b'", "'a b'", false},
		{"quotes", "a.js", "'a'", `"a"`, false},
		{"inline snapshot", "a.ts", "x(`\n  a\n`)", "x(`\n    a\n`)", false},
		{"regular expression", "a.js", "x = /a b/", "x = /a  b/", false},
		{"text that looks like a comment", "a.js", "'// a'", "'// b'", false},
		{"pragma", "a.ts", "/** @jest-environment jsdom */\na", "a", false},
		{"pragma moved", "a.ts", "// @ts-expect-error\na\nb", "a\n// @ts-expect-error\nb", false},
		{"pragma kept", "a.ts", "// @ts-ignore\na // x", "// @ts-ignore\na // y", true},
		{"element's text", "a.tsx", "const a = <b>one two</b>", "const a = <b>one  two</b>", false},
		{"space between elements", "a.tsx", "const a = <b><i/> <i/></b>", "const a = <b><i/><i/></b>", false},
		{"lines between elements", "a.tsx", "const a = <b>\n<i/>\n<i/></b>", "const a = <b>\n  <i/>\n\n  <i/></b>", true},
		{"comment beside elements", "a.tsx", "// a\nconst a = <b>x {y}</b>", "// b\nconst a = <b>x {y}</b>", true},
		{"component file", "a.vue", "<script>// a\n</script>", "<script>// b\n</script>", false},
		{"broken", "a.js", "'a // b", "'a // b ", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, pair := range [][2]string{{tc.before, tc.after}, {tc.after, tc.before}} {
				if got := (Language{}).SameCode(tc.file, []byte(pair[0]), []byte(pair[1])); got != tc.want {
					t.Errorf("SameCode(%q, %q) = %v, want %v", pair[0], pair[1], got, tc.want)
				}
			}
		})
	}
}
