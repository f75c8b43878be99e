package js

import (
	"path"
	"strings"

	"regreen/internal/lang"
)

// createRequire handles createRequire(import.meta.url)("./x") and remembers
// the name that such a require is given.
func (s *scanner) createRequire(i int) {
	end := s.closing(i + 1)
	if !s.is(i+1, "(") || end < 0 {
		return
	}
	base := s.requireBase(i+2, end)
	if s.is(end+1, "(") {
		s.requireCall(i, end, base)
		return
	}
	first := i
	for s.is(first-1, ".") && s.word(first-2) { // module.createRequire
		first -= 2
	}
	s.requireNamed(first, base)
}

// requireNamed remembers the name that a require, whose expression begins at
// token first, is given. Who imports one that is exported loads by it from here.
func (s *scanner) requireNamed(first int, base string) {
	if !s.is(first-1, "=") || !s.word(first-2) {
		return
	}
	if s.requires == nil {
		s.requires = map[string]string{}
	}
	s.requires[s.str(first-2)] = base
	if s.is(first-4, "export") {
		s.anywhere(first, first)
	}
}

// unknownBase is the folder of a require of which it cannot be told where it
// starts from.
const unknownBase = "?"

// requireBase is the folder that the argument of createRequire, tokens i to
// end, names: "" for the file's own.
func (s *scanner) requireBase(i, end int) string {
	own := func(i int) bool {
		return s.is(i, "import") && s.is(i+2, "meta") && (s.is(i+4, "url") || s.is(i+4, "filename"))
	}
	switch {
	case (s.is(i, "__filename") || s.kindAt(i) == kIdent) && i+1 == end, own(i) && i+5 == end:
		return ""
	case s.is(i, "new") && s.is(i+1, "URL") && s.is(i+2, "(") && s.is(i+4, ",") && own(i+5) && s.closing(i+2) == end-1:
		if lit, _, ok := s.literal(i + 3); ok && strings.HasPrefix(lit, ".") {
			return lit[:strings.LastIndexByte(lit, '/')+1]
		}
	}
	return unknownBase
}

// requireFrom handles the word at token i, the name of a require that starts
// from a folder.
func (s *scanner) requireFrom(i int, base string) {
	switch {
	case s.is(i-1, ".") || s.is(i-1, "?."):
	case base == "":
		s.requireWord(i)
	case s.is(i+1, ".") && s.is(i+2, "resolve"):
		s.requireCall(i, i+2, base)
	default:
		s.requireCall(i, i, base)
	}
}

// requireCall records what the call of a require, whose expression is tokens
// first to i, loads; false where it is not called.
func (s *scanner) requireCall(first, i int, base string) bool {
	paren := i + 1
	switch {
	case s.is(paren, "?.") && s.is(paren+1, "("):
		paren++
	case s.is(paren, ")") && s.is(paren+1, "(") && (s.is(first-1, "(") || s.is(first-1, ",")): // (0, require)("./x")
		paren++
	case !s.is(paren, "("):
		return false
	}
	lit, sp, ok := s.literal(paren + 1)
	switch {
	case base == "" || !ok || !ownLooking(lit):
		s.call(first, paren, lang.Require, "require()")
	case base == unknownBase:
		s.anywhere(first, paren)
	default:
		s.wide(first, paren, "./"+path.Join(base, lit), sp)
	}
	return true
}

// requireValue handles require where it is neither called nor a place: given
// another name, or to somebody who may load anything by it.
func (s *scanner) requireValue(i int) {
	switch {
	case s.is(i+1, ".") && (s.is(i+2, "call") || s.is(i+2, "apply") || s.is(i+2, "bind")):
	case s.is(i+1, ".") || s.is(i+1, "?.") || s.is(i+1, "[") || s.is(i+1, "=") || s.is(i+1, ":") && (s.is(i-1, "{") || s.is(i-1, ",")):
		return
	case s.is(i-1, "typeof") || s.typeofBefore(i) || s.is(i+1, ",") && s.is(i+2, "exports"): // what bundlers write
		return
	case s.is(i-1, "var") || s.is(i-1, "let") || s.is(i-1, "const") || s.is(i-1, "as") || s.is(i+1, "as") || s.is(i+1, "=>") || s.kindAt(i+1) == kString || s.is(i-1, "==="):
		return
	case s.is(i-1, "=") && s.word(i-2) && s.endsAfter(i):
		s.requireNamed(i, "")
		return
	default:
		if n := len(s.open); n > 0 {
			if c := s.closing(int(s.open[n-1])); s.is(int(s.open[n-1]), "(") && (s.is(c+1, "{") || s.is(c+1, "=>") || s.is(c+1, ":")) {
				return // a parameter
			}
		}
	}
	s.anywhere(i, i)
}

