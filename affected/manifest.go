package affected

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/tailscale/hujson"
)

// manifests are files that everything below their folder depends on: what is
// installed, how sources are read, what the environment is. A name may end or
// begin with "*".
var manifests = []string{
	"package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "yarn.lock", "bun.lock", "bun.lockb",
	".npmrc", ".yarnrc*", ".pnp.*", "tsconfig*.json", "jsconfig*.json", ".env*", ".nvmrc", ".node-version", ".tool-versions", "mise.toml",
	"pyproject.toml", "requirements*.txt", "constraints*.txt", "uv.lock", "poetry.lock", "pdm.lock", "Pipfile", "Pipfile.lock",
	"setup.py", "setup.cfg", "tox.ini", ".python-version",
}

// tooling are configuration files of programs that take no part in a test run.
var tooling = []string{"eslint", "prettier", "stylelint", "commitlint", "lint-staged", "lintstaged", "release", "renovate", "husky", "markdownlint", "rspack-docs", "typedoc", "knip"}

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

// isToolConfig knows name.config.ts, .namerc, .namerc.json and the like:
// runners, compilers and bundlers are set up by files of such names.
func isToolConfig(base string) bool {
	for _, t := range tooling {
		if strings.Contains(base, t) {
			return false
		}
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch path.Ext(base) {
	case ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".json", ".yml", ".yaml", ".toml", "":
		return strings.HasSuffix(stem, ".config") || strings.HasPrefix(base, ".") && strings.HasSuffix(stem, "rc")
	}
	return strings.HasPrefix(base, ".") && strings.HasSuffix(base, "rc")
}

// onlyFormatted tells whether a JSON file differs from the base in white
// space, comments and the order of keys alone.
func (g *Graph) onlyFormatted(file string) bool {
	if path.Ext(file) != ".json" || g.in.Base == nil {
		return false
	}
	before, ok := g.in.Base(file)
	if !ok {
		return false
	}
	now, err := g.in.Tree.ReadFile(file)
	if err != nil {
		return false
	}
	a, aerr := canonical(before)
	b, berr := canonical(now)
	return aerr == nil && berr == nil && a == b
}

func canonical(src []byte) (string, error) {
	std, err := hujson.Standardize(append([]byte(nil), src...))
	if err != nil {
		return "", err
	}
	var v any
	if err := json.Unmarshal(std, &v); err != nil {
		return "", err
	}
	out, err := json.Marshal(v)
	return string(out), err
}
