package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// stack is one way that people write and test: a language flavour, a framework
// and the version of it in testdata/deps.
type stack struct {
	name, deps string
	archive    string // testdata/NAME.txtar
	ext        string // of sources
	manifest   string // package.json
	imports    string // what a test file begins with
}

const assertImport = "import assert from 'node:assert/strict';"

func stacks() []stack {
	esm := `{ "name": "shop", "private": true, "type": "module", "scripts": { "test": "SCRIPT" } }` + "\n"
	cjs := strings.Replace(esm, ` "type": "module",`, "", 1)
	with := func(manifest, script string) string { return strings.Replace(manifest, "SCRIPT", script, 1) }
	vitest := assertImport + "\nimport { describe, it } from 'vitest';"
	return []stack{
		{"ts-vitest", "vitest4", "ts", ".ts", with(esm, "vitest run"), vitest},
		{"cjs-jest", "jest30", "cjs", ".js", with(cjs, "jest"), ""},
		{"esm-jest", "jest30", "esm", ".js", with(esm, "NODE_OPTIONS=--experimental-vm-modules jest"), assertImport},
		{"cjs-mocha", "mocha11", "cjs", ".js", with(cjs, "mocha test"), ""},
		{"esm-mocha", "mocha11", "esm", ".js", with(esm, "mocha test"), assertImport},
		{"py-pytest", "pytest8", "py", ".py", "", ""},
	}
}

// versions are the other versions that have to work.
func versions() []stack {
	var out []stack
	of := map[string][]string{"ts-vitest": {"vitest3", "vitest5"}, "cjs-jest": {"jest29"}, "esm-mocha": {"mocha10", "mocha12"}, "py-pytest": {"pytest7", "pytest9"}}
	for _, s := range stacks() {
		for _, deps := range of[s.name] {
			v := s
			v.name, v.deps = s.name+"-"+deps, deps
			out = append(out, v)
		}
	}
	return out
}

func (s stack) python() bool { return s.archive == "py" }

// repo makes the shop in this stack, all tests green.
func (s stack) repo(t *testing.T) *repo {
	t.Helper()
	return s.repoWith(t, func(map[string]string) {})
}

// repoWith makes the shop with changes to what is committed.
func (s stack) repoWith(t *testing.T, change func(files map[string]string)) *repo {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", s.archive+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range txtar.Parse(src).Files {
		files[f.Name] = strings.Replace(string(f.Data), "IMPORTS", s.imports, 1)
	}
	if s.manifest != "" {
		files["package.json"] = s.manifest
	}
	change(files)
	return newRepo(t, s.deps, files)
}

// settings adds a section to the repository's own configuration.
func settings(text string) func(map[string]string) {
	return func(files map[string]string) { files["regreen.toml"] += text }
}

func isolated(level string) string { return "[sandbox]\nisolation = \"" + level + "\"\n" }
