package py

import (
	"fmt"
	"sort"
	"strings"

	"regreen/internal/lang"
)

// Scan reads what a text imports and offers. Of "import a.b" the Names hold
// one with Imported "*" and Local "a"; a star import ("from m import *") has
// Imported "*" and Local "*". A binding's Body is its whole statement,
// decorators included.
func (*Language) Scan(path string, src []byte) *lang.File {
	t := newText(src)
	stmts := t.parse()
	s := &scanner{text: t, f: &lang.File{Path: path, AllKnown: true}, locals: map[string]string{}, mentions: map[string]bool{}}
	s.block(stmts, place{})
	s.offers(analyse(t, stmts, true))
	s.values()
	sort.SliceStable(s.f.Imports, func(i, j int) bool { return s.f.Imports[i].Span.Start < s.f.Imports[j].Span.Start })
	return s.f
}

type scanner struct {
	*text
	f     *lang.File
	lines []int // offsets of the lines' starts
	// locals maps a name that an import binds to the dotted path behind it.
	locals map[string]string
	// mentions are the dotted paths that are noted already.
	mentions map[string]bool
	all      map[string]bool // __all__, nil when there is none
	plugins  bool            // the line is about pytest_plugins
	// lazyPackage: a package that makes its attributes itself, from modules that
	// its strings may name.
	lazyPackage bool
	paths       map[string]bool // those of f.DataPaths
}

// place is where an import statement stands.
type place struct {
	lazy, typing bool
}

// block collects the import statements.
func (s *scanner) block(stmts []*stmt, at place) {
	for n, st := range stmts {
		inner := at
		switch st.kind {
		case sImport:
			s.importStmt(st, at)
		case sFrom:
			s.fromStmt(st, at)
		case sDef:
			inner.lazy = true
		case sIf:
			if s.is(st.from, "if") && s.typeChecking(st) {
				inner.typing, inner.lazy = true, true
			}
		case sTry:
			inner.lazy = at.lazy || s.importGuard(stmts[n+1:])
		case sExcept:
			inner.lazy = true
		case sWith:
			for i := st.from; i < st.to; i++ {
				inner.lazy = inner.lazy || s.is(i, "suppress")
			}
		}
		s.block(st.body, inner)
	}
}

// typeChecking knows "if TYPE_CHECKING:" and "if typing.TYPE_CHECKING:".
func (s *scanner) typeChecking(st *stmt) bool {
	n := st.to - st.from
	return (n == 2 || n == 4) && s.is(st.to-1, "TYPE_CHECKING")
}

// importGuard tells whether the handlers of a try catch a failed import.
func (s *scanner) importGuard(after []*stmt) bool {
	for _, st := range after {
		if st.kind != sExcept {
			return false
		}
		if st.to == st.from+1 {
			return true
		}
		for i := st.from; i < st.to; i++ {
			switch s.str(i) {
			case "ImportError", "ModuleNotFoundError", "Exception", "BaseException":
				return true
			}
		}
	}
	return false
}

func (s *scanner) importStmt(st *stmt, at place) {
	for _, m := range s.importNames(st) {
		spec := s.dotted(m.spec)
		name := lang.Name{Imported: "*", Local: s.str(m.local), Span: s.toks[m.local].Span, LocalSpan: s.toks[m.local].Span, TypeOnly: at.typing}
		s.add(lang.Import{Kind: lang.Static, Specifier: spec, Span: st.span, SpecSpan: s.span(m.spec[0], m.spec[1]),
			Names: []lang.Name{name}}, at)
		if m.local == m.spec[0] {
			s.locals[name.Local] = name.Local
		} else {
			s.locals[name.Local] = spec
		}
	}
}

func (s *scanner) fromStmt(st *stmt, at place) {
	spec, names := s.fromNames(st)
	if spec[0] >= spec[1] {
		return
	}
	imp := lang.Import{Kind: lang.From, Specifier: s.dotted(spec), Span: st.span, SpecSpan: s.span(spec[0], spec[1])}
	for _, m := range names {
		name := lang.Name{Imported: s.str(m.imported), Local: s.str(m.local),
			Span: s.toks[m.imported].Span, LocalSpan: s.toks[m.local].Span, TypeOnly: at.typing}
		if name.Imported == "*" {
			s.f.AllKnown = s.f.AllKnown && at.lazy
		} else {
			s.locals[name.Local] = join(imp.Specifier, name.Imported)
		}
		imp.Names = append(imp.Names, name)
	}
	s.add(imp, at)
}

func (s *scanner) add(imp lang.Import, at place) {
	s.mentions[imp.Specifier] = true // the statement itself is no further mention
	imp.Lazy = at.lazy
	if at.typing {
		imp.Kind = lang.TypeOnly
	}
	imp.Line, imp.Column = s.position(imp.SpecSpan.Start)
	s.f.Imports = append(s.f.Imports, imp)
}

