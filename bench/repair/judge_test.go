package main

import (
	"math/rand/v2"
	"testing"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

func langs() lang.Set { return lang.Set{js.Language{}, py.New("python3")} }

func TestJudge(t *testing.T) {
	orig := tree{
		"src/a.js":  []byte("export function add(a, b) { return a + b; }\n"),
		"src/b.js":  []byte("import { add } from './a.js';\nexport const two = add(1, 1);\n"),
		"src/c.js":  []byte("import { two } from './b.js';\nimport { add } from './a.js';\nexport const three = add(two, 1);\n"),
		"test/d.js": []byte("import { three } from '../src/c.js';\nexpect(three).toBe(3);\n"),
	}
	with := func(base tree, files ...string) tree {
		out := tree{}
		for rel, src := range base {
			out[rel] = src
		}
		for i := 0; i < len(files); i += 2 {
			if files[i+1] == "" {
				delete(out, files[i])
				continue
			}
			out[files[i]] = []byte(files[i+1])
		}
		return out
	}
	lost := with(orig, "src/b.js", "export const two = add(1, 1);\n")
	renamed := with(orig, "src/a.js", "export function sum(a, b) { return a + b; }\n")
	moved := with(orig, "src/a.js", "", "src/in/a.js", string(orig["src/a.js"]))
	tests := []struct {
		name        string
		judge       judge
		broken, now tree
		want        verdict
	}{
		{"nothing done", judgeRestore, lost, lost, left},
		{"put back", judgeRestore, lost, orig, equal},
		{"put back in another place", judgeRestore, lost, with(orig, "src/b.js", "\nimport {add} from \"./a.js\"\nexport const two = add(1, 1);\n"), equal},
		{"another module's", judgeRestore, lost, with(orig, "src/b.js", "import { add } from './c.js';\nexport const two = add(1, 1);\n"), wrong},
		{"code changed", judgeRestore, lost, with(orig, "src/b.js", "import { add } from './a.js';\nexport const two = add(1, 2);\n"), wrong},
		{"renamed everywhere", judgeRename("add", "sum"), renamed, with(renamed,
			"src/b.js", "import { sum } from './a.js';\nexport const two = sum(1, 1);\n",
			"src/c.js", "import { two } from './b.js';\nimport { sum as add } from './a.js';\nexport const three = add(two, 1);\n"), equal},
		{"taken apart under the old name", judgeRename("two", "deux"), tree{"a.js": []byte("const { two } = require('./b');\nexports.x = two;\n")},
			tree{"a.js": []byte("const { deux: two } = require('./b');\nexports.x = two;\n")}, equal},
		{"one use is left", judgeRename("add", "sum"), renamed, with(renamed, "src/b.js", "import { sum } from './a.js';\nexport const two = sum(1, 1);\n"), partly},
		{"the rename is taken back", judgeRename("add", "sum"), renamed, orig, wrong},
		{"imports follow", judgeMove("src/a.js", "src/in/a.js"), moved, with(moved,
			"src/b.js", "import { add } from './in/a.js';\nexport const two = add(1, 1);\n",
			"src/c.js", "import { two } from './b.js';\nimport { add } from './in/a.js';\nexport const three = add(two, 1);\n"), equal},
		{"one importer is left", judgeMove("src/a.js", "src/in/a.js"), moved, with(moved,
			"src/b.js", "import { add } from './in/a.js';\nexport const two = add(1, 1);\n"), partly},
		{"another module instead", judgeMove("src/a.js", "src/in/a.js"), moved, with(moved,
			"src/b.js", "import { add } from './c.js';\nexport const two = add(1, 1);\n"), wrong},
		{"a trap left alone", judgeTrap, lost, lost, left},
		{"a trap merged", judgeTrap, lost, orig, wrong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, note := tt.judge(langs(), orig, tt.broken, tt.now); got != tt.want {
				t.Errorf("judge = %v (%s), want %v", got, note, tt.want)
			}
		})
	}
}

