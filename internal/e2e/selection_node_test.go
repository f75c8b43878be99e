package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shopOfHazards is a project of JavaScript in which each test depends on one
// thing in one way.
func shopOfHazards(script string) map[string]string {
	const begin = "import assert from 'node:assert/strict';\n"
	return map[string]string{
		".gitignore": "node_modules/\ndist/\n",
		"package.json": `{ "name": "shop", "private": true, "type": "module", "workspaces": ["packages/*"],
  "scripts": { "test": "` + script + `" }, "dependencies": { "left": "1.0.0", "right": "1.0.0" } }`,
		"package-lock.json": `{ "name": "shop", "lockfileVersion": 3, "packages": {
  "": { "name": "shop", "workspaces": ["packages/*"], "dependencies": { "left": "1.0.0", "right": "1.0.0" } },
  "node_modules/left": { "version": "1.0.0", "integrity": "sha512-left1" },
  "node_modules/right": { "version": "1.0.0", "integrity": "sha512-right1" },
  "node_modules/@shop/money": { "resolved": "packages/money", "link": true },
  "packages/money": { "name": "@shop/money", "version": "1.0.0" }, "packages/cart": { "name": "@shop/cart", "version": "1.0.0" } } }`,
		"README.md":            "# shop\n",
		"src/dep.js":           "export const dep = 1;\n",
		"src/lazy.js":          "export const lazy = 1;\n",
		"src/far.js":           "export { mid } from './mid.js';\n",
		"src/mid.js":           "import { leaf } from './leaf.js';\nexport const mid = leaf;\n",
		"src/leaf.js":          "export const leaf = 1;\n",
		"src/index.js":         "export * from './one.js';\nexport * from './two.js';\n",
		"src/one.js":           "export const one = 1;\n",
		"src/two.js":           "export const two = 1;\n",
		"src/é/ü.js":           "export const u = 1;\n",
		"src/sp ace/x y.js":    "export const x = 1;\n",
		"src/plugins/a.js":     "export default 1;\n",
		"src/plugins/b.js":     "export default 1;\n",
		"src/load.js":          "export const load = (name) => import(`./plugins/${name}.js`);\n",
		"lib/parts/a.cjs":      "module.exports = 1;\n",
		"lib/parts/b.cjs":      "module.exports = 1;\n",
		"lib/load.cjs":         "module.exports = (name) => require('./parts/' + name);\n",
		"data/d.json":          "1",
		"data/secret.txt":      "1",
		"data/cases/a.json":    "1",
		"notes/a.txt":          "1",
		"regreen.toml":         "[affected]\ndata = { \"notes/*.txt\" = [\"test/two.test.js\"] }\n",
		".env.test":            "VITE_SHOP=open\n",
		"tsconfig.json":        `{ "extends": "./tsconfig.base.json" }`,
		"tsconfig.base.json":   `{ "compilerOptions": { "allowJs": true, "paths": { "@lib/*": ["./src/aliased/*"] } } }`,
		"src/aliased/named.js": "export const named = 1;\n",
		"shared/deep.js":       "export const deep = 1;\n",
		"test/help.js":         "export const help = 1;\n",
		"test/setup.js": "import { help } from './help.js';\nif (help !== 1) throw new Error('no help');\n" +
			"const { SHOP, VITE_SHOP } = { ...process.env, ...import.meta.env };\nif (SHOP !== 'ready' || VITE_SHOP !== 'open') throw new Error('closed');\n",
		"test/ready.js":        "export const ready = 'ready';\n",
		"test/dep.test.js":     begin + "import { dep } from '../src/dep.js';\nit('dep', () => assert.equal(dep, 1));\n",
		"test/lazy.test.js":    begin + "it('lazy', async () => assert.equal((await import('../src/lazy.js')).lazy, 1));\n",
		"test/far.test.js":     begin + "import { mid } from '../src/far.js';\nit('far', () => assert.equal(mid, 1));\n",
		"test/one.test.js":     begin + "import { one } from '../src/index.js';\nit('one', () => assert.equal(one, 1));\n",
		"test/two.test.js":     begin + "import { two } from '../src/index.js';\nit('two', () => assert.equal(two, 1));\n",
		"test/paths.test.js":   begin + "import { u } from '../src/é/ü.js';\nimport { x } from '../src/sp ace/x y.js';\nit('paths', () => assert.equal(u + x, 2));\n",
		"test/load.test.js":    begin + "import { load } from '../src/load.js';\nit('loads', async () => assert.equal((await load('a')).default + (await load('b')).default, 2));\n",
		"test/require.test.js": begin + "import load from '../lib/load.cjs';\nit('requires', () => assert.equal(load('a.cjs') + load('b.cjs'), 2));\n",
		"test/data.test.js":    begin + "import { readFileSync } from 'node:fs';\nit('reads', () => assert.equal(readFileSync(new URL('../data/d.json', import.meta.url), 'utf8'), '1'));\n",
		"test/secret.test.js": begin + "import { readFileSync } from 'node:fs';\nconst name = ['atad', 'txt.terces'].map((s) => [...s].reverse().join('')).join('/');\n" +
			"it('reads what no text names', () => assert.equal(readFileSync(name, 'utf8'), '1'));\n",
		"test/cases.test.js":        begin + "import { readdirSync, readFileSync } from 'node:fs';\nconst dir = new URL('../data/cases/', import.meta.url);\nfor (const name of readdirSync(dir)) it(name, () => assert.equal(readFileSync(new URL(name, dir), 'utf8'), '1'));\n",
		"test/alias.test.js":        begin + "import { named } from '@lib/named.js';\nit('named', () => assert.equal(named, 1));\n",
		"test/link.test.js":         begin + "import { deep } from '../src/linked/deep.js';\nit('deep', () => assert.equal(deep, 1));\n",
		"test/left.test.js":         begin + "import left from 'left';\nit('left', () => assert.equal(left, 1));\n",
		"test/right.test.js":        begin + "import right from 'right';\nit('right', () => assert.equal(right, 1));\n",
		"packages/money/src/fmt.js": "export const fmt = 1;\n", "packages/money/src/index.js": "export { fmt } from './fmt.js';\n",
		"packages/money/package.json": `{ "name": "@shop/money", "version": "1.0.0", "type": "module", "exports": "./dist/index.js" }`,
		// Outside the folders in which tests are looked for, as of #10222.
		"packages/tax/package.json":       `{ "name": "@shop/tax", "version": "1.0.0", "type": "module" }`,
		"packages/tax/tax.js":             "export const tax = 1;\n",
		"packages/cart/package.json":      `{ "name": "@shop/cart", "version": "1.0.0", "type": "module", "dependencies": { "@shop/money": "1.0.0" } }`,
		"packages/cart/test/cart.test.js": begin + "import { fmt } from '@shop/money';\nit('cart', () => assert.equal(fmt, 1));\n",
		"packages/cart/test/tax.test.js":  begin + "import { tax } from '../../tax/tax.js';\nit('tax', () => assert.equal(tax, 1));\n",
	}
}

