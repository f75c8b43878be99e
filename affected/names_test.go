package affected_test

import (
	"maps"
	"strings"
	"testing"

	"regreen/affected"
	"regreen/internal/lang"
	"regreen/internal/lang/js"
)

// barrel is a package whose index hands on what its modules offer. vitest-dev/vitest#5009,
// jestjs/jest#11234: every peer selects all that import the index.
func barrel() files {
	return files{
		"package.json":    `{"type":"module"}`,
		"src/index.ts":    "export { a, half } from './a'\nexport * from './b'\nexport * as c from './c'\nexport { default as D, type Dd } from './d'\n",
		"src/a.ts":        "import { two } from './two'\nexport const half = (n: number) => n / two()\nexport function a() { return 1 }\n",
		"src/b.ts":        "import { a } from './a'\nexport function b() { return a() + 2 }\nexport const bb = () => 5\nexport default 1\n",
		"src/c.ts":        "export const c = 3\n",
		"src/d.ts":        "export interface Dd { d: number }\nexport default class D { m() { return 4 } }\n",
		"src/two.ts":      "export function two() { return 2 }\n",
		"src/set.ts":      "import { on } from './on'\nfunction hook() { return 6 }\non(hook)\nexport const set = () => 7\n",
		"src/on.ts":       "export const all: unknown[] = []\nexport function on(f: unknown) { all.push(f) }\n",
		"src/list.ts":     "import { a } from './a'\nimport { set } from './set'\nexport { a as aa, set }\n",
		"t/a.test.ts":     "import { a } from '../src'\na()\n",
		"t/half.test.ts":  "import { half } from '../src/index'\nhalf(1)\n",
		"t/b.test.ts":     "import { b as x } from '../src'\nx()\n",
		"t/c.test.ts":     "import { c } from '../src'\nc.c\n",
		"t/d.test.ts":     "import { D } from '../src'\nnew D().m()\n",
		"t/ns.test.ts":    "import * as all from '../src'\nall.a(all.bb())\n",
		"t/whole.test.ts": "import * as all from '../src'\nfor (const k in all) all[k]\n",
		"t/mock.test.ts":  "vi.mock('../src')\n",
		"t/late.test.ts":  "test('x', () => import('../src'))\n",
		"t/req.test.ts":   "const { c } = require('../src')\n",
		"t/types.test.ts": "import type { Dd } from '../src'\n",
		"t/list.test.ts":  "import { aa } from '../src/list'\naa()\n",
		"t/set.test.ts":   "import { set } from '../src/list'\nset()\n",
	}
}

// careful are the tests that any change behind the index selects.
const careful = "late mock req whole"

