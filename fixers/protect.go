package fixers

import (
	"path"
	"strings"
)

// protectedNames are whole file names that say how tests, tools and packages
// are set up.
var protectedNames = map[string]bool{
	"package.json": true, "package-lock.json": true, "npm-shrinkwrap.json": true, "yarn.lock": true,
	"pnpm-lock.yaml": true, "pnpm-workspace.yaml": true, "bun.lock": true, "bun.lockb": true,
	"lerna.json": true, "nx.json": true, "turbo.json": true, "deno.json": true,
	"pyproject.toml": true, "pytest.ini": true, ".pytest.ini": true, "setup.cfg": true, "setup.py": true, "tox.ini": true,
	"noxfile.py": true, "pipfile": true, "pipfile.lock": true, "poetry.lock": true, "uv.lock": true, "pdm.lock": true,
	"makefile": true, "dockerfile": true, "justfile": true, "regreen.toml": true, "jenkinsfile": true,
	"azure-pipelines.yml": true, "codecov.yml": true, "sitecustomize.py": true, "usercustomize.py": true,
	".gitignore": true, ".gitattributes": true, ".gitmodules": true, ".npmrc": true, ".yarnrc": true, ".yarnrc.yml": true,
	".nvmrc": true, ".node-version": true, ".python-version": true, ".coveragerc": true, ".babelrc": true, ".swcrc": true,
}

// protectedPrefixes begin the names of configuration files.
var protectedPrefixes = []string{
	"tsconfig", "jsconfig", "requirements", "constraints", ".mocharc", ".eslintrc", ".prettierrc", ".env", ".babelrc",
	"docker-compose", "vitest.workspace", ".gitlab-ci", ".travis",
}

// protectedFolders hold what nobody repairs: foreign code, tools, recorded
// output.
var protectedFolders = map[string]bool{
	"node_modules": true, ".git": true, ".github": true, ".circleci": true, ".ci": true, ".buildkite": true,
	".gitlab": true, ".husky": true, "__snapshots__": true, "__pycache__": true, "site-packages": true,
	".venv": true, "venv": true, ".tox": true, ".nox": true, "vendor": true, "bower_components": true,
}

// IsProtected tells whether no fix may ever edit the file: configuration,
// manifests, lock files, CI, snapshots, installed code, and anything that is
// not a clean path inside the repository.
func IsProtected(rel string) bool {
	if rel == "" || path.IsAbs(rel) || path.Clean(rel) != rel || rel == ".." || strings.HasPrefix(rel, "../") ||
		strings.ContainsAny(rel, "\\\x00") {
		return true
	}
	parts := strings.Split(rel, "/")
	for _, p := range parts[:len(parts)-1] {
		if protectedFolders[strings.ToLower(p)] {
			return true
		}
	}
	name := strings.ToLower(parts[len(parts)-1])
	if protectedNames[name] || protectedFolders[name] {
		return true
	}
	for _, p := range protectedPrefixes {
		if strings.HasPrefix(name, p) {
			// A module such as requirements_parser.py is code.
			if ext := path.Ext(name); (ext == ".py" || ext == ".ts" || ext == ".js") && !strings.HasPrefix(name, ".") && p != "vitest.workspace" {
				continue
			}
			return true
		}
	}
	if strings.HasSuffix(name, ".snap") || strings.HasSuffix(name, ".ambr") || strings.HasSuffix(name, ".lock") {
		return true
	}
	return isToolConfig(name)
}

// isToolConfig recognises vitest.config.ts, jest.config.cjs, babel.config.js
// and the like.
func isToolConfig(name string) bool {
	stem := strings.TrimSuffix(name, path.Ext(name))
	stem = strings.TrimSuffix(stem, ".config")
	if stem+path.Ext(name) == name {
		return false
	}
	for _, tool := range []string{"jest", "vitest", "vite", "babel", "mocha", "webpack", "rollup", "eslint", "prettier",
		"postcss", "tailwind", "next", "nuxt", "svelte", "playwright", "cypress", "karma", "esbuild", "tsup", "astro",
		"metro", "lint-staged", "commitlint", "stylelint", "swc", "ava", "c8", "nyc", "wallaby"} {
		if stem == tool || strings.HasPrefix(stem, tool+".") || strings.HasPrefix(stem, tool+"-") {
			return true
		}
	}
	return false
}
