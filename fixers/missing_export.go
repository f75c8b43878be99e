package fixers

import (
	"context"
	"fmt"
	"slices"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// missingExport mends names that a module does not offer.
type missingExport struct{}

func (missingExport) Name() string { return "missing_export" }

func (missingExport) Kinds() []runner.Kind {
	return []runner.Kind{runner.MissingExport, runner.AttributeError}
}

// lack is a name that a file takes from a module that does not have it.
type lack struct {
	t      *text
	imp    lang.Import
	name   *lang.Name // the imported name; nil where a member is read
	member int        // the member's token
	module string
	symbol string
}

// Fix follows a rename, then looks where the name went, then for what was
// meant.
func (missingExport) Fix(ctx context.Context, c Cause, w Workspace) ([]Fix, error) {
	v := look(w)
	var out []Fix
	for _, l := range v.lacks(c) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if l.name != nil {
			// from package import module, and the module was moved.
			for _, b := range v.brokenImports(l.t) {
				if b.name != nil && b.name.Imported == l.symbol && b.imp.Span == l.imp.Span {
					out = append(out, v.followMoves(b)...)
				}
			}
		}
		if l.name == nil {
			out = append(out, v.followMovedMember(l)...)
		}
		if len(out) > 0 {
			break
		}
		followed, had := v.followRename(l)
		out = append(out, followed...)
		if len(followed) > 0 {
			break
		}
		out = append(out, v.defaultNowNamed(l)...)
		out = append(out, v.offerAgain(l)...)
		out = append(out, v.offerSplit(l)...)
		out = append(out, v.followMovedExport(l)...)
		out = append(out, v.nearExport(l, had)...)
		out = append(out, v.addExport(l)...)
		if len(out) > 0 {
			break
		}
	}
	if len(out) == 0 {
		out = append(v.listedLack(c), v.standardExport(c)...)
	}
	return out, nil
}

// lacks finds what a cause is about: an imported name, or a member of a whole
// module, that its module does not offer.
func (v *view) lacks(c Cause) []lack {
	sym := lastMember(c.Symbol)
	if sym == "" {
		return nil
	}
	var out []lack
	for _, p := range v.places(c) {
		t := v.text(p.File)
		if t == nil || !v.own(p.File) || sym != "default" && !t.mentions(sym) {
			continue
		}
		for _, imp := range t.scan().Imports {
			if !loads(imp) || imp.Kind == lang.Asset {
				continue
			}
			for i, n := range imp.Names {
				if n.Imported != sym && n.Local != sym || n.Imported == "*" || n.Imported == "default" && v.isObject(primary(imp, v.resolve(t, imp))) {
					continue
				}
				l := lack{t: t, imp: imp, name: &imp.Names[i], symbol: n.Imported, module: primary(imp, v.resolve(t, imp))}
				if l, ok := v.chase(l, 0); ok && (c.Specifier == "" || c.Specifier == imp.Specifier || len(out) == 0) {
					out = append(out, l)
				}
			}
			out = append(out, v.lackingMembers(t, imp, sym, p.Line)...)
		}
	}
	return out
}

// lackingMembers finds the member on a line, or anywhere with line 0.
func (v *view) lackingMembers(t *text, imp lang.Import, sym string, line int) []lack {
	module := primary(imp, v.resolve(t, imp))
	if module == "" || imp.Kind == lang.Mock {
		return nil
	}
	var out []lack
	for i, n := range imp.Names {
		m, with := module, imp
		if sub := v.submodule(module, n.Imported); sub != "" {
			m, with = sub, lang.Import{}
		} else if n.Imported != "*" && !(n.Imported == "default" && v.isObject(module)) {
			continue
		}
		if _, ok := v.offers(m).names[sym]; ok || v.submodule(m, sym) != "" {
			continue
		}
		for _, u := range v.memberUses(t, with, imp.Names[i]) {
			if t.word(u) == sym && (line == 0 || t.lineOf(t.significant()[u].Start) == line) {
				out = append(out, lack{t: t, imp: imp, member: u, module: m, symbol: sym})
			}
		}
	}
	return out
}

