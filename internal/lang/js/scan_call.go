package js

import (
	"path"
	"strings"

	"regreen/internal/lang"
)

// requireWord handles require( and require.resolve(, require.context(.
func (s *scanner) requireWord(i int) {
	first := i
	if s.is(i-1, ".") || s.is(i-1, "?.") {
		if !s.is(i-2, "module") || s.is(i-3, ".") {
			return
		}
		first = i - 2
	}
	if s.is(i-1, "function") {
		return
	}
	if s.is(i+1, ".") && s.is(i+3, "(") {
		switch s.str(i + 2) {
		case "resolve":
			s.call(first, i+3, lang.Asset, "require.resolve()")
		case "context":
			if lit, sp, ok := s.literal(i + 4); ok {
				if !strings.HasSuffix(lit, "/") {
					lit += "/"
				}
				s.wide(first, i+3, lit, sp)
			}
		case "requireActual", "requireMock":
			s.call(first, i+3, lang.Mock, "require.requireActual()")
		case "call", "apply", "bind":
			s.requireValue(i)
		}
		return
	}
	if !s.requireCall(first, i, "") && first == i {
		s.requireValue(i)
	}
}

// importCall handles import(…), as a value or as a type.
func (s *scanner) importCall(i int) {
	kind := lang.Dynamic
	if s.inType(i) {
		kind = lang.TypeOnly
	}
	if s.mockArgument(i) {
		kind = lang.Mock
	}
	s.call(i, i+1, kind, "import()")
}

// inType guesses whether import( stands where a type does.
func (s *scanner) inType(i int) bool {
	if s.is(i-1, "typeof") {
		return true
	}
	if !s.dia.ts {
		return false
	}
	if s.dia.types {
		return true
	}
	switch s.str(i - 1) {
	case "<", "|", "&", "as", "extends", "keyof", "satisfies", "implements", "is", "readonly":
		return true
	case ",":
		c := s.closing(i + 1)
		return c > 0 && (s.is(c+1, ">") || s.is(c+1, ".") && s.is(c+3, ">"))
	case ":":
		if s.is(i-2, ")") {
			return true
		}
		if n := len(s.open); n > 0 && s.toks[s.open[n-1]].frame == fObject {
			c := s.closing(i + 1)
			return c > 0 && (s.is(c+1, ".") && (s.is(c+3, ";") || s.is(c+3, "[")) || s.is(c+1, ";"))
		}
		for j := i - 2; j >= 0 && j > i-12; j-- { // a ? b : import()
			switch s.str(j) {
			case "?":
				return s.is(j+1, ":")
			case "let", "const", "var", "(", ";", "{":
				return true
			}
		}
		return true
	case "=":
		for j := i - 2; j >= 0 && j > i-24; j-- {
			switch s.str(j) {
			case "type":
				return s.kindAt(j+1) == kIdent
			case "const", "let", "var", ";", "}", "(":
				return false
			}
		}
	}
	return false
}

// mockArgument tells whether the import at i is the first argument of vi.mock and its like.
func (s *scanner) mockArgument(i int) bool {
	return s.is(i-1, "(") && s.is(i-3, ".") && mockMethods[s.str(i-2)] && (s.is(i-4, "vi") || s.is(i-4, "vitest") || s.is(i-4, "jest"))
}

var mockMethods = map[string]bool{
	"mock": true, "unmock": true, "doMock": true, "dontMock": true, "doUnmock": true, "deepUnmock": true,
	"setMock": true, "requireActual": true, "requireMock": true, "importActual": true, "importMock": true,
	"createMockFromModule": true, "genMockFromModule": true, "unstable_mockModule": true, "unstable_unmockModule": true,
	"replace": true, "replaceEsm": true,
}

// mockWord handles jest.x(…), also chained: jest.mock("a").mock("b").
func (s *scanner) mockWord(i int) {
	if s.is(i-1, ".") || s.is(i-1, "?.") {
		return
	}
	first := i
	for s.is(i+1, ".") && s.word(i+2) {
		paren := i + 3
		if s.dia.ts && s.is(paren, "<") {
			if e := s.typeArgsEnd(paren); e > 0 {
				paren = e
			}
		}
		c := s.closing(paren)
		if !s.is(paren, "(") || c < 0 {
			return
		}
		if mockMethods[s.str(i+2)] {
			s.mockCall(first, paren-1)
		}
		i = c
	}
}

