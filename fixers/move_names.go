package fixers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/lazyregexp"
)

// A module of Python is named beyond the imports of it: by its dotted path in
// strings that are imported later on, and in its own package by the bare name
// that importing it binds there.

// dottedPath is a text that is a path of names and nothing else.
var dottedPath = lazyregexp.New(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$`)

// moveNames are the edits by which such names follow the moves of a group. Tests
// are left as they are: what stands in their strings may be what they expect.
func (v *view) moveNames(group map[string]bool, l lang.Language) []Edit {
	if l.Name() != "python" {
		return nil
	}
	m := v.movesOf()
	var out []Edit
	for _, rel := range v.sources(l) {
		t := v.text(rel)
		if t == nil || !v.editable(rel) || v.IsTest(rel) {
			continue
		}
		var mine []lang.TextEdit
		for _, from := range slices.Sorted(maps.Keys(group)) {
			to := m.to[from]
			if to == "" || !t.mentions(baseName(from)) {
				continue
			}
			if t.mentions("import_module") || t.mentions("__import__") { // else a text may be the name of anything
				mine = merge(mine, v.pathStrings(t, from, to))
			}
			mine = merge(mine, boundInPackage(t, from, to))
		}
		out = append(out, inFile(rel, mine)...)
	}
	return out
}

// pathStrings are the strings that are a moved module's path, or that of
// something in it.
func (v *view) pathStrings(t *text, from, to string) []lang.TextEdit {
	var out []lang.TextEdit
	for _, k := range t.significant() {
		s := t.str(k)
		if k.Kind != lang.String || len(s) < 3 || s[0] != s[len(s)-1] || !dottedPath.MatchString(s[1:len(s)-1]) ||
			!slices.Contains(strings.Split(s[1:len(s)-1], "."), baseName(from)) {
			continue
		}
		imp := lang.Import{Kind: lang.Mock, Specifier: s[1 : len(s)-1], SpecSpan: lang.Span{Start: k.Start + 1, End: k.End - 1}}
		if edits, _, ok := v.retargetDotted(broken{t: t, imp: imp, was: from}, to); ok {
			out = append(out, edits...)
		}
	}
	return out
}

// boundInPackage are the uses in a package of the name that importing one of its
// modules binds, where nothing else does and the module is still below it.
func boundInPackage(t *text, from, to string) []lang.TextEdit {
	below := below(dirOf(from), to)
	if t.path != dirOf(from)+"/__init__.py" || below == "" {
		return nil
	}
	var out []lang.TextEdit
	for _, i := range t.idents(baseName(from), 0) {
		k := t.significant()[i]
		if !t.isMember(i) && !isKey(t, i) && t.word(i+1) == "." && t.word(i-1) != "." && !usableAt(t, k.Start, baseName(from)) && !inImport(t, k.Span) {
			out = append(out, lang.TextEdit{Span: k.Span, New: below})
		}
	}
	return out
}

// below is how a module is reached from a package that it lies in, "" when it
// does not.
func below(dir, file string) string {
	path, ok := strings.CutPrefix(stem(file), dir+"/")
	if !ok {
		return ""
	}
	return strings.ReplaceAll(path, "/", ".")
}

// followMovedMember follows a moved module to where it is read as a member of
// the package that it was in and is still below.
func (v *view) followMovedMember(l lack) []Fix {
	from := dirOf(l.module) + "/" + l.symbol + ".py"
	to := v.movesOf().to[from]
	below := below(dirOf(l.module), to)
	if l.t.lang.Name() != "python" || to == "" || below == "" || !v.Exists(to) {
		return nil
	}
	var edits []Edit
	files := 0
	for _, rel := range v.sources(l.t.lang) {
		t := v.text(rel)
		if t == nil || !v.editable(rel) || !t.mentions(l.symbol) {
			continue
		}
		var mine []lang.TextEdit
		for _, imp := range t.scan().Imports {
			for _, x := range v.lackingMembers(t, imp, l.symbol, 0) {
				if x.module == l.module {
					mine = merge(mine, []lang.TextEdit{{Span: t.significant()[x.member].Span, New: below}})
				}
			}
		}
		if len(mine) > 0 {
			edits, files = append(edits, inFile(rel, mine)...), files+1
		}
	}
	if len(edits) == 0 {
		return nil
	}
	return []Fix{{Title: fmt.Sprintf("follow the move of %s to %s in %s", from, to, fileCount(files)), Applicability: Safe, Edits: edits,
		Evidence: v.movesOf().why[from]}}
}

func inImport(t *text, at lang.Span) bool {
	return slices.ContainsFunc(t.scan().Imports, func(imp lang.Import) bool { return overlaps(imp.Span, at) })
}

// beside are edits of a that clash with none of b, and b.
func beside(a, b []Edit) []Edit {
	out := slices.Clone(b)
	for _, e := range a {
		if !slices.ContainsFunc(b, func(x Edit) bool { return x.File == e.File && x.Start < e.End && e.Start < x.End }) {
			out = append(out, e)
		}
	}
	return out
}
