package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// newName is a name that a person would choose instead.
func (s *site) newName(name string) string {
	var forms []string
	switch {
	case strings.ToUpper(name) == name:
		forms = []string{name + "_VALUE", "DEFAULT_" + name, name + "_OPTION"}
	case strings.Contains(name, "_") || name == strings.ToLower(name) && s.Float64() < 0.5:
		forms = []string{name + "_for", "do_" + name, name + "_of", "get_" + name}
	case name[0] >= 'A' && name[0] <= 'Z':
		forms = []string{name + "Base", "My" + name, name + "Impl"}
	default:
		upper := strings.ToUpper(name[:1]) + name[1:]
		forms = []string{name + "For", "do" + upper, "compute" + upper, name + "Value"}
	}
	for {
		n := forms[s.IntN(len(forms))]
		if s.idents[n] == 0 {
			return n
		}
		for i := range forms {
			forms[i] += "X"
		}
	}
}

// moveModule moves a file that others import; half of the time its own
// relative imports are mended, as an editor does it.
func moveModule(s *site) *fault {
	return s.pickIn(s.sources(), func(rel string) *fault {
		base := strings.TrimSuffix(path.Base(rel), path.Ext(rel))
		if base == "index" || strings.HasPrefix(base, "__") || !s.imported(rel) {
			return nil
		}
		sep := "-"
		if python(rel) || strings.Contains(base, "_") {
			sep = "_"
		}
		var to string
		if s.Float64() < 0.5 {
			to = path.Join(path.Dir(rel), base+sep+"core"+path.Ext(rel))
		} else {
			to = path.Join(path.Dir(rel), "inner", path.Base(rel))
		}
		if _, taken := s.tree[to]; taken {
			return nil
		}
		edits := map[string][]byte{rel: nil, to: s.tree[rel]}
		if python(rel) && path.Dir(to) != path.Dir(rel) {
			edits[path.Join(path.Dir(to), "__init__.py")] = []byte{}
		}
		return &fault{what: fmt.Sprintf("%s moved to %s", rel, to), edits: edits, judge: judgeMove(rel, to),
			answers: s.movedToo(rel, to, edits), subject: rel + " moved"}
	})
}

// imported tells whether another file imports this one.
func (s *site) imported(rel string) bool {
	r := s.langs.For(rel).NewResolver(treeOf(s.tree))
	for _, other := range s.tree.files() {
		if other == rel || !s.sameLanguage(other, rel) {
			continue
		}
		for _, imp := range s.scan(other).Imports {
			if imp.Kind == lang.Mention || imp.Kind == lang.TypeOnly {
				continue
			}
			if slices.Contains(r.Resolve(other, imp).Files, rel) {
				return true
			}
		}
	}
	return false
}

// usedElsewhere counts the files that say a name, but for one.
func (s *site) usedElsewhere(name, but string) int {
	n := 0
	for _, rel := range s.tree.files() {
		if rel == but || !s.sameLanguage(rel, but) {
			continue
		}
		for _, k := range s.tokens(rel) {
			if k.Kind == lang.Ident && s.text(rel, k.Span) == name {
				n++
				break
			}
		}
	}
	return n
}

// renamable are the exports with a definition here and a name that nothing
// else in the repository defines.
func (s *site) renamable(rel string, uses int) []lang.Export {
	var out []lang.Export
	defs := s.scan(rel).Defs
	for _, e := range s.scan(rel).Exports {
		if i := slices.IndexFunc(defs, func(d lang.Export) bool { return d.Name == e.Name }); i >= 0 && e.Body.Len() < defs[i].Body.Len() {
			e.Body, e.Kind = defs[i].Body, defs[i].Kind
		}
		if len(e.Name) < 4 || e.From != "" || e.Name == "default" || e.Body.Len() == 0 || e.Local != "" && e.Local != e.Name ||
			e.Kind == "Type" || strings.HasPrefix(e.Name, "__") || strings.HasPrefix(e.Name, "test") {
			continue
		}
		if s.usedElsewhere(e.Name, rel) == 0 || s.idents[e.Name] < uses || s.defined(e.Name) != 1 || !s.onlyImported(e.Name, rel) {
			continue
		}
		out = append(out, e)
	}
	return out
}

