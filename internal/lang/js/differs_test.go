package js_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
)

const dayModule = `import { pad } from "./pad";
import type { Zone } from "./zone";
const SECOND = 1000, MINUTE = 60 * SECOND;
export const units = { SECOND, MINUTE, text: ` + "`${MINUTE} ms`" + ` };
function two(n: number): string { return pad(n, 2); }
export function day(d: Date): string { return two(d.getDate()); }
export const month = (d: Date) => two(d.getMonth());
export class Clock<T> { static zero = 0; #at = Date.now(); now(): string { return day(new Date(this.#at)); } }
export enum Kind { Short, Long = 4, Text = "t" }
export const zones = new Map<string, Zone>();
export default class extends Clock<string> { hour() { return 1; } }
`

func TestDiffers(t *testing.T) {
	for _, tc := range []struct {
		name     string
		file     string // a.ts if empty
		src      string // dayModule if empty
		old, new string // what is replaced
		want     string // "no", or the names
	}{
		{name: "the body of a function", old: "getDate()", new: "getDate() + 1", want: "Clock day default"},
		{name: "the body of a function that others call", old: "pad(n, 2)", new: "pad(n, 3)", want: "Clock day default month"},
		{name: "an arrow function", old: "getMonth()", new: "getMonth() + 1", want: "month"},
		{name: "a constant that others hold", old: "= 1000", new: "= 1001", want: "units"},
		{name: "a method", old: "return 1;", new: "return 2;", want: "default"},
		{name: "a private field runs with the constructor", old: "Date.now()", new: "Date.parse('x')", want: "Clock default"},
		{name: "a static field of a literal", old: "zero = 0", new: "zero = 1", want: "Clock default"},
		{name: "an enum", old: "Long = 4", new: "Long = 5", want: "Kind"},
		{name: "types alone", old: "(n: number)", new: "(n: number | bigint)", want: ""},
		{name: "another type import", old: `import type { Zone } from "./zone"`, new: `import type { Zone, Area } from "./zones"`, want: ""},
		{name: "a helper that nobody knew", old: "function two", new: "function three() {}\nfunction two", want: ""},
		{name: "statements that changed places", old: "export const zones = new Map<string, Zone>();\n", new: "export const zones = new Map();\n", want: ""},
		{name: "a cyclic helper", old: "return pad(n, 2)", new: "return day(new Date(pad(n, 2)))", want: "Clock day default month"},

		{name: "another export", old: "export const month", new: "export const year = 1, month", want: "no"},
		{name: "an export less", old: "export const month", new: "const month", want: "no"},
		{name: "a default export less", old: "export default class", new: "export class X", want: "no"},
		{name: "a call", old: "= 1000", new: "= seconds()", want: "no"},
		{name: "a call of what is imported", old: "= 1000", new: "= pad(1000)", want: "no"},
		{name: "a member that may be a getter", old: "= 1000", new: "= pad.length", want: "no"},
		{name: "an unknown global", old: "= 1000", new: "= SECONDS", want: "no"},
		{name: "a name before it has a value", old: "SECOND = 1000", new: "SECOND = zones", want: "no"},
		{name: "a name that may be an object, as a number", old: "60 * SECOND", new: "60 * two", want: "no"},
		{name: "an imported binding, which may not be there yet", old: "= 1000", new: "= pad", want: "no"},
		{name: "a spread", old: "{ SECOND,", new: "{ ...zones, SECOND,", want: "no"},
		{name: "a computed key", old: "{ SECOND,", new: "{ [two(1)]: 1, SECOND,", want: "no"},
		{name: "a static field that calls", old: "zero = 0", new: "zero = two(1)", want: "no"},
		{name: "a static block", old: "static zero = 0;", new: "static { two(1); }", want: "no"},
		{name: "a computed member", old: "now(): string", new: "[two(1)](): string", want: "no"},
		{name: "another base", old: "class extends Clock<string>", new: "class extends pad", want: "no"},
		{name: "an expression as a base", old: "class extends Clock<string>", new: "class extends mixin(Clock)", want: "no"},
		{name: "a decorator", old: "export class Clock", new: "@dec export class Clock", want: "no"},
		{name: "a statement", old: "export const month", new: "two(1);\nexport const month", want: "no"},
		{name: "an assignment to a global", old: "export const month", new: "globalThis.x = 1;\nexport const month", want: "no"},
		{name: "an await", old: "= 1000", new: "= await 1", want: "no"},
		{name: "another import", old: "const SECOND", new: "import \"./more\";\nconst SECOND", want: "no"},
		{name: "another name of an import", old: "{ pad }", new: "{ pad, fill }", want: "no"},
		{name: "an import that becomes a type", old: "pad(n, 2)", new: "String(n as unknown as typeof pad)", want: "no"},
		{name: "an import for its types that becomes a value", src: "import { A } from './a';\nexport function f(x: A) { return x; }\n", old: "return x", new: "return A", want: "no"},
		{name: "an import inside a function", old: "return 1;", new: "return import('./late');", want: "no"},
		{name: "an enum that computes", old: "Long = 4", new: "Long = two(1).length", want: "no"},
		{name: "a semicolon", old: "return 1;", new: "return 1", want: ""},
		{name: "does not parse at all", old: "return 1; }", new: "return (1; }", want: "no"},
		{name: "a regular expression that may not be one", old: "return 1;", new: "return /(/;", want: "no"},
		{name: "eval", old: "return 1;", new: "return eval('two');", want: "no"},
		{name: "elements where there were none", file: "a.tsx", old: "return 1;", new: "return <b/>;", want: "no"},
		{name: "a comment that a tool obeys", old: "export enum", new: "/* @vitest-environment jsdom */ export enum", want: "no"},
		{name: "a type where types may run", src: "import { B } from './b';\n@inject() export class A { constructor(readonly b: B) {} }\n", old: "b: B", new: "b: Date", want: "no"},
		{name: "a type of a member where types may run", src: "export class A { @column() a: number }\nexport const c = 1;\n", old: "a: number", new: "a: string", want: "no"},
		{name: "a global that is hidden by a pattern", file: "a.js", src: "import lib from './lib';\nconst { Set } = lib;\nexport const a = new Set([1]);\n", old: "[1]", new: "[2]", want: "no"},
		{name: "a global that is hidden by a nested pattern", file: "a.js", src: "import lib from './lib';\nconst { a: [{ b: Object }] } = lib;\nexport const a = Object.freeze({});\n", old: "{}", new: "{ b: 1 }", want: "no"},
		{name: "a base that is hidden by a pattern", file: "a.js", src: "import lib from './lib';\nconst [Error] = lib;\nexport class A extends Error { m() { return 1; } }\n", old: "return 1", new: "return 2", want: "no"},
		{name: "a key by a symbol", file: "a.js", src: "export const a = { [Symbol.iterator]() { return 1; } };\n", old: "return 1", new: "return 2", want: "a"},
		{name: "declarations", file: "a.d.ts", src: "export declare const a: 1;", old: "1", new: "2", want: "no"},
		{name: "a component", file: "a.vue", src: "<script>\nexport const a = 1;\n</script>", old: "1", new: "2", want: "no"},
		{name: "require", file: "a.js", src: "const b = require('./b');\nfunction f() { return 1; }\nexports.f = f;\n", old: "1", new: "2", want: "no"},

		{name: "what is registered does not differ", src: "import { on } from './on';\nfunction a() { return 1; }\non(a);\nexport const b = () => 1;\n", old: "b = () => 1", new: "b = () => 2", want: "b"},
		{name: "what is registered differs", src: "import { on } from './on';\nfunction a() { return 1; }\non(a);\nexport const b = () => a();\n", old: "return 1", new: "return 2", want: "no"},
		{name: "what is registered mentions what differs", src: "import { on } from './on';\nconst all = { a: () => b() };\non(all);\nexport function b() { return 1; }\n", old: "return 1", new: "return 2", want: "no"},
		{name: "a statement before another that does something", src: "import { on } from './on';\nconst a = 1;\non(a);\nexport const b = 2;\n", old: "const a = 1;\non(a);", new: "on(a);\nconst a = 1;", want: "no"},
		{name: "an imported base that stays", src: "import { B } from './b';\nexport class A extends B { m() { return 1; } }\nexport class C extends B {}\n", old: "return 1", new: "return 2", want: "A"},
		{name: "an imported base that was none", src: "import { B } from './b';\nexport class A { m() { return 1; } }\nexport const c = () => B;\n", old: "class A", new: "class A extends B", want: "no"},
		{name: "a static field beside a base", src: "import { B } from './b';\nexport class A extends B { static x = 1; }\n", old: "= 1", new: "= 2", want: "no"},
		{name: "a class that is set anew", src: "class B {}\nB = 1;\nexport class A extends B { m() { return 1; } }\n", old: "return 1", new: "return 2", want: "no"},
		{name: "a global that is not the language's", src: "import { Map } from './map';\nexport const a = 1;\n", old: "= 1", new: "= new Map()", want: "no"},
		{name: "an older object is frozen", src: "const o = {};\nexport const a = 1;\nexport const p = o;\n", old: "= 1", new: "= Object.freeze(o)", want: "no"},
		{name: "a new object is frozen", src: "export const a = 1, b = 2;\n", old: "= 1", new: "= Object.freeze({ x: [1] })", want: "a b"},
		{name: "an enum that would change another object", src: "const Y = {};\nexport const a = 1;\nexport const y = Y;\n", old: "export const a = 1;", new: "export var a = ((a2) => { a2['A'] = 1; return a2; })(Y || {});", want: "no"},
		{name: "a symbol is no string", src: "export const a = 1;\n", old: "= 1", new: "= Symbol('x') + 1", want: "no"},
		{name: "an export under another name", src: "function a() {}\nfunction b() {}\nexport { a as x, b as y };\n", old: "a as x, b as y", new: "b as x, a as y", want: "x y"},
		{name: "an export list", src: "function a() { return 1; }\nfunction b() {}\nexport { a as x, b as y };\n", old: "return 1", new: "return 2", want: "x"},
		{name: "what is handed on", src: "export * from './b';\nexport { c } from './c';\nexport const a = 1;\n", old: "= 1", new: "= 2", want: "a"},
		{name: "what is handed on differs", src: "export * from './b';\nexport const a = 1;\n", old: "* from './b'", new: "* from './c'", want: "no"},
		{name: "a new name hides a global", src: "export function a() { return fetch(); }\nexport const b = 1;\n", old: "export const b", new: "function fetch() {}\nexport const b", want: "a"},
		{name: "the name of a default function", src: "export default function f() { return 1; }\nexport const g = () => f();\nexport const h = 1;\n", old: "return 1", new: "return 2", want: "default g"},
		{name: "a directive", src: "'use strict';\nexport const a = 1;\n", old: "'use strict';", new: "'use client';", want: "no"},
		{name: "JavaScript", file: "a.mjs", src: "export const a = 1;\nexport const b = [a, -a, /x/g, null, async () => {}, function () {}];\n", old: "a = 1", new: "a = 3", want: "a b"},
		{name: "elements in a function", file: "a.jsx", src: "export const A = () => <p>{one}, two</p>;\nexport function B() { return <A/>; }\nexport const c = 1;\n", old: "two", new: "three", want: "A B"},
		{name: "elements that are made at once", file: "a.jsx", src: "export const a = <p/>;\nexport const c = 1;\n", old: "<p/>", new: "<b/>", want: "no"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.file == "" {
				tc.file = "a.ts"
			}
			if tc.src == "" {
				tc.src = dayModule
			}
			now := strings.Replace(tc.src, tc.old, tc.new, 1)
			if now == tc.src {
				t.Fatalf("%q is not in the text", tc.old)
			}
			for _, back := range []bool{false, true} {
				a, b := tc.src, now
				if back {
					a, b = b, a
				}
				names, ok := js.Language{}.Differs(t.Context(), tc.file, []byte(a), []byte(b))
				got := strings.Join(slices.Sorted(maps.Keys(names)), " ")
				if !ok {
					got = "no"
				}
				if back && (tc.name == "a regular expression that may not be one" || tc.name == "eval") {
					continue // what goes away need not be held off
				}
				if got != tc.want {
					t.Errorf("Differs (back: %v) = %q, want %q", back, got, tc.want)
				}
			}
		})
	}
}

