package fixers

import (
	"slices"
	"strings"

	"regreen/internal/lang"
)

// renameBinding gives the edits after which an import takes another name from
// its module. Without an alias the uses in the file follow, unless the new
// name is taken here or others import the old one from this file: then the old
// name stays as the local one.
func renameBinding(t *text, imp lang.Import, n lang.Name, to string, keepLocal bool) []lang.TextEdit {
	switch {
	case to == n.Imported:
		return nil
	case n.Span != n.LocalSpan || n.Local != n.Imported:
		return []lang.TextEdit{{Span: n.Span, New: to}}
	}
	if !keepLocal {
		if uses, ok := renameUses(t, n.Local, n.LocalSpan.Start, to, imp.Span, n.LocalSpan); ok {
			return append(uses, lang.TextEdit{Span: n.Span, New: to})
		}
	}
	sep := " as "
	if imp.Kind == lang.Require || imp.Kind == lang.Dynamic {
		sep = ": "
	}
	return []lang.TextEdit{{Span: n.Span, New: to + sep + n.Local}}
}

// renameUses renames what refers to the binding visible at an offset, but for
// what lies in the import statement or is the binding itself. ok is false when
// the new name means something else at one of the uses.
func renameUses(t *text, name string, offset int, to string, statement, binding lang.Span) (edits []lang.TextEdit, ok bool) {
	for _, u := range t.lang.Uses(t.path, t.src, name, offset) {
		if overlaps(u, statement) || overlaps(u, binding) {
			continue
		}
		if taken(t, u.Start, to) {
			return nil, false
		}
		text := to
		if i := t.index(u.Start); i >= 0 {
			switch shorthand(t, i) {
			case "object":
				text = name + ": " + to
			case "export":
				text = to + " as " + name
			}
		}
		edits = append(edits, lang.TextEdit{Span: u, New: text})
	}
	if taken(t, statement.End, to) {
		return nil, false
	}
	return edits, true
}

// taken tells whether code at the offset already has that name: bound, or a
// builtin that the file uses.
func taken(t *text, offset int, name string) bool {
	if !t.mentions(name) {
		return false
	}
	for _, b := range t.lang.InScope(t.path, t.src, offset) {
		if b.Name != name {
			continue
		}
		if b.Kind != "builtin" {
			return true
		}
		for _, i := range t.idents(name, 0) {
			if !t.isMember(i) {
				return true
			}
		}
	}
	return false
}

// shorthand tells whether an identifier stands for a key and a value at once:
// "object" for { a }, "export" for export { a }, else "".
func shorthand(t *text, i int) string {
	if t.lang.Name() != "js" { // a set is written alike in Python
		return ""
	}
	prev, next := t.word(i-1), t.word(i+1)
	if prev != "{" && prev != "," || next != "," && next != "}" {
		return ""
	}
	depth := 0
	for j := i - 1; j >= 0; j-- {
		switch t.word(j) {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			if depth > 0 {
				depth--
				continue
			}
			if t.word(j) != "{" {
				return ""
			}
			if t.word(j-1) == "export" {
				return "export"
			}
			return "object"
		case ";":
			if depth == 0 {
				return ""
			}
		}
	}
	return ""
}

// leads tells whether a name that a file imports from module is the export
// with that name of origin, directly or through modules that offer everything
// of it.
func (v *view) leads(module, name, origin string) bool {
	if module == origin {
		return true
	}
	if module == "" || module == origin {
		return module == origin
	}
	if _, ok := v.offers(module).names[name]; ok {
		return false
	}
	return v.offered(module).origin[name] == origin
}

// followExport renames an export's name wherever it is imported from module.
// only restricts it to one file, "" for all.
func (v *view) followExport(l lang.Language, module, from, to, only string) (edits []Edit, files []string) {
	rels := v.sources(l)
	if only != "" {
		rels = slices.All([]string{only})
	}
	for _, rel := range rels {
		t := v.text(rel)
		if t == nil || !t.mentions(from) || !v.editable(rel) {
			continue
		}
		var mine []lang.TextEdit
		if rel == module {
			mine = ownUses(t, from, to)
		} else {
			for _, imp := range t.scan().Imports {
				mine = merge(mine, v.followIn(t, imp, module, from, to))
			}
		}
		if len(mine) > 0 {
			files = append(files, rel)
			edits = append(edits, inFile(rel, mine)...)
		}
	}
	return edits, files
}

