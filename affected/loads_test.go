package affected_test

import (
	"testing"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

// TestNodeLoads are more of the ways in which a test of JavaScript comes to a
// file: what loads modules beside import and require, configurations, data.
func TestNodeLoads(t *testing.T) {
	const plain = "test('x', () => {})\n"
	ws := `{"workspaces":["packages/*"]}`
	for _, tc := range []struct {
		name   string
		tree   files
		change string
		want   string
	}{
		{"configDir", tree("base/tsconfig.json", `{"compilerOptions":{"paths":{"@x/*":["${configDir}/lib/*"]}}}`, "p/tsconfig.json", `{"extends":"../base/tsconfig.json"}`, "p/a.test.ts", "import '@x/y'\n", "p/lib/y.ts", ""), "M p/lib/y.ts", "p/a.test.ts"},
		{"imports to package", tree("package.json", ws, "packages/a/package.json", `{"name":"@m/a","imports":{"#b":"@m/b"}}`, "packages/b/package.json", `{"name":"@m/b","main":"i.js"}`, "packages/b/i.js", "", "packages/a/a.test.js", "import '#b'\n"), "M packages/b/i.js", "packages/a/a.test.js"},
		{"dist esm", tree("package.json", ws, "packages/a/package.json", `{"name":"@m/a","exports":{".":{"types":"./dist/types/index.d.ts","import":"./dist/esm/index.mjs","require":"./dist/cjs/index.cjs"}}}`, "packages/a/src/index.ts", "", "packages/b/package.json", "{}", "packages/b/b.test.ts", "import '@m/a'\n"), "M packages/a/src/index.ts", "packages/b/b.test.ts"},
		{"build folder", tree("package.json", ws, "packages/a/package.json", `{"name":"@m/a","main":"build/main.js"}`, "packages/a/src/main.ts", "", "packages/b/package.json", "{}", "packages/b/b.test.ts", "import '@m/a'\n"), "M packages/a/src/main.ts", "packages/b/b.test.ts"},
		{"deep dist subpath", tree("package.json", ws, "packages/a/package.json", `{"name":"@m/a","main":"dist/index.js"}`, "packages/a/src/deep/x.ts", "", "packages/b/package.json", "{}", "packages/b/b.test.ts", "import '@m/a/dist/deep/x'\n"), "M packages/a/src/deep/x.ts", "packages/b/b.test.ts"},
		{"yarn object", tree("package.json", `{"workspaces":{"packages":["libs/**","!libs/old"]}}`, "libs/x/a/package.json", `{"name":"a"}`, "libs/x/a/index.js", "", "b.test.js", "require('a')\n"), "M libs/x/a/index.js", "b.test.js"},
		{"exports array null", tree("package.json", ws, "packages/a/package.json", `{"name":"a","exports":{"./f/*":[{"node":"./src/f/*.js"},"./x.js"],"./f/internal/*":null}}`, "packages/a/src/f/q.js", "", "b.test.js", "require('a/f/q')\n"), "M packages/a/src/f/q.js", "b.test.js"},
		{"command line", tree("t/a.test.js", "execSync('node bin/cli.js --fast')\n", "bin/cli.js", "require('../lib/x')\n", "lib/x.js", "", "t/b.test.js", plain), "M lib/x.js", "t/a.test.js"},
		{"docblock env", tree("a.test.js", "/**\n * @jest-environment ./env.js\n */\ntest('x', () => {})\n", "env.js", "", "b.test.js", plain), "M env.js", "a.test.js"},
		{"docblock env vitest", tree("a.test.js", "// @vitest-environment ./env.js\ntest('x', () => {})\n", "env.js", "", "b.test.js", plain), "M env.js", "a.test.js"},
		{"require context", tree("a.test.js", "const c = require.context('./p', true, /\\.js$/)\n", "p/x.js", "", "b.test.js", plain), "M p/x.js", "a.test.js"},
		{"template middle", tree("a.test.js", "const f = (l) => import(`./loc/${l}/index.js`)\n", "loc/en/index.js", "", "loc/en/other.js", "", "b.test.js", plain), "M loc/en/index.js", "a.test.js"},
		{"glob array", tree("a.test.ts", "const all = import.meta.glob(['./p/*.ts', '!./p/no.ts'], { import: 'x' })\n", "p/x.ts", "", "b.test.ts", plain), "M p/x.ts", "a.test.ts"},
		{"glob root", tree("package.json", "{}", "t/a.test.ts", "const all = import.meta.glob('/src/**/*.ts')\n", "src/x.ts", "", "b.test.ts", plain), "M src/x.ts", "t/a.test.ts"},
		{"glob base", tree("a.test.ts", "const all = import.meta.glob('./*.ts', { base: './p' })\n", "p/x.ts", "", "b.test.ts", plain), "M p/x.ts", "a.test.ts"},
		{"import equals", tree("a.test.ts", "import x = require('./x')\n", "x.ts", ""), "M x.ts", "a.test.ts"},
		{"reference path", tree("a.test.ts", "/// <reference path=\"./x.d.ts\" />\n", "x.d.ts", "declare const a: 1\n"), "M x.d.ts", "a.test.ts"},
		{"type import call", tree("a.test.ts", "let x: import('./x').T\n", "x.ts", ""), "M x.ts", "a.test.ts"},
		{"typeof import", tree("a.test.ts", "type X = typeof import('./x')\n", "x.ts", ""), "M x.ts", "a.test.ts"},
		{"json attributes", tree("a.test.js", "import d from './d.json' with { type: 'json' }\n", "d.json", "{}"), "M d.json", "a.test.js"},
		{"vue script src", tree("a.test.ts", "import A from './A.vue'\n", "A.vue", "<template src=\"./a.html\"></template>\n<script src=\"./a.ts\"></script>\n<style src=\"./a.css\"></style>\n", "a.ts", "", "a.html", "", "a.css", ""), "M a.ts", "a.test.ts"},
		{"vue template src", tree("a.test.ts", "import A from './A.vue'\n", "A.vue", "<template src=\"./a.html\"></template>\n<script src=\"./a.ts\"></script>\n<style src=\"./a.css\"></style>\n", "a.ts", "", "a.html", "", "a.css", ""), "M a.html", "a.test.ts"},
		{"vue style src", tree("a.test.ts", "import A from './A.vue'\n", "A.vue", "<style src=\"./a.css\"></style>\n", "a.css", ""), "M a.css", "a.test.ts"},
		{"style import", tree("a.test.ts", "import './a.css'\n", "a.css", "@import './b.css';\n", "b.css", "", "b.test.ts", plain), "M b.css", "a.test.ts"},
		{"style that is gone", tree("a.test.ts", "import './a.css'\n", "a.css", "@import url(b.css);\n", "b.test.ts", plain), "D b.css", "a.test.ts"},
		{"style composes", tree("a.test.ts", "import s from './a.module.css'\n", "a.module.css", ".a { composes: b from './s/b.module.css'; }\n", "s/b.module.css", "@value c from '../c.css';\n", "c.css", ""), "M c.css", "a.test.ts"},
		{"sass parts", tree("a.test.ts", "import './a.scss'\n", "a.scss", "@use 's';\n", "s/_index.scss", "@forward \"vars\", 'more';\n", "s/_more.scss", "", "b.test.ts", plain), "M s/_more.scss", "a.test.ts"},
		{"sass without quotes", tree("a.test.ts", "import './a.sass'\n", "a.sass", "@import vars, s/more\n", "s/more.sass", ""), "M s/more.sass", "a.test.ts"},
		{"less reference", tree("a.test.ts", "import './a.less'\n", "a.less", "@import (reference) \"b\";\n", "b.less", ""), "M b.less", "a.test.ts"},
		{"style by an alias", tree("a.test.ts", "import './a.scss'\n", "a.scss", "@import '@/styles/b';\n@import '~ui/c.css';\n", "src/styles/b.scss", "", "packages/ui/c.css", ""), "M packages/ui/c.css", "a.test.ts"},
		{"style of a component", tree("a.test.ts", "import A from './A.vue'\n", "A.vue", "<style lang=\"scss\">\n@import './b';\n</style>\n", "b.scss", ""), "M b.scss", "a.test.ts"},
		{"another style", tree("a.test.ts", "import './a.css'\n", "a.css", "@import './b.css';\n.x { content: 'd' }\n", "b.css", "", "s/b.css", "", "s/d.css", ""), "M s/b.css", ""},
		{"import comment", tree("a.test.js", "import(/* webpackChunkName: 'x' */ './x.js')\n", "x.js", ""), "M x.js", "a.test.js"},
		{"folded require", tree("a.test.js", "require('./x' + '.js')\n", "x.js", "", "b.test.js", plain), "M x.js", "a.test.js"},
		{"const path require", tree("a.test.js", "const P = './x';\nrequire(P)\n", "x.js", "", "y.js", "", "b.test.js", plain), "M x.js", "a.test.js"},
		{"module.require", tree("a.test.js", "module.require('./x')\n", "x.js", ""), "M x.js", "a.test.js"},
		{"createRequire", tree("a.test.mjs", "import { createRequire } from 'node:module';\ncreateRequire(import.meta.url)('./x')\n", "x.js", "", "b.test.js", plain), "M x.js", "a.test.mjs"},
		{"created require", tree("a.test.mjs", "import { createRequire } from 'node:module';\nconst req = createRequire(import.meta.url);\nreq('./x')\n", "x.js", "", "b.test.js", plain), "M x.js", "a.test.mjs"},
		{"proxyquire", tree("a.test.js", "const proxyquire = require('proxyquire');\nconst x = proxyquire('./x', { './y': {} })\n", "x.js", ""), "M x.js", "a.test.js"},
		{"proxyquire noCallThru", tree("a.test.js", "const proxyquire = require('proxyquire').noCallThru();\nconst x = proxyquire.load('./x', {})\n", "x.js", ""), "M x.js", "a.test.js"},
		{"rewire", tree("a.test.js", "const rewire = require('rewire');\nconst x = rewire('./x')\n", "x.js", ""), "M x.js", "a.test.js"},
		{"esmock", tree("a.test.js", "import esmock from 'esmock';\nconst x = await esmock('./x.js', {})\n", "x.js", ""), "M x.js", "a.test.js"},
		{"testdouble", tree("a.test.js", "const td = require('testdouble');\nconst x = td.replace('./x')\n", "x.js", ""), "M x.js", "a.test.js"},
		{"quibble", tree("a.test.js", "quibble('./x', {})\n", "x.js", ""), "M x.js", "a.test.js"},
		{"mockImport vi.mock(import)", tree("a.test.js", "vi.mock(import('./x.js'))\n", "x.js", ""), "M x.js", "a.test.js"},
		{"createMockFromModule", tree("a.test.js", "jest.createMockFromModule('./x')\n", "x.js", ""), "M x.js", "a.test.js"},
		{"import.meta.resolve", tree("a.test.mjs", "import.meta.resolve('./x.js')\n", "x.js", ""), "M x.js", "a.test.mjs"},
		{"require from filename", tree("a.test.mjs", "const r = createRequire(import.meta.filename);\nr('./x')\n", "x.js", "", "b.test.js", plain), "M x.js", "a.test.mjs"},
		{"require from a url", tree("a.test.mjs", "const r = createRequire(new URL('./p/', import.meta.url));\nr('./x')\n", "p/x.js", "", "b.test.js", plain), "M p/x.js", "a.test.mjs"},
		{"require from the working folder", tree("t/a.test.mjs", "const r = createRequire(process.cwd() + '/');\nr('./p/x')\n", "p/x.js", "", "b.test.js", plain), "M p/x.js", "t/a.test.mjs"},
		{"createRequire renamed", tree("a.test.mjs", "import { createRequire as make } from 'node:module';\nconst r = make(import.meta.url);\nr('./x')\n", "x.js", "", "b.test.js", plain), "M x.js", "a.test.mjs"},
		{"require given another name", tree("a.test.js", "const load = require;\nload('./x')\n", "x.js", "", "b.test.js", plain), "M x.js", "a.test.js"},
		{"require handed on", tree("a.test.js", "['./x'].map(require)\n", "x.js", "", "b.test.js", plain), "M x.js", "a.test.js"},
		{"require in brackets", tree("a.test.js", "(0, require)('./x')\n", "x.js", "", "b.test.js", plain), "M x.js", "a.test.js"},
		{"require if any", tree("a.test.js", "require?.('./x')\n", "x.js", "", "b.test.js", plain), "M x.js", "a.test.js"},
		{"require by call", tree("a.test.js", "require.call(null, './x')\n", "x.js", "", "b.test.js", plain), "M x.js", "a.test.js"},
		{"computed requireActual", tree("a.test.js", "const f = (n) => jest.requireActual(`./p/${n}`)\n", "p/x.js", "", "b.test.js", plain), "M p/x.js", "a.test.js"},
		{"computed mock", tree("a.test.js", "jest.doMock('./' + 'x')\n", "x.js", "", "b.test.js", plain), "M x.js", "a.test.js"},
		{"jest by another name", tree("a.test.js", "import { jest as j } from '@jest/globals';\nj.requireActual('./x')\n", "x.js", "", "b.test.js", plain), "M x.js", "a.test.js"},
		{"importActual alone", tree("a.test.js", "const { importActual } = vi;\nawait importActual('./x')\n", "x.js", "", "b.test.js", plain), "M x.js", "a.test.js"},
		{"url against a name", tree("a.test.mjs", "const here = import.meta.url;\nnew Worker(new URL('./x.mjs', here))\n", "x.mjs", "", "b.test.js", plain), "M x.mjs", "a.test.mjs"},
		{"url of a folder", tree("a.test.mjs", "readdirSync(new URL('./p/', import.meta.url))\n", "p/x.txt", "", "b.test.js", plain), "M p/x.txt", "a.test.mjs"},
		{"url of a template", tree("a.test.mjs", "const f = (n) => readFileSync(new URL(`./p/${n}.txt`, import.meta.url))\n", "p/x.txt", "", "b.test.js", plain), "M p/x.txt", "a.test.mjs"},
		{"query of the time", tree("a.test.mjs", "await import('./x.js?t=' + Date.now())\n", "x.js", "", "b.test.js", plain), "M x.js", "a.test.mjs"},
		{"query in a template", tree("a.test.mjs", "await import(`./x.js?t=${Date.now()}`)\n", "x.js", "", "b.test.js", plain), "M x.js", "a.test.mjs"},
		{"percent and fragment", tree("a.test.mjs", "import './x%20y.js#z'\n", "x y.js", "", "b.test.js", plain), "M x y.js", "a.test.mjs"},
		{"import.source", tree("a.test.mjs", "await import.source('./x.wasm')\n", "x.wasm", "", "b.test.js", plain), "M x.wasm", "a.test.mjs"},
		{"glob of kinds", tree("a.test.mjs", "import.meta.glob('./p/@(x|y).js')\n", "p/x.js", "", "b.test.js", plain), "M p/x.js", "a.test.mjs"},
		{"bracket before a hole", tree("a.test.mjs", "const f = (n) => import(`./[id]/${n}.js`)\n", "[id]/x.js", "", "b.test.js", plain), "M [id]/x.js", "a.test.mjs"},
		{"data by a name", tree("t/a.test.js", "const DATA = 'fix/x.csv';\nload(DATA)\n", "fix/x.csv", "", "b.test.js", plain), "M fix/x.csv", "t/a.test.js"},
		{"data below a root", tree("t/a.test.js", "load(`${root}/fix/x.csv`)\n", "fix/x.csv", "", "b.test.js", plain), "M fix/x.csv", "t/a.test.js"},
		{"data behind a plus", tree("t/a.test.js", "load(root + '/fix/x.csv')\n", "fix/x.csv", "", "b.test.js", plain), "M fix/x.csv", "t/a.test.js"},
		{"script of a shell", tree("t/a.test.js", "exec('sh tools/x.sh')\n", "tools/x.sh", "", "b.test.js", plain), "M tools/x.sh", "t/a.test.js"},
		{"exported require", tree("a.test.mjs", "import { req } from './u/req.js';\nreq('./x')\n", "u/req.js", "export const req = createRequire(import.meta.url);\n", "u/x.js", "", "b.test.js", plain), "M u/x.js", "a.test.mjs"},
		{"bundled require", tree("a.test.js", "import './umd.js'\n", "umd.js", "(function (f) { typeof require == 'function' && require; })(function (require, exports) {}); define(['require'], function (require) {}); o = { require: 1 }\n", "x.js", ""), "M x.js", ""},
		{"computed name of a package", tree("package.json", ws, "packages/a/package.json", `{"name":"@m/a","main":"i.js"}`, "packages/a/i.js", "", "b.test.js", "const f = (n) => require(`@m/${n}`)\n", "c.test.js", plain), "M packages/a/i.js", "b.test.js"},
		{"computed file of a package", tree("package.json", ws, "packages/a/package.json", `{"name":"@m/a"}`, "packages/a/lib/i.js", "", "b.test.js", "const f = (n) => require('@m/a/lib/' + n)\n", "c.test.js", plain), "M packages/a/lib/i.js", "b.test.js"},
		{"file url", tree("a.test.mjs", "const f = (p) => import(`file://${p}`)\n", "p/x.js", "", "c.test.js", plain), "M p/x.js", "a.test.mjs"},
		{"lazy wrapper", tree("a.test.js", "const load = (f) => f();\nload(() => import('./x'))\n", "x.js", ""), "M x.js", "a.test.js"},
		{"dirname import.meta", tree("t/a.test.mjs", "fs.readFileSync(join(import.meta.dirname, 'f', 'a.json'))\n", "t/f/a.json", "", "t/b.test.js", plain), "M t/f/a.json", "t/a.test.mjs"},
		{"fileURLToPath dir", tree("t/a.test.mjs", "const here = fileURLToPath(new URL('.', import.meta.url));\nfs.readFileSync(path.join(here, 'f', 'a.json'))\n", "t/f/a.json", "", "t/b.test.js", plain), "M t/f/a.json", "t/a.test.mjs"},
		{"dirname of fileURLToPath", tree("t/a.test.mjs", "const here = path.dirname(fileURLToPath(import.meta.url));\nfs.readFileSync(path.resolve(here, '../f/a.json'))\n", "f/a.json", "", "t/b.test.js", plain), "M f/a.json", "t/a.test.mjs"},
		{"template dirname", tree("t/a.test.js", "fs.readFileSync(`${__dirname}/f/a.json`)\n", "t/f/a.json", "", "t/b.test.js", plain), "M t/f/a.json", "t/a.test.js"},
		{"concat dirname", tree("t/a.test.js", "fs.readFileSync(__dirname + '/f/a.json')\n", "t/f/a.json", "", "t/b.test.js", plain), "M t/f/a.json", "t/a.test.js"},
		{"glob fs", tree("t/a.test.js", "globSync('fixtures/*.json')\n", "fixtures/a.json", "", "t/b.test.js", plain), "M fixtures/a.json", "t/a.test.js"},
		{"computed data name", tree("t/a.test.js", "const read = (n) => fs.readFileSync(path.join(__dirname, 'f', n + '.json'))\n", "t/f/a.json", "", "t/b.test.js", plain), "M t/f/a.json", "t/a.test.js"},
		{"computed template data", tree("t/a.test.js", "const read = (n) => fs.readFileSync(`t/f/${n}.json`)\n", "t/f/a.json", "", "t/b.test.js", plain), "M t/f/a.json", "t/a.test.js"},
		{"cwd data", tree("t/a.test.js", "fs.readFileSync(path.join(process.cwd(), 'f', 'a.json'))\n", "f/a.json", "", "t/b.test.js", plain), "M f/a.json", "t/a.test.js"},
		{"file snapshot", tree("t/a.test.js", "expect(x).toMatchFileSnapshot('./out/a.html')\n", "t/out/a.html", "", "t/b.test.js", plain), "M t/out/a.html", "t/a.test.js"},
		{"babel json plugin", tree("babel.config.json", `{"plugins":["./tools/plugin.js"]}`, "tools/plugin.js", "", "a.test.js", plain), "M tools/plugin.js", "a.test.js"},
		{"babel plugin in code", tree("babel.config.js", "module.exports = { plugins: ['./tools/plugin'] }\n", "tools/plugin.js", "require('./part')\n", "tools/part.js", "", "a.test.js", plain), "M tools/part.js", "a.test.js"},
		{"mocharc node option", tree(".mocharc.json", `{"node-option":["import=./tools/hook.mjs"]}`, "tools/hook.mjs", "", "a.test.js", plain), "M tools/hook.mjs", "a.test.js"},
		{"package json jest preset", tree("package.json", `{"jest":{"preset":"./conf"}}`, "conf/jest-preset.js", "", "a.test.js", plain), "M conf/jest-preset.js", "a.test.js"},
		{"mocharc require json", tree(".mocharc.json", `{"reporter":"./tools/rep.js"}`, "tools/rep.js", "", "a.test.js", plain), "M tools/rep.js", "a.test.js"},
		{"unknown alias", tree("package.json", "{}", "a.test.js", "import B from 'components/Button'\n", "src/components/Button.js", "", "b.test.js", plain), "M src/components/Button.js", "a.test.js"},
		{"unknown alias prefix", tree("package.json", "{}", "a.test.js", "import B from '@components/Button'\n", "src/components/Button.js", "", "b.test.js", plain), "M src/components/Button.js", "a.test.js"},
		{"query raw", tree("a.test.js", "import q from './q.sql?raw'\n", "q.sql", "", "b.test.js", plain), "M q.sql", "a.test.js"},
		{"url asset", tree("a.test.js", "import u from './u.svg?url'\n", "u.svg", "", "b.test.js", plain), "M u.svg", "a.test.js"},
		{"wasm", tree("a.test.js", "import init from './m.wasm?init'\n", "m.wasm", "", "b.test.js", plain), "M m.wasm", "a.test.js"},
		{"export star ns", tree("a.test.js", "import './x'\n", "x.js", "export * as y from './y'\n", "y.js", ""), "M y.js", "a.test.js"},
		{"sync worker threads", tree("t/a.test.js", "new Worker(path.join(__dirname, 'w.js'))\n", "t/w.js", "require('../x')\n", "x.js", "", "t/b.test.js", plain), "M x.js", "t/a.test.js"},
		{"env in mocha", tree(".env", "A=1\n", "a.test.js", "require('dotenv').config()\n", "b.test.js", plain), "M .env", "a.test.js b.test.js"},
		{"symlinked workspace package name with sub src", tree("package.json", ws, "packages/a/package.json", `{"name":"@m/a","exports":{".":"./dist/index.js","./package.json":"./package.json","./*":"./dist/*.js"}}`, "packages/a/src/u/x.ts", "", "b.test.ts", "import '@m/a/u/x'\n"), "M packages/a/src/u/x.ts", "b.test.ts"},
		{"publishConfig", tree("package.json", ws, "packages/a/package.json", `{"name":"@m/a","main":"src/index.ts","publishConfig":{"main":"dist/index.js"}}`, "packages/a/src/index.ts", "", "b.test.ts", "import '@m/a'\n"), "M packages/a/src/index.ts", "b.test.ts"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := selectChange(t, lang.Set{js.Language{}, py.New("")}, tc.tree, node(".", "babel.config.json", "babel.config.js", ".mocharc.json", "package.json"), tc.change); got != tc.want {
				t.Errorf("selected %q, want %q", got, tc.want)
			}
		})
	}
}