// onlyImported tells whether every other file that says the name means the
// export: it imports the name, or says it of something that it imports.
func (s *site) onlyImported(name, but string) bool {
	ok := true
	s.each(name, func(rel string, toks []lang.Token, i int) {
		if rel == but || !ok {
			return
		}
		ok = false
		for _, imp := range s.scan(rel).Imports {
			for _, n := range imp.Names {
				ok = ok || n.Imported == name
				ok = ok || i > 1 && s.text(rel, toks[i-1].Span) == "." && s.text(rel, toks[i-2].Span) == n.Local
			}
		}
	})
	return ok
}

// defined counts the top-level definitions with a name.
func (s *site) defined(name string) int {
	n := 0
	for _, rel := range s.tree.files() {
		if !strings.Contains(string(s.tree[rel]), name) {
			continue
		}
		f := s.scan(rel)
		imported := slices.ContainsFunc(f.Imports, func(imp lang.Import) bool {
			return slices.ContainsFunc(imp.Names, func(x lang.Name) bool { return x.Local == name })
		})
		for _, d := range f.Defs {
			if (d.Name == name || d.Local == name) && !imported {
				n++
			}
		}
	}
	return n
}

func renameExport(s *site) *fault { return renameTop(s, 2) }

// fiveUses renames something that is used in five places at least.
func fiveUses(s *site) *fault { return renameTop(s, 6) }

// renameTop renames an export in its own file and nowhere else.
func renameTop(s *site, uses int) *fault {
	return s.pickIn(s.sources(), func(rel string) *fault {
		e, ok := pick(s.Rand, s.renamable(rel, uses))
		if !ok {
			return nil
		}
		to := s.newName(e.Name)
		var edits []lang.TextEdit
		toks := s.tokens(rel)
		for i, k := range toks {
			if k.Kind != lang.Ident || s.text(rel, k.Span) != e.Name {
				continue
			}
			member := i > 0 && s.text(rel, toks[i-1].Span) == "."
			if member && !(i > 1 && s.text(rel, toks[i-2].Span) == "exports") {
				continue
			}
			edits = append(edits, lang.TextEdit{Span: k.Span, New: to})
		}
		broken := s.edited(rel, edits...)
		return &fault{what: fmt.Sprintf("%s: %s is called %s now", rel, e.Name, to), edits: broken,
			judge: judgeRename(e.Name, to), answers: s.renamed(rel, e.Name, to, broken), subject: rel + " " + e.Name}
	})
}

// renameMethod renames a method where it is defined.
func renameMethod(s *site) *fault {
	return s.pickIn(s.sources(), func(rel string) *fault {
		at, ok := pick(s.Rand, s.methods(rel))
		if !ok {
			return nil
		}
		from := s.text(rel, at)
		to := s.newName(from)
		broken := s.edited(rel, lang.TextEdit{Span: at, New: to})
		return &fault{what: fmt.Sprintf("%s: the method %s is called %s now", rel, from, to),
			edits: broken, judge: judgeRename(from, to), answers: s.renamed("", from, to, broken), subject: rel + " ." + from}
	})
}

// methods are the names of methods that are defined once in the repository and
// called somewhere.
func (s *site) methods(rel string) []lang.Span {
	var out []lang.Span
	toks := s.tokens(rel)
	word := func(i int) string {
		if i < 0 || i >= len(toks) {
			return ""
		}
		return s.text(rel, toks[i].Span)
	}
	var braces []bool // is the open brace a class's?
	class := false
	for i, k := range toks {
		w := word(i)
		switch {
		case python(rel):
			if w == "def" && word(i+2) == "(" && word(i+3) == "self" {
				out = append(out, toks[i+1].Span)
			}
			continue
		case w == "class" && k.Kind == lang.Keyword:
			class = true
		case w == "{":
			braces = append(braces, class)
			class = false
		case w == "}" && len(braces) > 0:
			braces = braces[:len(braces)-1]
		case k.Kind == lang.Ident && len(braces) > 0 && braces[len(braces)-1] && word(i+1) == "(" && w != "constructor" && word(i-1) != ".":
			if c := closing(word, i+1, len(toks)); c > 0 && (word(c+1) == "{" || word(c+1) == ":") {
				out = append(out, k.Span)
			}
		}
	}
	return slices.DeleteFunc(out, func(at lang.Span) bool {
		name := s.text(rel, at)
		return len(name) < 4 || strings.HasPrefix(name, "__") || s.idents[name] < 2 || s.memberUses(name) == 0 || s.methodDefs(name) != 1
	})
}