// mockCall records the module path that a call whose callee ends at token i gets.
func (s *scanner) mockCall(first, i int) {
	if !s.is(i+1, "(") {
		return
	}
	if _, _, ok := s.literal(i + 2); ok && !s.is(i+3, "+") {
		s.call(first, i+1, lang.Mock, "")
	} else if end := s.closing(i + 1); actual[s.str(i)] && end > i+2 && !s.is(i+2, "import") && s.nextComma(i+2, end) >= end-1 {
		s.call(first, i+1, lang.Mock, s.str(i)+"()")
	}
}

// actual are the methods of mocks that load the module itself where they get
// nothing but its path.
var actual = wordSet("mock doMock requireActual requireMock importActual importMock createMockFromModule genMockFromModule unstable_mockModule")

// loadsActual handles what loads a module behind its mock where jest or vitest
// have another name: import { jest as j }, const { requireActual } = jest.
func (s *scanner) loadsActual(i int) {
	if s.is(i-1, ".") && (s.is(i-2, "jest") || s.is(i-2, "vi") || s.is(i-2, "vitest") || s.is(i-2, "require") || s.is(i-2, ")")) {
		return // it is seen from there
	}
	s.mockCall(i, i)
}

// call records the import that the call with its parenthesis at paren makes.
func (s *scanner) call(first, paren int, kind lang.ImportKind, what string) {
	end := s.closing(paren)
	last := end
	if end < 0 { // unclosed: the argument still counts
		end, last = len(s.toks), paren+1
	}
	if paren+1 >= end || paren+1 >= len(s.toks) {
		return
	}
	arg := paren + 1
	imp := lang.Import{Kind: kind, Lazy: s.lazyAt(first)}
	if lit, sp, ok := s.literal(arg); ok && (arg+1 == end || s.is(arg+1, ",") || last == arg) {
		s.cjs = s.cjs || strings.HasPrefix(what, "require")
		imp.Specifier, imp.SpecSpan = lit, sp
		imp.Span = s.span(first, last)
		if last == end && !(kind == lang.Mock && s.is(end+1, ".")) { // jest.mock("a").mock("b")
			imp.Names = s.callNames(first, end)
		}
		s.add(imp)
		return
	}
	if kind == lang.Mock && what == "" {
		return
	}
	if s.is(end+1, "{") && s.toks[end+1].frame == fFunc { // a method of that name
		return
	}
	s.cjs = s.cjs || kind == lang.Require
	s.computed(first, paren, end, imp, what)
}

// computed records a call whose argument is not one literal: each branch of a
// conditional, or the literal prefix.
func (s *scanner) computed(first, paren, end int, imp lang.Import, what string) {
	arg := paren + 1
	if q, c, ok := s.conditional(arg, end); ok {
		for _, j := range []int{q, c} {
			one := imp
			one.Specifier, one.SpecSpan, _ = s.literal(j)
			one.Span = s.span(first, end)
			s.add(one)
		}
		return
	}
	prefix, sp := "", s.span(arg, arg)
	switch {
	case s.kindAt(arg) == kTplHead:
		k := &s.toks[arg]
		sp = lang.Span{Start: int(k.start) + 1, End: int(k.end) - 2}
		prefix = s.src[sp.Start:sp.End]
	case s.kindAt(arg) == kString && s.is(arg+1, "+"):
		prefix, sp, _ = s.literal(arg)
	default:
		sp.End = sp.Start
	}
	last := end
	if last >= len(s.toks) {
		last = len(s.toks) - 1
	}
	if strings.HasPrefix(prefix, "file:") || prefix == "/" || strings.HasPrefix(prefix, "/@") {
		prefix, sp.End = "", sp.Start // absolute, or of the server's own
	}
	if q := strings.IndexAny(prefix, "?#"); q > 0 && prefix[0] == '.' && !strings.HasPrefix(what, "require") {
		// A query that loads it anew: the path before it is whole.
		imp.Specifier, imp.SpecSpan, imp.Span = prefix[:q], lang.Span{Start: sp.Start, End: sp.Start + q}, s.span(first, last)
		s.add(imp)
		return
	}
	imp.Kind, imp.Specifier, imp.SpecSpan, imp.Span = lang.Wide, prefix, sp, s.span(first, last)
	s.add(imp)
	s.uncertain(first, what)
}