// "from . import a" names a module beside the package that it is taken from.
func TestJudgeMoveOfASubmodule(t *testing.T) {
	files := func(a, from string) tree {
		return tree{"shop/__init__.py": {}, "shop/inner/__init__.py": {}, a: []byte("A = 1\n"), "shop/b.py": []byte("from " + from + " import a\nB = a.A\n")}
	}
	orig, broken, now := files("shop/a.py", "."), files("shop/inner/a.py", "."), files("shop/inner/a.py", ".inner")
	if got, note := judgeMove("shop/a.py", "shop/inner/a.py")(langs(), orig, broken, now); got != equal {
		t.Errorf("judge = %v (%s), want %v", got, note, equal)
	}
	for _, f := range []tree{orig, broken, now} {
		f["shop/c.py"] = []byte("import shop.a\nB = shop.a.A\n")
	}
	now["shop/c.py"] = []byte("import shop.inner.a\nB = shop.inner.a.A\n")
	if got, note := judgeMove("shop/a.py", "shop/inner/a.py")(langs(), orig, broken, now); got != equal {
		t.Errorf("judge of a dotted name = %v (%s), want %v", got, note, equal)
	}
	now["shop/c.py"] = []byte("import shop.inner.a\nB = shop.inner.a.C\n")
	if got, _ := judgeMove("shop/a.py", "shop/inner/a.py")(langs(), orig, broken, now); got != wrong {
		t.Errorf("judge of another name = %v, want %v", got, wrong)
	}
}

// A module that is called otherwise now may be imported under its old name;
// another module of the same package is another thing.
func TestJudgeOfModulesUnderAnotherName(t *testing.T) {
	files := func(a, user string) tree {
		return tree{"shop/__init__.py": {}, "shop/b.py": []byte("A = 2\n"), a: []byte("A = 1\n"), "shop/c.py": []byte(user)}
	}
	const use = "C = a.A\n"
	tests := []struct {
		name, was, is string
		want          verdict
	}{
		{"the module", "from . import a\n" + use, "from . import a_core as a\n" + use, equal},
		{"another module", "from . import a\n" + use, "from . import b as a\n" + use, wrong},
		{"a name of it", "from .a import A\n", "from .a_core import A\n", equal},
		{"a name of another", "from .a import A\n", "from .b import A\n", wrong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			orig, broken, now := files("shop/a.py", tt.was), files("shop/a_core.py", tt.was), files("shop/a_core.py", tt.is)
			if got, note := judgeMove("shop/a.py", "shop/a_core.py")(langs(), orig, broken, now); got != tt.want {
				t.Errorf("judge = %v (%s), want %v", got, note, tt.want)
			}
		})
	}
}

func TestInjectIsSeededAndBreaks(t *testing.T) {
	files := tree{
		"src/a.js":       []byte("import fs from 'node:fs';\nexport function readAll(name, mode) { return fs.readFileSync(name, mode); }\nexport class Box { openBox() { return 1 < 2; } }\n"),
		"src/b.js":       []byte("import { readAll, Box } from './a.js';\nexport async function twice(first, second) { await 0; return [readAll(first, 'a'), readAll(second, 'b'), new Box().openBox()]; }\n"),
		"test/b.test.js": []byte("import { twice } from '../src/b.js';\nimport { readAll } from '../src/a.js';\nit('x', async () => { expect((await twice('a', 'b')).length).toBe(3); readAll('c', 'd'); });\n"),
	}
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			if k.name == "five" {
				t.Skip("nothing here has five uses")
			}
			draw := func() *fault { return inject(rand.New(rand.NewPCG(3, 9)), files, langs(), k.name) }
			a, b := draw(), draw()
			if a == nil || b == nil {
				t.Fatal("no place was found")
			}
			if a.what != b.what {
				t.Errorf("the same seed gave %q and %q", a.what, b.what)
			}
			broken := tree{}
			for rel, src := range files {
				broken[rel] = src
			}
			for rel, src := range a.edits {
				if broken[rel] = src; src == nil {
					delete(broken, rel)
				}
			}
			if same(files, broken) {
				t.Error("the fault changes nothing")
			}
			if got, _ := a.judge(langs(), files, broken, broken); got != left {
				t.Errorf("an untouched fault is judged %v", got)
			}
		})
	}
}