// chase follows a name through the modules that offer it again, to the import
// whose module lacks it. ok is false when nothing lacks it.
func (v *view) chase(l lack, depth int) (lack, bool) {
	if l.module == "" || depth > 8 {
		return l, false
	}
	o := v.offers(l.module)
	e, has := o.names[l.symbol]
	if !has {
		return l, v.submodule(l.module, l.symbol) == ""
	}
	m := v.text(l.module)
	if m == nil {
		return l, false
	}
	if l.name != nil && l.module == l.t.path && e.Span == l.name.LocalSpan {
		// A package that takes a module of its own offers what it fails to take.
		return l, v.submodule(l.module, l.symbol) == ""
	}
	if o.origin[l.symbol] == "" {
		return l, false
	}
	for _, imp := range m.scan().Imports {
		for i, n := range imp.Names {
			if n.Local == l.symbol && n.Imported != "*" && (e.From == "" || e.From == imp.Specifier) {
				return v.chase(lack{t: m, imp: imp, name: &imp.Names[i], symbol: n.Imported, module: primary(imp, v.resolve(m, imp))}, depth+1)
			}
		}
	}
	return l, false
}

// followRename renames the name where it is imported when the module's own
// diff renamed it.
func (v *view) followRename(l lack) (out []Fix, had bool) {
	hs, had := v.heirs(l.module, l.symbol)
	for _, h := range hs {
		level, rank := h.level, 0
		if len(hs) > 1 {
			level = Propose
		}
		all, files := v.followExport(l.t.lang, l.module, l.symbol, h.name, "")
		if len(all) == 0 {
			continue
		}
		if own := v.quotedUses(l.module, l.symbol, h.name); len(own) > 0 {
			all, files = append(all, own...), append(files, l.module)
		}
		if back, ok := v.misspeltExport(l.module, l.symbol, h.name); ok && len(hs) == 1 {
			out = append(out, back)
			level, rank = Propose, 1
		}
		title := fmt.Sprintf("rename %s to %s", l.symbol, h.name)
		if len(files) > 1 {
			title += fmt.Sprintf(" in %d files", len(files))
		} else {
			title += " in " + files[0]
		}
		out = append(out, Fix{Title: title, Applicability: level, Rank: rank, Edits: all, Evidence: h.why})
		if one, _ := v.followExport(l.t.lang, l.module, l.symbol, h.name, l.t.path); len(files) > 1 && len(one) > 0 {
			out = append(out, Fix{Title: fmt.Sprintf("rename %s to %s in %s", l.symbol, h.name, l.t.path), Applicability: level, Rank: rank + 1,
				Edits: one, Evidence: h.why})
		}
	}
	return out, had
}

// quotedUses renames what a module itself names inside the strings of its
// annotations only: no run trips over that.
func (v *view) quotedUses(module, from, to string) []Edit {
	t := v.text(module)
	if t == nil || !v.editable(module) || boundAt(t, len(t.src), from) {
		return nil
	}
	var out []lang.TextEdit
	for _, s := range t.lang.Uses(t.path, t.src, from, -1) {
		if t.index(s.Start) < 0 && usableAt(t, s.Start, to) {
			out = append(out, lang.TextEdit{Span: s, New: to})
		}
	}
	return inFile(module, out)
}

// offerAgain gives back a module's import of what it offered at the base by
// importing it. Where the module still lists the name as one that it offers
// the import was lost; else it may have been taken away on purpose.
func (v *view) offerAgain(l lack) []Fix {
	t, b := v.text(l.module), v.before(l.module)
	if t == nil || b == nil || len(t.significant()) == 0 || !v.editable(l.module) {
		return nil
	}
	var out []Fix
	for _, f := range v.lostImport(Cause{}, unbound{t, l.symbol, len(t.significant()) - 1}) {
		f.Rank, f.Applicability = 5, Propose
		f.Title = fmt.Sprintf("%s in %s", f.Title, l.module)
		if len(listed(t, l.symbol)) > 0 {
			f.Applicability = Likely
			f.Evidence += fmt.Sprintf(", and still lists %s as what it offers", l.symbol)
		}
		out = append(out, f)
	}
	return out
}