// conditional finds a ? "x" : "y" as the whole argument.
func (s *scanner) conditional(arg, end int) (q, c int, ok bool) {
	if end-arg < 5 || s.kindAt(end-1) != kString || !s.is(end-2, ":") || s.kindAt(end-3) != kString || !s.is(end-4, "?") {
		return 0, 0, false
	}
	return end - 3, end - 1, true
}

func (s *scanner) wide(first, paren int, spec string, sp lang.Span) {
	end := s.closing(paren)
	if end < 0 {
		end = paren
	}
	s.add(lang.Import{Kind: lang.Wide, Specifier: spec, SpecSpan: sp, Span: s.span(first, end), Lazy: s.lazyAt(first)})
}

// importMeta handles import.meta.glob, .resolve and .dirname.
func (s *scanner) importMeta(i int) {
	if (s.is(i+2, "defer") || s.is(i+2, "source")) && s.is(i+3, "(") {
		s.call(i, i+3, lang.Dynamic, "import()")
		return
	}
	if !s.is(i+2, "meta") {
		return
	}
	s.esm = true
	if !s.is(i+3, ".") {
		return
	}
	paren := i + 5
	if s.is(paren, "<") {
		if e := s.typeArgsEnd(paren); e > 0 {
			paren = e
		}
	}
	switch s.str(i + 4) {
	case "glob", "globEager":
		if !s.is(paren, "(") {
			return
		}
		base := s.globBase(paren)
		from, to := paren+1, paren+1
		if s.is(from, "[") {
			to = s.closing(from)
			from++
		}
		for j := from; j <= to; j++ {
			if lit, sp, ok := s.literal(j); ok && !strings.HasPrefix(lit, "!") {
				if base != "" && ownLooking(lit) {
					lit = "./" + path.Clean(base) + "/" // what is below it; the span says no more
				}
				s.wide(i, paren, lit, sp)
			}
		}
	case "resolve":
		if lit, sp, ok := s.literal(paren + 1); ok && s.is(paren, "(") {
			s.add(lang.Import{Kind: lang.Asset, Specifier: lit, SpecSpan: sp, Span: s.span(i, max(paren+1, s.closing(paren))), Lazy: s.lazyAt(i)})
		}
	case "dirname":
		s.dirname(i, i+5)
	}
}

// globBase is the base option of an import.meta.glob, where it is relative.
func (s *scanner) globBase(paren int) string {
	for j := paren; j < s.closing(paren); j++ {
		if s.is(j, "base") && s.is(j+1, ":") {
			if lit, _, ok := s.literal(j + 2); ok && ownLooking(lit) && lit[0] == '.' {
				return lit
			}
		}
	}
	return ""
}

// newURL handles new URL("./x", import.meta.url). A path that begins with a dot
// is taken to be the file's own whatever it is resolved against.
func (s *scanner) newURL(i int) {
	if !s.is(i+1, "URL") || !s.is(i+2, "(") || !s.is(i+4, ",") {
		return
	}
	own := s.is(i+5, "import") && s.is(i+7, "meta") && s.is(i+9, "url")
	lit, sp, ok := s.literal(i + 3)
	if !ok || lit == "" || lit == "." || lit == ".." || strings.Contains(lit, "://") || !own && lit[0] != '.' {
		return
	}
	if strings.HasSuffix(lit, "/") {
		s.addFolder(lit)
		return
	}
	s.add(lang.Import{Kind: lang.Asset, Specifier: lit, SpecSpan: sp, Span: s.span(i, max(i+4, s.closing(i+2))), Lazy: s.lazyAt(i)})
}
