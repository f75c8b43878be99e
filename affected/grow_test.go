package affected_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/affected"
	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

// TestGrow holds that a graph in which files come and go selects what a new one
// would, for the ways in which both languages find files.
func TestGrow(t *testing.T) {
	languages := []struct {
		name  string
		set   lang.Set
		fixed files
		paths []string
		lines []string
		tests func(files) affected.Project
	}{
		{
			name: "js", set: lang.Set{js.Language{Aliases: []lang.Alias{{Find: "~x", Targets: []string{"lib/aliased.ts"}}, {Find: "@app/*", Targets: []string{"src/*"}}}}, py.New("")},
			fixed: tree("package.json", `{"name":"me","workspaces":["packages/*"],"imports":{"#in/*":"./src/*.js"}}`, "tsconfig.json", `{"compilerOptions":{"baseUrl":".","paths":{"$lib/*":["lib/*"]}}}`,
				"packages/a/package.json", `{"name":"@m/a","main":"./dist/main.js"}`),
			paths: []string{"src/a.ts", "src/a.js", "src/a/index.ts", "src/a.test.ts", "src/b.ts", "src/b.d.ts", "src/__mocks__/b.ts", "src/b.test.ts", "src/c/index.js", "src/c.vue", "src/index.ts", "src/data/x.json",
				"lib/aliased.ts", "lib/d.ts", "packages/a/src/main.ts", "packages/a/index.js", "packages/a/dist/main.js", "lib/p/one.ts", "lib/p/two.ts", "t/z.test.ts", "bin/cli.js", "__mocks__/axios.js"},
			lines: []string{"import './a'", "import '../src/a.js'", "import './b'", "jest.mock('./b')", "export * from './c'", "import '.'", "import '../src'", "import '~x'", "import '@app/b'", "import '#in/a'",
				"import '$lib/d'", "import 'lib/d'", "import '@m/a'", "import 'me'", "const f = (n) => import(`../lib/p/${n}.ts`)", "require('./data/x.json')", "fs.readFileSync('src/data/x.json')", "fs.readdirSync('src/data')",
				"spawn('node', ['bin/cli.js'])", "import 'axios'\njest.mock('axios')", "const g = (n) => require(n)", "import.meta.glob('./p/*.ts')"},
			tests: func(files) affected.Project { return node(".") },
		},
		{
			name: "py", set: lang.Set{js.Language{}, py.New("")},
			fixed: tree("pyproject.toml", "", "conftest.py", ""),
			paths: []string{"app/__init__.py", "app/a.py", "app/a/__init__.py", "app/b.py", "app/sub/__init__.py", "app/sub/c.py", "app/sub/d.py", "src/app/a.py", "src/ns/e.py", "tests/test_a.py", "tests/test_b.py",
				"tests/conftest.py", "tests/helper.py", "helper.py", "test_top.py", "data/x.json", "scripts/run.py",
				"tests/sub/test_c.py", "tests/sub/helper.py", "src/helper.py", "app/n/data.json", "app/n/f.py", "lib/ns/e.py", "lib/other.py", "setup.py", "lib/setup.py", "lib/x.pyx", "lib/ns/e.pyi"},
			lines: []string{"import app", "import app.a", "from app import a", "from app import *", "from .a import f", "from . import b", "from app.sub import c", "from app.sub.d import g", "import ns.e", "import helper",
				"import importlib\nimportlib.import_module('app.b')", "def f(n): return __import__(n)", "open('data/x.json')", "app.sub.c.f()", "import subprocess\nsubprocess.run(['scripts/run.py'])", "from .sub import c as d", "from app import n", "import app.n.f",
				"import x", "import other", "import lib.other", "from ns import e", "from lib.ns import e", "import setup", "import tests.helper", "import sub.helper"},
			tests: func(now files) affected.Project { return python(now, ".") },
		},
	}
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			for seed := range uint64(30) {
				r := rand.New(rand.NewPCG(seed, 2))
				text := func() string {
					var lines []string
					for range r.IntN(4) {
						lines = append(lines, l.lines[r.IntN(len(l.lines))])
					}
					return strings.Join(lines, "\n") + "\n"
				}
				now := maps.Clone(l.fixed)
				for _, p := range l.paths {
					if r.IntN(2) == 0 {
						now[p] = text()
					}
				}
				base := maps.Clone(now)
				input := func() affected.Input {
					state := maps.Clone(now)
					in := affected.Input{Tree: state, Languages: l.set, Projects: []affected.Project{l.tests(state)}, BaseFiles: base.Files(),
						Base: func(f string) ([]byte, bool) { s, ok := base[f]; return []byte(s), ok }}
					for _, f := range slices.Concat(now.Files(), base.Files()) {
						before, was := base[f]
						after, is := now[f]
						if was != is || before != after {
							in.Changes = append(in.Changes, affected.Change{Path: f, Deleted: !is})
						}
					}
					return in
				}
				g, err := affected.Build(t.Context(), input())
				if err != nil {
					t.Fatal(err)
				}
				for step := range 10 {
					var saved []string
					for range 1 + r.IntN(2) {
						f := l.paths[r.IntN(len(l.paths))]
						saved = append(saved, f)
						if _, ok := now[f]; ok && r.IntN(3) > 0 {
							delete(now, f)
						} else {
							now[f] = text()
						}
					}
					if r.IntN(4) == 0 { // a commit
						base = maps.Clone(now)
						saved = append(saved, l.paths[r.IntN(len(l.paths))])
					}
					got, err := g.Update(t.Context(), input(), saved)
					if err != nil {
						t.Fatal(err)
					}
					want, err := affected.Select(t.Context(), input())
					if err != nil {
						t.Fatal(err)
					}
					show := func(s *affected.Set) (out []string) {
						for _, x := range s.Tests {
							out = append(out, fmt.Sprint(x.File, " ", x.Distance))
						}
						for _, f := range now.Files() {
							for _, d := range s.Graph().Dependents(f) {
								out = append(out, path.Join(f)+" < "+d.File)
							}
						}
						return out
					}
					if diff := cmp.Diff(show(want), show(got)); diff != "" {
						t.Fatalf("seed %d, step %d, saved %v (-new +kept):\n%s\n%q\nbase %v", seed, step, saved, diff, now, base.Files())
					}
				}
			}
		})
	}
}
