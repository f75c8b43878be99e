package py

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"regreen/internal/lang"
)

// Tokens splits a text. Between two tokens stands white space only, where a
// backslash that joins lines counts as white space, and so does a byte order
// mark. A Newline token ends a logical line; Indent covers the indentation,
// Dedent is empty. An f-string (or t-string) gives String parts with its
// holes' tokens between them. A bracket that is never closed ends where a
// line starts with a word that no expression can hold (def, import, …), so
// that one broken line does not hide the rest.
func (*Language) Tokens(_ string, src []byte) []lang.Token { return tokenize(src) }

// hole is an open replacement field of an f-string.
type hole struct {
	id     int // the string it belongs to
	quote  byte
	triple bool
	raw    bool
	base   int  // brackets open outside
	inSpec bool // the field stands in a format specification
}

type tokenizer struct {
	src      []byte
	pos      int
	toks     []lang.Token
	brackets []byte
	holes    []hole
	strings  int
	indents  []int
	bol      bool // at the beginning of a logical line
	line     bool // the logical line has a token
}

func tokenize(src []byte) []lang.Token {
	t := &tokenizer{src: src, bol: true, toks: make([]lang.Token, 0, len(src)/4+8)}
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		t.pos = 3
	}
	for t.pos < len(src) {
		t.step()
	}
	if t.line {
		t.emit(lang.Newline, t.pos, t.pos)
	}
	for range t.indents {
		t.emit(lang.Dedent, t.pos, t.pos)
	}
	return t.toks
}

func (t *tokenizer) emit(kind lang.TokenKind, start, end int) {
	t.toks = append(t.toks, lang.Token{Kind: kind, Span: lang.Span{Start: start, End: end}})
	switch kind {
	case lang.Newline:
		t.line = false
	case lang.Comment, lang.Indent, lang.Dedent:
	default:
		t.line = true
	}
}

func (t *tokenizer) at(i int) byte {
	if i < len(t.src) {
		return t.src[i]
	}
	return 0
}

// nested says that a line's end does not end the logical line.
func (t *tokenizer) nested() bool { return len(t.brackets) > 0 || len(t.holes) > 0 }

// step reads one token or one piece of white space; it always moves on.
func (t *tokenizer) step() {
	if t.bol && !t.nested() {
		t.bol = false
		t.indentation()
		return
	}
	c := t.src[t.pos]
	switch {
	case c == ' ' || c == '\t' || c == '\f':
		t.pos++
	case c == '\n' || c == '\r':
		t.newline()
	case c == '\\' && (t.at(t.pos+1) == '\n' || t.at(t.pos+1) == '\r'):
		t.pos += 1 + eolLen(t.src, t.pos+1)
	case c == '#':
		end := lineEnd(t.src, t.pos)
		t.emit(lang.Comment, t.pos, end)
		t.pos = end
	case c == '"' || c == '\'':
		t.str(t.pos)
	case c >= '0' && c <= '9', c == '.' && isDigit(t.at(t.pos+1)):
		end := numberEnd(t.src, t.pos)
		t.emit(lang.Number, t.pos, end)
		t.pos = end
	case isWordStart(c):
		t.word()
	default:
		t.punct()
	}
}

// indentation compares a line's indentation with the open blocks. Blank and
// comment lines do not count.
func (t *tokenizer) indentation() {
	start, col := t.pos, 0
scan:
	for ; t.pos < len(t.src); t.pos++ {
		switch t.src[t.pos] {
		case ' ':
			col++
		case '\t':
			col = col/8*8 + 8
		case '\f':
			col = 0
		default:
			break scan
		}
	}
	switch t.at(t.pos) {
	case '\n', '\r', '#', 0:
		if t.pos >= len(t.src) || t.src[t.pos] != 0 {
			return
		}
	}
	top := 0
	if n := len(t.indents); n > 0 {
		top = t.indents[n-1]
	}
	for col < top {
		t.emit(lang.Dedent, t.pos, t.pos)
		t.indents = t.indents[:len(t.indents)-1]
		top = 0
		if n := len(t.indents); n > 0 {
			top = t.indents[n-1]
		}
	}
	if col > top {
		t.indents = append(t.indents, col)
		if n := len(t.toks); n > 0 && t.toks[n-1].End > start {
			start = t.pos
		}
		t.emit(lang.Indent, start, t.pos)
	}
}

