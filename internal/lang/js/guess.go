package js

import (
	"path"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// guess takes a bare specifier with a path for an alias that is set where we do
// not see it (a plugin of the compiler's), if no package of its name is declared
// or installed: it may mean every source whose path ends so, with its first name
// ("components/Button") or, where there is none, without it ("@ui/Button").
func (r *resolver) guess(k cacheKey, res *lang.Resolution) {
	first, rest, ok := strings.Cut(strings.TrimLeft(k.spec, "@~#$"), "/")
	if !ok || rest == "" || nodeBuiltin(k.spec) || strings.Contains(k.spec, ":") || k.kind == lang.Wide ||
		r.nearestManifest(k.dir) == nil || r.installed(k.dir, packageName(k.spec)) {
		return
	}
	for _, end := range []string{first + "/" + rest, rest} {
		for _, f := range r.endings()[path.Base(stem(end))] {
			if p := "/" + stem(f); strings.HasSuffix(p, "/"+stem(end)) && !slices.Contains(res.Files, f) {
				res.Files = append(res.Files, f)
			}
		}
		if len(res.Files) > 0 {
			res.Wide = k.spec + " is no package that is declared and may be an alias"
			return
		}
	}
}

// endings are the repository's sources by the last name of their stems.
func (r *resolver) endings() map[string][]string {
	if r.byEnding == nil {
		r.byEnding = map[string][]string{}
		for _, f := range r.tree.Files() {
			if (Language{}).Owns(f) {
				name := path.Base(stem(f))
				r.byEnding[name] = append(r.byEnding[name], f)
			}
		}
	}
	return r.byEnding
}

// stem is a path without what a specifier may leave out.
func stem(p string) string {
	if (Language{}).Owns(p) {
		p = strings.TrimSuffix(p, path.Ext(p))
	}
	return strings.TrimSuffix(p, "/index")
}
