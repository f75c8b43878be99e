package js

import (
	"path"
	"regexp"
	"sort"
	"strings"

	"regreen/internal/lang"
)

// alias is a pattern and where it leads.
type alias struct {
	prefix, suffix string
	star           bool     // any text between prefix and suffix, else prefix alone
	targets        []string // rel; a star stands for what the pattern's star took
	rule           *rule    // of a project's configuration; nil for those of tsconfig
}

// rule is what the configuration says of an alias besides.
type rule struct {
	lang.Alias
	re *regexp.Regexp // of Pattern
}

func newResolver(l Language, t lang.Tree) *resolver {
	r := &resolver{tree: t, manifests: map[string]*manifest{}, configs: map[string]*tsconfig{},
		nearest: map[string][]*tsconfig{}, cache: map[cacheKey]lang.Resolution{}, scans: map[string]*lang.File{}}
	for _, a := range l.Aliases {
		to := newAlias(a.Find, a.Targets)
		to.rule = &rule{Alias: a}
		if a.Pattern != "" {
			re, err := regexp.Compile(a.Pattern)
			if err != nil {
				continue // the layout that gave it says that it is not understood
			}
			to.rule.re = re
		}
		r.aliases = append(r.aliases, to)
	}
	sortAliases(r.aliases)
	return r
}

func newAlias(pattern string, targets []string) alias {
	p, s, star := strings.Cut(pattern, "*")
	return alias{prefix: p, suffix: s, star: star, targets: targets}
}

// sortAliases puts those of inner folders first, of them exact patterns, then
// long prefixes; regular expressions keep their order.
func sortAliases(as []alias) {
	scope := func(a alias) int {
		if a.rule == nil {
			return 0
		}
		return len(path.Clean(a.rule.Scope))
	}
	sort.SliceStable(as, func(i, j int) bool {
		a, b := as[i], as[j]
		switch {
		case scope(a) != scope(b):
			return scope(a) > scope(b)
		case a.star != b.star:
			return !a.star
		case len(a.prefix) != len(b.prefix):
			return len(a.prefix) > len(b.prefix)
		case a.prefix != b.prefix:
			return a.prefix < b.prefix
		}
		return len(a.suffix) > len(b.suffix)
	})
}

// match gives what the star takes.
func (a alias) match(spec string) (rest string, ok bool) {
	if !a.star {
		if spec == a.prefix {
			return "", true
		}
		rest, ok = strings.CutPrefix(spec, a.prefix+"/")
		return "/" + rest, ok && a.prefix != ""
	}
	if len(spec) < len(a.prefix)+len(a.suffix) || !strings.HasPrefix(spec, a.prefix) || !strings.HasSuffix(spec, a.suffix) {
		return "", false
	}
	return spec[len(a.prefix) : len(spec)-len(a.suffix)], true
}

// expand gives the targets with the star's text put in.
func (a alias) expand(rest string) []string {
	var out []string
	for _, t := range a.targets {
		switch {
		case strings.Contains(t, "*"):
			t = strings.Replace(t, "*", rest, 1)
		case !a.star:
			t += rest
		}
		out = append(out, path.Clean(t))
	}
	return out
}

// covers tells whether the alias is of a configuration around a folder.
func (a alias) covers(dir string) bool {
	scope := path.Clean(a.rule.Scope)
	return scope == "." || dir == scope || strings.HasPrefix(dir, scope+"/")
}

// beside tells whether the alias only adds places to look in.
func (a alias) beside() bool { return a.star && a.prefix == "" && a.suffix == "" && a.rule.re == nil }

// means gives the paths and specifiers that the alias puts in a specifier's
// place.
func (a alias) means(dir, spec string) (paths, modules []string, ok bool) {
	if a.rule.re == nil {
		rest, ok := a.match(spec)
		if !ok || ownLooking(spec) {
			return nil, nil, false
		}
		for _, m := range a.rule.Modules {
			modules = append(modules, strings.Replace(m, "*", rest, 1))
		}
		return a.above(dir, a.expand(rest)), modules, true
	}
	at := a.rule.re.FindStringSubmatchIndex(spec)
	if at == nil || a.rule.Rest && at[0] > 0 {
		return nil, nil, false
	}
	rest := ""
	if a.rule.Rest {
		rest = spec[at[1]:]
	}
	fill := func(t string) string { return string(a.rule.re.ExpandString(nil, t, spec, at)) + rest }
	for _, t := range a.targets {
		paths = append(paths, path.Clean(fill(t)))
	}
	for _, m := range a.rule.Modules {
		modules = append(modules, fill(m))
	}
	return paths, modules, true
}

// above adds the same paths in each folder from dir upwards.
func (a alias) above(dir string, paths []string) []string {
	if !a.rule.Above {
		return paths
	}
	var out []string
	for d := dir; ; d = path.Dir(d) {
		for _, p := range paths {
			out = append(out, path.Join(d, p))
		}
		if d == "." || d == "/" {
			return out
		}
	}
}

// aliased gives what the configurations put in a specifier's place: those
// around the folder, or, where none of them knows it, all others, for a test of
// theirs may load the file. besides are places to look in with others.
func (r *resolver) aliased(dir, spec string) (paths, modules, besides []string, ok bool) {
	for _, around := range []bool{true, false} {
		for _, a := range r.aliases {
			if a.covers(dir) != around {
				continue
			}
			p, m, hit := a.means(dir, spec)
			switch {
			case hit && a.beside():
				besides = append(besides, p...)
			case hit:
				paths, modules, ok = append(paths, p...), append(modules, m...), true
			}
		}
		if ok || len(besides) > 0 {
			break
		}
	}
	return paths, modules, besides, ok
}
