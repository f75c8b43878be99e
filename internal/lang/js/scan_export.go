package js

import "regreen/internal/lang"

// exportWord handles the keyword export where no declaration follows; those
// are found by their own keyword.
func (s *scanner) exportWord(i int) int {
	if s.is(i-1, ".") || s.is(i+1, ":") || s.inNamespace() {
		return i
	}
	if !s.startsStatement(i) {
		return i
	}
	s.esm = s.esm || !s.is(i+1, "(") && !s.is(i+1, "=")
	j := i + 1
	kind := lang.ReExport
	if s.is(j, "type") && (s.is(j+1, "{") || s.is(j+1, "*")) {
		kind = lang.TypeOnly
		j++
	}
	switch {
	case s.is(j, "{"):
		return s.exportList(i, j, kind)
	case s.is(j, "*"):
		return s.exportStarFrom(i, j, kind)
	case s.is(j, "="):
		s.esm = true
		e := lang.Export{Name: "default", Span: s.span(i, j)}
		if s.kindAt(j+1) == kIdent && (s.is(j+2, ";") || j+2 >= len(s.toks) || s.toks[j+2].nl) {
			e.Local = s.str(j + 1)
			e.Span = s.span(j+1, j+1)
			s.exportsName = e.Local
		}
		s.f.AllKnown = false
		s.addExport(e)
		return j + 1
	case s.is(j, "default"):
		return s.exportDefault(i, j)
	}
	return i
}

func (s *scanner) addExport(e lang.Export) {
	s.f.Exports = append(s.f.Exports, e)
}

// exportDefault handles export default of an expression, or of a function or
// class without a name.
func (s *scanner) exportDefault(i, j int) int {
	k := j + 1
	if s.is(k, "abstract") {
		k++
	}
	e := lang.Export{Name: "default", Span: s.span(j, j), Body: s.span(i, s.stmtEnd(j+1))}
	switch {
	case s.is(k, "async") && s.is(k+1, "function") && !s.toks[k+1].nl:
		k++
		fallthrough
	case s.is(k, "function"):
		k++
		if s.is(k, "*") {
			k++
		}
		if s.kindAt(k) == kIdent {
			return i // the declaration's own
		}
		e.Kind = "Func"
		e.Body = s.span(i, s.bodyEnd(k, fFunc))
	case s.is(k, "class"):
		if s.kindAt(k+1) == kIdent && !s.is(k+1, "extends") && !s.is(k+1, "implements") {
			return i
		}
		e.Kind = "Class"
		e.Body = s.span(i, s.bodyEnd(k, fClass))
	case s.is(k, "interface") && s.kindAt(k+1) == kIdent:
		return i
	case s.is(k, "enum"):
		return i
	case s.is(k, "@"):
		return i
	case s.kindAt(k) == kIdent && (s.is(k+1, ";") || k+1 >= len(s.toks) || s.toks[k+1].nl && !s.continues(k+1)):
		e.Local = s.str(k)
		e.Span = s.span(k, k)
	}
	s.addExport(e)
	return j + 1
}

// exportList handles export { … } with and without from.
func (s *scanner) exportList(i, j int, kind lang.ImportKind) int {
	names, next := s.nameList(j+1, kind == lang.TypeOnly)
	from := ""
	if s.is(next, "from") && s.kindAt(next+1) == kString {
		imp := lang.Import{Kind: kind, Names: names}
		from, _, _ = s.literal(next + 1)
		next = s.finishImport(i, next+1, imp)
	} else if s.is(next, ";") {
		next++
	}
	for _, n := range names {
		e := lang.Export{Name: n.Local, Span: n.LocalSpan, From: from}
		if from == "" {
			e.Local = n.Imported
		}
		if n.TypeOnly {
			e.Kind = "Type"
		}
		s.addExport(e)
	}
	return next
}

// exportStarFrom handles export * from and export * as ns from.
func (s *scanner) exportStarFrom(i, j int, kind lang.ImportKind) int {
	name := lang.Name{Imported: "*", Local: "*", Span: s.span(j, j), LocalSpan: s.span(j, j), TypeOnly: kind == lang.TypeOnly}
	e := lang.Export{Name: "*", Span: s.span(j, j)}
	k := j + 1
	if s.is(k, "as") && (s.word(k+1) || s.kindAt(k+1) == kString) {
		name.Local, name.LocalSpan = s.plainName(k + 1)
		name.Span = name.LocalSpan
		e.Name, e.Span = name.Local, name.LocalSpan
		k += 2
	}
	if !s.is(k, "from") || s.kindAt(k+1) != kString {
		return i
	}
	e.From, _, _ = s.literal(k + 1)
	if e.Name == "*" && !ownLooking(e.From) {
		s.f.AllKnown = false
	}
	s.addExport(e)
	return s.finishImport(i, k+1, lang.Import{Kind: kind, Names: []lang.Name{name}})
}

// ownLooking tells whether a specifier is written as the project's own file.
func ownLooking(spec string) bool { return spec != "" && (spec[0] == '.' || spec[0] == '/') }

