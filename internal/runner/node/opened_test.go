package node_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"regreen/internal/runner"
	"regreen/internal/runner/jest"
	"regreen/internal/runner/mocha"
	"regreen/internal/runner/node/nodetest"
	"regreen/internal/runner/vitest"
)

// TestOpened: the files that tests read in ways that no text tells are known
// after a run, for the test that read them and for no other
// (vitest-dev/vitest#3378).
func TestOpened(t *testing.T) {
	const tests = `-- data/one.json --
1
-- data/two.txt --
2
-- data/three.txt --
3
-- list/x.txt --
-- list/not/x.txt --
-- tree/deep/down/x.txt --
-- bin/cli.cjs --
require('./part.cjs');
-- bin/part.cjs --
console.log(require('fs').readFileSync(require('path').join(__dirname, '..', 'data', 'three' + '.txt'), 'utf8'));
-- test/b.test.js --
const fs = require('fs');
const name = ['two', 'txt'].join('.');
test('b', async () => {
  await fs.promises.readFile('data/' + name);
  fs.readdirSync('li' + 'st');
  fs.readdirSync(process.cwd());
  await fs.promises.readdir('tr' + 'ee', { recursive: true });
  fs.writeFileSync('written.txt', '');
});
-- test/a.test.js --
const { readFileSync } = require('node:fs');
const { execFileSync } = require('node:child_process');
const name = ['one', 'json'].join('.');
test('a', () => {
  JSON.parse(readFileSync('data/' + name, 'utf8'));
  execFileSync(process.execPath, ['bin/' + 'cli.cjs']);
});
`
	module := strings.NewReplacer("const fs = require('fs');", "import fs from 'fs';", "const { readFileSync } = require('node:fs');", "import { readFileSync } from 'node:fs';",
		"const { execFileSync } = require('node:child_process');", "import { execFileSync } from 'node:child_process';")
	cases := []struct {
		fw   runner.Framework
		deps []string
		text string
	}{
		{jest.Framework{}, []string{"jest29", "jest30"}, "-- package.json --\n{\"scripts\":{\"test\":\"jest\"},\"jest\":{}}\n" + tests},
		{mocha.Framework{}, []string{"mocha10", "mocha12"}, "-- package.json --\n{\"scripts\":{\"test\":\"mocha test/*.test.js\"}}\n" + strings.ReplaceAll(tests, "test('", "it('")},
		{mocha.Framework{}, []string{"mocha11"}, "-- package.json --\n{\"type\":\"module\",\"scripts\":{\"test\":\"mocha test/*.test.js\"}}\n" + module.Replace(strings.ReplaceAll(tests, "test('", "it('"))},
		{vitest.Framework{}, []string{"vitest3", "vitest4", "vitest5"}, "-- package.json --\n{\"type\":\"module\",\"scripts\":{\"test\":\"vitest run\"}}\n-- vitest.config.js --\nexport default { test: { globals: true } };\n" + module.Replace(tests)},
	}
	want := []string{"test/a.test.js load bin/cli.cjs", "test/a.test.js load bin/part.cjs", "test/a.test.js read data/one.json", "test/a.test.js read data/three.txt",
		"test/b.test.js list .", "test/b.test.js list list", "test/b.test.js list tree", "test/b.test.js list tree/deep", "test/b.test.js list tree/deep/down", "test/b.test.js read data/two.txt"}
	for _, tc := range cases {
		for _, deps := range tc.deps {
			for _, files := range [][]string{nil, {"test/a.test.js"}} {
				if files != nil && deps != tc.deps[0] {
					continue
				}
				p := nodetest.New(t, tc.fw, deps, txtar.Parse([]byte(tc.text)))
				r := p.Run(t, runner.Request{Files: files})
				var got []string
				for _, o := range r.Opened {
					line := o.By + " " + o.Kind + " " + o.File
					if strings.HasPrefix(o.By, "test/") && !strings.HasPrefix(o.File, "test/") && !strings.HasSuffix(o.File, "package.json") && (o.Kind != runner.OpenedRead || !strings.HasPrefix(o.File, "bin/")) {
						got = append(got, line)
					}
				}
				slices.Sort(got)
				expect := want
				if files != nil {
					expect = slices.DeleteFunc(slices.Clone(want), func(s string) bool { return !strings.HasPrefix(s, files[0]) })
				}
				if diff := cmp.Diff(expect, slices.Compact(got)); diff != "" {
					t.Errorf("%s %v: opened (-want +got)\n%s\n%s", deps, files, diff, r.Output)
				}
			}
		}
	}
}

