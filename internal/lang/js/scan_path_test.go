package js

import (
	"strings"
	"testing"
)

func TestDataPaths(t *testing.T) {
	for src, want := range map[string]string{
		"execFileSync('node', ['bin/cli.js'])":                      "bin/cli.js",
		"const CLI = './bin/cli.mjs'":                               "./bin/cli.mjs",
		"fork('./child.ts')":                                        "./child.ts",
		"path.join(ROOT, 'bin', 'cli.js')":                          "bin/cli.js",
		"path.resolve('src/cli.ts')":                                "src/cli.ts",
		"resolve(import.meta.dirname, '..', 'data', 'x.json')":      "../data/x.json",
		"path.join(__dirname, 'x.json')":                            "./x.json",
		"import a from './a.js'; export * from './b.js'":            "",
		"require('./a.js'); import('./b.js'); jest.mock('./c.js')":  "",
		"[1].join('.x'); names.join('/a.js'); Promise.resolve('x')": "",
		"const glob = 'src/**/*.js', url = 'https://x/y.js'":        "",
		"path.join(a, b, 'c.txt', d)":                               "",
		"const DATA = 'fixtures/a.csv', b = `d/e.json`":             "fixtures/a.csv d/e.json",
		"load(ROOT + '/data/a.csv')":                                "data/a.csv",
		"load(`${ROOT}/data/a.csv`); exec(`node ${ROOT}/bin/a.js`)": "data/a.csv bin/a.js",
		"load(`data/${name}.csv`); load(`${ROOT}/in/${name}.csv`)":  "data/ in/",
		"readdirSync(new URL('../data/', import.meta.url))":         "../data/",
		"exec('sh tools/build.sh')":                                 "tools/build.sh",
		"a = 'application/json'; b = 'and/or. So'; c = '1/2.5'":     "",
		"import(`./parts/${name}.js`)":                              "",
	} {
		f := Language{}.Scan("a.ts", []byte(src))
		if got := strings.Join(f.DataPaths, " "); got != want {
			t.Errorf("%s reads %q, want %q", src, got, want)
		}
	}
}