// Syntax that esbuild reads and others do not stops the file where they load it.
func TestDiffersInSyntaxForSome(t *testing.T) {
	for _, tc := range []struct{ file, old, new string }{
		{"a.js", "return 1;", "using x = open(); return 1;"},
		{"a.js", "return 1;", "await using x = open(); return 1;"},
		{"a.js", "return 1;", "return class { accessor x = 1; };"},
		{"a.js", "return 1;", "@d class X {} return X;"},
		{"a.ts", "return 1;", "return class { constructor(private x: number) {} };"},
		{"a.ts", "return 1;", "return class { constructor(y: 1, readonly x: number) {} };"},
		{"a.ts", "export", "enum X { A }\nexport"},
		{"a.ts", "export", "const enum X { A }\nexport"},
		{"a.ts", "export", "namespace X { export type A = 1 }\nexport"},
	} {
		src := "export async function a() { return 1; }\nexport const b = 1;\n"
		now := strings.Replace(src, tc.old, tc.new, 1)
		if names, ok := (js.Language{}).Differs(t.Context(), tc.file, []byte(src), []byte(now)); ok {
			t.Errorf("Differs to %q = %v, want no", now, names)
		}
		again := strings.Replace(now, "b = 1", "b = 2", 1)
		if names, ok := (js.Language{}).Differs(t.Context(), tc.file, []byte(now), []byte(again)); !ok || len(names) != 1 {
			t.Errorf("Differs from %q in b = %v, %v", now, names, ok)
		}
	}
}