// TestPythonLoads are the same for Python.
func TestPythonLoads(t *testing.T) {
	const plain = "def test(): pass\n"
	for _, tc := range []struct {
		name   string
		tree   files
		change string
		want   string
	}{
		{"package_dir", tree("setup.cfg", "[options]\npackage_dir =\n    =lib\n", "tests/test_a.py", "import app.x\n", "lib/app/__init__.py", "", "lib/app/x.py", ""), "M lib/app/x.py", "tests/test_a.py"},
		{"setup.py package_dir", tree("setup.py", "setup(package_dir={'': 'python'})\n", "tests/test_a.py", "import app.x\n", "python/app/__init__.py", "", "python/app/x.py", ""), "M python/app/x.py", "tests/test_a.py"},
		{"hatch packages", tree("pyproject.toml", "[tool.hatch.build.targets.wheel]\npackages = ['code/app']\n", "tests/test_a.py", "import app.x\n", "code/app/__init__.py", "", "code/app/x.py", ""), "M code/app/x.py", "tests/test_a.py"},
		{"poetry from", tree("pyproject.toml", "[tool.poetry]\npackages = [{include = 'app', from = 'code'}]\n", "tests/test_a.py", "import app.x\n", "code/app/__init__.py", "", "code/app/x.py", ""), "M code/app/x.py", "tests/test_a.py"},
		{"monorepo src", tree("libs/a/pyproject.toml", "[project]\nname='a'\n", "libs/a/src/a/__init__.py", "", "libs/b/pyproject.toml", "", "libs/b/tests/test_b.py", "import a\n", "libs/c/tests/test_c.py", plain), "M libs/a/src/a/__init__.py", "libs/b/tests/test_b.py"},
		{"package kw", tree("app/__init__.py", "", "app/x.py", "", "test_a.py", "import importlib\nimportlib.import_module('.x', package='app')\n", "test_b.py", plain), "M app/x.py", "test_a.py"},
		{"package computed", tree("app/__init__.py", "", "app/x.py", "", "app/l.py", "import importlib\ndef f(n): return importlib.import_module('.' + n, __name__.rpartition('.')[0])\n", "test_a.py", "import app.l\n", "test_b.py", plain), "M app/x.py", "test_a.py"},
		{"lazy getattr", tree("app/__init__.py", "import importlib\ndef __getattr__(name):\n    return importlib.import_module(f'.{name}', __name__)\n", "app/x.py", "", "test_a.py", "import app\napp.x\n", "test_b.py", plain), "M app/x.py", "test_a.py"},
		{"run_module", tree("app/__init__.py", "", "app/cli.py", "", "test_a.py", "import runpy\nrunpy.run_module('app.cli')\n", "test_b.py", plain), "M app/cli.py", "test_a.py"},
		{"run_path", tree("scripts/x.py", "import y\n", "scripts/y.py", "", "test_a.py", "import runpy\nrunpy.run_path('scripts/x.py')\n", "test_b.py", plain), "M scripts/y.py", "test_a.py"},
		{"spec_from_file", tree("scripts/x.py", "", "test_a.py", "import importlib.util\nimportlib.util.spec_from_file_location('x', 'scripts/x.py')\n", "test_b.py", plain), "M scripts/x.py", "test_a.py"},
		{"importorskip", tree("app/__init__.py", "", "app/x.py", "", "test_a.py", "import pytest\nx = pytest.importorskip('app.x')\n", "test_b.py", plain), "M app/x.py", "test_a.py"},
		{"monkeypatch", tree("app/__init__.py", "", "app/x.py", "", "test_a.py", "def test(monkeypatch): monkeypatch.setattr('app.x.f', 1)\n", "test_b.py", plain), "M app/x.py", "test_a.py"},
		{"get_data", tree("app/__init__.py", "", "app/t.txt", "", "test_a.py", "import pkgutil\npkgutil.get_data('app', 't.txt')\n", "test_b.py", plain), "M app/t.txt", "test_a.py"},
		{"resources dotted", tree("app/__init__.py", "", "app/data/__init__.py", "", "app/data/t.txt", "", "test_a.py", "from importlib import resources\nresources.read_text('app.data', 't.txt')\n", "test_b.py", plain), "M app/data/t.txt", "test_a.py"},
		{"resources variable", tree("app/__init__.py", "", "app/data/t.txt", "", "test_a.py", "from importlib.resources import files\nT = files('app') / 'data' / 't.txt'\n", "test_b.py", plain), "M app/data/t.txt", "test_a.py"},
		{"dash m in a line", tree("app/__init__.py", "", "app/cli.py", "", "test_a.py", "def test(): run('python -m app.cli --fast', shell=True)\n", "test_b.py", plain), "M app/cli.py", "test_a.py"},
		{"dash m in an f-string", tree("app/__init__.py", "", "app/cli.py", "", "test_a.py", "def test(): run(f'{sys.executable} -m app.cli')\n", "test_b.py", plain), "M app/cli.py", "test_a.py"},
		{"dash m of a package", tree("app/__init__.py", "", "app/__main__.py", "from . import core\n", "app/core.py", "", "test_a.py", "def test(): run([sys.executable, '-m', 'app'])\n", "test_b.py", plain), "M app/core.py", "test_a.py"},
		{"run_module of a package", tree("app/__init__.py", "", "app/__main__.py", "", "test_a.py", "import runpy\nrunpy.run_module('app')\n", "test_b.py", plain), "M app/__main__.py", "test_a.py"},
		{"lazy_loader", tree("app/__init__.py", "import lazy_loader as lazy\n__getattr__, __dir__, __all__ = lazy.attach(__name__, submod_attrs={'impl': ['Thing']})\n", "app/impl.py", "", "test_a.py", "import app\n", "test_b.py", plain), "M app/impl.py", "test_a.py"},
		{"lazy_loader stub", tree("app/__init__.py", "import lazy_loader as lazy\n__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)\n", "app/__init__.pyi", "from .impl import Thing\n", "app/impl.py", "", "test_a.py", "import app\n", "test_b.py", plain), "M app/impl.py", "test_a.py"},
		{"lazy module", tree("app/__init__.py", "import sys\nfrom util import Lazy\nsys.modules[__name__] = Lazy(__name__, {'impl': ['Thing']})\n", "app/impl.py", "", "util.py", "class Lazy: pass\n", "test_a.py", "import app\n", "test_b.py", plain), "M app/impl.py", "test_a.py"},
		{"glob of data", tree("data/in/x.txt", "", "test_a.py", "import glob\nF = glob.glob('data/in/*.txt')\n", "test_b.py", plain), "M data/in/x.txt", "test_a.py"},
		{"joined glob", tree("data/in/x.txt", "", "test_a.py", "import glob, os\nF = glob.glob(os.path.join(HERE, 'data', 'in', '*.txt'))\n", "test_b.py", plain), "M data/in/x.txt", "test_a.py"},
		{"percent name", tree("data/in/x.txt", "", "test_a.py", "T = load('data/in/%s.txt' % n)\n", "test_b.py", plain), "M data/in/x.txt", "test_a.py"},
		{"format name", tree("data/in/x.txt", "", "test_a.py", "T = load('data/in/{}.txt'.format(n))\n", "test_b.py", plain), "M data/in/x.txt", "test_a.py"},
		{"pytest_plugins str", tree("tests/conftest.py", "pytest_plugins = 'tests.fix'\n", "tests/__init__.py", "", "tests/fix.py", "", "tests/test_a.py", plain), "M tests/fix.py", "tests/test_a.py"},
		{"pytest_plugins tuple", tree("conftest.py", "pytest_plugins = ('fix.db', 'fix.web')\n", "fix/db.py", "", "fix/web.py", "", "tests/test_a.py", plain), "M fix/web.py", "tests/test_a.py"},
		{"import conftest", tree("tests/__init__.py", "", "tests/sub/__init__.py", "", "tests/sub/conftest.py", "X=1\n", "tests/test_a.py", "from tests.sub.conftest import X\n", "tests/test_b.py", plain), "M tests/sub/conftest.py", "tests/test_a.py"},
		{"django app", tree("pytest.ini", "[pytest]\nDJANGO_SETTINGS_MODULE = proj.settings\n", "proj/__init__.py", "", "proj/settings.py", "INSTALLED_APPS = ['users.apps.UsersConfig']\n", "users/__init__.py", "", "users/apps.py", "", "test_a.py", "from proj import settings\n"), "M users/apps.py", "test_a.py"},
		{"datadir", tree("tests/test_a.py", "def test(datadir): pass\n", "tests/test_a/x.json", "{}", "tests/test_b.py", plain), "M tests/test_a/x.json", "tests/test_a.py"},
		{"shared datadir", tree("tests/test_a.py", "def test(shared_datadir): (shared_datadir / 'x.json').read_text()\n", "tests/data/x.json", "{}", "tests/test_b.py", plain), "M tests/data/x.json", "tests/test_a.py"},
		{"syrupy", tree("tests/test_a.py", "def test(snapshot): assert 1 == snapshot\n", "tests/__snapshots__/test_a.ambr", "", "tests/test_b.py", plain), "M tests/__snapshots__/test_a.ambr", "tests/test_a.py"},
		{"plain path join", tree("tests/test_a.py", "import os\nHERE = os.path.dirname(__file__)\ndef test(): open(os.path.join(HERE, 'data', 'x.txt'))\n", "tests/data/x.txt", "", "tests/test_b.py", plain), "M tests/data/x.txt", "tests/test_a.py"},
		{"pathlib parents", tree("tests/unit/test_a.py", "from pathlib import Path\nROOT = Path(__file__).resolve().parents[2]\nD = ROOT / 'data' / 'x.txt'\n", "data/x.txt", "", "tests/test_b.py", plain), "M data/x.txt", "tests/unit/test_a.py"},
		{"fstring data", tree("tests/test_a.py", "from pathlib import Path\nHERE = Path(__file__).parent\ndef read(n): return (HERE / 'data' / f'{n}.json').read_text()\n", "tests/data/x.json", "", "tests/test_b.py", plain), "M tests/data/x.json", "tests/test_a.py"},
		{"fstring open", tree("tests/test_a.py", "def read(n): return open(f'tests/data/{n}.json')\n", "tests/data/x.json", "", "tests/test_b.py", plain), "M tests/data/x.json", "tests/test_a.py"},
		{"data const imported", tree("tests/paths.py", "from pathlib import Path\nDATA = Path(__file__).parent / 'data'\n", "tests/test_a.py", "from paths import DATA\ndef test(): (DATA / 'x.txt').read_text()\n", "tests/data/x.txt", "", "tests/test_b.py", plain), "M tests/data/x.txt", "tests/test_a.py"},
		{"subprocess script shlex", tree("tests/test_a.py", "import subprocess\nsubprocess.run('python scripts/x.py --fast', shell=True)\n", "scripts/x.py", "", "tests/test_b.py", plain), "M scripts/x.py", "tests/test_a.py"},
		{"doctest text", tree("docs/x.txt", "", "tests/test_a.py", "import doctest\ndoctest.testfile('../docs/x.txt')\n", "tests/test_b.py", plain), "M docs/x.txt", "tests/test_a.py"},
		{"parent package init", tree("app/__init__.py", "", "app/sub/__init__.py", "", "app/sub/x.py", "", "test_a.py", "import app.sub.x\n"), "M app/sub/__init__.py", "test_a.py"},
		{"relative beyond", tree("app/__init__.py", "", "app/a/__init__.py", "", "app/a/m.py", "from ..b import n\n", "app/b/__init__.py", "", "app/b/n.py", "", "test_a.py", "from app.a import m\n"), "M app/b/n.py", "test_a.py"},
		{"star all", tree("app/__init__.py", "from .x import *\n", "app/x.py", "from .y import *\n", "app/y.py", "", "test_a.py", "from app import *\n"), "M app/y.py", "test_a.py"},
		{"try import", tree("test_a.py", "try:\n    import fast as impl\nexcept ImportError:\n    import slow as impl\n", "slow.py", "", "fast.py", ""), "M slow.py", "test_a.py"},
		{"exec import in string", tree("test_a.py", "exec('import x')\n", "x.py", "", "test_b.py", plain), "M x.py", "test_a.py"},
		{"subprocess -c", tree("tests/test_a.py", "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import app.x; app.x.f()'])\n", "app/__init__.py", "", "app/x.py", "", "tests/test_b.py", plain), "M app/x.py", "tests/test_a.py"},
		{"run inline script", tree("tests/test_a.py", "def test(pytester): pytester.makepyfile('''\n    from app.x import f\n    def test(): f()\n''')\n", "app/__init__.py", "", "app/x.py", "", "tests/test_b.py", plain), "M app/x.py", "tests/test_a.py"},
		{"stub only", tree("test_a.py", "import x\n", "x.pyi", ""), "M x.pyi", "test_a.py"},
		{"requirements", tree("requirements.txt", "left==1\n", "test_a.py", "import left\n", "test_b.py", plain), "M requirements.txt", "test_a.py test_b.py"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := selectChange(t, lang.Set{js.Language{}, py.New("")}, tc.tree, python(tc.tree, "."), tc.change); got != tc.want {
				t.Errorf("selected %q, want %q", got, tc.want)
			}
		})
	}
}
