package jest

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/runner/node"
)

// aliases reads moduleNameMapper, modulePaths and moduleDirectories. A name
// that a pattern matches anywhere is replaced as a whole; of several targets
// the first that is there counts.
func (r *reading) aliases(c config) {
	scope, ok := node.Folder(r.context, c.RootDir)
	if !ok {
		return
	}
	for _, m := range c.ModuleNameMapper {
		if len(m) < 2 {
			continue
		}
		pattern, _ := m[0].(string)
		if a, ok := r.mapped(pattern, targets(m[1])); ok {
			a.Scope = scope
			r.layout.Aliases = append(r.layout.Aliases, a)
		}
	}
	r.places(c, scope)
}

// targets are the texts that a pattern maps to.
func targets(v any) []string {
	if s, ok := v.(string); ok {
		return []string{s}
	}
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// mapped makes an alias of one entry: by a star where the pattern says no more,
// since a star can be read backwards.
func (r *reading) mapped(pattern string, targets []string) (lang.Alias, bool) {
	var a lang.Alias
	for _, t := range targets {
		if !filepath.IsAbs(t) {
			a.Modules = append(a.Modules, t)
		} else if spec, ok := node.Installed(t); ok {
			a.Modules = append(a.Modules, spec)
		} else if rel, ok := node.Folder(r.context, t); ok {
			a.Targets = append(a.Targets, rel)
		}
	}
	if len(a.Modules)+len(a.Targets) == 0 {
		return a, false
	}
	key, rest, whole, ok := node.PatternPrefix(pattern)
	if ok && len(a.Modules) == 0 && (rest || whole) && starred(a.Targets, rest) {
		a.Find = key
		if rest {
			a.Find += "*"
			for i, t := range a.Targets {
				a.Targets[i] = strings.Replace(t, "$1", "*", 1)
			}
		}
		return a, true
	}
	re, err := node.Pattern(pattern)
	if err != nil {
		r.blind("the pattern %s of moduleNameMapper is not understood", pattern)
		return a, false
	}
	a.Pattern = re
	for _, list := range [][]string{a.Targets, a.Modules} {
		for i, t := range list {
			list[i] = node.Groups(t)
		}
	}
	return a, true
}

// starred tells whether all targets name the first group once, or none.
func starred(targets []string, group bool) bool {
	return !slices.ContainsFunc(targets, func(t string) bool {
		n := 0
		if group {
			n = 1
		}
		return strings.Count(t, "$") != n || strings.Count(t, "$1") != n || strings.Contains(t, "*")
	})
}

// places are the folders in which modules are looked for by their bare names.
func (r *reading) places(c config, scope string) {
	for _, d := range slices.Concat(c.ModuleDirectories, c.ModulePaths) {
		if path.Base(filepath.ToSlash(d)) == "node_modules" {
			continue
		}
		a := lang.Alias{Scope: scope, Find: "*"}
		if filepath.IsAbs(d) {
			rel, ok := node.Folder(r.context, d)
			if !ok {
				continue
			}
			a.Targets = []string{path.Join(rel, "*")}
		} else {
			a.Targets, a.Above = []string{path.Join(filepath.ToSlash(d), "*")}, true
		}
		r.layout.Aliases = append(r.layout.Aliases, a)
	}
}