// ownUses renames an export where its own module reads it from its exports
// object.
func ownUses(t *text, from, to string) []lang.TextEdit {
	out := relist(t, from, to)
	if !t.scan().CommonJS {
		return out
	}
	for _, i := range exportReads(t, from) {
		out = append(out, lang.TextEdit{Span: t.significant()[i].Span, New: to})
	}
	return out
}

// exportReads finds exports.name and module.exports.name.
func exportReads(t *text, name string) []int {
	var out []int
	for _, i := range t.idents(name, 0) {
		if t.isMember(i) && t.word(i-2) == "exports" && (!t.isMember(i-2) || t.word(i-4) == "module" && !t.isMember(i-4)) {
			out = append(out, i)
		}
	}
	return out
}

// followIn gives the edits for one import.
func (v *view) followIn(t *text, imp lang.Import, module, from, to string) []lang.TextEdit {
	if !loads(imp) || imp.Kind == lang.Asset {
		return nil
	}
	r := v.resolve(t, imp)
	if !slices.Contains(r.Files, module) && !v.leads(primary(imp, r), from, module) {
		return nil
	}
	var out []lang.TextEdit
	if imp.Kind == lang.Mock {
		return v.followMock(t, imp, module, from, to)
	}
	for _, n := range imp.Names {
		switch {
		case n.Imported == from && v.leads(primary(imp, r), from, module):
			keep := imp.Kind == lang.ReExport || v.passesOn(t, n.Local)
			out = merge(out, renameBinding(t, imp, n, to, keep))
		case n.Imported == "*" || n.Imported == "default" && v.isObject(module):
			if !v.leads(primary(imp, r), from, module) {
				continue
			}
			out = merge(out, readsOfModule(t, v.memberUses(t, imp, n), n, from, to))
		case v.submodule(primary(imp, r), n.Imported) == module:
			// from package import module: members of it.
			out = merge(out, readsOfModule(t, v.memberUses(t, lang.Import{}, n), n, from, to))
		}
	}
	return out
}

// readsOfModule renames what is read off a binding of a whole module, or named
// in a string beside it where a test replaces it.
func readsOfModule(t *text, members []int, n lang.Name, from, to string) []lang.TextEdit {
	var out []lang.TextEdit
	for _, i := range members {
		if t.word(i) == from {
			out = append(out, lang.TextEdit{Span: t.significant()[i].Span, New: to})
		}
	}
	for _, p := range replacedMembers(t, from) {
		if slices.Contains(t.lang.Uses(t.path, t.src, n.Local, n.LocalSpan.Start), t.significant()[p.of].Span) {
			out = append(out, lang.TextEdit{Span: p.name, New: to})
		}
	}
	return out
}

// isObject tells whether a module's default export is the bag of all its
// names, as CommonJS modules are to importers.
func (v *view) isObject(module string) bool {
	t := v.text(module)
	return t != nil && t.scan().CommonJS
}

// followMock renames the name in "package.module.name" and in the keys of a
// mock's factory.
func (v *view) followMock(t *text, imp lang.Import, module, from, to string) []lang.TextEdit {
	if !strings.Contains(imp.Specifier, "/") && strings.HasSuffix(imp.Specifier, "."+from) {
		head := lang.Import{Kind: lang.Static, Specifier: strings.TrimSuffix(imp.Specifier, "."+from)}
		if primary(head, v.resolve(t, head)) == module {
			return []lang.TextEdit{{Span: lang.Span{Start: imp.SpecSpan.End - len(from), End: imp.SpecSpan.End}, New: to}}
		}
		return nil
	}
	var out []lang.TextEdit
	for _, i := range t.idents(from, 0) {
		k := t.significant()[i]
		if k.Start > imp.SpecSpan.End && k.End <= imp.Span.End && t.word(i+1) == ":" && (t.word(i-1) == "{" || t.word(i-1) == ",") {
			out = append(out, lang.TextEdit{Span: k.Span, New: to})
		}
	}
	return out
}

// passesOn tells whether another file imports that name from this one, so
// that the name must stay.
func (v *view) passesOn(t *text, name string) bool {
	if !slices.ContainsFunc(t.scan().Exports, func(e lang.Export) bool { return e.Name == name || e.Local == name }) {
		return false
	}
	for _, rel := range v.sources(t.lang) {
		o := v.text(rel)
		if o == nil || rel == t.path || !o.mentions(name) {
			continue
		}
		for _, imp := range o.scan().Imports {
			if slices.ContainsFunc(imp.Names, func(n lang.Name) bool { return n.Imported == name || n.Imported == "*" }) &&
				primary(imp, v.resolve(o, imp)) == t.path {
				return true
			}
		}
	}
	return false
}
