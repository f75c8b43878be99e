package fixers

import (
	"bytes"
	"sort"
	"strings"

	"regreen/internal/lang"
)

// scan is what the text says, read once.
func (t *text) scan() *lang.File {
	if t.file == nil {
		t.file = t.lang.Scan(t.path, t.src)
		if t.file == nil {
			t.file = &lang.File{Path: t.path}
		}
	}
	return t.file
}

// tokens are all tokens.
func (t *text) tokens() []lang.Token {
	if t.toks == nil {
		t.toks = t.lang.Tokens(t.path, t.src)
	}
	return t.toks
}

// significant are the tokens without comments and line ends.
func (t *text) significant() []lang.Token {
	if t.code == nil {
		for _, k := range t.tokens() {
			switch k.Kind {
			case lang.Comment, lang.Newline, lang.Indent, lang.Dedent:
			default:
				t.code = append(t.code, k)
			}
		}
	}
	return t.code
}

// at is a span's text.
func (t *text) at(s lang.Span) string {
	if s.Start < 0 || s.End > len(t.src) || s.End < s.Start {
		return ""
	}
	return string(t.src[s.Start:s.End])
}

// str is a token's text.
func (t *text) str(k lang.Token) string { return t.at(k.Span) }

func (t *text) lineStarts() []int {
	if t.lines == nil {
		t.lines = []int{0}
		for i, b := range t.src {
			if b == '\n' {
				t.lines = append(t.lines, i+1)
			}
		}
	}
	return t.lines
}

// lineOf is the line, from 1, of an offset.
func (t *text) lineOf(offset int) int {
	ls := t.lineStarts()
	return sort.Search(len(ls), func(i int) bool { return ls[i] > offset })
}

// line is the span of a line, from 1, without its end; empty when there is no
// such line.
func (t *text) line(n int) lang.Span {
	ls := t.lineStarts()
	if n < 1 || n > len(ls) {
		return lang.Span{}
	}
	end := len(t.src)
	if n < len(ls) {
		end = ls[n] - 1
	}
	if end > ls[n-1] && t.src[end-1] == '\r' {
		end--
	}
	return lang.Span{Start: ls[n-1], End: end}
}

// eol is the text's line end.
func (t *text) eol() string {
	if i := bytes.IndexByte(t.src, '\n'); i > 0 && t.src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// idents gives the indexes in significant() of identifiers with this text, on
// one line or, with line 0, anywhere.
func (t *text) idents(name string, line int) []int {
	if name == "" {
		return nil
	}
	var out []int
	for i, k := range t.significant() {
		if k.Kind == lang.Ident && k.Len() == len(name) && t.str(k) == name && (line == 0 || t.lineOf(k.Start) == line) {
			out = append(out, i)
		}
	}
	return out
}

// index gives the index in significant() of the token at an offset, -1 when
// none starts there.
func (t *text) index(offset int) int {
	ks := t.significant()
	i := sort.Search(len(ks), func(i int) bool { return ks[i].Start >= offset })
	if i < len(ks) && ks[i].Start == offset {
		return i
	}
	return -1
}

// word is the text of the i-th significant token, "" outside.
func (t *text) word(i int) string {
	ks := t.significant()
	if i < 0 || i >= len(ks) {
		return ""
	}
	return t.str(ks[i])
}

// isMember tells whether the i-th significant token is read off something:
// x.name, x?.name.
func (t *text) isMember(i int) bool {
	p := t.word(i - 1)
	return p == "." || p == "?."
}

// mentions tells cheaply whether a text can hold a name at all.
func (t *text) mentions(name string) bool { return bytes.Contains(t.src, []byte(name)) }

// stem is a path without its extension, and without a trailing index or
// package file: what a specifier that names the file ends in.
func stem(rel string) string {
	dir, name := "", rel
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		dir, name = rel[:i], rel[i+1:]
	}
	s := name
	for _, ext := range []string{".d.ts", ".d.mts", ".d.cts"} {
		if strings.HasSuffix(s, ext) {
			s = strings.TrimSuffix(s, ext)
		}
	}
	if i := strings.LastIndexByte(s, '.'); i > 0 {
		s = s[:i]
	}
	if (s == "index" || s == "__init__") && dir != "" {
		return dir
	}
	if dir == "" {
		return s
	}
	return dir + "/" + s
}

// baseName is the last part of a path's stem.
func baseName(rel string) string {
	s := stem(rel)
	return s[strings.LastIndexByte(s, '/')+1:]
}

// dirOf is a path's folder, "" at the top.
func dirOf(rel string) string {
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		return rel[:i]
	}
	return ""
}

// matching is the index of the bracket that closes the one at i, -1 for none.
func (t *text) matching(i int) int {
	depth := 0
	for ks := t.significant(); i >= 0 && i < len(ks); i++ {
		switch t.word(i) {
		case "(", "[", "{", "${":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
		if depth == 0 {
			return -1
		}
	}
	return -1
}

// opening is the index of the bracket that the one at i closes, -1 for none.
func (t *text) opening(i int) int {
	depth := 0
	for ; i >= 0; i-- {
		switch t.word(i) {
		case ")", "]", "}":
			depth++
		case "(", "[", "{", "${":
			if depth--; depth == 0 {
				return i
			}
		}
		if depth == 0 {
			return -1
		}
	}
	return -1
}

// around is the index of the bracket that encloses the token at i, -1 at the
// top.
func (t *text) around(i int) int {
	depth := 0
	for i--; i >= 0; i-- {
		switch t.word(i) {
		case ")", "]", "}":
			depth++
		case "(", "[", "{", "${":
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// startsStatement tells whether the token at i is the first of its line.
func (t *text) startsStatement(i int) bool {
	ks := t.significant()
	return i == 0 || i < len(ks) && t.lineOf(ks[i-1].Start) < t.lineOf(ks[i].Start)
}

// isStatement tells whether a name is a whole statement by itself, which does
// nothing: somebody is still typing there.
func (t *text) isStatement(i int) bool {
	begins := t.startsStatement(i) || t.word(i-1) == "{" || t.word(i-1) == ";"
	end := t.word(i + 1)
	return begins && (end == "" || end == ";" || end == "}" || t.startsStatement(i+1))
}

// inClass tells whether the bracket around the token is a class's body.
func (t *text) inClass(i int) bool {
	o := t.around(i)
	if t.word(o) != "{" {
		return false
	}
	for j := o - 1; j >= 0 && j > o-12; j-- {
		switch t.word(j) {
		case "class":
			return true
		case ";", "{", "}", ")", "=>":
			return false
		}
	}
	return false
}
