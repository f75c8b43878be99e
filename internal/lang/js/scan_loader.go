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
	own := s.is(i+2, "__filename") || s.is(i+2, "import") && s.is(i+6, "url")
	if !s.is(i+1, "(") || end < 0 || !own {
		return
	}
	if s.is(end+1, "(") {
		s.call(i, end+1, lang.Require, "require()")
		return
	}
	first := i
	for s.is(first-1, ".") && s.word(first-2) { // module.createRequire
		first -= 2
	}
	if s.is(first-1, "=") && s.word(first-2) {
		if s.requires == nil {
			s.requires = map[string]bool{}
		}
		s.requires[s.str(first-2)] = true
	}
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
