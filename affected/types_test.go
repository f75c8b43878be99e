package affected_test

import (
	"testing"

	"regreen/affected"
	"regreen/internal/lang"
	"regreen/internal/lang/js"
)

// TestTypesThatAreGone: what only imports types of a file does not depend on it
// when it runs, unless somebody looks at types.
func TestTypesThatAreGone(t *testing.T) {
	const user = "import type { T } from './t'\nexport const f = (t: T) => t\n"
	for _, tc := range []struct {
		name   string
		tree   files
		args   []string
		global []string
		want   string
	}{
		{name: "in the test", tree: tree("a.test.ts", "import type { T } from './t'\n")},
		{name: "behind it", tree: tree("a.test.ts", "import { f } from './u'\n", "u.ts", user)},
		{name: "handed on", tree: tree("a.test.ts", "import { f } from './u'\n", "u.ts", "export type { T } from './t'\nexport type * from './t'\n")},
		{name: "two steps", tree: tree("a.test.ts", "import './u'\n", "u.ts", "import type { U } from './v'\n", "v.ts", "import { T } from './t'\nexport interface U extends T {}\n")},
		{name: "handed on as more than types", tree: tree("a.test.ts", "import { f } from './u'\n", "u.ts", "export * from './t'\n"), want: "a.test.ts"},
		{name: "by both ways", tree: tree("a.test.ts", "import { f } from './u'\nimport './v'\n", "u.ts", user, "v.ts", "import { v } from './t'\nexport const w = () => v\n"), want: "a.test.ts"},
		{name: "both from one file", tree: tree("a.test.ts", "import type { T } from './t'\nimport { v } from './t'\n"), want: "a.test.ts"},
		{name: "names that are types in a list", tree: tree("a.test.ts", "import { type T } from './t'\n"), want: "a.test.ts"},
		{name: "a type in a place of values", tree: tree("a.test.ts", "let x: import('./t').T\n"), want: "a.test.ts"},
		{name: "another language's types", tree: tree("a.test.js", "import type { T } from './t'\n"), want: "a.test.js"},
		{name: "a loader that checks types", tree: tree("package.json", `{"devDependencies":{"ts-jest":"29"}}`, "a.test.ts", "import type { T } from './t'\n"), want: "a.test.ts"},
		{name: "types made code", tree: tree("package.json", `{"devDependencies":{"typia":"7"}}`, "a.test.ts", "import './u'\n", "u.ts", user), want: "a.test.ts"},
		{name: "a configuration with a compiler", tree: tree("vitest.config.ts", "import './plugin'\n", "plugin.ts", "import ts from 'typescript'\n", "a.test.ts", "import type { T } from './t'\n"), global: []string{"vitest.config.ts"}, want: "a.test.ts"},
		{name: "a configuration that checks types", tree: tree("vitest.config.ts", "export default { test: { typecheck: { enabled: true } } }\n", "a.test.ts", "import type { T } from './t'\n"), global: []string{"vitest.config.ts"}, want: "a.test.ts"},
		{name: "a runner that checks types", tree: tree("a.test.ts", "import type { T } from './t'\n"), args: []string{"run", "--typecheck"}, want: "a.test.ts"},
		{name: "a test of types", tree: tree("a.test-d.ts", "import { f } from './u'\n", "a.test.ts", "import { f } from './u'\n", "u.ts", user), want: "a.test-d.ts"},
		// vuejs/core#4294: a component's compiler looks for the types of its properties
		{name: "a component's properties", tree: tree("a.test.ts", "import A from './A.vue'\n", "A.vue", "<script setup lang=\"ts\">\nimport type { T } from './t'\ndefineProps<T>()\n</script>\n"), want: "a.test.ts"},
		{name: "a component's properties, of two files", tree: tree("a.test.ts", "import A from './A.vue'\n", "A.vue", "<script setup lang=\"ts\">\nimport { U } from './u'\ndefineProps<U>()\n</script>\n", "u.ts", "import type { T } from './t'\nexport interface U extends T {}\n"), want: "a.test.ts"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := node(".", tc.global...)
			p.Args = tc.args
			isTest := p.IsTest
			p.IsTest = func(f string) bool { return isTest(f) || f == "a.test-d.ts" }
			for _, change := range []string{"M t.ts", "D t.ts", "R t.ts > t2.ts"} {
				now := files{}
				for f, text := range tc.tree {
					now[f] = text
				}
				switch change[0] {
				case 'M':
					now["t.ts"] = "export interface T { n: 1 }\nexport const v = 1\n"
				case 'R':
					now["t2.ts"] = "export interface T { n: 1 }\n"
				}
				if got := selectChange(t, lang.Set{js.Language{}}, now, p, change); got != tc.want {
					t.Errorf("%s selected %q, want %q", change, got, tc.want)
				}
			}
			// A type alone differs: of that no name tells.
			now := files{"t.ts": "export interface T { n: 2 }\nexport const v = 1\n"}
			for f, text := range tc.tree {
				now[f] = text
			}
			want := ""
			if tc.want == "a.test-d.ts" || tc.global != nil || tc.args != nil || now["package.json"] != "" || now["A.vue"] != "" {
				want = tc.want
			}
			in := affected.Input{Tree: now, Languages: lang.Set{js.Language{}}, Projects: []affected.Project{p}, BaseFiles: now.Files(), Changes: []affected.Change{{Path: "t.ts"}},
				Base: func(f string) ([]byte, bool) {
					return []byte("export interface T { n: 1 }\nexport const v = 1\n"), f == "t.ts"
				}}
			set, err := affected.Select(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if got := names(set); got != want {
				t.Errorf("a type alone selected %q, want %q", got, want)
			}
		})
	}
}

// TestDeclarations: where types are checked, a module depends on its
// declarations, and all do on those that hold everywhere.
func TestDeclarations(t *testing.T) {
	const checked, not = `{"devDependencies":{"ts-jest":"29"}}`, `{"devDependencies":{"jest":"29"}}`
	for _, tc := range []struct{ name, manifest, change, want string }{
		{"beside a module", checked, "M x.d.ts", "a.test.ts"},
		{"beside a module, gone", checked, "D x.d.ts", "a.test.ts b.test.ts"},
		{"beside a module, new", checked, "A x.d.ts", "a.test.ts"},
		{"beside a module, unchecked", not, "M x.d.ts", ""},
		{"everywhere", checked, "M globals.d.ts", "a.test.ts b.test.ts"},
		{"everywhere, unchecked", not, "M globals.d.ts", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			now := tree("package.json", tc.manifest, "a.test.ts", "import './x'\n", "b.test.ts", "test('b', () => {})\n", "x.js", "", "x.d.ts", "export const x: 1\n", "globals.d.ts", "declare const y: 1\n")
			if tc.change[0] == 'D' {
				delete(now, "x.d.ts")
			}
			if got := selectChange(t, lang.Set{js.Language{}}, now, node("."), tc.change); got != tc.want {
				t.Errorf("selected %q, want %q", got, tc.want)
			}
		})
	}
}