// declaration handles a keyword that may declare names of the module.
func (s *scanner) declaration(i int) {
	if s.is(i-1, ".") || s.is(i+1, ":") || s.is(i+1, "=") || s.is(i+1, "(") && !s.is(i, "function") {
		return
	}
	j := i - 1
	for s.modifier(j) && !s.toks[j+1].nl {
		j--
	}
	deflt := s.is(j, "default") && s.kindAt(j) == kKeyword
	if deflt {
		j--
	}
	exported := s.is(j, "export") && s.kindAt(j) == kKeyword
	if exported {
		j--
	}
	first := j + 1
	if !(exported && s.broken && !s.inNamespace()) && !s.atTop(first) {
		return
	}
	if !exported && !s.startsStatement(first) && !s.decorated(j) {
		return
	}
	if exported {
		s.esm = true
	}
	d := declared{s: s, first: first, exported: exported, deflt: deflt}
	d.read(i)
}

func (s *scanner) modifier(j int) bool {
	switch s.str(j) {
	case "async", "declare", "abstract":
		return s.kindAt(j) == kIdent
	case "const":
		return s.is(j+1, "enum")
	}
	return false
}

// decorated tells whether a decorator ends at token j.
func (s *scanner) decorated(j int) bool {
	if k := &s.toks[j]; k.match >= 0 && int(k.match) < j {
		j = int(k.match) - 1
	}
	for s.word(j) && s.is(j-1, ".") {
		j -= 2
	}
	return s.is(j-1, "@")
}

// declared reads one declaration.
type declared struct {
	s               *scanner
	first           int
	exported, deflt bool
}

func (d declared) read(i int) {
	s := d.s
	name := i + 1
	switch s.str(i) {
	case "function":
		if s.is(name, "*") {
			name++
		}
		if s.word(name) {
			d.add(name, "Func", s.span(d.first, s.bodyEnd(name+1, fFunc)))
		}
	case "class":
		if s.kindAt(name) == kIdent && !s.is(name, "extends") {
			d.add(name, "Class", s.span(d.first, s.bodyEnd(name, fClass)))
		}
	case "enum":
		if s.kindAt(name) == kIdent {
			d.add(name, "Const", s.span(d.first, s.bodyEnd(name, fClass)))
		}
	case "interface":
		if s.kindAt(name) == kIdent && !s.toks[name].nl {
			d.add(name, "Type", s.span(d.first, s.bodyEnd(name, fClass)))
		}
	case "namespace", "module":
		if s.kindAt(name) == kIdent && !s.toks[name].nl && (s.is(name+1, "{") || s.is(name+1, ".")) {
			d.add(name, "Const", s.span(d.first, s.bodyEnd(name, fNamespace)))
		}
	case "type":
		if s.kindAt(name) == kIdent && !s.toks[name].nl && (s.is(name+1, "=") || s.is(name+1, "<")) {
			d.add(name, "Type", s.span(d.first, s.stmtEnd(name)))
		}
	case "const", "let", "var":
		if !s.is(name, "enum") {
			d.variables(i)
		}
	}
}

func (d declared) add(name int, kind string, body lang.Span) {
	d.s.checkBody(&body)
	e := lang.Export{Name: d.s.str(name), Local: d.s.str(name), Span: d.s.span(name, name), Kind: kind, Body: body}
	d.s.f.Defs = append(d.s.f.Defs, e)
	if d.exported {
		if d.deflt {
			e.Name = "default"
		}
		d.s.addExport(e)
	}
}

// checkBody drops a body that was not found.
func (s *scanner) checkBody(b *lang.Span) {
	if b.End <= b.Start {
		*b = lang.Span{}
	}
}

// variables reads the declarators behind const, let or var at token i.
func (d declared) variables(i int) {
	s := d.s
	kind := "Const"
	if !s.is(i, "const") {
		kind = "Var"
	}
	end := s.stmtEnd(i)
	body := s.span(d.first, end)
	for j := i + 1; j <= end; {
		if s.is(j, "{") || s.is(j, "[") {
			for _, n := range s.patternNames(j, 0) {
				d.add(n, kind, body)
			}
		} else if s.kindAt(j) == kIdent || s.is(j, "await") || s.is(j, "yield") {
			d.add(j, kind, body)
		} else {
			return
		}
		j = s.declaratorEnd(j, end+1) + 1
	}
}

// patternNames lists the tokens that a destructuring pattern at i binds.
func (t *text) patternNames(i, depth int) []int {
	var out []int
	if depth > maxDepth {
		return nil
	}
	end := t.closing(i)
	object := t.is(i, "{")
	for j := i + 1; j < end; {
		if t.is(j, "...") {
			j++
		}
		if object {
			switch {
			case t.is(j, "["):
				if c := t.closing(j); c > 0 {
					j = c + 1
				}
				if t.is(j, ":") {
					j++
				}
			case t.is(j+1, ":"):
				j += 2
			}
		}
		switch {
		case t.is(j, "{") || t.is(j, "["):
			if t.closing(j) < end {
				out = append(out, t.patternNames(j, depth+1)...)
			}
		case t.word(j):
			out = append(out, j)
		}
		j = t.nextComma(j, end) + 1
	}
	return out
}
