package affected_test

import (
	"maps"
	"strings"
	"testing"

	"regreen/affected"
	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

// tests gives a small tree of one file under test and others.
func tree(pairs ...string) files {
	out := files{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out
}

// TestNodeCases are the ways in which JavaScript and TypeScript reach a file
// that peers are known to miss, or to select too much for, beside those of
// TestSelectsWhatPeersMiss. Each holds for jest, vitest and mocha alike, for
// they differ in what they are configured with, not in what a file loads.
func TestNodeCases(t *testing.T) {
	const plain = "test('x', () => {})\n"
	conf := tree("package.json", `{"workspaces":["packages/*"]}`, "packages/conf/package.json", `{"name":"@acme/conf"}`,
		"packages/conf/tsconfig.json", `{"extends":"./base.json"}`, "packages/conf/lib.json", `{"extends":["./tsconfig.json"]}`, "packages/conf/base.json", "{}", "packages/conf/other.json", "{}",
		"packages/app/tsconfig.json", `{"extends":"@acme/conf/lib.json"}`, "packages/app/t/a.test.ts", plain, "packages/b/tsconfig.json", "{}", "packages/b/b.test.ts", plain)
	noBase := maps.Clone(conf)
	delete(noBase, "packages/conf/base.json")
	for _, tc := range []struct {
		name   string
		tree   files
		change string // "M path", "D path", "R from > to", "A path"
		want   string
		global []string
		alias  []lang.Alias
	}{
		// jestjs/jest#15309: a deleted test, a deleted data file, a deleted barrel.
		{name: "deleted data file", tree: tree("a.test.js", "fs.readFileSync(path.join(__dirname, 'data', 'a.json'))\n", "b.test.js", plain), change: "D data/a.json", want: "a.test.js"},
		{name: "deleted barrel", tree: tree("a.test.ts", "import { x } from './src'\n", "src/x.ts", "export const x = 1\n"), change: "D src/index.ts", want: "a.test.ts"},
		{name: "deleted json module", tree: tree("a.test.ts", "import x from './x.json'\n", "b.test.ts", plain), change: "D x.json", want: "a.test.ts"},
		{name: "deleted behind a computed import", tree: tree("a.test.ts", "const f = (n) => import(`./p/${n}.ts`)\n", "p/b.ts", "", "b.test.ts", plain), change: "D p/a.ts", want: "a.test.ts"},
		{name: "deleted setup file", tree: tree("a.test.ts", plain), change: "D setup.ts", global: []string{"setup.ts"}, want: "a.test.ts"},
		{name: "renamed folder", tree: tree("a.test.ts", "import '../old/x'\n", "t/a.test.ts", "import '../old/x'\n", "new/x.ts", ""), change: "R old/x.ts > new/x.ts", want: "t/a.test.ts"},
		{name: "renamed test", tree: tree("new.test.ts", plain, "b.test.ts", plain), change: "R old.test.ts > new.test.ts", want: "new.test.ts"},
		// A configuration's bases lie anywhere, by any name; no public issue known.
		{name: "base of another package's tsconfig", tree: conf, change: "M packages/conf/tsconfig.json", want: "packages/app/t/a.test.ts"},
		{name: "base of the base", tree: conf, change: "M packages/conf/base.json", want: "packages/app/t/a.test.ts"},
		{name: "no base", tree: conf, change: "M packages/conf/other.json", want: ""},
		{name: "deleted base", tree: noBase, change: "D packages/conf/base.json", want: "packages/app/t/a.test.ts"},
		{name: "new base", tree: conf, change: "A packages/conf/base.json", want: "packages/app/t/a.test.ts"},
		// jestjs/jest#8547: an import for its side effect
		{name: "side effect", tree: tree("a.test.ts", "import './register'\n", "register.ts", "import './deep'\n", "deep.ts", ""), change: "M deep.ts", want: "a.test.ts"},
		// jestjs/jest#8907: manual mocks
		{name: "manual mock beside the module", tree: tree("a.test.ts", "jest.mock('./x')\n", "x.ts", "", "__mocks__/x.ts", "", "b.test.ts", plain), change: "M __mocks__/x.ts", want: "a.test.ts"},
		{name: "manual mock of a package", tree: tree("package.json", "{}", "a.test.ts", "vi.mock('axios')\n", "__mocks__/axios.ts", "", "b.test.ts", plain), change: "M __mocks__/axios.ts", want: "a.test.ts"},
		{name: "the actual module", tree: tree("a.test.ts", "const x = await vi.importActual('./x')\njest.requireActual('./y')\n", "x.ts", "", "y.ts", ""), change: "M y.ts", want: "a.test.ts"},
		{name: "isolated module", tree: tree("a.test.js", "jest.isolateModules(() => { require('./x') })\n", "x.js", ""), change: "M x.js", want: "a.test.js"},
		{name: "unstable mock", tree: tree("a.test.js", "jest.unstable_mockModule('./x.js', () => ({}))\n", "x.js", ""), change: "M x.js", want: "a.test.js"},
		// What stands for mocks with mocha; no public issue known.
		{name: "replaced dependency", tree: tree("t/a.test.js", "const x = proxyquire('../src/x', { './y': {} })\n", "src/x.js", "require('./y')\n", "src/y.js", "", "b.test.js", plain), change: "M src/y.js", want: "t/a.test.js"},
		{name: "replaced dependency of a module", tree: tree("t/a.test.mjs", "const x = await esmock('../src/x.js', { '../src/y.js': {} })\n", "src/x.js", "import './y.js'\n", "src/y.js", "", "b.test.mjs", plain), change: "M src/x.js", want: "t/a.test.mjs"},
		{name: "module that Node mocks", tree: tree("t/a.test.mjs", "mock.module('../src/x.js', { namedExports: {} })\n", "src/x.js", "", "b.test.mjs", plain), change: "M src/x.js", want: "t/a.test.mjs"},
		{name: "resolved path", tree: tree("a.test.js", "require.resolve('./x')\n", "x.js", ""), change: "M x.js", want: "a.test.js"},
		// vitest-dev/vitest#5429: computed require and import
		{name: "concatenated require", tree: tree("a.test.js", "const f = (n) => require('./p/' + n)\n", "p/x.js", "", "b.test.js", plain), change: "M p/x.js", want: "a.test.js"},
		{name: "joined require", tree: tree("a.test.js", "require(path.join(__dirname, 'p', name))\n", "p/x.js", "", "b.test.js", plain), change: "M p/x.js", want: "a.test.js"},
		{name: "fully computed require", tree: tree("a.test.js", "const f = (n) => require(n)\n", "p/x.js", "", "b.test.js", plain), change: "M p/x.js", want: "a.test.js"},
		{name: "glob import", tree: tree("a.test.ts", "const all = import.meta.glob('./p/*.ts')\n", "p/x.ts", "", "b.test.ts", plain), change: "M p/x.ts", want: "a.test.ts"},
		{name: "new file for a glob import", tree: tree("a.test.ts", "const all = import.meta.glob('./p/**/*.ts', { eager: true })\n", "p/q/x.ts", "", "b.test.ts", plain), change: "A p/q/x.ts", want: "a.test.ts"},
		{name: "a linter's configuration that is gone", tree: tree("a.test.js", plain), change: "D eslint.config.mjs"},
		{name: "a compiler's configuration that is gone", tree: tree("a.test.js", plain), change: "D babel.config.mjs", want: "a.test.js"},
		{name: "deleted settings with comments", tree: tree("a.test.js", plain), change: "D .mocharc.jsonc", want: "a.test.js"},
		{name: "deleted workspace of a runner", tree: tree("w/a.test.js", plain, "b.test.js", plain), change: "D w/vitest.workspace.json", want: "w/a.test.js"},
		// No framework reads what a bundler is set up by.
		{name: "a bundler's configuration", tree: tree("rollup.config.js", "", "a.test.js", plain), change: "M rollup.config.js"},
		{name: "a bundler's configuration that is gone", tree: tree("a.test.js", plain), change: "D tsup.config.ts"},
		{name: "a bundler that a test may start", tree: tree("tsup.config.ts", "", "a.test.js", "import './lib'\n", "lib.js", "require('child_process')\n", "b.test.js", "import { build } from 'tsup'\n", "c.test.js", plain), change: "M tsup.config.ts", want: "a.test.js b.test.js"},
		{name: "a bundler's configuration that a test loads", tree: tree("rollup.config.js", "", "a.test.js", "import '../rollup.config.js'\n", "t/a.test.js", "import '../rollup.config.js'\n"), change: "M rollup.config.js", want: "t/a.test.js"},
		{name: "a bundler that makes the tests", tree: tree("package.json", `{"devDependencies":{"rollup-jest":"3"}}`, "rollup.config.js", "", "a.test.js", plain), change: "M rollup.config.js", want: "a.test.js"},
		// Nor what a compiler makes a build by, where nothing else goes by it.
		{name: "a build's compiler configuration", tree: tree("tsconfig.build.json", "{}", "tsconfig.json", "{}", "package.json", `{"scripts":{"build":"tsc -p tsconfig.build.json"}}`, "a.test.ts", plain), change: "M tsconfig.build.json"},
		{name: "a build's that is gone", tree: tree("tsconfig.json", "{}", "a.test.ts", plain), change: "D tsconfig.prod.cjs.json"},
		{name: "a build's that only other builds extend", tree: tree("tsconfig.prod.json", "{}", "tsconfig.prod.cjs.json", `{"extends":"./tsconfig.prod.json"}`, "tsconfig.prod.esm.json", `{"extends":"./tsconfig.prod"}`, "a.test.ts", plain), change: "M tsconfig.prod.json"},
		{name: "a build's that a compiler's extends", tree: tree("lib/tsconfig.build.json", "{}", "tsconfig.json", `{"extends":["./lib/tsconfig.build"]}`, "lib/a.test.ts", plain), change: "M lib/tsconfig.build.json", want: "lib/a.test.ts"},
		{name: "a build's that another one of its name extends", tree: tree("tsconfig.build.json", "{}", "lib/tsconfig.build.json", `{"extends":"../tsconfig.build.json"}`, "lib/tsconfig.json", `{"extends":"./tsconfig.build.json"}`, "lib/a.test.ts", plain), change: "M tsconfig.build.json", want: "lib/a.test.ts"},
		{name: "a build's that a runner is given", tree: tree("tsconfig.build.json", "{}", "jest.config.js", "module.exports = { transform: { ts: ['ts-jest', { tsconfig: 'tsconfig.build.json' }] } }\n", "a.test.ts", plain), change: "M tsconfig.build.json", want: "a.test.ts"},
		{name: "a build's that a runner may be given", tree: tree("tsconfig.build.json", "{}", "vite.config.js", "export default { plugins: [paths({ projects: [`tsconfig.${mode}.json`] })] }\n", "a.test.ts", plain), change: "M tsconfig.build.json", want: "a.test.ts"},
		{name: "a build's beside what only sounds so", tree: tree("tsconfig.build.json", "{}", "vite.config.js", "import tsconfigPaths from 'vite-tsconfig-paths'\nexport default { plugins: [tsconfigPaths()], x: './tsconfig.json' }\n", "a.test.ts", plain), change: "M tsconfig.build.json"},
		{name: "a build's that the manifest gives", tree: tree("tsconfig.build.json", "{}", "package.json", `{"jest":{"globals":{"ts-jest":{"tsconfig":"tsconfig.build.json"}}}}`, "a.test.ts", plain), change: "M tsconfig.build.json", want: "a.test.ts"},
		{name: "a build that a test may start", tree: tree("tsconfig.build.json", "{}", "a.test.ts", "import { execa } from 'execa'\n", "b.test.ts", plain), change: "M tsconfig.build.json", want: "a.test.ts"},
		{name: "a build's that a test reads", tree: tree("tsconfig.build.json", "{}", "a.test.ts", "readFileSync('tsconfig.build.json')\n", "b.test.ts", plain), change: "M tsconfig.build.json", want: "a.test.ts"},
		{name: "a build's that every run reads", tree: tree("tsconfig.build.json", "{}", "a.test.ts", plain), change: "M tsconfig.build.json", global: []string{"tsconfig.build.json"}, want: "a.test.ts"},
		{name: "a compiler's configuration for tests", tree: tree("tsconfig.spec.json", "{}", "a.test.ts", plain), change: "M tsconfig.spec.json", want: "a.test.ts"},
		{name: "a bundler's configuration that the runner's loads", tree: tree("webpack.config.js", "", "a.test.js", plain), change: "M webpack.config.js", global: []string{"webpack.config.js"}, want: "a.test.js"},
		// Of a public command line's tests: programs without an ending that a test starts
		{name: "script without an ending", tree: tree("t/a.test.js", "spawn(path.join(__dirname, 'fixtures', 'pm'), ['go'])\n", "t/fixtures/pm", "#!/usr/bin/env node\nrequire('../../')\n", "index.js", "", "b.test.js", plain), change: "M index.js", want: "t/a.test.js"},
		{name: "program of another kind", tree: tree("t/a.test.js", "spawn(path.join(__dirname, 'fixtures', 'pm'), ['go'])\n", "t/fixtures/pm", "#!/bin/sh\nrequire('../../')\n", "index.js", ""), change: "M index.js"},
		// vitest-dev/vitest#4933: through any number of files
		{name: "far away", tree: tree("a.test.ts", "import './b'\n", "b.ts", "export * from './c'\n", "c.ts", "import('./d')\n", "d.ts", "require('./e')\n", "e.ts", "import { F } from './f'\n", "f.ts", ""), change: "M f.ts", want: "a.test.ts"},
		// vitest-dev/vitest#10054, dependency-cruiser#99: tsconfig paths
		{name: "tsconfig paths", tree: tree("tsconfig.json", `{"compilerOptions":{"paths":{"~lib/*":["./lib/*"]}}}`, "t/a.test.ts", "import '~lib/x'\n", "lib/x.ts", ""), change: "M lib/x.ts", want: "t/a.test.ts"},
		{name: "tsconfig baseUrl", tree: tree("tsconfig.json", `{"compilerOptions":{"baseUrl":"src"}}`, "t/a.test.ts", "import 'lib/x'\n", "src/lib/x.ts", ""), change: "M src/lib/x.ts", want: "t/a.test.ts"},
		{name: "tsconfig chain", tree: tree("tsconfig.base.json", `{"compilerOptions":{"paths":{"@x/*":["lib/*"]}}}`, "p/tsconfig.json", `{"extends":["../tsconfig.base.json"]}`, "p/a.test.ts", "import '@x/y'\n", "lib/y.ts", ""), change: "M lib/y.ts", want: "p/a.test.ts"},
		// dependency-cruiser#477: a configuration from a package
		{name: "tsconfig from a package", tree: tree("package.json", `{"workspaces":["conf"]}`, "conf/package.json", `{"name":"@o/conf"}`, "conf/base.json", `{"compilerOptions":{"paths":{"@x/*":["../lib/*"]}}}`, "tsconfig.json", `{"extends":"@o/conf/base.json"}`, "a.test.ts", "import '@x/y'\n", "lib/y.ts", ""), change: "M lib/y.ts", want: "a.test.ts"},
		{name: "tsconfig references", tree: tree("tsconfig.json", `{"files":[],"references":[{"path":"./tsconfig.app.json"}]}`, "tsconfig.app.json", `{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}`, "a.test.ts", "import '@/x'\n", "src/x.ts", ""), change: "M src/x.ts", want: "a.test.ts"},
		{name: "jsconfig", tree: tree("jsconfig.json", `{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}`, "a.test.js", "import '@/x'\n", "src/x.js", ""), change: "M src/x.js", want: "a.test.js"},
		{name: "alias of the runner", tree: tree("a.test.ts", "import '@app/x'\n", "src/x.ts", "", "b.test.ts", plain), change: "M src/x.ts", alias: []lang.Alias{{Find: "@app/*", Targets: []string{"src/*"}}}, want: "a.test.ts"},
		// vitest-dev/vitest#10054: of two patterns that begin alike the one that leads somewhere counts
		{name: "aliases that begin alike", tree: tree("a.test.ts", "import 'shop/cart'\n", "src/index.ts", "", "src/cart.ts", ""), change: "M src/cart.ts", alias: []lang.Alias{{Find: "shop", Targets: []string{"src/index.ts"}}, {Find: "shop*", Targets: []string{"src/*.ts"}}}, want: "a.test.ts"},
		{name: "a module behind aliases that begin alike is gone", tree: tree("a.test.ts", "import 'shop/cart'\n", "src/index.ts", ""), change: "D src/cart.ts", alias: []lang.Alias{{Find: "shop", Targets: []string{"src/index.ts"}}, {Find: "shop*", Targets: []string{"src/*.ts"}}}, want: "a.test.ts"},
		// knip#1428: subpaths of a workspace's exports
		{name: "workspace exports", tree: tree("package.json", `{"workspaces":["packages/*"]}`, "packages/a/package.json", `{"name":"@m/a","exports":{"./sub/*":{"import":"./dist/sub/*.js"}}}`, "packages/a/src/sub/x.ts", "", "packages/b/package.json", `{"name":"@m/b"}`, "packages/b/b.test.ts", "import '@m/a/sub/x'\n"), change: "M packages/a/src/sub/x.ts", want: "packages/b/b.test.ts"},
		{name: "pnpm workspace", tree: tree("pnpm-workspace.yaml", "packages:\n  - 'libs/*'\n", "libs/a/package.json", `{"name":"@m/a","main":"./src/main.ts"}`, "libs/a/src/main.ts", "", "libs/b/package.json", `{"name":"b"}`, "libs/b/b.test.ts", "import '@m/a'\n"), change: "M libs/a/src/main.ts", want: "libs/b/b.test.ts"},
		{name: "own name", tree: tree("package.json", `{"name":"me","exports":{".":"./src/index.ts"}}`, "src/index.ts", "", "a.test.ts", "import 'me'\n"), change: "M src/index.ts", want: "a.test.ts"},
		{name: "private imports", tree: tree("package.json", `{"imports":{"#lib/*":"./src/*.js"}}`, "src/x.ts", "", "a.test.ts", "import '#lib/x'\n"), change: "M src/x.ts", want: "a.test.ts"},
		{name: "js that means ts", tree: tree("a.test.ts", "import './x.js'\nimport './y.jsx'\nimport './z.mjs'\n", "x.ts", "", "y.tsx", "", "z.mts", ""), change: "M z.mts", want: "a.test.ts"},
		{name: "a new file shadows an index", tree: tree("a.test.ts", "import './x'\n", "x.ts", "", "x/index.ts", ""), change: "A x.ts", want: "a.test.ts"},
		{name: "styles", tree: tree("a.test.tsx", "import './x'\n", "x.tsx", "import s from './x.module.css'\n", "x.module.css", ""), change: "M x.module.css", want: "a.test.tsx"},
		{name: "worker", tree: tree("a.test.ts", "new Worker(new URL('./w.ts', import.meta.url))\n", "w.ts", "import './x'\n", "x.ts", ""), change: "M x.ts", want: "a.test.ts"},
		// A program that a test starts by its path loads more files.
		{name: "started program", tree: tree("package.json", "{}", "test/a.test.js", "execFileSync('node', ['bin/cli.js'])\n", "bin/cli.js", "require('../lib/x')\n", "lib/x.js", "", "b.test.js", plain), change: "M lib/x.js", want: "test/a.test.js"},
		{name: "started program by a joined path", tree: tree("test/a.test.js", "spawn(process.execPath, [path.join(__dirname, '..', 'bin', 'cli.js')])\n", "bin/cli.js", "import '../lib/x.js'\n", "lib/x.js", ""), change: "M lib/x.js", want: "test/a.test.js"},
		// vitest-dev/vitest#3378: sources that are data to the test
		{name: "source in a folder of fixtures", tree: tree("test/a.test.js", "const dir = path.join(__dirname, 'fixtures')\n", "test/fixtures/x/in.js", "", "b.test.js", plain), change: "M test/fixtures/x/in.js", want: "test/a.test.js"},
		{name: "source in a folder that is read", tree: tree("test/a.test.js", "fs.readdirSync(path.join(__dirname, 'input'))\n", "test/input/in.ts", "", "b.test.js", plain), change: "A test/input/in.ts", want: "test/a.test.js"},
		{name: "a folder that the configuration names", tree: tree("vitest.config.ts", "const dir = path.join(__dirname, 'src')\n", "src/main.ts", "", "a.test.ts", plain), change: "M src/main.ts", global: []string{"vitest.config.ts"}},
		// jestjs/jest#11774, vitest-dev/vitest#2614, #10421: by package of a workspace
		{name: "setup file of one package", tree: tree("a/a.test.ts", plain, "b/b.test.ts", plain, "setup.ts", "import './help'\n", "help.ts", ""), change: "M help.ts", global: []string{"setup.ts"}, want: "a/a.test.ts b/b.test.ts"},
		{name: "environment file", tree: tree(".env.test", "", "a.test.ts", plain), change: "M .env.test", want: "a.test.ts"},
		{name: "base of the compiler's configuration", tree: tree("tsconfig.base.json", `{"x":1}`, "p/a.test.ts", plain), change: "M tsconfig.base.json", want: "p/a.test.ts"},
		{name: "options of mocha", tree: tree(".mocharc.yml", "spec: x\n", "a.test.js", plain), change: "M .mocharc.yml", want: "a.test.js"},
		{name: "babel's configuration", tree: tree("babel.config.json", `{"x":1}`, "a.test.js", plain), change: "M babel.config.json", want: "a.test.js"},
		{name: "a document", tree: tree("docs/x.md", "", "a.test.js", plain), change: "M docs/x.md"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := node(".", tc.global...)
			if got := selectChange(t, lang.Set{js.Language{Aliases: tc.alias}, py.New("")}, tc.tree, p, tc.change); got != tc.want {
				t.Errorf("selected %q, want %q", got, tc.want)
			}
		})
	}
}

// TestPythonCases are the same for Python.
func TestPythonCases(t *testing.T) {
	const plain = "def test(): pass\n"
	for _, tc := range []struct {
		name   string
		tree   files
		change string
		want   string
	}{
		// pantsbuild/pants#23240, #14975, #17512
		{name: "deleted package", tree: tree("test_a.py", "from app.x import f\n", "app/__init__.py", ""), change: "D app/x.py", want: "test_a.py"},
		{name: "deleted init", tree: tree("test_a.py", "import app.x\n", "app/x.py", ""), change: "D app/__init__.py", want: "test_a.py"},
		{name: "moved module", tree: tree("test_a.py", "from app import x\n", "app/__init__.py", "", "app/y.py", ""), change: "R app/x.py > app/y.py", want: "test_a.py"},
		// ruff#16205, #20701: src layout and namespaces
		{name: "src layout", tree: tree("pyproject.toml", "", "tests/test_a.py", "import app.x\n", "src/app/__init__.py", "", "src/app/x.py", ""), change: "M src/app/x.py", want: "tests/test_a.py"},
		{name: "namespace in src", tree: tree("pyproject.toml", "", "tests/test_a.py", "import org.app.x\n", "src/org/app/x.py", ""), change: "M src/org/app/x.py", want: "tests/test_a.py"},
		{name: "pythonpath", tree: tree("pytest.ini", "[pytest]\npythonpath = lib\n", "tests/test_a.py", "import x\n", "lib/x.py", ""), change: "M lib/x.py", want: "tests/test_a.py"},
		{name: "path of a helper", tree: tree("tests/test_a.py", "import sys, os\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'tools'))\nimport x\n", "tools/x.py", ""), change: "M tools/x.py", want: "tests/test_a.py"},
		{name: "relative", tree: tree("app/__init__.py", "", "app/x.py", "", "app/tests/__init__.py", "", "app/tests/test_a.py", "from ..x import f\n"), change: "M app/x.py", want: "app/tests/test_a.py"},
		// ruff PR#24757: a name that an init takes over from a module
		{name: "re-exported by an init", tree: tree("test_a.py", "from app import f\n", "app/__init__.py", "from .x import f\n", "app/x.py", ""), change: "M app/x.py", want: "test_a.py"},
		{name: "attribute of an imported package", tree: tree("test_a.py", "import app\napp.sub.f()\n", "app/__init__.py", "", "app/sub.py", ""), change: "M app/sub.py", want: "test_a.py"},
		{name: "star import", tree: tree("test_a.py", "from app import *\n", "app/__init__.py", "__all__ = ['x']\n", "app/x.py", ""), change: "M app/x.py", want: "test_a.py"},
		{name: "type checking import", tree: tree("test_a.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import x\n", "x.py", ""), change: "M x.py", want: "test_a.py"},
		{name: "import in a function", tree: tree("test_a.py", "def test():\n    import x\n", "x.py", ""), change: "M x.py", want: "test_a.py"},
		{name: "literal import_module", tree: tree("test_a.py", "import importlib\nimportlib.import_module('app.x')\n", "app/__init__.py", "", "app/x.py", ""), change: "M app/x.py", want: "test_a.py"},
		{name: "relative import_module", tree: tree("app/__init__.py", "", "app/load.py", "from importlib import import_module\nm = import_module('.x', __package__)\n", "app/x.py", "", "test_a.py", "import app.load\n"), change: "M app/x.py", want: "test_a.py"},
		{name: "computed import", tree: tree("test_a.py", "def f(n): return __import__(n)\n", "app/x.py", "", "test_b.py", plain), change: "M app/x.py", want: "test_a.py"},
		{name: "patched by its name", tree: tree("test_a.py", "def test(mocker): mocker.patch('app.x.f')\n", "app/__init__.py", "", "app/x.py", ""), change: "M app/x.py", want: "test_a.py"},
		// pantsbuild/pants PR#10441
		{name: "conftest above", tree: tree("conftest.py", "import helper\n", "helper.py", "", "a/b/test_a.py", plain), change: "M helper.py", want: "a/b/test_a.py"},
		{name: "new conftest", tree: tree("a/conftest.py", "", "a/test_a.py", plain, "test_b.py", plain), change: "A a/conftest.py", want: "a/test_a.py"},
		{name: "stub beside a module", tree: tree("test_a.py", "import x\n", "x.py", "", "x.pyi", ""), change: "M x.py", want: "test_a.py"},
		// tarpas/pytest-testmon#49, #12
		{name: "opened file", tree: tree("test_a.py", "open('data/x.sql')\n", "data/x.sql", "", "test_b.py", plain), change: "M data/x.sql", want: "test_a.py"},
		{name: "file beside the test", tree: tree("t/test_a.py", "from pathlib import Path\nP = Path(__file__).with_name('x.json')\n", "t/x.json", "", "t/test_b.py", plain), change: "M t/x.json", want: "t/test_a.py"},
		{name: "globbed files", tree: tree("t/test_a.py", "from pathlib import Path\nALL = list((Path(__file__).parent / 'cases').glob('*.yaml'))\n", "t/cases/x.yaml", "", "t/test_b.py", plain), change: "A t/cases/x.yaml", want: "t/test_a.py"},
		{name: "source in a folder of fixtures", tree: tree("t/test_a.py", "from pathlib import Path\nD = Path(__file__).parent / 'fixtures'\n", "t/fixtures/in.py", "", "t/test_b.py", plain), change: "M t/fixtures/in.py", want: "t/test_a.py"},
		{name: "started script", tree: tree("t/test_a.py", "import subprocess, sys\nsubprocess.run([sys.executable, 'scripts/x.py'])\n", "scripts/x.py", "import lib\n", "scripts/lib.py", "", "t/test_b.py", plain), change: "M scripts/lib.py", want: "t/test_a.py"},
		{name: "started module", tree: tree("t/test_a.py", "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'app.cli'])\n", "app/__init__.py", "", "app/cli.py", "from app import core\n", "app/core.py", "", "t/test_b.py", plain), change: "M app/core.py", want: "t/test_a.py"},
		{name: "package data", tree: tree("app/__init__.py", "", "app/x.py", "from importlib.resources import files\nT = files('app').joinpath('t.txt').read_text()\n", "app/t.txt", "", "test_a.py", "import app.x\n", "test_b.py", plain), change: "M app/t.txt", want: "test_a.py"},
		{name: "settings of a tool", tree: tree("tox.ini", "[tox]\n", "test_a.py", plain), change: "M tox.ini", want: "test_a.py"},
		{name: "settings that are gone", tree: tree("test_a.py", plain), change: "D pytest.ini", want: "test_a.py"},
		{name: "hidden settings that are gone", tree: tree("t/test_a.py", plain, "test_b.py", plain), change: "D t/.pytest.toml", want: "t/test_a.py"},
		{name: "a document", tree: tree("README.rst", "", "test_a.py", plain), change: "M README.rst"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := selectChange(t, lang.Set{js.Language{}, py.New("")}, tc.tree, python(tc.tree, "."), tc.change); got != tc.want {
				t.Errorf("selected %q, want %q", got, tc.want)
			}
		})
	}
}

// selectChange selects after one change: "M path" modified, "A path" added,
// "D path" deleted, "R from > to" moved. What a deleted file held is not known.
func selectChange(t *testing.T, languages lang.Set, now files, p affected.Project, change string) string {
	t.Helper()
	return selectInput(t, affected.Input{Tree: now, Languages: languages, Projects: []affected.Project{p}}, now, change)
}

// selectInput is selectChange with more to be said of the input.
func selectInput(t *testing.T, in affected.Input, now files, change string) string {
	t.Helper()
	kind, file, _ := strings.Cut(change, " ")
	base := maps.Clone(now)
	c := affected.Change{Path: file}
	switch kind {
	case "M":
		base[file] += "\nbefore()\n"
	case "A":
		delete(base, file)
	case "D":
		base[file] = ""
		c.Deleted = true
	case "R":
		c.From, c.Path, _ = strings.Cut(file, " > ")
		base[c.From] = base[c.Path]
		delete(base, c.Path)
	}
	in.Changes, in.BaseFiles = []affected.Change{c}, base.Files()
	in.Base = func(f string) ([]byte, bool) { s, ok := base[f]; return []byte(s), ok }
	set, err := affected.Select(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return names(set)
}