func closing(word func(int) string, open, n int) int {
	depth := 0
	for i := open; i < n; i++ {
		switch word(i) {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func (s *site) memberUses(name string) int {
	n := 0
	s.each(name, func(rel string, toks []lang.Token, i int) {
		if i > 0 && strings.HasSuffix(s.text(rel, toks[i-1].Span), ".") {
			n++
		}
	})
	return n
}

// methodDefs counts where a name is not a member of something: definitions,
// keys, plain names.
func (s *site) methodDefs(name string) int {
	n := 0
	s.each(name, func(rel string, toks []lang.Token, i int) {
		if i == 0 || !strings.HasSuffix(s.text(rel, toks[i-1].Span), ".") {
			n++
		}
	})
	return n
}

func (s *site) each(name string, f func(rel string, toks []lang.Token, i int)) {
	for _, rel := range s.tree.files() {
		if !strings.Contains(string(s.tree[rel]), name) {
			continue
		}
		toks := s.tokens(rel)
		for i, k := range toks {
			if k.Kind == lang.Ident && s.text(rel, k.Span) == name {
				f(rel, toks, i)
			}
		}
	}
}

// loseImport deletes an import statement.
func loseImport(s *site) *fault {
	return s.pickIn(append(s.sources(), s.testFiles()...), func(rel string) *fault {
		var list []lang.Import
		for _, imp := range s.scan(rel).Imports {
			if (imp.Kind == lang.Static || imp.Kind == lang.From || imp.Kind == lang.Require) && !imp.Lazy && len(imp.Names) > 0 &&
				!strings.HasPrefix(imp.Specifier, "__future__") && imp.Names[0].Imported != "*" || imp.Kind == lang.Static && len(imp.Names) > 0 && imp.Names[0].Imported == "*" {
				list = append(list, imp)
			}
		}
		imp, ok := pick(s.Rand, list)
		if !ok {
			return nil
		}
		src := s.tree[rel]
		start, end := imp.Span.Start, imp.Span.End
		for start > 0 && src[start-1] != '\n' {
			start--
		}
		for end < len(src) && src[end] != '\n' {
			end++
		}
		if strings.ContainsAny(strings.TrimRight(string(src[imp.Span.End:end]), " ;\r"), "({[") {
			return nil // a call of what was required
		}
		end = min(end+1, len(src))
		return &fault{what: fmt.Sprintf("%s: the import of %s is lost", rel, imp.Specifier),
			edits: s.edited(rel, lang.TextEdit{Span: lang.Span{Start: start, End: end}}), judge: judgeRestore}
	})
}

// twoAtOnce makes two faults in two files.
func twoAtOnce(s *site) *fault {
	makers := []func(*site) *fault{loseImport, misspell, loseToken, misspell}
	a := makers[s.IntN(len(makers))](s)
	if a == nil {
		return nil
	}
	for range 8 {
		b := makers[s.IntN(len(makers))](s)
		if b == nil {
			continue
		}
		edits := map[string][]byte{}
		for rel, src := range a.edits {
			edits[rel] = src
		}
		clash := false
		for rel, src := range b.edits {
			_, both := edits[rel]
			clash = clash || both
			edits[rel] = src
		}
		if !clash {
			return &fault{what: a.what + "; " + b.what, edits: edits, judge: judgeRestore}
		}
	}
	return nil
}