// followMovedExport imports the name from the file that exports it now.
func (v *view) followMovedExport(l lack) []Fix {
	if l.symbol == "default" || l.name == nil {
		return nil
	}
	_, had := v.offered(pathOf(v.before(l.module))).names[l.symbol]
	var targets []string
	for _, rel := range v.exporters(l.t.lang, l.symbol, l.t.path) {
		if rel != l.module && rel != l.t.path {
			targets = append(targets, rel)
		}
	}
	var out []Fix
	for _, to := range targets {
		level, why := Likely, to+" exports "+l.symbol
		_, old := v.offered(pathOf(v.before(to))).names[l.symbol]
		old = old && pathOf(v.before(to)) != pathOf(v.before(l.module)) // a module that was split is not another one
		switch {
		case had && !old:
			level, why = Safe, fmt.Sprintf("%s exported %s at the base, %s exports it now", l.module, l.symbol, to)
		case had && old:
			// Nothing moved: whether it was taken away from here on purpose, only
			// the user knows.
			level, why = Propose, fmt.Sprintf("%s exports %s, as at the base; %s offered it too", to, l.symbol, l.module)
		}
		if len(targets) > 1 {
			level = Propose
		}
		all, files := v.reimport(l, to, "")
		if len(all) == 0 {
			continue
		}
		out = append(out, Fix{Title: fmt.Sprintf("import %s from %s instead of %s", l.symbol, to, l.module), Applicability: level,
			Rank: 10, Edits: all, Evidence: why})
		if one, _ := v.reimport(l, to, l.t.path); len(files) > 1 && len(one) > 0 {
			out = append(out, Fix{Title: fmt.Sprintf("import %s from %s instead of %s in %s", l.symbol, to, l.module, l.t.path),
				Applicability: level, Rank: 11, Edits: one, Evidence: why})
		}
	}
	return out
}

// defaultNowNamed imports by its name what was a default export and is a named
// one of the same name now.
func (v *view) defaultNowNamed(l lack) []Fix {
	if l.symbol != "default" || l.name == nil || len(l.imp.Names) != 1 || l.imp.Kind != lang.Static {
		return nil
	}
	if _, ok := v.offers(l.module).names[l.name.Local]; !ok {
		return nil
	}
	return []Fix{{Title: fmt.Sprintf("import { %s } from %s by its name", l.name.Local, l.imp.Specifier), Applicability: Likely, Rank: 3,
		Edits:    inFile(l.t.path, []lang.TextEdit{{Span: l.name.Span, New: "{ " + l.name.Local + " }"}}),
		Evidence: l.module + " has no default export and exports " + l.name.Local}}
}

func pathOf(t *text) string {
	if t == nil {
		return ""
	}
	return t.path
}

// reimport makes every file, or one, that imports a name from a module import
// it from another.
func (v *view) reimport(l lack, to, only string) (edits []Edit, files []string) {
	rels := v.sources(l.t.lang)
	if only != "" {
		rels = slices.All([]string{only})
	}
	for _, rel := range rels {
		t := v.text(rel)
		if t == nil || rel == to || !t.mentions(l.symbol) || !v.editable(rel) {
			continue
		}
		var mine []lang.TextEdit
		for _, imp := range t.scan().Imports {
			i := slices.IndexFunc(imp.Names, func(n lang.Name) bool { return n.Imported == l.symbol })
			if i < 0 || !loads(imp) || imp.Kind == lang.Mock || primary(imp, v.resolve(t, imp)) != l.module {
				continue
			}
			spec, ok := v.specifier(t, imp, to)
			if !ok {
				continue
			}
			if len(imp.Names) == 1 {
				mine = merge(mine, []lang.TextEdit{{Span: imp.SpecSpan, New: spec}})
			} else if imp.Kind != lang.ReExport {
				if es, _, ok := v.splitName(t, imp, imp.Names[i], spec, l.symbol); ok {
					mine = merge(mine, es)
				}
			}
		}
		if len(mine) > 0 {
			files = append(files, rel)
			edits = append(edits, inFile(rel, mine)...)
		}
	}
	return edits, files
}