func TestNames(t *testing.T) {
	for _, tc := range []struct {
		name  string
		edits []edit
		tree  func(files)
		want  string // names of tests beside the careful ones
		loose bool   // without the careful ones
	}{
		{name: "one module behind the index", edits: []edit{{"src/c.ts", "= 3", "= 4"}}, want: "c"},
		{name: "a function of one", edits: []edit{{"src/a.ts", "return 1", "return 2"}}, want: "a b list ns"},
		{name: "another function of it", edits: []edit{{"src/a.ts", "n / two()", "two() / n"}}, want: "half"},
		{name: "what a module behind it uses", edits: []edit{{"src/two.ts", "return 2", "return 3"}}, want: "half"},
		{name: "what every function of a module behind it uses", edits: []edit{{"src/two.ts", "return 2", "return 3"}}, want: "a b half list ns", tree: func(f files) { f["src/a.ts"] = strings.Replace(f["src/a.ts"], "return 1", "return two()", 1) }},
		{name: "what a module behind it needs when it loads", edits: []edit{{"src/two.ts", "return 2", "return 3"}}, want: "a b c d half list ns set", tree: func(f files) { f["src/a.ts"] += "const six = two() * 3\n" }},
		{name: "a base class", edits: []edit{{"src/d.ts", "return 4", "return 5"}}, want: "c d",
			tree: func(f files) { f["src/c.ts"] = "import D from './d'\nexport class c extends D {}\n" }},
		{name: "a base class that is one no more", edits: []edit{{"src/d.ts", "default class D { m() { return 4 } }", "default function D() {}"}}, want: "a b c d half ns",
			tree: func(f files) { f["src/c.ts"] = "import D from './d'\nexport class c extends D {}\n" }},
		{name: "an object of what differs", edits: []edit{{"src/d.ts", "return 4", "return 5"}}, want: "c d",
			tree: func(f files) { f["src/c.ts"] = "import D from './d'\nexport const c = { D, o: [D] }\n" }},
		{name: "a function that becomes a constant, which a cycle can meet too early", edits: []edit{{"src/a.ts", "function a() { return 1 }", "const a = () => 1"}}, want: "a b c d half list ns set"},
		{name: "by export star", edits: []edit{{"src/b.ts", "=> 5", "=> 6"}}, want: "ns"},
		{name: "the default goes by no star", edits: []edit{{"src/b.ts", "default 1", "default 2"}}, loose: true},
		{name: "a default under a name", edits: []edit{{"src/d.ts", "return 4", "return 5"}}, want: "d"},
		{name: "a type alone", edits: []edit{{"src/d.ts", "d: number", "d: string"}}, loose: true},
		{name: "by an import and an export list", edits: []edit{{"src/set.ts", "=> 7", "=> 8"}}, want: "set", loose: true},
		{name: "two modules", edits: []edit{{"src/c.ts", "= 3", "= 4"}, {"src/d.ts", "return 4", "return 5"}}, want: "c d"},

		{name: "what is registered when it loads", edits: []edit{{"src/set.ts", "return 6", "return 7"}}, want: "list set", loose: true},
		{name: "a statement that does something", edits: []edit{{"src/c.ts", "", "console.log(c)\n"}}, want: "a b c d half ns"},
		{name: "another export", edits: []edit{{"src/c.ts", "", "export const e = 1\n"}}, want: "a b c d half ns"},
		{name: "a default less", edits: []edit{{"src/b.ts", "export default 1\n", ""}}, want: "a b c d half ns"},
		{name: "another import", edits: []edit{{"src/c.ts", "", "import './two'\n"}}, want: "a b c d half ns"},
		{name: "does not parse", edits: []edit{{"src/c.ts", "= 3", "= (3"}}, want: "a b c d half ns"},
		{name: "the index itself", edits: []edit{{"src/index.ts", "export * as c", "export * as k"}}, want: "a b c d half ns"},
		{name: "one of two changes is of the whole", edits: []edit{{"src/c.ts", "= 3", "= 4"}, {"src/d.ts", "", "hook()\n"}}, want: "a b c d half ns"},
		{name: "a module that uses it and is loaded by it", edits: []edit{{"src/c.ts", "= 3", "= 4"}}, want: "a b c d half list ns set",
			tree: func(f files) {
				f["src/a.ts"] += "import './cycle'\n"
				f["src/cycle.ts"] = "import { c } from './c'\nexport const twice = c * 2\n"
			}},
		{name: "it is loaded for its effects", edits: []edit{{"src/c.ts", "= 3", "= 4"}}, want: "a b c d half ns", tree: func(f files) { f["src/index.ts"] += "import './c'\n" }},
		{name: "it looks at its own names", edits: []edit{{"src/c.ts", "= 3", "= 4"}}, want: "a b c d half ns",
			tree: func(f files) { f["src/c.ts"] += "import * as self from './c'\non(self)\n" }},
		{name: "types are checked when it is loaded", edits: []edit{{"src/c.ts", "= 3", "= 4"}}, want: "a b c d half ns types",
			tree: func(f files) { f["package.json"] = `{"devDependencies":{"ts-jest":"1"}}` }},
		{name: "types are checked by what is installed", edits: []edit{{"src/c.ts", "= 3", "= 4"}}, want: "a b c d half ns types",
			tree: func(f files) { f["node_modules/ts-node/package.json"] = `{}` }},
		{name: "tests of types depend on all files", edits: []edit{{"src/c.ts", "= 3", "= 4"}}, want: "c t-d", tree: func(f files) { f["t/t-d.test.ts"] = "import { a } from '../src'\n"; f["t/u-d.test.ts"] = "" }},
		{name: "tests are run with it", edits: []edit{{"src/c.ts", "= 3", "= 4"}}, want: "a b c d half list ns set types", tree: func(f files) {
			f["src/two.ts"] += "import './setup'\n"
			f["setup.ts"] = "import { c } from './src/c'\nglobalThis.c = c\n"
		}},
		{name: "the index goes by a computed path", edits: []edit{{"src/c.ts", "= 3", "= 4"}}, want: "a b c d half ns", tree: func(f files) { f["src/index.ts"] += "import(`./c${x}.ts`)\n" }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree := barrel()
			if tc.tree != nil {
				tc.tree(tree)
			}
			set := selectAfter(t, tree, []affected.Project{node(".", "setup.ts")}, tc.edits...)
			got, spared := []string{}, len(set.Spared) > 0
			for _, f := range strings.Fields(names(set)) {
				name := strings.TrimSuffix(strings.TrimPrefix(f, "t/"), ".test.ts")
				if tc.loose || !strings.Contains(" "+careful+" ", " "+name+" ") {
					got = append(got, name)
				}
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("selected %q, want %q", strings.Join(got, " "), tc.want)
			}
			for name := range strings.FieldsSeq(careful) {
				if !tc.loose && !strings.Contains(names(set), "t/"+name+".test.ts") {
					t.Errorf("%s is not selected", name)
				}
			}
			if whole := strings.HasPrefix(tc.want, "a b c d half"); whole == spared && tc.tree == nil && !tc.loose {
				t.Errorf("spared for %q", set.Spared)
			}
		})
	}
}