// mockHazards are the tests with a manual mock, for those that have mocks.
// That of jest is CommonJS: it finds no manual mock for an ES module.
var mockHazards = map[string]string{"jest": "test/mock.test.cjs", "vitest": "test/mock.test.js"}

// everyHazard are all tests of the project.
func everyHazard(framework string) string {
	return "packages/cart/test/cart.test.js packages/cart/test/tax.test.js test/alias.test.js test/cases.test.js test/data.test.js test/dep.test.js test/far.test.js test/lazy.test.js " +
		"test/left.test.js test/link.test.js test/load.test.js " + strings.TrimLeft(mockHazards[framework]+" ", " ") +
		"test/one.test.js test/paths.test.js test/require.test.js test/right.test.js test/secret.test.js test/two.test.js"
}

// installHazards puts in place what is installed and what is built.
func installHazards(r *repo) {
	r.t.Helper()
	for _, name := range []string{"left", "right"} {
		r.write("node_modules/"+name+"/package.json", `{ "name": "`+name+`", "version": "1.0.0", "type": "module", "exports": "./i.js" }`)
		r.write("node_modules/"+name+"/i.js", "export default 1;\n")
	}
	buildMoney(r)
	if err := os.MkdirAll(r.path("node_modules/@shop"), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Symlink("../../packages/money", r.path("node_modules/@shop/money")); err != nil {
		r.t.Fatal(err)
	}
}

// buildMoney is the workspace package's build.
func buildMoney(r *repo) {
	r.t.Helper()
	for _, name := range []string{"index.js", "fmt.js"} {
		r.write("packages/money/dist/"+name, r.read("packages/money/src/"+name))
	}
}

// upgrade is an install that brings another version of a package.
func upgrade(name string) func(*repo) {
	return func(r *repo) {
		r.t.Helper()
		file := "node_modules/" + name + "/i.js"
		was := r.read(file)
		r.write(file, "export default 2;\n")
		r.t.Cleanup(func() { r.write(file, was) })
		replaced("package-lock.json", `"version": "1.0.0", "integrity": "sha512-`+name+`1"`, `"version": "2.0.0", "integrity": "sha512-`+name+`2"`)(r)
	}
}

// mochaOneByOne runs each file by itself with mocha's own interface, for mocha
// ends a whole run where one file does not load. The modules stay loaded.
const mochaOneByOne = `
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const mocha12 = createRequire(path.resolve('package.json'))('mocha');
const Mocha = mocha12.default ?? mocha12;
const options = JSON.parse(fs.readFileSync('.mocharc.json'));
const load = (file) => import(pathToFileURL(path.resolve(file)));
const passes = async (file) => {
  const mocha = new Mocha({ reporter: 'min' });
  mocha.addFile(path.resolve(file));
  try {
    for (const setup of options.require) await load(setup);
    await mocha.loadFilesAsync();
    return await new Promise((done) => mocha.run((failures) => done(failures === 0)));
  } catch {
    return false;
  }
};
const testResults = [];
for (const spec of options.spec) {
  for (const name of fs.readdirSync(path.dirname(spec)).filter((n) => n.endsWith('.test.js'))) {
    const file = path.join(path.dirname(spec), name);
    testResults.push({ name: path.resolve(file), status: (await passes(file)) ? 'passed' : 'failed' });
  }
}
fs.writeFileSync(process.argv[1], JSON.stringify({ testResults }));
`

// hazardShops are the project for each of the frameworks of JavaScript.
func hazardShops() []project {
	with := func(script string, more ...string) map[string]string {
		files := shopOfHazards(script)
		for i := 0; i < len(more); i += 2 {
			files[more[i]] = more[i+1]
		}
		return files
	}
	// What runs once, before all tests: jest and vitest call what it exports.
	const once = "import { ready } from './ready.js';\nprocess.env.SHOP = ready;\nexport default () => {};\n"
	// vite alone loads environment files by itself.
	const env = "process.loadEnvFile(new URL('../.env.test', import.meta.url));\n"
	return []project{
		{framework: "jest", deps: "jest30", links: map[string]string{"src/linked": "../shared"}, prepare: installHazards,
			files: with("NODE_OPTIONS=--experimental-vm-modules jest", "jest.config.js",
				"export default { transform: {}, globalSetup: '<rootDir>/test/once.js', setupFilesAfterEnv: ['<rootDir>/test/setup.js'],\n"+
					"  moduleNameMapper: { '^@lib/(.*)$': '<rootDir>/src/aliased/$1' }, roots: ['<rootDir>/test', '<rootDir>/packages/cart'] };\n",
				"test/once.js", once+env,
				"lib/price.cjs", "module.exports = 1;\n", "lib/__mocks__/price.cjs", "module.exports = 2;\n",
				"test/mock.test.cjs", "const assert = require('node:assert/strict');\njest.mock('../lib/price.cjs');\nit('mocks', () => assert.equal(require('../lib/price.cjs'), 2));\n"),
			failing: func(r *repo) []string {
				report := filepath.Join(r.t.TempDir(), "report.json")
				out := r.start(r.node(), "--experimental-vm-modules", r.path("node_modules/jest/bin/jest.js"), "--json", "--outputFile="+report)
				return told(r, report, out)
			}},
		{framework: "vitest", deps: "vitest5", links: map[string]string{"src/linked": "../shared"}, prepare: installHazards,
			files: with("vitest run", "vitest.config.js",
				"export default { resolve: { tsconfigPaths: true }, test: { globals: true, globalSetup: ['./test/once.js'], setupFiles: ['./test/setup.js'],\n"+
					"  include: ['test/*.test.js', 'packages/cart/test/*.test.js'] } };\n",
				"test/once.js", once,
				"src/price.js", "export const price = 1;\n", "src/__mocks__/price.js", "export const price = 2;\n",
				"test/mock.test.js", "import assert from 'node:assert/strict';\nimport { price } from '../src/price.js';\nvi.mock('../src/price.js');\nit('mocks', () => assert.equal(price, 2));\n"),
			failing: func(r *repo) []string {
				report := filepath.Join(r.t.TempDir(), "report.json")
				out := r.start(r.node(), r.path("node_modules/vitest/vitest.mjs"), "run", "--fsModuleCache=false", "--reporter=json", "--outputFile="+report)
				return told(r, report, out)
			}},
		{framework: "mocha", deps: "mocha12", links: map[string]string{"src/linked": "../shared"}, prepare: installHazards,
			files: with("mocha", ".mocharc.json", `{ "require": ["./test/paths.js", "./test/once.js", "./test/setup.js"], "spec": ["test/*.test.js", "packages/cart/test/*.test.js"] }`,
				"test/once.js", once+env,
				// What a loader of TypeScript does with the paths of its configuration.
				"test/paths.js", "import { register } from 'node:module';\nregister('./hooks.js', import.meta.url);\n",
				"test/hooks.js", "const dir = new URL('../src/aliased/', import.meta.url);\nexport const resolve = (name, from, next) => next(name.replace(/^@lib\\//, dir), from);\n"),
			failing: func(r *repo) []string {
				report := filepath.Join(r.t.TempDir(), "report.json")
				out := r.start(r.node(), "--input-type=module", "-e", mochaOneByOne, report)
				return told(r, report, out)
			}},
	}
}

// TestNodeSelection is the table for jest, vitest and mocha.
func TestNodeSelection(t *testing.T) {
	config := map[string]string{"jest": "jest.config.js", "vitest": "vitest.config.js", "mocha": ".mocharc.json"}
	// Of the three vitest alone is made to read the tsconfig itself.
	mapped := map[string]string{"jest": none, "vitest": "test/alias.test.js", "mocha": none}
	// Jest takes a manual mock unasked for any package of its name, which
	// installed packages may load too.
	unasked := map[string]string{"jest": everyHazard("jest"), "vitest": mockHazards["vitest"]}
	mocks := map[string][2]string{"jest": {"lib/__mocks__/price.cjs", "lib/price.cjs"}, "vitest": {"src/__mocks__/price.js", "src/price.js"}}
	rows := func(framework string) []selection {
		mock := mocks[framework]
		every := everyHazard(framework)
		return []selection{
			{name: "edited dependency", ref: "mochajs/mocha#4352, #2928", change: replaced("src/dep.js", "1", "2"), want: "test/dep.test.js"},
			{name: "literal import()", ref: "denoland/deno#14685", change: replaced("src/lazy.js", "= 1", "= 2"), want: "test/lazy.test.js"},
			{name: "deleted dependency", ref: "jestjs/jest#15309, #7436, #12052", change: deleted("src/dep.js"), want: "test/dep.test.js"},
			{name: "moved dependency", ref: "jestjs/jest#15309", change: moved("src/dep.js", "src/deep/dep.js"), want: "test/dep.test.js"},
			{name: "setup file", ref: "jestjs/jest#11774, vitest-dev/vitest#2614", change: replaced("test/setup.js", "!== 1", "=== 1"), want: every},
			{name: "helper of the setup file", ref: "jestjs/jest#11774, vitest-dev/vitest#2614", change: replaced("test/help.js", "= 1", "= 2"), want: every},
			{name: "helper of what runs once before all tests", ref: "kulshekhar/ts-jest#1742", change: replaced("test/ready.js", "= 'ready'", "= 'late'"), want: every},
			{name: "environment file", ref: "denoland/deno#32222, vitejs/vite#18993", change: replaced(".env.test", "open", "shut"), want: every},
			{name: "behind the paths of a tsconfig chain", ref: "oven-sh/bun#29590, vitest-dev/vitest#10054", change: replaced("src/aliased/named.js", "1", "2"), want: "test/alias.test.js"},
			{name: "base of the tsconfig", ref: "jestjs/jest#8702", change: replaced("tsconfig.base.json", "./src/aliased/*", "./src/*"), want: every, fails: mapped[framework]},
			{name: "manual mock", ref: "jestjs/jest#8907", on: "jest vitest", change: replaced(mock[0], "2", "3"), want: unasked[framework], fails: mockHazards[framework]},
			{name: "module that is mocked", ref: "jestjs/jest#8907", on: "jest vitest", change: replaced(mock[1], "1", "3"), want: mockHazards[framework], fails: none},
			{name: "lock file", ref: "jestjs/jest#15945, #8702", change: upgrade("left"), want: "test/left.test.js"},
			{name: "configuration", ref: "jestjs/jest#15945, vitest-dev/vitest#10421",
				change: both(replaced(config[framework], "test/setup.js", "test/other.js"), added("test/other.js", "throw new Error('other');\n")), want: every},
			{name: "manifest", ref: "jestjs/jest#8702", change: replaced("package.json", `"private": true`, `"private": true, "imports": { "#x": "./x.js" }`), want: every, fails: none},
			{name: "package outside the roots", ref: "jestjs/jest#10222", change: replaced("packages/tax/tax.js", "1", "2"), want: "packages/cart/test/tax.test.js"},
			{name: "package consumed through dist", ref: "vitest-dev/vitest#2532", change: both(replaced("packages/money/src/fmt.js", "= 1", "= 2"), buildMoney), want: "packages/cart/test/cart.test.js"},
			{name: "data file", ref: "vitest-dev/vitest#3378, tarpas/pytest-testmon#49", change: replaced("data/d.json", "1", "2"), want: "test/data.test.js"},
			{name: "data file that no text names", ref: "vitest-dev/vitest#3378", change: replaced("data/secret.txt", "1", "2"), want: "test/secret.test.js", learned: true},
			{name: "new file in a folder that is read", ref: "vitest-dev/vitest#3378", change: added("data/cases/b.json", "2"), want: "test/cases.test.js"},
			{name: "data file that the settings name", ref: "tarpas/pytest-testmon#49", change: replaced("notes/a.txt", "1", "2"), want: "test/two.test.js", fails: none},
			{name: "template import()", ref: "vitest-dev/vitest#5429", change: replaced("src/plugins/b.js", "1", "2"), want: "test/load.test.js"},
			{name: "computed require", ref: "vitest-dev/vitest#5429", change: replaced("lib/parts/b.cjs", "1", "2"), want: "test/require.test.js"},
			{name: "far dependency", ref: "vitest-dev/vitest#4933, mochajs/mocha#4016", change: replaced("src/leaf.js", "1", "2"), want: "test/far.test.js"},
			{name: "barrel", ref: "vitest-dev/vitest#5009", change: replaced("src/index.js", "export * from './one.js';\n", ""), want: "test/one.test.js test/two.test.js", fails: "test/one.test.js"},
			{name: "behind a barrel", ref: "vitest-dev/vitest#5009, wallabyjs/public#1405", change: replaced("src/one.js", "1", "2"), want: "test/one.test.js"},
			// What throws while it is loaded fails all who import the barrel.
			{name: "behind a barrel, at loading", ref: "wallabyjs/public#685, #119", change: replaced("src/one.js", "1", "1; throw new Error()"), want: "test/one.test.js test/two.test.js"},
			{name: "path that is not ASCII", ref: "jestjs/jest#10273", change: replaced("src/é/ü.js", "1", "2"), want: "test/paths.test.js"},
			{name: "path with blanks", ref: "infinitest/infinitest#187", change: replaced("src/sp ace/x y.js", "1", "2"), want: "test/paths.test.js"},
			{name: "behind a linked folder", ref: "vitest-dev/vitest#4101", change: replaced("shared/deep.js", "1", "2"), want: "test/link.test.js"},
			{name: "moved to another package", ref: "nrwl/nx#13677", change: moved("packages/tax/tax.js", "packages/cart/tax.js"), want: "packages/cart/test/tax.test.js"},
			{name: "deleted document", ref: "nrwl/nx#29699", change: deleted("README.md"), want: "", fails: none},
			{name: "nested working tree", ref: "getsentry/sentry#122196", want: "", fails: none, change: func(r *repo) {
				// Its tests are not the repository's.
				for name, text := range map[string]string{".git": "gitdir: /nowhere\n", "src/dep.js": "export const dep = 2;\n", "test/dep.test.js": r.read("test/dep.test.js")} {
					r.write("nested/"+name, text)
				}
			}},
			{name: "comment", ref: "vercel/turborepo#10869", change: replaced("src/dep.js", "export", "// a comment\nexport"), want: "", fails: none},
		}
	}
	for _, p := range hazardShops() {
		t.Run(p.framework, func(t *testing.T) {
			t.Parallel()
			p.holds(t, rows(p.framework))
		})
	}
}