// exporters lists the files that define and export a name, test files only
// for test files.
func (v *view) exporters(l lang.Language, name, importer string) []string {
	var out []string
	for _, rel := range v.sources(l) {
		t := v.text(rel)
		if t == nil || !t.mentions(name) || v.IsTest(rel) || rel == importer {
			continue
		}
		o := v.offers(rel)
		if e, ok := o.names[name]; ok && o.origin[name] == "" && e.Kind != "Type" {
			out = append(out, rel)
		}
	}
	return out
}

// nearExport takes the export that the name is a misspelling of.
func (v *view) nearExport(l lack, had bool) []Fix {
	o := v.offers(l.module)
	tok := lang.Token{}
	if l.name != nil {
		tok.Span = l.name.Span
	} else {
		tok = l.t.significant()[l.member]
	}
	var out []Fix
	if old, ok := v.restored(l.t.path, tok); ok {
		if _, ok := o.names[old]; ok {
			out = append(out, Fix{Title: fmt.Sprintf("use %s instead of %s", old, l.symbol), Applicability: Likely, Rank: 5,
				Edits: v.renameLack(l, old), Evidence: fmt.Sprintf("%s had %s there at the base", l.t.path, old)})
			return out
		}
	}
	ns := nearest(l.symbol, o.sorted())
	win, ok := clearWin(ns)
	why := fmt.Sprintf("%s exports no %s; the nearest name is ", l.module, l.symbol)
	if ok {
		level := Likely
		if had || !o.known || v.mayBeMeant(l.t.lang, l.symbol, win) {
			level = Propose // it was removed, or is to come: another name is a guess
		}
		return []Fix{{Title: fmt.Sprintf("use %s instead of %s", win, l.symbol), Applicability: level, Rank: 20,
			Edits: v.renameLack(l, win), Evidence: why + win}}
	}
	for _, n := range ns[:min(len(ns), 4)] {
		out = append(out, Fix{Title: fmt.Sprintf("use %s instead of %s", n.name, l.symbol), Applicability: Propose, Rank: 20,
			Edits: v.renameLack(l, n.name), Evidence: why + n.name})
	}
	return out
}

// renameLack writes another name where the lacking one is taken.
func (v *view) renameLack(l lack, to string) []Edit {
	if l.name != nil {
		return inFile(l.t.path, renameBinding(l.t, l.imp, *l.name, to, l.imp.Kind == lang.ReExport || v.passesOn(l.t, l.name.Local)))
	}
	var es []lang.TextEdit
	for _, n := range l.imp.Names {
		for _, with := range []lang.Import{l.imp, {}} {
			for _, u := range v.memberUses(l.t, with, n) {
				if l.t.word(u) == l.symbol {
					es = merge(es, []lang.TextEdit{{Span: l.t.significant()[u].Span, New: to}})
				}
			}
		}
	}
	return inFile(l.t.path, es)
}

// addExport proposes to export what the module defines and keeps to itself.
func (v *view) addExport(l lack) []Fix {
	m := v.text(l.module)
	if m == nil || m.lang.Name() != "js" {
		return nil
	}
	i := slices.IndexFunc(m.scan().Defs, func(d lang.Export) bool { return d.Name == l.symbol && d.Body.Len() > 0 })
	if i < 0 {
		return nil
	}
	d := m.scan().Defs[i]
	var e Edit
	if m.scan().CommonJS {
		last := lang.Span{}
		for _, x := range m.scan().Exports {
			if x.Local != "" && x.Name == x.Local && x.Span.End > last.End {
				last = x.Span
			}
		}
		k := m.index(last.Start)
		if last.End == 0 || k < 0 || m.word(k+1) != "," && m.word(k+1) != "}" {
			return nil
		}
		e = Edit{File: l.module, Start: last.End, End: last.End, New: ", " + l.symbol}
	} else {
		if k := m.index(d.Body.Start); k < 0 || m.word(k) == "export" {
			return nil
		}
		e = Edit{File: l.module, Start: d.Body.Start, End: d.Body.Start, New: "export "}
	}
	return []Fix{{Title: fmt.Sprintf("export %s from %s", l.symbol, l.module), Applicability: Propose, Rank: 30, Edits: []Edit{e},
		Evidence: l.module + " defines " + l.symbol + " and does not export it"}}
}
