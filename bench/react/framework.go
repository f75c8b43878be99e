//go:build linux

package main

import (
	"context"
	"path/filepath"
	"regexp"
)

// framework is what a project is tested with, and how its own watch mode is
// started and read.
type framework struct {
	installed string // folder of the installed frameworks
	config    map[string]string
	python    bool
	modules   bool   // import and not require
	assert    bool   // node's own assertions
	head      string // first line of a test file
	watch     string // the peer, for people
	cold      []string
	peer      func(context.Context, *project) (watcher, error)
}

// What the watch modes print at the end of a run, without colours, and what
// they print for a red one.
var (
	redSummary   = regexp.MustCompile(`[1-9]\d* (?:failed|failing)`)
	jestSummary  = regexp.MustCompile(`Ran all test suites`)
	jestRest     = regexp.MustCompile(`Watch Usage|Press .{0,40}w.{0,40} to show|No tests found related`)
	viteSummary  = regexp.MustCompile(`aiting for file changes|press h to show help`)
	mochaSummary = regexp.MustCompile(`\d+ passing[^$]*waiting for changes`)
)

var frameworks = map[string]framework{
	"jest": {
		installed: "jest30", watch: "jest --watch",
		config: map[string]string{
			"package.json":   `{"name":"made-up","private":true,"devDependencies":{"jest":"*"}}`,
			"jest.config.js": "module.exports = { testEnvironment: 'node', watchman: false };\n",
		},
		cold: []string{"node", "node_modules/jest/bin/jest.js", "--runTestsByPath"},
		peer: func(ctx context.Context, p *project) (watcher, error) {
			return startPeer(ctx, p, jestRest, jestSummary, "node", "node_modules/jest/bin/jest.js", "--watch")
		},
	},
	"vitest": {
		// The whole project's first run would take minutes: it is started on the
		// tests that will be affected.
		installed: "vitest5", modules: true, watch: "vitest --watch", head: "import { describe, it, expect } from 'vitest';\n",
		config: map[string]string{
			"package.json":     `{"name":"made-up","private":true,"type":"module","devDependencies":{"vitest":"*"}}`,
			"vitest.config.js": "export default { test: { include: ['src/**/*.test.js'] } };\n",
		},
		cold: []string{"node", "node_modules/vitest/vitest.mjs", "run"},
		peer: func(ctx context.Context, p *project) (watcher, error) {
			args := append([]string{"node", "node_modules/vitest/vitest.mjs", "--watch"}, p.tests(p.leaf)...)
			return startPeer(ctx, p, viteSummary, viteSummary, append(args, p.tests(p.mid)...)...)
		},
	},
	"mocha": {
		// Its watch mode does not see changes of ES modules, so the project has none.
		installed: "mocha12", assert: true, watch: "mocha --watch", head: "const assert = require('node:assert');\n",
		config: map[string]string{
			"package.json":  `{"name":"made-up","private":true,"scripts":{"test":"mocha"},"devDependencies":{"mocha":"*"}}`,
			".mocharc.json": `{"spec":"src/**/*.test.js"}`,
		},
		cold: []string{"node", "node_modules/mocha/bin/mocha.js"},
		peer: func(ctx context.Context, p *project) (watcher, error) {
			return startPeer(ctx, p, mochaSummary, mochaSummary, "node", "node_modules/mocha/bin/mocha.js", "--watch", "--watch-files", "src/**/*.js")
		},
	},
	"pytest": {
		installed: "pytest9", python: true, watch: "a loop of pytest",
		config: map[string]string{"pytest.ini": "[pytest]\ntestpaths = tests\npythonpath = .\n"},
		cold:   []string{filepath.Join(".venv", "bin", "python"), "-m", "pytest", "-q"},
		peer:   startLoop,
	},
}