// TestLoads: what a module loads by a name that it computes is known after a
// run, whichever module system runs it, and that it is all of it.
func TestLoads(t *testing.T) {
	const tests = `-- src/load.js --
REQUIRE
-- src/plug/one.js --
EXPORT 1;
-- src/plug/two.js --
EXPORT 2;
-- src/plug/none.js --
EXPORT 3;
-- src/idle.js --
EXPORT (n) => IMPORT('./plug/' + n + '.js');
-- test/a.test.js --
HEAD
test('a', async () => {
  await load('one');
});
-- test/b.test.js --
HEAD
test('b', async () => {
  RESET
  await load('two');
});
`
	cjs := strings.NewReplacer("REQUIRE", "module.exports = (n) => require('./plug/' + n);", "EXPORT", "module.exports =", "IMPORT", "require",
		"HEAD", "require('../src/idle');\nconst load = require('../src/load');", "RESET", "")
	esm := strings.NewReplacer("REQUIRE", "export default (n) => import('./plug/' + n + '.js');", "EXPORT", "export default", "IMPORT", "import",
		"HEAD", "import '../src/idle.js';\nimport load from '../src/load.js';", "RESET", "")
	vi := strings.NewReplacer("REQUIRE", "export default (n) => import('./plug/' + n + '.js');", "EXPORT", "export default", "IMPORT", "import",
		"HEAD", "import { vi } from 'vitest';\nimport '../src/idle.js';\nimport load from '../src/load.js';", "RESET", "await load('one');\n  vi.resetModules();")
	manifest := func(kind, script string) string {
		return "-- package.json --\n{" + kind + "\"scripts\":{\"test\":\"" + script + "\"}}\n"
	}
	module := `"type":"module",`
	mocha12 := strings.ReplaceAll(tests, "test('", "it('")
	cases := []struct {
		fw   runner.Framework
		deps []string
		text string
		mark string
	}{
		{jest.Framework{}, []string{"jest29", "jest30"}, manifest("", "jest") + cjs.Replace(tests), runner.OpenedImports},
		{jest.Framework{}, []string{"jest29", "jest30"}, manifest(module, "NODE_OPTIONS=--experimental-vm-modules jest") + "-- jest.config.js --\nexport default { transform: {} };\n" + esm.Replace(tests), runner.OpenedImports},
		{mocha.Framework{}, []string{"mocha11"}, manifest("", "mocha test/*.test.js") + cjs.Replace(mocha12), runner.OpenedRequires},
		{vitest.Framework{}, []string{"vitest3", "vitest4", "vitest5"}, manifest(module, "vitest run") + "-- vitest.config.js --\nexport default { test: { globals: true } };\n" + vi.Replace(tests), runner.OpenedImports},
		{vitest.Framework{}, []string{"vitest5"}, manifest(module, "vitest run") + "-- vitest.config.js --\nexport default { test: { globals: true, pool: 'vmThreads' } };\n" + vi.Replace(tests), runner.OpenedImports},
		{vitest.Framework{}, []string{"vitest4"}, manifest(module, "vitest run") + "-- vitest.config.js --\nexport default { test: { globals: true, sequence: { hooks: 'list' } } };\n" + vi.Replace(tests), ""},
		{mocha.Framework{}, []string{"mocha12"}, manifest(module, "mocha test/*.test.js") + esm.Replace(mocha12), runner.OpenedImports},
	}
	// Node itself tells of import() from 22.15 on; the one that vitest 5 needs does.
	newer, err := filepath.Abs("../../../testdata/deps/vitest5/node_modules/node/bin")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range cases {
		if tc.deps[0] == "mocha12" {
			t.Setenv("PATH", newer+string(os.PathListSeparator)+os.Getenv("PATH"))
		}
		for _, deps := range tc.deps {
			p := nodetest.New(t, tc.fw, deps, txtar.Parse([]byte(tc.text)))
			r := p.Run(t, runner.Request{})
			var got, marks []string
			for _, o := range r.Opened {
				switch {
				case o.By == "src/load.js" && o.Kind == runner.OpenedLoad:
					got = append(got, o.File)
				case o.By == o.File && !strings.HasPrefix(o.By, "test/"):
					marks = append(marks, o.Kind+" "+o.By)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff([]string{"src/plug/one.js", "src/plug/two.js"}, slices.Compact(got)); diff != "" {
				t.Errorf("%s: loaded (-want +got)\n%s\n%s", deps, diff, r.Output)
			}
			var want []string
			if tc.mark != "" {
				want = []string{tc.mark + " src/load.js"}
			}
			if diff := cmp.Diff(want, slices.Compact(marks)); diff != "" {
				t.Errorf("%s: of which is it known (-want +got)\n%s", deps, diff)
			}
		}
	}
}

// TestLoadersOfAProject: a project whose loader runs in a thread of its own, as
// those that compile TypeScript do, runs as it does without us, and nothing is
// taken to be known of what its modules load.
func TestLoadersOfAProject(t *testing.T) {
	const text = `-- package.json --
{"type":"module","scripts":{"test":"mocha OPTION test/*.test.js"}}
-- hook.mjs --
import { register } from 'node:module';
register('./loader.mjs', import.meta.url);
-- loader.mjs --
export async function resolve(specifier, context, next) {
  return next(specifier === 'virtual' ? new URL('./src/one.js', import.meta.url).href : specifier, context);
}
-- src/one.js --
export default 1;
-- src/cjs.cjs --
module.exports = (n) => require('./' + n + '.cjs');
-- src/two.cjs --
module.exports = 2;
-- test/a.test.js --
import one from 'virtual';
import load from '../src/cjs.cjs';
it('a', async () => {
  if (one !== 1 || load('two') !== 2 || (await import('../src/' + 'one.js')).default !== 1) throw new Error('not loaded');
});
`
	newer, err := filepath.Abs("../../../testdata/deps/vitest5/node_modules/node/bin")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", newer+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, option := range []string{"--import=./hook.mjs", "--loader=./loader.mjs", "--experimental-loader=./loader.mjs"} {
		t.Run(option, func(t *testing.T) {
			p := nodetest.New(t, mocha.Framework{}, "mocha11", txtar.Parse([]byte(strings.ReplaceAll(text, "OPTION", option))))
			r := p.Run(t, runner.Request{})
			if len(r.Tests) != 1 || r.Tests[0].Verdict != runner.Passed || !r.Ended {
				t.Fatalf("tests %v, ended %v\n%s", r.Tests, r.Ended, r.Output)
			}
			for _, o := range r.Opened {
				if o.Kind == runner.OpenedImports && !slices.Contains(r.Opened, runner.Opened{Kind: runner.OpenedCut}) {
					t.Errorf("%v is told to be watched", o)
				}
			}
		})
	}
}

// TestCompilersList: TypeScript lists the folders of its project when the first
// module is compiled, in whichever test that is; a test that has it list some
// depends on these.
func TestCompilersList(t *testing.T) {
	const text = `-- src/a.js --
module.exports = 1;
-- docs/a.md --
-- tool/node_modules/typescript/lib/typescript.js --
const fs = require('fs');
exports.readDirectory = (dir) => fs.readdirSync(dir);
-- tool/node_modules/compile/jest.cjs --
let parsed;
exports.process = (code) => {
  parsed ??= require('typescript/lib/typescript.js').readDirectory('do' + 'cs');
  return { code };
};
-- tool/node_modules/compile/mocha.cjs --
const own = require.extensions['.js'];
let parsed;
require.extensions['.js'] = (module, file) => {
  if (file.endsWith('a.js')) parsed ??= require('typescript/lib/typescript.js').readDirectory('do' + 'cs');
  return own(module, file);
};
-- test/a.test.js --
test('a', () => {
  require('../src/a.js');
});
-- test/b.test.js --
const ts = require('../tool/node_modules/typescript/lib/typescript.js');
test('b', () => {
  require('../src/a.js');
  ts.readDirectory('sr' + 'c');
});
`
	cases := []struct {
		fw         runner.Framework
		deps, head string
		text       string
	}{
		{jest.Framework{}, "jest30", `"scripts":{"test":"jest"},"jest":{"transform":{"\\.js$":"./tool/node_modules/compile/jest.cjs"}}`, text},
		{mocha.Framework{}, "mocha11", `"scripts":{"test":"mocha --require ./tool/node_modules/compile/mocha.cjs test/*.test.js"}`, strings.ReplaceAll(text, "test('", "it('")},
	}
	for _, tc := range cases {
		p := nodetest.New(t, tc.fw, tc.deps, txtar.Parse([]byte("-- package.json --\n{"+tc.head+"}\n"+tc.text)))
		r := p.Run(t, runner.Request{})
		var got []string
		for _, o := range r.Opened {
			if o.Kind == runner.OpenedList {
				got = append(got, o.By+" "+o.File)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff([]string{"test/b.test.js src"}, slices.Compact(got)); diff != "" {
			t.Errorf("%s: listed (-want +got)\n%s\n%s", tc.deps, diff, r.Output)
		}
	}
}
