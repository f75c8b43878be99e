package node_test

import (
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
		"test/b.test.js list list", "test/b.test.js read data/two.txt"}
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
