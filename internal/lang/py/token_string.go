package py

import (
	"bytes"

	"regreen/internal/lang"
)

// isStringPrefix knows every prefix of a string literal, t-strings included.
func isStringPrefix(word []byte) bool {
	if len(word) > 2 {
		return false
	}
	var lower [2]byte
	for i, c := range word {
		lower[i] = c | 0x20
	}
	switch string(lower[:len(word)]) {
	case "r", "u", "b", "f", "t", "br", "rb", "fr", "rf", "tr", "rt":
		return true
	}
	return false
}

// str reads a string whose quote is at quoteAt; its prefix starts at pos.
func (t *tokenizer) str(quoteAt int) {
	start, quote := t.pos, t.src[quoteAt]
	triple := t.at(quoteAt+1) == quote && t.at(quoteAt+2) == quote
	body := quoteAt + 1
	if triple {
		body += 2
	}
	formatted, raw := false, false
	for _, c := range t.src[start:quoteAt] {
		switch c | 0x20 {
		case 'f', 't':
			formatted = true
		case 'r':
			raw = true
		}
	}
	if formatted {
		t.strings++
		h := hole{id: t.strings, quote: quote, triple: triple, raw: raw}
		t.pos = body
		t.text(h, start, false)
		return
	}
	end, ok := plainEnd(t.src, body, quote, triple)
	if !ok && !triple && t.closes(quote) {
		// The quote ends the f-string around it: its hole was not closed.
		t.emit(lang.Invalid, start, quoteAt+1)
		t.pos = quoteAt + 1
		t.drop(t.holes[len(t.holes)-1].id)
		return
	}
	kind := lang.String
	if !ok {
		kind = lang.Invalid
	}
	t.emit(kind, start, end)
	t.pos = end
}

// closes tells whether quote would end the string around the present hole.
func (t *tokenizer) closes(quote byte) bool {
	n := len(t.holes)
	return n > 0 && t.holes[n-1].quote == quote && !t.holes[n-1].triple
}

// drop forgets the holes of a string that has ended, and what was open in them.
func (t *tokenizer) drop(id int) {
	for n := len(t.holes); n > 0 && t.holes[n-1].id == id; n = len(t.holes) {
		t.brackets = t.brackets[:min(len(t.brackets), t.holes[n-1].base)]
		t.holes = t.holes[:n-1]
	}
}

// plainEnd finds the end of a string; ok is false when its quote is missing
// (then it ends with the line, or with the text when it is triple).
func plainEnd(src []byte, i int, quote byte, triple bool) (end int, ok bool) {
	for i < len(src) {
		switch c := src[i]; {
		case c == '\\':
			i++
			if i < len(src) {
				i += eolLen(src, i)
			}
		case c == quote && !triple:
			return i + 1, true
		case c == quote && i+2 < len(src) && src[i+1] == quote && src[i+2] == quote:
			return i + 3, true
		case (c == '\n' || c == '\r') && !triple:
			return i, false
		default:
			i++
		}
	}
	return len(src), false
}

// text reads an f-string's literal part from pos on; the part's token starts
// at start. spec says that the part is a format specification, whose field is
// then the innermost of holes.
func (t *tokenizer) text(h hole, start int, spec bool) {
	for t.pos < len(t.src) {
		switch c := t.src[t.pos]; {
		case c == '\\':
			t.escape(h.raw)
		case c == h.quote && (!h.triple || t.at(t.pos+1) == c && t.at(t.pos+2) == c):
			t.pos++
			if h.triple {
				t.pos += 2
			}
			t.emit(lang.String, start, t.pos)
			t.drop(h.id)
			return
		case (c == '\n' || c == '\r') && !h.triple:
			if t.pos > start {
				t.emit(lang.Invalid, start, t.pos)
			}
			t.drop(h.id)
			return
		case c == '{' && !spec && t.at(t.pos+1) == '{', c == '}' && !spec && t.at(t.pos+1) == '}':
			t.pos += 2
		case c == '{':
			t.part(start)
			t.emit(lang.Punct, t.pos, t.pos+1)
			t.pos++
			h.base, h.inSpec = len(t.brackets), spec
			t.holes = append(t.holes, h)
			return
		case c == '}' && spec:
			t.part(start)
			t.emit(lang.Punct, t.pos, t.pos+1)
			t.pos++
			start = t.pos
			if n := len(t.holes); n > 0 {
				spec = t.holes[n-1].inSpec
				t.holes = t.holes[:n-1]
			}
		default:
			t.pos++
		}
	}
	if t.pos > start {
		t.emit(lang.Invalid, start, t.pos)
	}
	t.drop(h.id)
}

func (t *tokenizer) part(start int) {
	if t.pos > start {
		t.emit(lang.String, start, t.pos)
	}
}

// escape passes a backslash and what it escapes; braces stay fields.
func (t *tokenizer) escape(raw bool) {
	t.pos++
	if t.pos >= len(t.src) {
		return
	}
	switch c := t.src[t.pos]; {
	case c == '{' || c == '}':
	case c == 'N' && !raw && t.at(t.pos+1) == '{':
		t.pos += 2
		for t.pos < len(t.src) && bytes.IndexByte([]byte("}\n\r\"'"), t.src[t.pos]) < 0 {
			t.pos++
		}
		if t.at(t.pos) == '}' {
			t.pos++
		}
	default:
		t.pos += eolLen(t.src, t.pos)
	}
}

// numberEnd finds the end of a number.
func numberEnd(src []byte, i int) int {
	at := func(i int) byte {
		if i < len(src) {
			return src[i]
		}
		return 0
	}
	digits := func(i int, ok func(byte) bool) int {
		for ok(at(i)) || at(i) == '_' && ok(at(i+1)) {
			i++
		}
		return i
	}
	if at(i) == '0' {
		var ok func(byte) bool
		switch at(i+1) | 0x20 {
		case 'x':
			ok = func(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
		case 'o':
			ok = func(c byte) bool { return c >= '0' && c <= '7' }
		case 'b':
			ok = func(c byte) bool { return c == '0' || c == '1' }
		}
		if ok != nil {
			if end := digits(i+2, ok); end > i+2 {
				return end
			}
		}
	}
	i = digits(i, isDigit)
	if at(i) == '.' {
		i = digits(i+1, isDigit)
	}
	if at(i)|0x20 == 'e' {
		j := i + 1
		if at(j) == '+' || at(j) == '-' {
			j++
		}
		if isDigit(at(j)) {
			i = digits(j, isDigit)
		}
	}
	if at(i)|0x20 == 'j' {
		i++
	}
	return i
}

// stops are the words that no line inside brackets can start with.
var stops = lineSet("def class import return while with try except finally elif raise global nonlocal pass break continue del assert")

// unclosed tells whether the line at i cannot stand inside brackets: then a
// bracket before it was never closed.
func unclosed(src []byte, i int) bool {
	for i < len(src) && (src[i] == ' ' || src[i] == '\t') {
		i++
	}
	end := i
	for end < len(src) && src[end] >= 'a' && src[end] <= 'z' {
		end++
	}
	if end == i || end < len(src) && (isWordStart(src[end]) || isDigit(src[end])) {
		return false
	}
	word := src[i:end]
	if stops[string(word)] {
		return true
	}
	line := src[end:lineEnd(src, end)]
	switch string(word) {
	case "from": // "yield\n from x" may stand in brackets
		return bytes.Contains(line, []byte(" import "))
	case "async":
		return bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("def "))
	}
	return false
}
