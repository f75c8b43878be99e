package affected

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// everywhere are the packages that take part in every test run without being
// imported by it: runners, transformers, environments, coverage.
var everywhere = map[bool][]string{
	true: {"jest", "jest-*", "@jest/*", "ts-jest", "babel-jest", "vitest", "@vitest/*", "vite", "vite-*", "@vitejs/*", "mocha", "@babel/*", "babel-*", "@swc/*", "@swc-node/*",
		"esbuild", "@esbuild/*", "esbuild-*", "rollup", "@rollup/*", "rolldown", "@rolldown/*", "ts-node", "tsx", "typescript", "tslib", "jsdom", "happy-dom", "sucrase", "regenerator-runtime", "core-js", "esm", "nyc", "c8", "cross-env"},
	false: {"pytest", "pytest-*", "pluggy", "iniconfig", "coverage", "hypothesis", "anyio", "faker", "syrupy", "xdist", "inline-snapshot", "typeguard", "setuptools", "tox", "nox"},
}

// aside are packages of which no test run takes notice unless code imports them.
var aside = map[bool][]string{
	true: {"eslint", "eslint-*", "@eslint/*", "@typescript-eslint/*", "typescript-eslint", "prettier", "prettier-*", "stylelint", "stylelint-*", "husky", "lint-staged", "commitlint", "@commitlint/*",
		"semantic-release", "@semantic-release/*", "@changesets/*", "rimraf", "npm-run-all", "npm-run-all2", "concurrently", "nodemon", "typedoc", "knip", "publint", "size-limit", "@size-limit/*", "oxlint", "@biomejs/*", "@types/*"},
	false: {"ruff", "black", "isort", "mypy", "flake8", "flake8-*", "pylint", "pre-commit", "bandit", "twine", "types-*", "*-stubs", "sphinx", "sphinx-*", "mkdocs", "mkdocs-*", "pyright", "basedpyright", "codespell", "build", "ipython", "ipdb"},
}

func machinery(js bool, name string, projects []Project) bool {
	for _, p := range projects {
		if name == p.Framework {
			return true
		}
	}
	return anyOf(everywhere[js], name)
}

// bundlers are programs that make what is shipped, by the name of their
// configuration's file, with the package that they are. No framework reads such a
// file; who starts the bundler does.
var bundlers = map[string]string{"rollup.config": "rollup", "tsup.config": "tsup", "tsdown.config": "tsdown", "webpack.config": "webpack"}

// starters are modules with which code starts other programs.
var starters = []string{childProcess, "execa", "cross-spawn", "spawn-command", "zx", "shelljs", "tinyexec", "nano-spawn", "nanoexec", "@npmcli/run-script", "@npmcli/promise-spawn", "npm-run-all", "npm-run-all2", "concurrently", "bun"}

const childProcess = "node:child_process"

// bundlerEffect narrows a change of a bundler's configuration to those who may
// start it, beside those who name the file. A loader of tests that is set up by
// such a file has the names of both (rollup-jest, mocha-webpack).
func (g *Graph) bundlerEffect(file string) (e effect, ok bool) {
	base := path.Base(file)
	at := strings.Index(base, ".config")
	if !isToolConfig(base) || at < 0 {
		return effect{}, false
	}
	name, ok := bundlers[base[:at]+".config"]
	js := g.language(file)
	if !ok || js < 0 {
		return effect{}, false
	}
	for _, p := range g.in.Projects {
		if slices.Contains(p.Global, file) {
			return effect{}, false
		}
	}
	for _, m := range append([]string{"package.json"}, g.manifestFiles...) {
		src, err := g.in.Tree.ReadFile(m)
		if err != nil {
			continue
		}
		text := string(src)
		if strings.Contains(text, "mochapack") || strings.Contains(text, "karma") {
			return effect{}, false
		}
		for _, f := range []string{"jest", "mocha", "vitest"} {
			if strings.Contains(text, name+"-"+f) || strings.Contains(text, f+"-"+name) {
				return effect{}, false
			}
		}
	}
	e = effect{narrow: true, verb: "may start what is set up by", note: fmt.Sprintf("%s sets up %s alone: only what may start that", file, name)}
	for _, s := range append([]string{name}, starters...) {
		e.packages = append(e.packages, g.pkg(js, s))
	}
	return e, true
}

func harmless(js bool, name string) bool { return anyOf(aside[js], name) }

func anyOf(patterns []string, name string) bool {
	for _, p := range patterns {
		if ok, err := path.Match(p, name); err == nil && ok || strings.HasSuffix(p, "/*") && strings.HasPrefix(name, p[:len(p)-1]) {
			return true
		}
	}
	return false
}