func (t *tokenizer) newline() {
	n := eolLen(t.src, t.pos)
	start := t.pos
	t.pos += n
	switch {
	case t.nested():
		if unclosed(t.src, t.pos) {
			t.brackets, t.holes = nil, nil
			t.emit(lang.Newline, start, t.pos)
			t.bol = true
		}
	case t.line:
		t.emit(lang.Newline, start, t.pos)
		t.bol = true
	default:
		t.bol = true
	}
}

func (t *tokenizer) word() {
	end := t.pos
	for end < len(t.src) {
		c := t.src[end]
		if c < utf8.RuneSelf {
			if !isWordStart(c) && !isDigit(c) {
				break
			}
			end++
			continue
		}
		r, n := utf8.DecodeRune(t.src[end:])
		if r == utf8.RuneError && n == 1 || !isWordRune(r) {
			break
		}
		end += n
	}
	if end == t.pos { // a byte that is no text, or a stray symbol
		_, n := utf8.DecodeRune(t.src[t.pos:])
		t.emit(lang.Invalid, t.pos, t.pos+n)
		t.pos += n
		return
	}
	word := t.src[t.pos:end]
	if q := t.at(end); (q == '"' || q == '\'') && isStringPrefix(word) {
		t.str(end)
		return
	}
	kind := lang.Ident
	if isKeyword(word) {
		kind = lang.Keyword
	}
	t.emit(kind, t.pos, end)
	t.pos = end
}

// operators of two and three bytes, the longest first.
var operators = [...]string{"**=", "//=", ">>=", "<<=", "...", "->", ":=", "==", "!=", "<=", ">=", "<<", ">>", "**", "//",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", "<>"}

func (t *tokenizer) punct() {
	c := t.src[t.pos]
	if n := len(t.holes); n > 0 && len(t.brackets) == t.holes[n-1].base {
		h := t.holes[n-1]
		switch {
		case c == '}':
			t.emit(lang.Punct, t.pos, t.pos+1)
			t.pos++
			t.holes = t.holes[:n-1]
			t.text(h, t.pos, h.inSpec)
			return
		case c == ':':
			t.emit(lang.Punct, t.pos, t.pos+1)
			t.pos++
			t.text(h, t.pos, true)
			return
		case c == '!' && t.at(t.pos+1) != '=':
			t.emit(lang.Punct, t.pos, t.pos+1)
			t.pos++
			return
		}
	}
	for _, op := range operators {
		if c == op[0] && bytes.HasPrefix(t.src[t.pos:], []byte(op)) {
			t.emit(lang.Punct, t.pos, t.pos+len(op))
			t.pos += len(op)
			return
		}
	}
	kind := lang.Punct
	switch c {
	case '(', '[', '{':
		t.brackets = append(t.brackets, c)
	case ')', ']', '}':
		// A wrong closing bracket closes too: the line is broken either way,
		// and the rest of the text stays readable.
		if n := len(t.brackets); n > 0 && (len(t.holes) == 0 || n > t.holes[len(t.holes)-1].base) {
			t.brackets = t.brackets[:n-1]
		}
	case '+', '-', '*', '/', '%', '@', '&', '|', '^', '~', '<', '>', ',', ':', '.', ';', '=':
	default:
		kind = lang.Invalid
	}
	t.emit(kind, t.pos, t.pos+1)
	t.pos++
}

func eolLen(src []byte, i int) int {
	if src[i] == '\r' && i+1 < len(src) && src[i+1] == '\n' {
		return 2
	}
	return 1
}

func lineEnd(src []byte, i int) int {
	if n := bytes.IndexAny(src[i:], "\n\r"); n >= 0 {
		return i + n
	}
	return len(src)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nl, unicode.Pc, unicode.Other_ID_Start, unicode.Other_ID_Continue)
}
