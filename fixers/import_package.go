package fixers

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"

	"regreen/internal/lang"
)

// packages handles an import of a package that is not there. Nothing is ever
// installed: a name one letter away may be somebody's trap.
func (v *view) packages(_ Cause, b broken) []Fix {
	name := v.resolve(b.t, b.imp).Package
	if name == "" && isBare(b) {
		name = packageOf(b.imp.Specifier)
	}
	if name == "" || b.was != "" {
		return nil
	}
	declared, install := v.declared(b.t)
	if slices.Contains(declared, name) {
		return []Fix{{Title: fmt.Sprintf("run %s: %s is declared but not installed", install, name), Applicability: Propose, Rank: 20,
			Evidence: "the manifest declares " + name}}
	}
	if f, ok := v.misspeltStandard(b, name); ok {
		return []Fix{f}
	}
	var out []Fix
	for _, n := range nearest(name, declared)[:min(2, len(nearest(name, declared)))] {
		spec := n.name + strings.TrimPrefix(b.imp.Specifier, name)
		out = append(out, Fix{Title: fmt.Sprintf("import %s instead of %s", spec, b.imp.Specifier), Applicability: Propose, Rank: 21,
			Edits: inFile(b.t.path, []lang.TextEdit{{Span: b.imp.SpecSpan, New: spec}}), Evidence: "the manifest declares " + n.name})
	}
	return out
}

// packageOf is the package that a bare specifier names.
func packageOf(spec string) string {
	parts := strings.Split(spec, "/")
	if strings.HasPrefix(spec, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// misspeltStandard takes the standard module that the name is a misspelling
// of, if it has what is imported.
func (v *view) misspeltStandard(b broken, name string) (Fix, bool) {
	table := tableOf(b.t.lang)
	prefix := ""
	if rest, ok := strings.CutPrefix(b.imp.Specifier, "node:"); ok {
		prefix, name = "node:", rest
	}
	win, ok := clearWin(nearest(name, moduleNames(table)))
	if !ok || prefix+name != b.imp.Specifier {
		return Fix{}, false
	}
	has, _ := standardNames(table, win)
	for _, w := range v.wanted(b.t, b.imp) {
		if w != "default" && !slices.Contains(has, w) {
			return Fix{}, false
		}
	}
	edits, spec := []lang.TextEdit{{Span: b.imp.SpecSpan, New: prefix + win}}, prefix+win
	for _, n := range b.imp.Names {
		if n.Imported == "*" && n.LocalSpan == b.imp.SpecSpan {
			uses, ok := renameUses(b.t, n.Local, n.LocalSpan.Start, win, b.imp.Span, n.LocalSpan)
			if !ok {
				return Fix{}, false
			}
			edits = append(edits, uses...)
		}
	}
	level := Likely
	if prefix == "" && (v.mayBeMeant(b.t.lang, name, win) || len(name) <= 4 && !permuted(strings.Split(name, ""), strings.Split(win, ""))) {
		level = Propose // ujson, utils: packages that are not installed
	}
	return Fix{Title: fmt.Sprintf("import %s instead of %s", spec, b.imp.Specifier), Applicability: level, Rank: 15,
		Edits: inFile(b.t.path, edits), Evidence: win + " is a standard module"}, true
}

// declared lists the packages that the manifests above a file declare, and how
// they are installed.
func (v *view) declared(t *text) (names []string, install string) {
	install = "npm ci"
	if t.lang.Name() == "python" {
		install = "pip install -e ."
	}
	for d := path.Dir(t.path); ; d = path.Dir(d) {
		if t.lang.Name() == "python" {
			ns, how := v.pythonManifest(d)
			names = append(names, ns...)
			install = firstOf(how, install)
		} else {
			names = append(names, v.nodeManifest(path.Join(d, "package.json"))...)
			for lock, how := range map[string]string{"pnpm-lock.yaml": "pnpm install", "yarn.lock": "yarn install"} {
				if v.Exists(path.Join(d, lock)) {
					install = how
				}
			}
		}
		if d == "." || d == "/" {
			break
		}
	}
	sort.Strings(names)
	return slices.Compact(names), install
}

func (v *view) nodeManifest(rel string) []string {
	src, err := v.ReadFile(rel)
	if err != nil {
		return nil
	}
	var m struct {
		Dependencies, DevDependencies, OptionalDependencies, PeerDependencies map[string]string
	}
	if json.Unmarshal(src, &m) != nil {
		return nil
	}
	var out []string
	for _, ds := range []map[string]string{m.Dependencies, m.DevDependencies, m.OptionalDependencies, m.PeerDependencies} {
		for n := range ds {
			out = append(out, n)
		}
	}
	return out
}

func (v *view) pythonManifest(dir string) (names []string, install string) {
	for _, f := range []string{"requirements.txt", "requirements-dev.txt", "dev-requirements.txt"} {
		if src, err := v.ReadFile(path.Join(dir, f)); err == nil {
			install = "pip install -r " + path.Join(dir, f)
			for line := range strings.Lines(string(src)) {
				names = append(names, requirement(line))
			}
		}
	}
	src, err := v.ReadFile(path.Join(dir, "pyproject.toml"))
	if err != nil {
		return names, install
	}
	var m struct {
		Project struct {
			Dependencies         []string            `toml:"dependencies"`
			OptionalDependencies map[string][]string `toml:"optional-dependencies"`
		} `toml:"project"`
		Groups map[string][]any `toml:"dependency-groups"`
		Tool   struct {
			Poetry struct {
				Dependencies map[string]any `toml:"dependencies"`
			} `toml:"poetry"`
		} `toml:"tool"`
	}
	if toml.Unmarshal(src, &m) != nil {
		return names, install
	}
	install = "pip install -e ."
	for _, r := range m.Project.Dependencies {
		names = append(names, requirement(r))
	}
	for _, rs := range m.Project.OptionalDependencies {
		for _, r := range rs {
			names = append(names, requirement(r))
		}
	}
	for _, rs := range m.Groups {
		for _, r := range rs {
			if s, ok := r.(string); ok {
				names = append(names, requirement(s))
			}
		}
	}
	for n := range m.Tool.Poetry.Dependencies {
		install = "poetry install"
		names = append(names, strings.ReplaceAll(n, "-", "_"))
	}
	if v.Exists(path.Join(dir, "uv.lock")) {
		install = "uv sync"
	}
	return slices.DeleteFunc(names, func(n string) bool { return n == "" || n == "python" }), install
}

// requirement is the module name that a requirement line most likely gives.
func requirement(line string) string {
	s := strings.TrimSpace(line)
	if i := strings.IndexAny(s, " <>=!~;[#@\r\n"); i >= 0 {
		s = s[:i]
	}
	if strings.HasPrefix(s, "-") || strings.ContainsAny(s, "/\\") {
		return ""
	}
	return strings.ReplaceAll(strings.ToLower(s), "-", "_")
}
