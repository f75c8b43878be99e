package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
)

// Manifest is how two versions of a package.json or pyproject.toml differ.
type Manifest struct {
	Language string
	// Packages are those that are asked for otherwise, sorted.
	Packages []string
	// Keys are what else differs and may change how tests run, sorted.
	Keys []string
}

// dependencyKeys hold package names.
var dependencyKeys = []string{"dependencies", "devDependencies", "optionalDependencies", "peerDependencies"}

// quietKeys are for people, registries and programs that take no part in a
// test run. Whoever imports the manifest depends on them all the same.
var quietKeys = []string{"version", "description", "keywords", "author", "contributors", "license", "repository", "homepage", "bugs", "funding",
	"files", "publishConfig", "prettier", "eslintConfig", "eslintIgnore", "lint-staged", "husky", "commitlint", "release", "renovate", "stylelint",
	"authors", "maintainers", "readme", "classifiers", "urls", "private", "packageManager"}

// quietTools are tables of pyproject.toml's tool that no test run reads.
var quietTools = []string{"ruff", "black", "isort", "mypy", "pyright", "basedpyright", "pylint", "flake8", "bandit", "commitizen", "bumpversion",
	"semantic_release", "towncrier", "codespell", "interrogate", "pydocstyle", "autoflake", "yapf", "cibuildwheel", "ty", "pyrefly"}

// Direct are the packages that a manifest asks for, sorted; Python's in normal form.
func Direct(file string, src []byte) []string {
	m, err := read(file, src)
	if err != nil {
		return nil
	}
	out := keys(m.asks)
	sort.Strings(out)
	return out
}

// DiffManifest compares two versions of a package.json or pyproject.toml; an
// error is for a text that cannot be read, ErrUnknown for another file.
func DiffManifest(file string, before, after []byte) (Manifest, error) {
	a, err := read(file, before)
	if err != nil {
		return Manifest{}, err
	}
	b, err := read(file, after)
	if err != nil {
		return Manifest{}, err
	}
	return Manifest{Language: a.language, Packages: differ(a.asks, b.asks), Keys: differ(a.rest, b.rest)}, nil
}

// manifest is what one text says: the packages it asks for, and the rest by key.
type manifest struct {
	language   string
	asks, rest map[string]any
}

func read(file string, src []byte) (manifest, error) {
	switch path.Base(file) {
	case "package.json":
		return readPackageJSON(src)
	case "pyproject.toml":
		return readPyproject(src)
	}
	return manifest{}, ErrUnknown
}

func readPackageJSON(src []byte) (manifest, error) {
	m := manifest{language: "js", asks: map[string]any{}, rest: map[string]any{}}
	var doc map[string]any
	var raw map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(src, &doc), json.Unmarshal(src, &raw)); err != nil {
		return m, err
	}
	for key, v := range doc {
		deps, isMap := v.(map[string]any)
		if key == "exports" || key == "imports" { // the order of conditions decides
			var b bytes.Buffer
			if err := json.Compact(&b, raw[key]); err != nil {
				return m, err
			}
			m.rest[key] = b.String()
			continue
		}
		switch {
		case slices.Contains(dependencyKeys, key) && isMap:
			for name, version := range deps {
				m.ask(name, key+" "+text(version))
			}
		case slices.Contains(quietKeys, key):
		default:
			m.rest[key] = v
		}
	}
	return m, nil
}

// Rest is a package.json's text without the packages it asks for and without
// what no test run reads: where else a package is named by name.
func Rest(file string, src []byte) string {
	m, err := read(file, src)
	if err != nil {
		return string(src)
	}
	out, err := json.Marshal(m.rest)
	if err != nil {
		return string(src)
	}
	return string(out)
}

func readPyproject(src []byte) (manifest, error) {
	m := manifest{language: "py", asks: map[string]any{}, rest: map[string]any{}}
	var doc map[string]any
	if _, err := toml.Decode(string(src), &doc); err != nil {
		return m, err
	}
	for key, v := range doc {
		table, _ := v.(map[string]any)
		switch key {
		case "project":
			for k, v := range table {
				switch {
				case k == "dependencies":
					m.list(v)
				case k == "optional-dependencies":
					m.lists(v)
				case slices.Contains(quietKeys, k):
				default:
					m.rest["project."+k] = v
				}
			}
		case "dependency-groups":
			m.lists(v)
		case "tool":
			for tool, v := range table {
				m.tool(tool, v)
			}
		default:
			m.rest[key] = v
		}
	}
	return m, nil
}

func (m manifest) tool(tool string, v any) {
	table, _ := v.(map[string]any)
	switch {
	case slices.Contains(quietTools, tool):
	case tool == "poetry" || tool == "uv" || tool == "pdm":
		for k, v := range table {
			switch {
			case k == "dependencies" || k == "dev-dependencies" && tool == "poetry":
				m.table(v)
			case k == "dev-dependencies":
				m.list(v)
				m.lists(v)
			case k == "group":
				groups, _ := v.(map[string]any)
				for _, g := range groups {
					if g, ok := g.(map[string]any); ok {
						m.table(g["dependencies"])
					}
				}
			case slices.Contains(quietKeys, k):
			default:
				m.rest["tool."+tool+"."+k] = v
			}
		}
	default:
		m.rest["tool."+tool] = v
	}
}

func (m manifest) ask(name, how string) {
	have, _ := m.asks[name].(string)
	parts := append(strings.Split(have, "\n"), how)
	sort.Strings(parts)
	m.asks[name] = strings.Join(parts, "\n")
}

func (m manifest) list(v any) {
	list, _ := v.([]any)
	for _, e := range list {
		switch e := e.(type) {
		case string:
			m.ask(requirement(e), strings.Join(strings.Fields(e), ""))
		default:
			m.rest["dependency-groups"] = v // include-group and the like
		}
	}
}

func (m manifest) lists(v any) {
	table, _ := v.(map[string]any)
	for _, l := range table {
		m.list(l)
	}
}

func (m manifest) table(v any) {
	table, _ := v.(map[string]any)
	for name, version := range table {
		if name == "python" {
			m.rest["python"] = version
			continue
		}
		m.ask(Normal(name), text(version))
	}
}

func text(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(out)
}

func differ(a, b map[string]any) []string {
	var out []string
	for k, v := range a {
		if w, ok := b[k]; !ok || !reflect.DeepEqual(v, w) {
			out = append(out, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			out = append(out, k)
		}
	}
	sort.Strings(out)
	return out
}
