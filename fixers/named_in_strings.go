package fixers

import (
	"fmt"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// Names stand in strings too: in __all__, and where a test replaces a member by
// its name.

// listed finds a name in a Python module's __all__: the spans without quotes.
func listed(t *text, name string) []lang.Span {
	if t.lang.Name() != "python" {
		return nil
	}
	var out []lang.Span
	for i := range t.significant() {
		if t.word(i) != "__all__" || t.word(i+1) != "=" && t.word(i+1) != "+=" {
			continue
		}
		for j := i + 2; j < t.matching(i+2); j++ {
			if span, ok := t.quoted(j, name); ok {
				out = append(out, span)
			}
		}
	}
	return out
}

// quoted tells whether a token is a plain string that is this text.
func (t *text) quoted(i int, name string) (lang.Span, bool) {
	ks := t.significant()
	if i < 0 || i >= len(ks) || ks[i].Kind != lang.String || t.str(ks[i]) != "\""+name+"\"" && t.str(ks[i]) != "'"+name+"'" {
		return lang.Span{}, false
	}
	return lang.Span{Start: ks[i].Start + 1, End: ks[i].End - 1}, true
}

// relist renames what a module lists as offered.
func relist(t *text, from, to string) []lang.TextEdit {
	var out []lang.TextEdit
	if len(listed(t, to)) > 0 {
		return nil
	}
	for _, s := range listed(t, from) {
		out = append(out, lang.TextEdit{Span: s, New: to})
	}
	return out
}

// replaced is a member that a test replaces by its name.
type replaced struct {
	of   int       // the last token of what has the member
	name lang.Span // without quotes
}

// replacers take a thing and the name of one of its members: mock's patch.object,
// pytest's monkeypatch, spies and stubs of jest, vitest, sinon and node.
var replacers = []string{"object", "setattr", "delattr", "spyOn", "stub", "spy", "replaceProperty"}

// replacements finds where members are replaced by their names.
func replacements(t *text) []replaced {
	var out []replaced
	ks := t.significant()
	for i, k := range ks {
		o := i - 1
		if k.Kind != lang.Punct || t.str(k) != "(" || !t.isMember(o) || !slices.Contains(replacers, t.word(o)) && (t.word(o) != "method" || t.word(o-2) != "mock") {
			continue
		}
		args := arguments(t, i)
		if len(args) < 2 || args[1].first != args[1].last || ks[args[1].first].Kind != lang.String || ks[args[1].first].Len() < 3 {
			continue
		}
		s := ks[args[1].first].Span
		out = append(out, replaced{of: args[0].last, name: lang.Span{Start: s.Start + 1, End: s.End - 1}})
	}
	return out
}

// replacedMembers finds where a member of a name is replaced.
func replacedMembers(t *text, name string) []replaced {
	if !t.mentions(name) {
		return nil
	}
	return slices.DeleteFunc(replacements(t), func(r replaced) bool { return t.at(r.name) != name })
}

// ReplacedMembers lists the names of members that a test's text replaces by a
// string (patch.object, spyOn, …): names of code, and no expectation.
func ReplacedMembers(l lang.Language, file string, src []byte) []string {
	t := &text{path: file, src: src, lang: l}
	var out []string
	for _, r := range replacements(t) {
		out = append(out, t.at(r.name))
	}
	return out
}

// dottedMembers finds the members of a name at the end of what Python's patch
// names as a whole: "package.module.Class.name".
func dottedMembers(t *text, name string) []lang.Span {
	var out []lang.Span
	for _, imp := range t.scan().Imports {
		if imp.Kind == lang.Mock && t.lang.Name() == "python" && strings.HasSuffix(imp.Specifier, "."+name) {
			out = append(out, lang.Span{Start: imp.SpecSpan.End - len(name), End: imp.SpecSpan.End})
		}
	}
	return out
}

// listedLack mends a name that a module lists as offered and does not have: the
// import of everything from it fails.
func (v *view) listedLack(c Cause) []Fix {
	name := lastMember(c.Symbol)
	for _, p := range v.places(c) {
		t := v.text(p.File)
		if t == nil || t.lang.Name() != "python" {
			continue
		}
		for _, imp := range t.scan().Imports {
			m := v.text(primary(imp, v.resolve(t, imp)))
			star := slices.ContainsFunc(imp.Names, func(n lang.Name) bool { return n.Imported == "*" })
			if m == nil || !star || imp.Kind != lang.From || len(listed(m, name)) == 0 || v.defines(m, name) || !v.editable(m.path) {
				continue
			}
			return v.relisted(m, name)
		}
	}
	return nil
}

// relisted lists the heir of a name that went, or the name that it is a
// misspelling of.
func (v *view) relisted(m *text, name string) []Fix {
	fix := func(to string, a Applicability, why string) []Fix {
		edits := relist(m, name, to)
		return []Fix{{Title: fmt.Sprintf("list %s instead of %s in %s", to, name, m.path), Applicability: a, Rank: 2, Edits: inFile(m.path, edits), Evidence: why}}
	}
	hs, had := v.heirs(m.path, name)
	if len(hs) == 1 {
		return fix(hs[0].name, hs[0].level, hs[0].why)
	}
	var names []string
	for _, d := range m.scan().Defs {
		names = append(names, d.Name)
	}
	if win, ok := clearWin(nearest(name, names)); ok && !had && len(hs) == 0 {
		level := Likely
		if v.mayBeMeant(m.lang, name, win) {
			level = Propose
		}
		return fix(win, level, fmt.Sprintf("%s has no %s; the nearest name is %s", m.path, name, win))
	}
	return nil
}
