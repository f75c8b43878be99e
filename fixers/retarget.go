package fixers

import (
	"slices"
	"strings"

	"regreen/internal/lang"
)

// broken is an import that leads nowhere in the present tree.
type broken struct {
	t   *text
	imp lang.Import
	// name is set when the module is there and only this name, a module inside
	// a package, is not.
	name *lang.Name
	// was is the file that it led to at the base, "" when nothing is known.
	was string
}

// was gives the file that an import would have led to at the base, from the
// place where its file was then.
func (v *view) was(t *text, imp lang.Import) (string, lang.Resolution) {
	old := &text{path: t.path, lang: t.lang}
	if from, ok := v.movesOf().from[t.path]; ok {
		old.path = from
	}
	r := v.resolveOld(old, imp)
	return primary(imp, r), r
}

// brokenImports lists the imports of a file that do not lead to a file now,
// though they did or should.
func (v *view) brokenImports(t *text) []broken {
	var out []broken
	for _, imp := range t.scan().Imports {
		if !loads(imp) || imp.Specifier == "" {
			continue
		}
		r := v.resolve(t, imp)
		was, old := v.was(t, imp)
		names := v.brokenNames(t, imp, r, old)
		gone := was != "" && primary(imp, r) == ""
		if gone || r.Missing && len(names) == 0 {
			out = append(out, broken{t: t, imp: imp, was: was})
			continue
		}
		out = append(out, names...)
		if imp.Kind == lang.Mock && was != "" && !v.Exists(was) {
			out = append(out, broken{t: t, imp: imp, was: was})
		}
	}
	return out
}

// brokenNames lists the names of an import that were modules of its package
// and are there no more.
func (v *view) brokenNames(t *text, imp lang.Import, now, old lang.Resolution) []broken {
	if imp.Kind != lang.From {
		return nil
	}
	var out []broken
	for i, n := range imp.Names {
		one := imp
		one.Names = imp.Names[i : i+1]
		for _, f := range old.Files {
			if isNameOf(one, f) && baseName(f) == n.Imported && !v.Exists(f) &&
				!slices.ContainsFunc(now.Files, func(x string) bool { return stem(x) == stem(f) }) {
				out = append(out, broken{t: t, imp: imp, name: &imp.Names[i], was: f})
			}
		}
	}
	return out
}

// loads tells whether an import names one module: no computed path, no mere
// mention.
func loads(imp lang.Import) bool { return imp.Kind != lang.Wide && imp.Kind != lang.Mention }

// retarget gives the edits that make a broken import lead to another file, and
// how that is written.
func (v *view) retarget(b broken, to string) (edits []lang.TextEdit, spec string, ok bool) {
	switch {
	case b.name != nil:
		return v.retargetName(b, to)
	case b.imp.Kind == lang.Mock && !strings.Contains(b.imp.Specifier, "/"):
		return v.retargetDotted(b, to)
	}
	spec, ok = v.specifier(b.t, b.imp, to)
	if !ok {
		return nil, "", false
	}
	text := spec
	for _, n := range b.imp.Names {
		if n.Imported != "*" || b.imp.Kind != lang.Static {
			continue
		}
		switch {
		case n.Local == b.imp.Specifier && n.LocalSpan == b.imp.SpecSpan && strings.Contains(spec, "."):
			// import calc, read as calc: keep the name.
			text = spec + " as " + n.Local
		case strings.HasPrefix(b.imp.Specifier, n.Local+"."):
			for _, s := range chainUses(b.t, n, b.imp.Specifier) {
				if !overlaps(s, b.imp.Span) {
					edits = append(edits, lang.TextEdit{Span: s, New: spec})
				}
			}
		}
	}
	return append(edits, lang.TextEdit{Span: b.imp.SpecSpan, New: text}), spec, true
}

func overlaps(a, b lang.Span) bool { return a.Start < b.End && b.Start < a.End }

// chainUses finds where a.b.c is written for a binding of a by import a.b.c.
func chainUses(t *text, n lang.Name, chain string) []lang.Span {
	parts := strings.Split(chain, ".")[1:]
	var out []lang.Span
	for _, u := range t.lang.Uses(t.path, t.src, n.Local, n.LocalSpan.Start) {
		i := t.index(u.Start)
		if i < 0 {
			continue
		}
		ok := true
		for _, p := range parts {
			i += 2
			if !t.isMember(i) || t.word(i) != p {
				ok = false
				break
			}
		}
		if ok {
			out = append(out, lang.Span{Start: u.Start, End: t.significant()[i].End})
		}
	}
	return out
}

// specifier finds how a file may write a target in place of an import's
// specifier, and proves it by resolving it.
func (v *view) specifier(t *text, imp lang.Import, to string) (string, bool) {
	rs := v.Resolver(t.lang)
	for _, s := range rs.Specifiers(t.path, to, imp.Specifier) {
		next := imp
		next.Specifier = s
		if r := v.resolve(t, next); s != imp.Specifier && !r.Missing && (primary(next, r) == to || slices.Contains(r.Files, to)) {
			return s, true
		}
	}
	return "", false
}