// typeofBefore tells whether require at token i is asked for just before it:
// typeof require == "function" && require.
func (s *scanner) typeofBefore(i int) bool {
	for j := i - 2; j >= 1 && j > i-8; j-- {
		if s.is(j, "require") && s.is(j-1, "typeof") {
			return true
		}
	}
	return false
}

// anywhere records that tokens first to last may load any file.
func (s *scanner) anywhere(first, last int) {
	sp := s.span(first, first)
	sp.End = sp.Start
	s.add(lang.Import{Kind: lang.Wide, SpecSpan: sp, Span: s.span(first, last), Lazy: s.lazyAt(first)})
	s.uncertain(first, "require()")
}

// proxyWord handles proxyquire("./x", …), and .noCallThru().load("./x", …).
func (s *scanner) proxyWord(i int) {
	first := i
	s.mockCall(first, i)
	for s.is(i+1, ".") && s.is(i+3, "(") {
		if s.is(i+2, "load") {
			s.mockCall(first, i+2)
		}
		c := s.closing(i + 3)
		if c < 0 {
			return
		}
		s.mockCall(first, c)
		i = c
	}
}

// loads handles f("./x") of a function that loads a module.
func (s *scanner) loads(i int) {
	if _, _, ok := s.literal(i + 2); ok && s.is(i+1, "(") && !s.is(i-1, ".") {
		s.call(i, i+1, lang.Require, s.str(i)+"()")
	}
}

// globs are the functions that list files by a pattern.
var globs = wordSet("glob globSync globby globbySync sync fg fastGlob")

// globbed notes the folder that the pattern in a call of one of globs begins
// with.
func (s *scanner) globbed(i int, text string) {
	k := i - 1
	if s.is(k, "[") {
		k--
	}
	if !s.is(k, "(") || k == 0 || !globs[s.str(k-1)] || s.is(k-3, "meta") {
		return
	}
	if dir, _, ok := strings.Cut(text, "*"); ok && dir[:strings.LastIndexByte(dir, '/')+1] != "" {
		s.addFolder(dir)
	}
}

// addFolder notes that files of a folder are read: what stands before a path's
// computed part, of which the last name may be incomplete.
func (s *scanner) addFolder(prefix string) {
	dir := prefix[:strings.LastIndexByte(prefix, '/')+1]
	if path.Clean(dir) != "." && !strings.ContainsAny(dir, " *?:\\{}$<>|,!") && dir[0] != '/' {
		s.addPath(dir)
	}
}

// environments reads the names of test environments from the comments at the
// top of a test file. Both frameworks look for a path from the project's root.
func (s *scanner) environments() {
	for i := range s.comments {
		c := &s.comments[i]
		if len(s.toks) > 0 && c.start > s.toks[0].start {
			return
		}
		for _, word := range []string{"@jest-environment", "@vitest-environment"} {
			_, rest, ok := strings.Cut(s.src[c.start:c.end], word)
			name := strings.Fields(rest)
			if ok && len(name) > 0 && ownLooking(name[0]) {
				s.addPath(strings.TrimPrefix(name[0], "./"))
			}
		}
	}
}

// outsourced reads the src attributes of a component's blocks: <script src>,
// <template src> and <style src>.
func outsourced(f *lang.File, src string) {
	lines := lineCounter{src: src, line: 1}
	for _, tag := range []string{"<script", "<template", "<style"} {
		end := 0
		for at := indexFold(src, 0, tag); at >= 0; at = indexFold(src, end, tag) {
			if end = tagEnd(src, at); end < 0 {
				break
			}
			i := indexFold(src[:end], at, "src=")
			if i < 0 || i+5 >= end || src[i-1] > ' ' {
				continue
			}
			from := i + len("src=") + 1
			n := strings.IndexByte(src[from:end], src[from-1])
			if n < 0 || src[from-1] != '"' && src[from-1] != '\'' || !ownLooking(src[from:from+n]) {
				continue
			}
			imp := lang.Import{Kind: lang.Static, Specifier: src[from : from+n], Span: lang.Span{Start: at, End: end + 1}, SpecSpan: lang.Span{Start: from, End: from + n}}
			if isAsset(imp.Specifier) || tag != "<script" {
				imp.Kind = lang.Asset
			}
			imp.Line, imp.Column = lines.at(from)
			f.Imports = append(f.Imports, imp)
		}
	}
}