// dotted joins the tokens of a module's name.
func (s *scanner) dotted(r [2]int) string {
	if r[1] == r[0]+1 {
		return s.str(r[0])
	}
	var b strings.Builder
	for i := r[0]; i < r[1]; i++ {
		b.WriteString(s.str(i))
	}
	return b.String()
}

// join puts a name behind a module, which may consist of dots alone.
func join(module, name string) string {
	if module == "" || strings.HasSuffix(module, ".") {
		return module + name
	}
	return module + "." + name
}

func (s *scanner) span(from, to int) lang.Span {
	return lang.Span{Start: s.toks[from].Start, End: s.toks[to-1].End}
}

// position gives line and column of an offset, from 1.
func (s *scanner) position(offset int) (line, column int) {
	if s.lines == nil {
		s.lines = lineStarts(s.src)
	}
	line = sort.SearchInts(s.lines, offset+1)
	return line, offset - s.lines[line-1] + 1
}

func lineStarts(src []byte) []int {
	starts := []int{0}
	for i := 0; i < len(src); i++ {
		if src[i] == '\n' || src[i] == '\r' {
			i += eolLen(src, i) - 1
			starts = append(starts, i+1)
		}
	}
	return starts
}

// offers fills Exports and Defs from the module's bindings. A public name, or
// one in __all__, is an export; what a from-import binds is an export with
// From set.
func (s *scanner) offers(a *analysis) {
	defined, seen := map[string]bool{}, map[string]bool{}
	for _, b := range a.module.binds {
		if b.kind != "import" {
			defined[b.name] = true
		}
		if b.name == "__all__" {
			s.readAll(b)
		}
		if b.name == "__getattr__" && b.stmt.kind == sDef {
			s.f.AllKnown = false
		}
	}
	for _, b := range a.module.binds {
		if seen[b.name] || b.kind == "import" && defined[b.name] {
			continue
		}
		public := !strings.HasPrefix(b.name, "_") || s.all[b.name]
		e := lang.Export{Name: b.name, Local: b.name, Span: b.span, Kind: s.sort(b), Body: b.stmt.span}
		switch {
		case b.kind != "import":
			s.f.Defs = append(s.f.Defs, e)
		case b.stmt.kind == sFrom:
			spec, names := s.fromNames(b.stmt)
			e.Kind, e.Body, e.From = "", lang.Span{}, s.dotted(spec)
			if b.from < len(names) {
				e.Local = s.str(names[b.from].imported)
			}
			public = public && e.From != "__future__"
		default:
			e.Kind, e.Body = "", lang.Span{}
			public = s.all[b.name]
		}
		seen[b.name] = true
		if public {
			s.f.Exports = append(s.f.Exports, e)
		}
	}
	for _, imp := range s.f.Imports {
		for _, n := range imp.Names {
			if n.Imported == "*" && n.Local == "*" && !imp.Lazy {
				s.f.Exports = append(s.f.Exports, lang.Export{Name: "*", Span: n.Span, From: imp.Specifier})
			}
		}
	}
}

// sort names a binding's kind as lang.Export has it.
func (s *scanner) sort(b bind) string {
	switch b.stmt.kind {
	case sDef:
		return "Func"
	case sClass:
		return "Class"
	case sType:
		return "Type"
	}
	if b.name == strings.ToUpper(b.name) {
		return "Const"
	}
	return "Var"
}

// readAll collects the literal strings of an assignment to __all__.
func (s *scanner) readAll(b bind) {
	if s.all == nil {
		s.all = map[string]bool{}
	}
	for i := b.stmt.from; i < b.stmt.to; i++ {
		if v, ok := s.literal(i); ok {
			s.all[v] = true
		}
	}
}

// literal gives the value of a plain string token without escapes.
func (t *text) literal(i int) (string, bool) {
	v, _, ok := t.content(i)
	return v, ok
}

// content is literal with the span of the text between the quotes.
func (t *text) content(i int) (string, lang.Span, bool) {
	if t.kind(i) != lang.String {
		return "", lang.Span{}, false
	}
	start, end := t.toks[i].Start, t.toks[i].End
	raw := false
	for ; start < end && t.src[start] != '"' && t.src[start] != '\''; start++ {
		switch t.src[start] | 0x20 {
		case 'r':
			raw = true
		case 'u':
		default:
			return "", lang.Span{}, false
		}
	}
	n := 1
	if end-start >= 6 && t.src[start+1] == t.src[start] && t.src[start+2] == t.src[start] {
		n = 3
	}
	if end-start < 2*n || t.src[end-1] != t.src[start] {
		return "", lang.Span{}, false
	}
	sp := lang.Span{Start: start + n, End: end - n}
	v := string(t.src[sp.Start:sp.End])
	if !raw && strings.Contains(v, `\`) {
		return "", lang.Span{}, false
	}
	return v, sp, true
}

func (s *scanner) uncertain(i int, format string, args ...any) {
	line, _ := s.position(s.toks[i].Start)
	s.f.Uncertain = append(s.f.Uncertain, fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, args...))
}
