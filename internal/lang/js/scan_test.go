package js

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"regreen/internal/lang"
)

// facts writes a scan as lines: imports, exports, and what is not certain.
func facts(f *lang.File, src string) []string {
	out := []string{}
	for _, i := range f.Imports {
		s := fmt.Sprintf("%s %q", i.Kind, i.Specifier)
		for _, n := range i.Names {
			s += " " + n.Imported
			if n.Local != n.Imported {
				s += ":" + n.Local
			}
			if n.TypeOnly {
				s += "!"
			}
		}
		if i.Lazy {
			s += " lazy"
		}
		out = append(out, s)
	}
	for _, e := range f.Exports {
		s := "export " + e.Name
		if e.Local != e.Name {
			s += " = " + e.Local
		}
		if e.From != "" {
			s += " from " + e.From
		}
		if e.Kind != "" {
			s += " " + e.Kind
		}
		out = append(out, s)
	}
	for _, p := range f.DataPaths {
		out = append(out, "data "+p)
	}
	for _, u := range f.Uncertain {
		out = append(out, u)
	}
	if !f.AllKnown {
		out = append(out, "more exports")
	}
	if f.CommonJS {
		out = append(out, "CommonJS")
	}
	return out
}

func TestScan(t *testing.T) {
	tests := []struct {
		name, path, src string
		want            []string
	}{
		{"static imports", "a.ts", "import d, { a as b, type C, default as e } from './x';\nimport * as ns from \"y\"\nimport 'side'\nimport d2, * as n2 from 'z' with { type: 'x' };",
			[]string{`import "./x" default:d a:b C! default:e`, `import "y" *:ns`, `import "side"`, `import "z" default:d2 *:n2`}},
		{"odd names", "a.js", "import { 'a b' as c, default as d, as, type, from } from 'x'\nimport type from 'y'\nimport from from 'z'",
			[]string{`import "x" a b:c default:d as type from`, `import "y" default:type`, `import "z" default:from`}},
		{"type imports", "a.ts", "import type { A, B as C } from './x'\nimport type D from 'y'\nimport { type as, type as as, type as as F, type G as H } from 'z'\nexport type { I } from 'w'\nexport type * from 'v'",
			[]string{`import type "./x" A! B:C!`, `import type "y" default:D!`, `import "z" as! type:as as:F! G:H!`, `import type "w" I!`, `import type "v" *!`,
				"export I =  from w Type", "export * =  from v", "more exports"}},
		{"import equals", "a.ts", "import a = require('./a');\nimport B = C.D;\nexport = a;",
			[]string{`require "./a" *:a`, "export default = a", "more exports"}},
		{"export declarations", "a.ts", "export function f() {}\nexport async function* g() {}\nexport class C extends D {}\nexport abstract class E {}\nexport const a = 1, { b, c: [d], ...e } = x;\nexport let h: Map<string, number>, i = f<A, B>(1), j\nexport enum K { L }\nexport declare const enum M { N }\nexport interface O { p(): void }\nexport type Q<T> = T\nexport namespace R { export const s = 1 }\nexport default function T() {}",
			[]string{"export f Func", "export g Func", "export C Class", "export E Class", "export a Const", "export b Const", "export d Const", "export e Const",
				"export h Var", "export i Var", "export j Var", "export K Const", "export M Const", "export O Type", "export Q Type", "export R Const", "export default = T Func"}},
		{"export lists", "a.js", "const a = 1\nexport { a, a as b, a as default, a as 'c d' }\nexport { e, default as f, default } from './x'\nexport * from './y'\nexport * as g from './z'",
			[]string{`export from "./x" e default:f default`, `export from "./y" *`, `export from "./z" *:g`,
				"export a", "export b = a", "export default = a", "export c d = a", "export e =  from ./x", "export f =  from ./x", "export default =  from ./x", "export * =  from ./y", "export g =  from ./z"}},
		{"default expressions", "a.js", "export default foo", []string{"export default = foo"}},
		{"default object", "a.js", "export default { a: 1 }", []string{"export default = "}},
		{"default arrow", "a.js", "export default () => import('./x')", []string{`import() "./x" lazy`, "export default = "}},
		{"default class", "a.js", "export default class extends A {}", []string{"export default =  Class"}},
		{"star of a package", "a.js", "export * from 'x'", []string{`export from "x" *`, "export * =  from x", "more exports"}},
		{"require", "a.js", "const a = require('./a'), { b, c: d, e = 1, ...f } = require('./b');\nvar g = require('./c').g, h = require('./d').default;\nlet i; i = require('./i');\nrequire('./e').f();\nfunction k() { return require(\"./lazy\") }\ntry { require('./opt') } catch {}\nconst l = () => require('./l');",
			[]string{`require "./a" *:a`, `require "./b" b c:d e *:f`, `require "./c" g`, `require "./d" default:h`, `require "./i" *:i`, `require "./e" f:`,
				`require "./lazy" lazy`, `require "./opt" lazy`, `require "./l" lazy`, "CommonJS"}},
		{"interop", "a.js", "var _a = _interopRequireDefault(require('./a'));\nvar b = __importStar(require('./b'));\nconst { c } = /** x */ (require('./c'));",
			[]string{`require "./a" *:_a`, `require "./b" *:b`, `require "./c" c`, "CommonJS"}},
		{"not require", "a.js", "x.require('./a'); 'require(\"./b\")'; // require('./c')\n/require('.\\/d')/; `require('./e')`; class A { require(p) { } } function require(x) {}", []string{}},
		{"dynamic", "a.ts", "const { a, b: c } = await import('./x');\nimport('./y').then(({ d }) => d)\nimport('./z').then(m => m.e)\nconst f = (await import(`./w`)).g;\nconst r = lazy(() => import('./v'))\nlet t: import('./t').T; type U = typeof import('./u')",
			[]string{`import() "./x" a b:c`, `import() "./y" d`, `import() "./z" e:`, `import() "./w" g:f`, `import() "./v" lazy`, `import type "./t" T:`, `import type "./u"`}},
		{"computed", "a.js", "import(`./l/${x}.js`);\nrequire('./m/' + y);\nrequire(z);\nrequire(q ? './a' : './b');\nimport.meta.glob(['./g/*.js', '!./g/x.js']);\nrequire.context('./ctx', true);",
			[]string{`computed import "./l/"`, `computed import "./m/"`, `computed import ""`, `require "./a"`, `require "./b"`, `computed import "./g/*.js"`, `computed import "./ctx/"`,
				"line 1: import() of a computed path", "line 2: require() of a computed path", "line 3: require() of a computed path"}},
		{"mocks", "a.test.ts", "jest.mock('./a', () => ({}))\nvi.mock(import('./b'), f)\nvi.doMock<typeof import('./t')>('./c');\njest.unmock('./d').mock('./e');\nconst { x } = jest.requireActual('./f');\nconst g = await vi.importActual<typeof import('./g')>('./g');\nproxyquire('./h', {});\nother.mock('./no')",
			[]string{`mock "./a"`, `mock "./b"`, `mock "./c"`, `import type "./t"`, `mock "./d"`, `mock "./e"`, `mock "./f" x`, `mock "./g" *:g`, `import type "./g"`, `mock "./h"`}},
		{"assets", "a.ts", "new Worker(new URL('./w.js', import.meta.url));\nimport s from './s.css'\nimport t from './t.txt?raw'\nimport j from './j.json'\nconst k = require('./k.json')\nrequire.resolve('./r')\nnew URL('https://x.y/z', import.meta.url)",
			[]string{`asset "./w.js"`, `asset "./s.css" default:s`, `asset "./t.txt?raw" default:t`, `asset "./j.json" default:j`, `asset "./k.json" *:k`, `asset "./r"`}},
		{"references", "a.ts", "#!/usr/bin/env x\n/// <reference path=\"./g.d.ts\" />\n/// <reference types='node' />\nlet a", []string{`import type "./g.d.ts"`, `import type "node"`}},
		{"data", "a.js", "fs.readFileSync('fix/a.txt'); readFile(`b`); path.join(__dirname, '..', 'fix', 'c.json'); x(__dirname + '/d'); `${__dirname}/e`; path.resolve(import.meta.dirname, 'f'); existsSync(g)",
			[]string{"data fix/a.txt", "data b", "data ../fix/c.json", "data ./d", "data ./e", "data ./f"}},
		{"module.exports object", "a.js", "module.exports = { a, b: c, d() {}, get e() { return 1 }, 'f': 1, async g() {}, h: function () {}, ...require('./i') };",
			[]string{`require "./i"`, "export a", "export b = c", "export d =  Func", "export e =  Func", "export f = ", "export g =  Func", "export h =  Func", "export * =  from ./i", "CommonJS"}},
		{"exports members", "a.js", "exports.a = 1; module.exports.b = f; exports['c'] = () => 1; Object.defineProperty(exports, '__esModule', { value: true }); Object.defineProperty(exports, \"d\", { enumerable: true, get: function () { return x.d; } }); exports.e = exports.f = void 0; if (exports.a == 1) {}",
			[]string{"export a = ", "export b = f", "export c = ", "export d = ", "export e = ", "export f = ", "CommonJS"}},
		{"module.exports by name", "a.js", "const api = { a, b };\napi.c = 1;\nmodule.exports = api;",
			[]string{"export default = api", "export a", "export b", "export c = ", "CommonJS"}},
		{"module.exports function", "a.js", "function f() {}\nf.g = 1;\nmodule.exports = f;", []string{"export default = f", "export g = ", "CommonJS"}},
		{"module.exports class", "a.js", "class A {}\nmodule.exports = A;", []string{"export default = A", "more exports", "CommonJS"}},
		{"module.exports call", "a.js", "module.exports = f()", []string{"export default = ", "more exports", "CommonJS"}},
		{"module.exports require", "a.js", "module.exports = require('./x');", []string{`require "./x"`, "export * =  from ./x", "CommonJS"}},
		{"typescript output", "a.js", "\"use strict\";\n__exportStar(require(\"./a\"), exports);\nconst b_1 = require(\"./b\");\nexports.c = b_1.c;",
			[]string{`require "./a"`, `require "./b" *:b_1`, "export * =  from ./a", "export c = ", "CommonJS"}},
		{"exports in a module count not", "a.js", "export const a = 1; module.exports = { b }", []string{"export a Const"}},
		{"component", "a.vue", "<template><div>import x from 'no'</div></template>\n<script lang=\"ts\">\nimport type { A } from './a'\n</script>\n<script setup lang='ts'>\nimport { b } from './b'\n</script>\n<style>x</style>",
			[]string{`import type "./a" A!`, `import "./b" b`, "export default =  Const"}},
		{"missing brace", "a.js", "import { a from './x'\nimport b from './y'\nexport const c = {\nexport function d() {\n", []string{`import "./x" a`, `import "./y" default:b`, "export c Const", "export d Func"}},
		{"missing brace in a body", "a.js", "function f() {\n  if (x) {\n  return 1\n}\nexport function g() {}\nexport { h } from './h'\n", []string{`export from "./h" h`, "export g Func", "export h =  from ./h"}},
		{"unclosed string", "a.js", "import a from './x\nimport b from './y'\n", []string{`import "./y" default:b`}},
		{"jsx text", "a.jsx", "import a from './a'\nconst x = <p>import b from './b'; it's require('./c') {d}</p>\nexport default x", []string{`import "./a" default:a`, "export default = x"}},
		{"namespace exports count not", "a.ts", "declare module 'x' { export const a: number; import b from 'b' }\nexport {}", []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := Language{}.Scan(tt.path, []byte(tt.src))
			if d := cmp.Diff(tt.want, facts(f, tt.src)); d != "" {
				t.Errorf("Scan(%q) (-want +got):\n%s", tt.src, d)
			}
			for _, i := range f.Imports {
				if got := tt.src[i.SpecSpan.Start:i.SpecSpan.End]; got != strings.TrimSuffix(i.Specifier, "/") && got != i.Specifier {
					t.Errorf("the span of %q holds %q", i.Specifier, got)
				}
				for _, n := range i.Names {
					if n.LocalSpan.Len() > 0 && tt.src[n.LocalSpan.Start:n.LocalSpan.End] != n.Local {
						t.Errorf("the span of %q holds %q", n.Local, tt.src[n.LocalSpan.Start:n.LocalSpan.End])
					}
					if n.Imported != "*" && n.Imported != "default" && tt.src[n.Span.Start:n.Span.End] != n.Imported {
						t.Errorf("the span of %q holds %q", n.Imported, tt.src[n.Span.Start:n.Span.End])
					}
				}
			}
		})
	}
}

