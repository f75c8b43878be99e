package pytest

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// token is one piece of Python text; comments and white space are left out.
type token struct {
	kind tokenKind
	text string
	line int // where it begins, from 1
}

type tokenKind uint8

const (
	tokName tokenKind = iota
	tokNumber
	tokString
	tokOp
)

// statement is one logical line.
type statement struct {
	line, end int // first and last line, from 1
	indent    int
	toks      []token
}

// is tells whether the statement begins with the given words.
func (s statement) is(words ...string) bool {
	if len(s.toks) < len(words) {
		return false
	}
	for i, w := range words {
		if s.toks[i].text != w {
			return false
		}
	}
	return true
}

// word gives the i-th token's text, "" past the end.
func (s statement) word(i int) string {
	if i < len(s.toks) {
		return s.toks[i].text
	}
	return ""
}

// scanner splits Python text into statements, whether it parses or not: an
// unclosed bracket ends where a definition begins, an unclosed string ends
// with its line.
type scanner struct {
	src   []byte
	at    int
	line  int
	depth int
	cur   statement
	out   []statement
	// open holds the kinds of triple quotes that are never closed from here
	// on: looking for their ends each time would be quadratic.
	open map[byte]bool
}

func scan(src []byte) []statement {
	s := &scanner{src: bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")), line: 1, open: map[byte]bool{}}
	s.lineStart()
	for s.at < len(s.src) {
		s.next()
	}
	s.flush()
	return s.out
}

func (s *scanner) flush() {
	if len(s.cur.toks) > 0 {
		s.out = append(s.out, s.cur)
	}
	s.cur, s.depth = statement{}, 0
}

// lineStart reads the indentation of a new logical line.
func (s *scanner) lineStart() {
	indent := 0
	for ; s.at < len(s.src); s.at++ {
		switch s.src[s.at] {
		case ' ':
			indent++
		case '\t':
			indent += 8 - indent%8
		case '\f', '\r':
		default:
			s.cur.indent = indent
			return
		}
	}
}

func (s *scanner) add(kind tokenKind, from, line int) {
	if len(s.cur.toks) == 0 {
		s.cur.line = line
	}
	s.cur.end = s.line
	s.cur.toks = append(s.cur.toks, token{kind, string(s.src[from:s.at]), line})
}

func (s *scanner) next() {
	c := s.src[s.at]
	switch {
	case c == '\n':
		s.at++
		s.line++
		if s.depth == 0 || s.recovers() {
			s.flush()
			s.lineStart()
		}
	case c == ' ' || c == '\t' || c == '\r' || c == '\f':
		s.at++
	case c == '\\' && bytes.HasPrefix(bytes.TrimPrefix(s.src[s.at+1:], []byte("\r")), []byte("\n")):
		s.at += bytes.IndexByte(s.src[s.at:], '\n') + 1
		s.line++
	case c == '#':
		for s.at < len(s.src) && s.src[s.at] != '\n' {
			s.at++
		}
	case c == '"' || c == '\'':
		from, line := s.at, s.line
		s.str()
		s.add(tokString, from, line)
	default:
		s.wordOrOp()
	}
}

func (s *scanner) wordOrOp() {
	from := s.at
	r, n := utf8.DecodeRune(s.src[s.at:])
	switch {
	case r == '_' || unicode.IsLetter(r):
		for s.at < len(s.src) {
			r, n = utf8.DecodeRune(s.src[s.at:])
			if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) {
				break
			}
			s.at += n
		}
		if s.at < len(s.src) && (s.src[s.at] == '"' || s.src[s.at] == '\'') && s.at-from <= 2 {
			line := s.line
			s.str()
			s.add(tokString, from, line)
			return
		}
		s.add(tokName, from, s.line)
	case unicode.IsDigit(r):
		for s.at < len(s.src) {
			r, n = utf8.DecodeRune(s.src[s.at:])
			if r != '.' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				break
			}
			s.at += n
		}
		s.add(tokNumber, from, s.line)
	default:
		switch r {
		case '(', '[', '{':
			s.depth++
		case ')', ']', '}':
			s.depth = max(0, s.depth-1)
		}
		s.at += n
		s.add(tokOp, from, s.line)
	}
}

// str moves past a string whose quote is at s.at.
func (s *scanner) str() {
	q := s.src[s.at]
	triple := []byte{q, q, q}
	if bytes.HasPrefix(s.src[s.at:], triple) {
		for i := s.at + 3; i < len(s.src) && !s.open[q]; i++ {
			if s.src[i] == '\\' {
				i++
				continue
			}
			if bytes.HasPrefix(s.src[i:], triple) {
				s.line += bytes.Count(s.src[s.at:i], []byte("\n"))
				s.at = i + 3
				return
			}
		}
		s.open[q] = true
		s.at += 3 // never closed: what follows is code, or nothing could be found in it
		for s.at < len(s.src) && s.src[s.at] != '\n' {
			s.at++
		}
		return
	}
	for s.at++; s.at < len(s.src); s.at++ {
		switch s.src[s.at] {
		case '\\':
			if s.at+1 < len(s.src) {
				s.at++
				if s.src[s.at] == '\n' {
					s.line++
				}
			}
		case '\n':
			return
		case q:
			s.at++
			return
		}
	}
}

// recovers tells whether the line at s.at, inside brackets, begins a
// definition: the bracket was never closed then.
func (s *scanner) recovers() bool {
	rest := s.src[s.at:]
	line := bytes.TrimLeft(rest, " \t")
	for _, w := range []string{"def ", "class ", "async def "} {
		if bytes.HasPrefix(line, []byte(w)) {
			return true
		}
	}
	return len(rest) > 1 && rest[0] == '@' && (rest[1] == '_' || unicode.IsLetter(rune(rest[1])))
}