func TestModule(t *testing.T) {
	for _, tc := range []struct{ name, file, src, local, want string }{
		{name: "by a function", src: "import { a } from './m';\nexport const f = () => a();\nexport const g = 1;\n", local: "a", want: "f"},
		{name: "by an object", src: "import { a } from './m';\nconst o = { a };\nexport const f = () => o;\nexport { a, a as b };\n", local: "a", want: "a b f"},
		{name: "when it loads", src: "import { a } from './m';\nexport const f = a();\n", local: "a", want: "no"},
		{name: "a base that may be no class", src: "import { a } from './m';\nexport class B extends a {}\n", local: "a", want: "no"},
		{name: "a base that is a class", src: "import { A } from './m';\nexport class B extends A {}\nexport const c = 1;\n", local: "class A", want: "B"},
		{name: "types alone", file: "a.ts", src: "import { a, A } from './m';\nexport const f = (x: A) => a;\nexport function g(): A { return 1 }\n", local: "A", want: ""},
		{name: "elements call what configuration names", file: "a.jsx", src: "import { h } from './m';\nexport const A = () => <p/>;\nexport const b = 1;\n", local: "h", want: "A"},
		{name: "elements and types", file: "a.tsx", src: "import { h } from './m';\nexport const A = () => <><p/></>;\nexport const b = 1;\n", local: "h", want: "A"},
		{name: "types that may run", file: "a.ts", src: "import { B } from './m';\n@inject() export class A { constructor(readonly b: B) {} }\n", local: "class B", want: "no"},
		{name: "eval", src: "import { a } from './m';\nexport const f = (s) => eval(s);\n", local: "a", want: "no"},
		{name: "CommonJS", src: "const a = require('./m');\nexports.f = () => a();\n", local: "a", want: "no"},
		{name: "a component", file: "a.svelte", src: "<script>\nimport { a } from './m';\n</script>", local: "a", want: "no"},
		{name: "does not parse", src: "import { a } from './m';\nexport const f = (;\n", local: "a", want: "no"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.file == "" {
				tc.file = "a.js"
			}
			got := "no"
			if m, ok := (js.Language{}).Module(tc.file, []byte(tc.src)); ok {
				name, class := strings.CutPrefix(tc.local, "class ")
				if names, ok := m.Spread(lang.Names{name: class}); ok {
					got = strings.Join(slices.Sorted(maps.Keys(names)), " ")
				}
			}
			if got != tc.want {
				t.Errorf("Spread = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestLinks(t *testing.T) {
	for _, tc := range []struct{ name, file, src, want string }{
		{name: "names", src: "import d, { a, b as c } from './m';\nd(a, c);", want: "uses default a b"},
		{name: "types", src: "import type { A } from './m';\nimport { type B, c } from './n';\nexport type { D } from './o';", want: "; uses c;"},
		{name: "handed on by from", src: "export { a, b as c } from './m';\nexport * from './n';\nexport * as ns from './o';", want: "passes a:a b:c; passes *:*; passes *:ns"},
		{name: "handed on by a list", src: "import d, { a as b } from './m';\nexport { b, b as c, d as default };", want: "passes default:default a:b a:c"},
		{name: "handed on and used", src: "import { a } from './m';\nexport { a };\na();", want: "uses a"},
		{name: "handed on as the default", src: "import { a } from './m';\nexport default a;", want: "passes a:default"},
		{name: "used as a key by the same name", src: "import { a } from './m';\nexport { a };\nexport const o = { a: 1 };", want: "uses a"},
		{name: "hidden by an escape", src: "import { a } from './m';\nexport { a };\n\\u0061();", want: "uses a"},
		{name: "members", src: "import * as ns from './m';\nns.a(ns?.b, ns.a);", want: "uses a b"},
		{name: "members in elements, whose factory may be another", file: "a.jsx", src: "import * as ns from './m';\nexport const x = () => <ns.A/>;", want: "whole"},
		{name: "handed on and perhaps called by elements", file: "a.jsx", src: "import { h } from './m';\nexport { h };\nexport const x = () => <p/>;", want: "uses h"},
		{name: "escapes as an argument", src: "import * as ns from './m';\nf(ns);", want: "whole"},
		{name: "escapes by a computed member", src: "import * as ns from './m';\nns[k];", want: "whole"},
		{name: "escapes by a pattern", src: "import * as ns from './m';\nconst { a } = ns;", want: "whole"},
		{name: "escapes by an export", src: "import * as ns from './m';\nexport { ns };", want: "whole"},
		{name: "in a component", file: "a.vue", src: "<template>{{ ns.z }}</template><script setup>\nimport * as ns from './m';\nns.a;\n</script>", want: "whole"},
		{name: "for its effects", src: "import './m';", want: "whole"},
		{name: "others", src: "const { a } = require('./m');\nimport('./n');\nvi.mock('./o');", want: "whole; whole; whole"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.file == "" {
				tc.file = "a.ts"
			}
			var all []string
			for _, l := range (js.Language{}).Links(tc.file, []byte(tc.src)) {
				var words []string
				if l.Whole {
					words = append(words, "whole")
				}
				if len(l.Uses) > 0 {
					words = append(words, "uses")
				}
				for _, u := range l.Uses {
					words = append(words, u.From)
				}
				for i, p := range l.Passes {
					if i == 0 {
						words = append(words, "passes")
					}
					words = append(words, p.From+":"+p.As)
				}
				all = append(all, strings.Join(words, " "))
			}
			if got := strings.TrimSpace(strings.Join(all, "; ")); got != tc.want {
				t.Errorf("Links = %q, want %q", got, tc.want)
			}
		})
	}
}
