package affected

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// manifests are files that everything below their folder depends on: what is
// installed, how sources are read, what the environment is. A name may end or
// begin with "*".
var manifests = []string{
	"package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "yarn.lock", "bun.lock", "bun.lockb",
	".npmrc", ".yarnrc*", ".pnp.*", "tsconfig*.json", "jsconfig*.json", ".env*", ".nvmrc", "vitest.workspace.*", ".node-version", ".tool-versions", "mise.toml",
	"pyproject.toml", "requirements*.txt", "constraints*.txt", "uv.lock", "poetry.lock", "pdm.lock", "Pipfile", "Pipfile.lock",
	"setup.py", "setup.cfg", "tox.ini", ".python-version", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml",
}

// tooling are configuration files of programs that take no part in a test run.
// Those of coverage (nyc, c8, coverage.py) measure it from outside; where pytest
// itself is set up to, its layout names the file.
var tooling = []string{"coveragerc", "nycrc", "c8rc", "pylintrc", "eslint", "prettier", "stylelint", "commitlint", "lint-staged", "lintstaged", "release", "renovate", "husky", "markdownlint", "rspack-docs", "oxlint", "oxfmt", "biome", "dprint", "cspell", "typedoc", "knip"}

// isManifest tells whether everything below the file's folder depends on it.
func isManifest(file string) bool {
	base := path.Base(file)
	for _, m := range manifests {
		if ok, err := path.Match(m, base); err == nil && ok {
			return true
		}
	}
	if path.Base(path.Dir(file)) == "requirements" && path.Ext(base) == ".txt" {
		return true
	}
	return isToolConfig(base)
}

// unread tells whether no project with tests below a manifest's folder reads it
// when it runs, now or at the base.
func (g *Graph) unread(file string) bool {
	var texts [][]byte
	if src, err := g.in.Tree.ReadFile(file); err == nil {
		texts = append(texts, src)
	}
	if g.in.Base == nil {
		return false
	}
	if src, ok := g.in.Base(file); ok {
		texts = append(texts, src)
	}
	if len(texts) == 0 {
		return false
	}
	dir, found := path.Dir(file), false
	for _, p := range g.in.Projects {
		if root := path.Clean(p.Root); !within(root+"/", dir) && !within(dir+"/", root) {
			continue
		}
		found = true
		for _, text := range texts {
			if p.Unread == nil || !p.Unread(file, text) {
				return false
			}
		}
	}
	return found
}

// isToolConfig knows name.config.ts, .namerc, .namerc.json and the like:
// runners, compilers and bundlers are set up by files of such names.
func isToolConfig(base string) bool { return configName(base) && !ofTooling(base) }

func configName(base string) bool {
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch path.Ext(base) {
	case ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".json", ".jsonc", ".json5", ".yml", ".yaml", ".toml", "":
		return strings.HasSuffix(stem, ".config") || strings.HasPrefix(base, ".") && strings.HasSuffix(stem, "rc")
	}
	return strings.HasPrefix(base, ".") && strings.HasSuffix(base, "rc")
}

func ofTooling(base string) bool {
	return slices.ContainsFunc(tooling, func(t string) bool { return strings.Contains(base, t) })
}

func readJSON(src []byte) (v any, err error) {
	std, err := hujson.Standardize(append([]byte(nil), src...))
	if err != nil {
		return nil, err
	}
	return v, json.Unmarshal(std, &v)
}

// neverLoaded tells a source that no test loads by its name alone: what sets up
// one of tooling, and a test of types, which compilers read and nothing runs.
func neverLoaded(file string) bool {
	base := path.Base(file)
	stem := strings.TrimSuffix(base, path.Ext(base))
	return strings.HasSuffix(stem, ".test-d") || strings.HasSuffix(stem, ".spec-d") || configName(base) && ofTooling(base)
}
