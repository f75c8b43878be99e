package affected

import (
	"path"
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

func harmless(js bool, name string) bool { return anyOf(aside[js], name) }

func anyOf(patterns []string, name string) bool {
	for _, p := range patterns {
		if ok, err := path.Match(p, name); err == nil && ok || strings.HasSuffix(p, "/*") && strings.HasPrefix(name, p[:len(p)-1]) {
			return true
		}
	}
	return false
}
