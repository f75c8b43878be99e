package fixers

import (
	"fmt"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// renamedDefinition follows a definition of this file that the diff renamed
// while this use kept the old name.
func (v *view) renamedDefinition(_ Cause, u unbound) []Fix {
	news := map[string][]swap{}
	for _, s := range v.swaps(u.t.path) {
		if s.old == u.name && !u.t.isMember(s.i) {
			news[s.new] = append(news[s.new], s)
		}
	}
	var out []Fix
	for to, ss := range news {
		if !usableAt(u.t, u.offset(), to) {
			continue
		}
		f := Fix{Title: fmt.Sprintf("rename %s to %s", u.name, to), Applicability: Likely, Rank: 10,
			Edits: inFile(u.t.path, v.rewriteUnbound(u, to, true)), Evidence: fmt.Sprintf("%s was %s at the base", to, u.name)}
		// Whoever imports the old name follows at once: else taking the rename
		// back would look like the better repair.
		if _, had := v.heirs(u.t.path, u.name); had {
			others, files := v.followExport(u.t.lang, u.t.path, u.name, to, "")
			if len(others) > 0 {
				f.Edits = append(f.Edits, others...)
				f.Title += fmt.Sprintf(" in %d files", len(files)+1)
			}
		}
		if len(news) > 1 {
			f.Applicability = Propose
		}
		if hs, _ := v.heirs(u.t.path, u.name); len(hs) == 1 && hs[0].name == to && hs[0].level == Safe && len(news) == 1 {
			f.Applicability = Safe
		}
		out = append(out, f)
		if len(ss) != 1 {
			continue
		}
		// Where it is no certain slip, one letter in a definition that nothing
		// followed looks as much like a misspelling as like a rename: both are
		// offered at one rank.
		if back, ok := v.misspeltDeclaration(u.t, ss[0], 1); ok {
			out[len(out)-1].Applicability = Propose
			out = append(out, back)
		} else if len(u.t.idents(to, 0)) == 1 && isSlip(u.name, to) && len(u.name) > 3 {
			out = append(out, Fix{Title: fmt.Sprintf("rename %s back to %s", to, u.name), Applicability: Likely, Rank: 10,
				Edits: inFile(u.t.path, []lang.TextEdit{{Span: ss[0].tok.Span, New: u.name}}), Evidence: fmt.Sprintf("%s was %s at the base", to, u.name)})
		}
	}
	return out
}

// isSlip tells whether a name became another by one wrong letter, in a way in
// which nobody renames: what is set before or after a name (a plural, an
// underscore, a number) is meant.
func isSlip(old, now string) bool {
	if d := distance(old, now); d == 0 || d > step {
		return false
	}
	if strings.HasPrefix(now, old) || strings.HasSuffix(now, old) || old == now+"s" || strings.TrimLeft(old, "_") == now {
		return false
	}
	return strings.Count(old, "_") == strings.Count(now, "_") && !strings.ContainsAny(old+now, "0123456789")
}

// rewriteUnbound replaces a use and the other unbound uses of the same name
// where the new name can be used too. keepKey keeps the old name as the key
// of { name }; a misspelling is one in the key as well.
func (v *view) rewriteUnbound(u unbound, to string, keepKey bool) []lang.TextEdit {
	var out []lang.TextEdit
	for _, i := range u.t.idents(u.name, 0) {
		k := u.t.significant()[i]
		if u.t.isMember(i) || isKey(u.t, i) {
			continue
		}
		if i != u.i && (boundAt(u.t, k.Start, u.name) || !usableAt(u.t, k.Start, to)) {
			continue
		}
		text := to
		if keepKey && shorthand(u.t, i) == "object" {
			text = u.name + ": " + to
		}
		out = append(out, lang.TextEdit{Span: k.Span, New: text})
	}
	// Annotations name things inside strings, where no token begins.
	for _, s := range u.t.lang.Uses(u.t.path, u.t.src, u.name, u.offset()) {
		if u.t.index(s.Start) < 0 && usableAt(u.t, s.Start, to) {
			out = merge(out, []lang.TextEdit{{Span: s, New: to}})
		}
	}
	return out
}

// isKey tells whether an identifier names a key or a keyword argument: no use
// of a variable.
func isKey(t *text, i int) bool {
	prev, next := t.word(i-1), t.word(i+1)
	if prev == "?" || prev == "case" {
		return false
	}
	switch next {
	case ":":
		return t.lang.Name() == "js" && (prev == "{" || prev == ",")
	case "=":
		return t.lang.Name() == "python" && (prev == "(" || prev == ",") && inCall(t, i)
	}
	return false
}

func inCall(t *text, i int) bool {
	depth := 0
	for j := i - 1; j >= 0 && j > i-400; j-- {
		switch t.word(j) {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			if depth == 0 {
				return t.word(j) == "("
			}
			depth--
		}
	}
	return false
}

// restoredName takes back a slip of the pen: the base has another name in this
// place, at most two letters away, and it can be used here.
func (v *view) restoredName(_ Cause, u unbound) []Fix {
	old, ok := v.restored(u.t.path, u.t.significant()[u.i])
	if !ok || !usableAt(u.t, u.offset(), old) {
		return nil
	}
	var edits []lang.TextEdit
	for _, s := range v.swaps(u.t.path) {
		if s.new == u.name && s.old == old && !boundAt(u.t, s.tok.Start, u.name) {
			edits = append(edits, lang.TextEdit{Span: s.tok.Span, New: old})
		}
	}
	return []Fix{{Title: fmt.Sprintf("use %s instead of %s", old, u.name), Applicability: Likely, Rank: 12, Edits: inFile(u.t.path, edits),
		Evidence: fmt.Sprintf("%s had %s there at the base", u.t.path, old)}}
}

// foreignGlobals are there in a browser or in another runtime: no misspellings
// of what happens to be near.
var foreignGlobals = []string{"window", "document", "navigator", "location", "history", "screen", "localStorage", "sessionStorage", "indexedDB",
	"alert", "confirm", "prompt", "frames", "parent", "opener", "customElements", "self", "caches", "Deno", "Bun", "chrome", "browser",
	"importScripts", "unicode", "xrange", "raw_input", "basestring", "unichr", "reduce"}

// spelling takes the name in scope that the use is a misspelling of.
func (v *view) spelling(u unbound) []Fix {
	var names []string
	for _, b := range u.t.lang.InScope(u.t.path, u.t.src, u.offset()) {
		names = append(names, b.Name)
	}
	ns := nearest(u.name, names)
	if u.t.isStatement(u.i) {
		return nil // it does nothing, whatever it is called: somebody has just begun
	}
	fix := func(n near, a Applicability) Fix {
		return Fix{Title: fmt.Sprintf("use %s instead of %s", n.name, u.name), Applicability: a, Rank: 20,
			Edits:    inFile(u.t.path, v.rewriteUnbound(u, n.name, false)),
			Evidence: fmt.Sprintf("%s is the nearest name in scope", n.name)}
	}
	if win, ok := clearWin(ns); ok {
		level := Likely
		if v.mayBeMeant(u.t.lang, u.name, win) || v.isShortBuiltin(u, win) {
			level = Propose
		}
		if v.hadName(u.t.path, u.name) || slices.Contains(foreignGlobals, u.name) {
			level = Propose // what it named was taken away, or is in another environment
		}
		return []Fix{fix(ns[0], level)}
	}
	var out []Fix
	for _, n := range ns[:min(len(ns), 4)] {
		out = append(out, fix(n, Propose))
	}
	return out
}

// isShortBuiltin tells whether a short name differs from a builtin by another
// letter in its place: tax is as likely to be still to come as to mean max.
func (v *view) isShortBuiltin(u unbound, win string) bool {
	if len(u.name) > 4 || len(u.name) != len(win) || sameLetters(u.name, win) {
		return false
	}
	return slices.ContainsFunc(u.t.lang.InScope(u.t.path, u.t.src, u.offset()), func(b lang.Binding) bool { return b.Name == win && b.Kind == "builtin" })
}

// sameLetters tells whether two names are made of the same letters.
func sameLetters(a, b string) bool {
	x, y := []byte(strings.ToLower(a)), []byte(strings.ToLower(b))
	slices.Sort(x)
	slices.Sort(y)
	return string(x) == string(y)
}

// hadName tells whether a file could use a name at the base: then it is no
// misspelling, whatever happened to the thing that it names.
func (v *view) hadName(rel, name string) bool {
	b := v.before(rel)
	if b == nil {
		return false
	}
	return slices.ContainsFunc(b.idents(name, 0), func(i int) bool {
		return !b.isMember(i) && boundAt(b, b.significant()[i].Start, name)
	})
}

// hadMember tells whether anything that changed had a member at the base.
func (v *view) hadMember(name string) bool {
	return slices.ContainsFunc(v.Changed(), func(rel string) bool {
		b := v.before(rel)
		return b != nil && slices.ContainsFunc(b.idents(name, 0), func(i int) bool { return definesMember(b, i) })
	})
}

// lostImport gives back an import that this very file had at the base.
func (v *view) lostImport(_ Cause, u unbound) []Fix {
	b := v.before(u.t.path)
	if b == nil {
		return nil
	}
	for _, imp := range b.scan().Imports {
		i := slices.IndexFunc(imp.Names, func(n lang.Name) bool { return n.Local == u.name })
		if i < 0 || imp.Kind != lang.Static && imp.Kind != lang.From && imp.Kind != lang.Require && imp.Kind != lang.TypeOnly {
			continue
		}
		evidence := fmt.Sprintf("%s imported %s from %s at the base", u.t.path, u.name, imp.Specifier)
		spec, same := v.presentSpecifier(u.t, imp)
		if spec == "" {
			continue
		}
		var edits []lang.TextEdit
		if same {
			if edits = v.statementBack(u, b, imp); edits == nil {
				edits = nameBack(u, b, imp)
			}
		}
		if edits == nil {
			es, err := u.t.lang.AddImport(u.t.path, u.t.src, spec, []lang.Name{{Imported: imp.Names[i].Imported, Local: u.name}})
			if err != nil || len(es) == 0 {
				continue
			}
			edits = es
		}
		return []Fix{{Title: importTitle(u.t.lang, spec, imp.Names[i].Imported, u.name) + " again", Applicability: Safe, Rank: 0,
			Edits: inFile(u.t.path, edits), Evidence: evidence}}
	}
	return nil
}

// importTitle says what an import takes in, as a person would.
func importTitle(l lang.Language, spec, imported, local string) string {
	switch {
	case l.Name() == "python" && imported == "*" && local == spec:
		return "import " + spec
	case l.Name() == "python" && imported == "*":
		return fmt.Sprintf("import %s as %s", spec, local)
	case imported != local && imported != "*" && imported != "default":
		return fmt.Sprintf("import %s as %s from %s", imported, local, spec)
	}
	return fmt.Sprintf("import %s from %s", local, spec)
}

// presentSpecifier is how a base import is written now; same when it is as it
// was, "" when its target is gone.
func (v *view) presentSpecifier(t *text, imp lang.Import) (spec string, same bool) {
	was, old := v.was(t, imp)
	if was == "" {
		return imp.Specifier, !old.Missing
	}
	to := was
	if m := v.movesOf().to[was]; m != "" {
		to = m
	}
	if primary(imp, v.resolve(t, imp)) == to {
		return imp.Specifier, true
	}
	if !v.Exists(to) {
		return "", false
	}
	spec, ok := v.specifier(t, imp, to)
	if !ok {
		return "", false
	}
	return spec, false
}

// statementBack puts the base's whole lines of an import back where they were,
// nil when the statement was not lost as a whole.
func (v *view) statementBack(u unbound, b *text, imp lang.Import) []lang.TextEdit {
	for _, n := range imp.Names {
		for _, now := range u.t.scan().Imports {
			if slices.ContainsFunc(now.Names, func(x lang.Name) bool { return x.Local == n.Local && n.Local != "" }) {
				return nil
			}
		}
	}
	span := wholeImport(imp)
	l0, l1 := b.lineOf(span.Start), b.lineOf(span.End)
	bl, tl := splitLines(b.src), splitLines(u.t.src)
	for _, h := range diffStrings(bl, tl) {
		if l0-1 < h.A0 || l1 > h.A1 {
			continue
		}
		at := min(h.B0+l0-1-h.A0, h.B1)
		text := strings.Join(bl[l0-1:l1], "")
		if !strings.HasSuffix(text, "\n") {
			text += u.t.eol()
		}
		offset := len(u.t.src)
		if ls := u.t.lineStarts(); at < len(ls) {
			offset = ls[at]
		}
		edit := []lang.TextEdit{{Span: lang.Span{Start: offset, End: offset}, New: text}}
		next := lang.Apply(u.t.src, edit)
		f := u.t.lang.Scan(u.t.path, next)
		back := 0
		for _, x := range f.Imports {
			for _, n := range x.Names {
				if n.Local == u.name && x.Specifier == imp.Specifier {
					back++
				}
			}
		}
		if use := u.offset(); offset <= use {
			use += len(text)
			if back == 1 && len(f.Imports) == len(u.t.scan().Imports)+1 && boundIn(u.t, next, use, u.name) {
				return edit
			}
		}
	}
	return nil
}

// nameBack puts a name back into the import that lost it, at its place, nil
// where the statement differs in more than that.
func nameBack(u unbound, b *text, imp lang.Import) []lang.TextEdit {
	rest := slices.DeleteFunc(slices.Clone(imp.Names), func(n lang.Name) bool { return n.Local == u.name })
	for _, now := range u.t.scan().Imports {
		if now.Specifier != imp.Specifier || now.Kind != imp.Kind || len(rest) == 0 ||
			!slices.EqualFunc(rest, now.Names, func(x, y lang.Name) bool { return x.Imported == y.Imported && x.Local == y.Local }) {
			continue
		}
		e := shrink(u.t, lang.TextEdit{Span: wholeImport(now), New: b.at(wholeImport(imp))})
		if e.Span.Len() == 0 {
			return []lang.TextEdit{e}
		}
	}
	return nil
}

// wholeImport is an import with the names that it binds: a call's stand in
// front of it.
func wholeImport(imp lang.Import) lang.Span {
	span := imp.Span
	for _, n := range imp.Names {
		if n.LocalSpan.Len() > 0 {
			span.Start, span.End = min(span.Start, n.LocalSpan.Start), max(span.End, n.LocalSpan.End)
		}
	}
	return span
}

func boundIn(t *text, src []byte, offset int, name string) bool {
	return boundAt(&text{path: t.path, src: src, lang: t.lang}, offset, name)
}

// splitLines cuts a text into lines with their ends.
func splitLines(src []byte) []string { return strings.SplitAfter(string(src), "\n") }