func TestWhySpared(t *testing.T) {
	set := selectAfter(t, barrel(), []affected.Project{node(".")}, edit{"src/c.ts", "= 3", "= 4"})
	for _, tc := range []struct{ test, want string }{
		{"t/c.test.ts", "t/c.test.ts imports src/index.ts | src/index.ts re-exports from src/c.ts (changed)"},
		{"t/d.test.ts", "t/d.test.ts imports src/index.ts | src/index.ts re-exports from src/c.ts (changed) | t/d.test.ts uses nothing of src/index.ts that may differ (c) | src/c.ts differs in c alone: only what uses that"},
		{"t/list.test.ts", "no import, setup file or data file leads from t/list.test.ts to a modified file"},
	} {
		if got := strings.Join(set.WhyTest(tc.test), " | "); got != tc.want {
			t.Errorf("WhyTest(%s) = %q, want %q", tc.test, got, tc.want)
		}
	}
	set = selectAfter(t, barrel(), []affected.Project{node(".")}, edit{"src/d.ts", "d: number", "d: string"})
	want := "t/d.test.ts imports src/index.ts | src/index.ts re-exports from src/d.ts (changed) | src/d.ts runs as before: it differs in types or spelling alone"
	if got := strings.Join(set.WhyTest("t/d.test.ts"), " | "); got != want {
		t.Errorf("WhyTest of an edit of types = %q, want %q", got, want)
	}
}

// TestNamesKept holds that what is remembered of files' names is renewed with them.
func TestNamesKept(t *testing.T) {
	tree := barrel()
	base := maps.Clone(tree)
	tree["src/c.ts"] = "export const c = 4\n"
	in := affected.Input{Tree: tree, Languages: lang.Set{js.Language{}}, Projects: []affected.Project{node(".")},
		Base:      func(f string) ([]byte, bool) { s, ok := base[f]; return []byte(s), ok },
		BaseFiles: base.Files(), Changes: []affected.Change{{Path: "src/c.ts"}}}
	set, err := affected.Select(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if set.Reaches("t/a.test.ts") || !set.Reaches("t/c.test.ts") {
		t.Fatalf("selected %s", names(set))
	}
	tree["t/a.test.ts"] = "import { c } from '../src'\nc.c\n"
	tree["t/c.test.ts"] = "import { D } from '../src'\nD\n"
	base["t/a.test.ts"], base["t/c.test.ts"] = tree["t/a.test.ts"], tree["t/c.test.ts"] // they are committed
	set, err = set.Graph().Update(t.Context(), in, []string{"t/a.test.ts", "t/c.test.ts"})
	if err != nil {
		t.Fatal(err)
	}
	if !set.Reaches("t/a.test.ts") || set.Reaches("t/c.test.ts") {
		t.Errorf("after a save selected %s", names(set))
	}
}
