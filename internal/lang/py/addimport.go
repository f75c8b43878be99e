package py

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"regreen/internal/lang"
)

// AddImport gives the edits that import names from specifier. A name whose
// Imported is "*" means the module itself: "import specifier", with "as" where
// Local differs. Anything else is "from specifier import …" and joins an
// import of that module at the top level if there is one.
func (*Language) AddImport(_ string, src []byte, specifier string, names []lang.Name) ([]lang.TextEdit, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("import from %s: no names", specifier)
	}
	t := newText(src)
	stmts := t.parse()
	a := analyse(t, stmts, true)
	var plain, from []lang.Name
	for _, n := range names {
		local := n.Local
		if local == "" {
			local = n.Imported
		}
		if n.Imported == "*" {
			if n.Local == "" || n.Local == "*" {
				n.Local = head(specifier)
			}
			local = n.Local
			plain = append(plain, n)
		} else {
			n.Local = local
			from = append(from, n)
		}
		if _, ok := a.module.names[local]; ok {
			return nil, fmt.Errorf("import %s from %s: the file binds that name already", local, specifier)
		}
	}
	w := &importWriter{text: t, stmts: stmts, eol: "\n"}
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		w.eol = "\r\n"
	}
	var edits []lang.TextEdit
	var lines []string
	for _, n := range plain {
		line := "import " + specifier
		if n.Local != head(specifier) {
			line += " as " + n.Local
		}
		lines = append(lines, line)
	}
	if len(from) > 0 {
		texts := make([]string, len(from))
		for i, n := range from {
			texts[i] = n.Imported
			if n.Local != n.Imported {
				texts[i] += " as " + n.Local
			}
		}
		if st := w.existing(specifier); st != nil {
			edits = append(edits, w.extend(st, texts)...)
		} else {
			sort.Slice(texts, func(i, j int) bool { return lessName(texts[i], texts[j]) })
			lines = append(lines, "from "+specifier+" import "+strings.Join(texts, ", "))
		}
	}
	for _, line := range lines {
		edits = append(edits, w.insert(specifier, line))
	}
	return edits, nil
}

type importWriter struct {
	*text
	stmts []*stmt
	eol   string
}

// existing finds the top-level "from specifier import …" that can be extended.
func (w *importWriter) existing(specifier string) *stmt {
	for _, st := range w.stmts {
		if st.kind != sFrom {
			continue
		}
		spec, names := w.fromNames(st)
		var b strings.Builder
		for i := spec[0]; i < spec[1]; i++ {
			b.WriteString(w.str(i))
		}
		if b.String() == specifier && len(names) > 0 && !w.is(names[0].imported, "*") {
			return st
		}
	}
	return nil
}

// lessName orders names as isort does by default: constants, classes, the
// rest; inside, by letters.
func lessName(a, b string) bool {
	if x, y := nameClass(a), nameClass(b); x != y {
		return x < y
	}
	return foldLess(a, b)
}

func nameClass(s string) int {
	s, _, _ = strings.Cut(s, " ")
	switch {
	case len(s) > 1 && s == strings.ToUpper(s):
		return 0
	case s != "" && s[0] >= 'A' && s[0] <= 'Z':
		return 1
	}
	return 2
}

func foldLess(a, b string) bool {
	if x, y := strings.ToLower(a), strings.ToLower(b); x != y {
		return x < y
	}
	return a < b
}

// extend adds names to an import. They go to their sorted places where the
// names are sorted, else to the end.
func (w *importWriter) extend(st *stmt, add []string) []lang.TextEdit {
	_, names := w.fromNames(st)
	have := make([]string, len(names))
	for i, n := range names {
		have[i] = w.str(n.imported)
	}
	less := order(have)
	if less != nil {
		sort.Slice(add, func(i, j int) bool { return less(add[i], add[j]) })
	}
	at := map[int][]string{} // index of the name before which to insert; len: the end
	for _, a := range add {
		i := len(have)
		if less != nil {
			i = sort.Search(len(have), func(i int) bool { return less(a, have[i]) })
		}
		at[i] = append(at[i], a)
	}
	var edits []lang.TextEdit
	for i, texts := range at {
		if i < len(names) {
			edits = append(edits, w.before(names[i], texts))
		} else {
			edits = append(edits, w.behind(st, names[len(names)-1], texts)...)
		}
	}
	sort.Slice(edits, func(i, j int) bool { return edits[i].Start < edits[j].Start })
	return edits
}

// order tells how names are sorted: nil when they are not, or when there is
// one only and nothing can be told.
func order(have []string) func(a, b string) bool {
	for _, less := range []func(a, b string) bool{foldLess, lessName, func(a, b string) bool { return a < b }} {
		if len(have) > 1 && sort.SliceIsSorted(have, func(i, j int) bool { return less(have[i], have[j]) }) {
			return less
		}
	}
	return nil
}

// ownLine tells whether a token is the first of its line, and gives the white
// space before it.
func (w *importWriter) ownLine(i int) (indent string, ok bool) {
	at := w.toks[i].Start
	start := at
	for start > 0 && (w.src[start-1] == ' ' || w.src[start-1] == '\t') {
		start--
	}
	return string(w.src[start:at]), start > 0 && (w.src[start-1] == '\n' || w.src[start-1] == '\r')
}

func (w *importWriter) before(name imported, texts []string) lang.TextEdit {
	sep := ", "
	if indent, ok := w.ownLine(name.imported); ok {
		sep = "," + w.eol + indent
	}
	at := w.toks[name.imported].Start
	return lang.TextEdit{Span: lang.Span{Start: at, End: at}, New: strings.Join(texts, sep) + sep}
}

func (w *importWriter) behind(st *stmt, last imported, texts []string) []lang.TextEdit {
	end := w.toks[last.local].End
	insert := func(at int, s string) lang.TextEdit {
		return lang.TextEdit{Span: lang.Span{Start: at, End: at}, New: s}
	}
	comma := w.is(last.local+1, ",")
	indent, own := w.ownLine(last.imported)
	// One name a line needs brackets; behind a backslash the line goes on.
	if closing := st.to - 1; own && w.is(closing, ")") {
		if comma {
			end = w.toks[last.local+1].End
		}
		eol := lineEnd(w.src, end)
		if eol > w.toks[closing].Start { // "    b)" with the bracket on the line
			eol = end
		}
		lines := w.eol + indent + strings.Join(texts, ","+w.eol+indent)
		if comma {
			return []lang.TextEdit{insert(eol, lines+",")}
		}
		if eol == end {
			return []lang.TextEdit{insert(end, ","+lines)}
		}
		return []lang.TextEdit{insert(end, ","), insert(eol, lines)}
	}
	if comma {
		return []lang.TextEdit{insert(w.toks[last.local+1].End, " "+strings.Join(texts, ", ")+",")}
	}
	return []lang.TextEdit{insert(end, ", "+strings.Join(texts, ", "))}
}
