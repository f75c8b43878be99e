package js

import (
	"path"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// Specifiers lists how importer may write target, best first: in the way of
// like, then of the importer's other imports, then of its neighbours'. Each
// resolves to target.
func (r *resolver) Specifiers(importer, target, like string) []string {
	st := r.style(importer, like)
	dir := path.Dir(importer)
	rel := relative(dir, target)
	named := r.named(dir, target, like)
	forms := []form{{spec: rel, spelled: true}}
	crosses := r.packageOf(importer) != r.packageOf(target)
	if st.alias || crosses && !ownLooking(like) {
		forms = append(named, forms...)
	} else {
		forms = append(forms, named...)
	}
	var out []string
	add := func(s string) {
		if slices.Contains(out, s) || len(out) >= 24 {
			return
		}
		res := r.Resolve(importer, lang.Import{Kind: lang.Static, Specifier: s})
		if len(res.Files) > 0 && res.Files[0] == target {
			out = append(out, s)
		}
	}
	for _, f := range forms {
		if !f.spelled {
			add(f.spec)
			continue
		}
		for _, s := range st.spell(f.spec) {
			add(s)
		}
	}
	return out
}

// form is one way to name a file; a spelled one ends in the file's real name,
// of which the extension and index may be left out.
type form struct {
	spec    string
	spelled bool
}

// relative writes target as seen from dir, with ./ or ../ in front.
func relative(dir, target string) string {
	if dir == "." {
		return "./" + target
	}
	from, to := strings.Split(dir, "/"), strings.Split(target, "/")
	n := 0
	for n < len(from) && n < len(to)-1 && from[n] == to[n] {
		n++
	}
	up := strings.Repeat("../", len(from)-n)
	if up == "" {
		up = "./"
	}
	return up + strings.Join(to[n:], "/")
}

// packageOf is the folder of the package that holds the file.
func (r *resolver) packageOf(p string) string {
	if m := r.nearestManifest(path.Dir(p)); m != nil {
		return m.dir
	}
	return "."
}

// named are the forms by alias, by imports field and by package name; those
// whose pattern like matches come first.
func (r *resolver) named(dir, target, like string) []form {
	var first, rest []form
	put := func(a alias, f form) {
		if _, ok := a.match(like); ok && like != "" {
			first = append(first, f)
		} else {
			rest = append(rest, f)
		}
	}
	var all []alias
	for _, a := range r.aliases {
		if a.covers(dir) && a.rule.re == nil {
			all = append(all, a)
		}
	}
	for _, c := range r.tsconfigs(dir) {
		all = append(all, c.paths...)
	}
	if m := r.nearestManifest(dir); m != nil {
		for i, k := range m.Imports.keys {
			var targets []string
			for _, t := range m.Imports.vals[i].targets("*") {
				if strings.HasPrefix(t, "./") {
					targets = append(targets, path.Join(m.dir, t))
				}
			}
			all = append(all, newAlias(k, targets))
		}
	}
	for _, a := range all {
		for _, t := range a.targets {
			if f, ok := a.invert(t, target); ok {
				put(a, f)
			}
		}
	}
	for _, s := range r.packageForms(dir, target, like) {
		f := form{spec: s}
		if like != "" && packageName(like) == packageName(s) {
			first = append(first, f)
		} else {
			rest = append(rest, f)
		}
	}
	based := r.baseForms(dir, target)
	if like != "" && !ownLooking(like) {
		return slices.Concat(first, based, rest)
	}
	return slices.Concat(first, rest, based)
}

// baseForms names target by the configurations' baseUrl, nearest first.
func (r *resolver) baseForms(dir, target string) []form {
	var out []form
	for _, c := range r.tsconfigs(dir) {
		if c.baseURL == "" {
			continue
		}
		s := target
		if c.baseURL != "." {
			var ok bool
			if s, ok = strings.CutPrefix(target, c.baseURL+"/"); !ok {
				continue
			}
		}
		out = append(out, form{spec: s, spelled: true})
	}
	return out
}

// invert writes target by the pattern, if the pattern's target t leads to it.
func (a alias) invert(t, target string) (form, bool) {
	before, after, star := strings.Cut(t, "*")
	if star {
		rest, ok := strings.CutPrefix(target, before)
		if !ok {
			return form{}, false
		}
		if after == "" {
			return form{spec: a.prefix + rest + a.suffix, spelled: a.suffix == ""}, true
		}
		rest, ok = strings.CutSuffix(rest, after)
		return form{spec: a.prefix + rest + a.suffix}, ok
	}
	stem := strings.TrimSuffix(target, path.Ext(target))
	if t == target || t == stem || t == strings.TrimSuffix(stem, "/index") {
		return form{spec: a.prefix}, !a.star
	}
	if rest, ok := strings.CutPrefix(target, t+"/"); ok && !a.star {
		return form{spec: a.prefix + "/" + rest, spelled: true}, true
	}
	return form{}, false
}

// packageForms names target by the workspace package that holds it.
func (r *resolver) packageForms(dir, target, like string) []string {
	m := r.nearestManifest(path.Dir(target))
	if m == nil || m.Name == "" {
		return nil
	}
	if own := r.nearestManifest(dir); own == m && m.Exports.empty() && packageName(like) != m.Name {
		return nil
	}
	if d, ok := r.ownPackage(dir, m.Name); !ok || d != m.dir {
		return nil
	}
	out := []string{m.Name}
	for _, k := range m.Exports.keys {
		if strings.HasPrefix(k, "./") && !strings.Contains(k, "*") {
			out = append(out, m.Name+k[1:])
		}
	}
	sub := strings.TrimPrefix(strings.TrimPrefix(target, m.dir), "/")
	stem := strings.TrimSuffix(sub, path.Ext(sub))
	for _, s := range []string{strings.TrimPrefix(stem, "src/"), stem, sub} {
		out = append(out, m.Name+"/"+s)
	}
	if strings.HasPrefix(like, m.Name+"/") { // by a path, as before
		out = append(out[1:], m.Name)
	}
	return out
}