func TestScanPlaces(t *testing.T) {
	src := "// é\nimport { a } from './x';\n\n  const b = require(\"./y\");\n"
	f := Language{}.Scan("a.js", []byte(src))
	var got []string
	for _, i := range f.Imports {
		got = append(got, fmt.Sprintf("%d:%d %s", i.Line, i.Column, src[i.Span.Start:i.Span.End]))
	}
	want := []string{"2:20 import { a } from './x';", "4:22 require(\"./y\")"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Scan (-want +got):\n%s", d)
	}
}

func TestDefs(t *testing.T) {
	src := "const a = 1\nfunction b() {}\n@x() class C {}\nexport const d = () => {\n}, e = 2;\nvar { f, g: [h] } = z;\nif (x) { var no }\ntype T = { a: 1 }\n| 2\nf()\n"
	var got []string
	for _, d := range (Language{}).Scan("a.ts", []byte(src)).Defs {
		got = append(got, fmt.Sprintf("%s %s %q", d.Kind, d.Name, src[d.Body.Start:d.Body.End]))
	}
	want := []string{`Const a "const a = 1"`, `Func b "function b() {}"`, `Class C "class C {}"`, `Const d "export const d = () => {\n}, e = 2;"`,
		`Const e "export const d = () => {\n}, e = 2;"`, `Var f "var { f, g: [h] } = z;"`, `Var h "var { f, g: [h] } = z;"`, `Type T "type T = { a: 1 }\n| 2"`}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Defs (-want +got):\n%s", d)
	}
}