// retargetDotted rewrites the module part of "package.module.attribute".
func (v *view) retargetDotted(b broken, to string) ([]lang.TextEdit, string, bool) {
	parts := strings.Split(b.imp.Specifier, ".")
	for n := 1; n <= len(parts); n++ {
		head := lang.Import{Kind: lang.Static, Specifier: strings.Join(parts[:n], ".")}
		if f, _ := v.was(b.t, head); f == "" || f != b.was {
			continue
		}
		spec, ok := v.specifier(b.t, head, to)
		if !ok {
			return nil, "", false
		}
		spec = strings.Join(append([]string{spec}, parts[n:]...), ".")
		return []lang.TextEdit{{Span: b.imp.SpecSpan, New: spec}}, spec, true
	}
	return nil, "", false
}

// retargetName follows a module that is imported as a name of its package.
func (v *view) retargetName(b broken, to string) ([]lang.TextEdit, string, bool) {
	whole := lang.Import{Kind: lang.Static, Specifier: strings.TrimSuffix(b.imp.Specifier, ".") + "." + b.name.Imported}
	if strings.HasSuffix(b.imp.Specifier, ".") {
		whole.Specifier = b.imp.Specifier + b.name.Imported
	}
	spec, ok := v.specifier(b.t, whole, to)
	if !ok {
		return nil, "", false
	}
	i := strings.LastIndexByte(spec, '.')
	if i < 0 {
		return nil, "", false
	}
	pkg, name := spec[:i], spec[i+1:]
	if strings.Trim(spec[:i+1], ".") == "" {
		pkg = spec[:i+1]
	}
	var edits []lang.TextEdit
	if pkg == b.imp.Specifier {
		return append(edits, renameBinding(b.t, b.imp, *b.name, name, true)...), spec, true
	}
	if len(b.imp.Names) == 1 {
		edits = append(edits, lang.TextEdit{Span: b.imp.SpecSpan, New: pkg})
		return append(edits, renameBinding(b.t, b.imp, *b.name, name, true)...), spec, true
	}
	return v.splitName(b.t, b.imp, *b.name, pkg, name)
}

// splitName takes one name out of an import and imports it from another
// module under the same local name.
func (v *view) splitName(t *text, imp lang.Import, n lang.Name, spec, imported string) ([]lang.TextEdit, string, bool) {
	cut, ok := dropName(t, imp, n)
	if !ok {
		return nil, "", false
	}
	// AddImport refuses a name that is bound: show it the file without it.
	src := lang.Apply(t.src, []lang.TextEdit{cut})
	add, err := t.lang.AddImport(t.path, src, spec, []lang.Name{{Imported: imported, Local: n.Local, TypeOnly: n.TypeOnly || imp.Kind == lang.TypeOnly}})
	if err != nil || len(add) == 0 {
		return nil, "", false
	}
	edits := []lang.TextEdit{cut}
	for _, e := range add {
		back, ok := unshift(e, cut)
		if !ok {
			return nil, "", false
		}
		edits = append(edits, back)
	}
	return edits, spec, true
}

// unshift moves an edit of a text in which cut was made to the text before.
func unshift(e, cut lang.TextEdit) (lang.TextEdit, bool) {
	delta := cut.Len() - len(cut.New)
	switch {
	case e.End <= cut.Start:
		return e, true
	case e.Start >= cut.Start+len(cut.New):
		e.Start += delta
		e.End += delta
		return e, true
	}
	return e, false
}

// dropName deletes one name of a list of imported names with its comma.
func dropName(t *text, imp lang.Import, n lang.Name) (lang.TextEdit, bool) {
	if len(imp.Names) < 2 {
		return lang.TextEdit{}, false
	}
	ks := t.significant()
	first, last := t.index(n.Span.Start), t.index(n.LocalSpan.Start)
	if n.LocalSpan.Len() == 0 {
		last = first
	}
	if first < 0 || last < first {
		return lang.TextEdit{}, false
	}
	if t.word(first-1) == "type" && t.word(first-2) != "," && t.word(first-2) != "{" {
		return lang.TextEdit{}, false
	}
	if t.word(first-1) == "type" {
		first--
	}
	switch {
	case t.word(last+1) == "," && last+2 < len(ks) && t.word(last+2) != "}" && t.word(last+2) != ")":
		return lang.TextEdit{Span: lang.Span{Start: ks[first].Start, End: ks[last+2].Start}}, true
	case t.word(first-1) == ",":
		return lang.TextEdit{Span: lang.Span{Start: ks[first-1].Start, End: ks[last].End}}, true
	}
	return lang.TextEdit{}, false
}
