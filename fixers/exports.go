package fixers

import (
	"slices"
	"sort"
	"strings"

	"regreen/internal/lang"
)

// offer is what a module lets others import.
type offer struct {
	names map[string]lang.Export
	// origin is the file that defines a name, where it is another one.
	origin map[string]string
	// known is false when there may be more names.
	known bool
}

func (o offer) sorted() []string {
	out := make([]string, 0, len(o.names))
	for n := range o.names {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// offers gives what a present file exports, re-exports included.
func (v *view) offers(rel string) offer { return v.offersOf(rel, v.text, v.resolve, 0) }

// offered gives what a base file exported.
func (v *view) offered(rel string) offer { return v.offersOf(rel, v.old, v.resolveOld, 0) }

type (
	textOf    func(rel string) *text
	resolveOf func(t *text, imp lang.Import) lang.Resolution
)

func (v *view) offersOf(rel string, read textOf, resolve resolveOf, depth int) offer {
	o := offer{names: map[string]lang.Export{}, origin: map[string]string{}}
	t := read(rel)
	if t == nil || depth > 8 {
		return o
	}
	f := t.scan()
	o.known = f.AllKnown
	for _, e := range f.Exports {
		if e.Name != "*" {
			o.names[e.Name] = e
			if e.From != "" {
				o.origin[e.Name] = v.target(t, e.From, read, resolve)
			}
			continue
		}
		from := v.target(t, e.From, read, resolve)
		if from == "" || from == rel {
			o.known = false
			continue
		}
		sub := v.offersOf(from, read, resolve, depth+1)
		for n, x := range sub.names {
			if _, ok := o.names[n]; ok || n == "default" {
				continue
			}
			o.names[n] = x
			o.origin[n] = from
			if sub.origin[n] != "" {
				o.origin[n] = sub.origin[n]
			}
		}
		o.known = o.known && sub.known
	}
	// A name that a file imports and offers again (Python's packages do) is
	// defined elsewhere.
	for _, imp := range f.Imports {
		for _, n := range imp.Names {
			if _, ok := o.names[n.Local]; ok && o.origin[n.Local] == "" && n.Local != "" && imp.Kind != lang.ReExport && !v.defines(t, n.Local) {
				if to := primary(imp, resolve(t, imp)); to != "" && to != rel {
					o.origin[n.Local] = to
				} else {
					o.origin[n.Local] = imp.Specifier
				}
			}
		}
	}
	return o
}

// defines tells whether a file has a definition of its own with that name.
func (v *view) defines(t *text, name string) bool {
	for _, d := range t.scan().Defs {
		if d.Name != name && d.Local != name {
			continue
		}
		for _, imp := range t.scan().Imports {
			if d.Span.Start >= imp.Span.Start && d.Span.End <= imp.Span.End ||
				slices.ContainsFunc(imp.Names, func(n lang.Name) bool { return n.LocalSpan == d.Span }) {
				return false // what a require gives is another module's
			}
		}
		return true
	}
	return false
}

// target is the file that a specifier of the text leads to.
func (v *view) target(t *text, spec string, read textOf, resolve resolveOf) string {
	for _, imp := range t.scan().Imports {
		if imp.Specifier == spec {
			return primary(imp, resolve(t, imp))
		}
	}
	imp := lang.Import{Kind: lang.ReExport, Specifier: spec}
	return primary(imp, resolve(t, imp))
}

// primary is the one file that an import names: the module itself, not the
// packages that are loaded on the way to it, nor the modules that are names of
// a package; "" when there is no such file.
func primary(imp lang.Import, r lang.Resolution) string {
	var files []string
	for _, f := range r.Files {
		if !isNameOf(imp, f) {
			files = append(files, f)
		}
	}
	last := lastPart(imp.Specifier)
	for _, f := range files {
		if last != "" && baseName(f) == last {
			return f
		}
	}
	best := ""
	for _, f := range files {
		if best == "" || strings.Count(stem(f), "/") > strings.Count(stem(best), "/") {
			best = f
		}
	}
	return best
}

// isNameOf tells whether a file is a module that the import takes as a name of
// its package: from package import module.
func isNameOf(imp lang.Import, file string) bool {
	if imp.Kind != lang.From {
		return false
	}
	last := lastPart(imp.Specifier)
	return slices.ContainsFunc(imp.Names, func(n lang.Name) bool { return n.Imported == baseName(file) }) &&
		(last == "" || baseName(dirOf(stem(file))) == last)
}

// lastPart is the last component of a specifier of either language.
func lastPart(spec string) string {
	s := spec
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		s = s[i+1:]
		for _, ext := range codeExtensions {
			if t, ok := strings.CutSuffix(s, ext); ok && t != "" {
				return t
			}
		}
		return s
	}
	if i := strings.LastIndexByte(s, '.'); i >= 0 && !slices.Contains(codeExtensions, s[i:]) {
		return s[i+1:]
	}
	return s
}

// codeExtensions may end a specifier.
var codeExtensions = []string{".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".json", ".vue", ".svelte"}

// wanted are the names that an import takes from its module: the named ones,
// and the members that are read off a binding of the whole module.
func (v *view) wanted(t *text, imp lang.Import) []string {
	var out []string
	for _, n := range imp.Names {
		if n.Imported != "*" {
			out = append(out, n.Imported)
			continue
		}
		for _, i := range v.memberUses(t, imp, n) {
			out = append(out, t.word(i))
		}
	}
	sort.Strings(out)
	return slices.Compact(out)
}

// memberUses gives the indexes of the members that are read off a binding of a
// whole module. With `import a.b.c` the binding is a, and the members of the
// module are read off a.b.c.
func (v *view) memberUses(t *text, imp lang.Import, n lang.Name) []int {
	chain := []string{}
	if n.Local != "" && strings.HasPrefix(imp.Specifier, n.Local+".") {
		chain = strings.Split(imp.Specifier, ".")[1:]
	}
	var out []int
	for _, u := range t.lang.Uses(t.path, t.src, n.Local, n.LocalSpan.Start) {
		i := t.index(u.Start)
		if i < 0 {
			continue
		}
		ok := true
		for _, part := range chain {
			if !t.isMember(i+2) || t.word(i+2) != part {
				ok = false
				break
			}
			i += 2
		}
		if ok && t.isMember(i+2) {
			out = append(out, i+2)
		}
	}
	return out
}

// provides tells how well a file offers what an import wants: all of it
// surely, or perhaps.
func (v *view) provides(rel string, wanted []string) (sure, maybe bool) {
	o := v.offers(rel)
	sure = true
	for _, w := range wanted {
		if _, ok := o.names[w]; ok {
			continue
		}
		t := v.text(rel)
		if w == "default" && t != nil && t.scan().CommonJS {
			continue
		}
		if v.submodule(rel, w) != "" {
			continue
		}
		sure = false
		if o.known {
			return false, false
		}
	}
	return sure, true
}

// submodule is the file of a module inside the package that rel is, "" when
// there is none. Only packages have modules inside: a file whose stem is its
// folder.
func (v *view) submodule(rel, name string) string {
	dir := dirOf(rel)
	t := v.text(rel)
	if t == nil || dir == "" || stem(rel) != dir {
		return ""
	}
	ext := rel[strings.LastIndexByte(rel, '.'):]
	base := rel[strings.LastIndexByte(rel, '/')+1:]
	for _, f := range []string{dir + "/" + name + ext, dir + "/" + name + "/" + base} {
		if base == "__init__.py" && v.own(f) {
			return f
		}
	}
	return ""
}

// source follows a name that a module offers through the modules that only pass
// it on, to the file that has it of its own and its name there.
func (v *view) source(module, name string) (file, exported string) {
	for range 8 {
		t := v.text(module)
		if t == nil {
			return "", ""
		}
		next, as := v.passed(t, name)
		if next == "" {
			return module, name
		}
		module, name = next, as
	}
	return "", ""
}

// passed is the file from which a module takes what it offers by a name, and
// the name there; "" where it is its own.
func (v *view) passed(t *text, name string) (file, as string) {
	local, from := name, ""
	for _, e := range t.scan().Exports {
		if e.Name == name {
			local, from = firstOf(e.Local, name), e.From
		}
	}
	for _, imp := range t.scan().Imports {
		for _, n := range imp.Names {
			if n.Local == local && n.Imported != "*" && (from == "" && imp.Kind != lang.ReExport || from == imp.Specifier) && !v.defines(t, local) {
				return primary(imp, v.resolve(t, imp)), n.Imported
			}
		}
	}
	for _, e := range t.scan().Exports {
		if e.Name != "*" {
			continue
		}
		if from := v.target(t, e.From, v.text, v.resolve); from != "" && from != t.path && !v.defines(t, name) {
			if _, ok := v.offers(from).names[name]; ok {
				return from, name
			}
		}
	}
	return "", ""
}
