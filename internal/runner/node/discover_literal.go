package node

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"regreen/internal/lang"
)

// title is a literal first argument, "" for a computed one.
func (p *pieces) title(i int) string {
	var out strings.Builder
	for ; p.is(i, lang.String); i += 2 {
		s, ok := literal(p.text(i))
		if !ok {
			return ""
		}
		out.WriteString(s)
		switch p.punct(i + 1) {
		case ",", ")":
			return out.String()
		case "+":
		default:
			return ""
		}
	}
	return ""
}

// literal is the value of a string or of a template without holes.
func literal(s string) (string, bool) {
	if len(s) < 2 || s[0] != s[len(s)-1] || !strings.ContainsRune("'\"`", rune(s[0])) {
		return "", false
	}
	s = s[1 : len(s)-1]
	if !strings.ContainsRune(s, '\\') {
		return s, true
	}
	var out strings.Builder
	for len(s) > 0 {
		if s[0] != '\\' || len(s) == 1 {
			out.WriteByte(s[0])
			s = s[1:]
			continue
		}
		r, n, ok := escape(s[1:])
		if !ok {
			return "", false
		}
		if r >= 0 {
			out.WriteRune(r)
		}
		s = s[1+n:]
	}
	return out.String(), true
}

// escape reads what follows a backslash: the rune (-1 for none) and how long
// it is written.
func escape(s string) (r rune, n int, ok bool) {
	switch s[0] {
	case 'n':
		return '\n', 1, true
	case 't':
		return '\t', 1, true
	case 'r':
		return '\r', 1, true
	case 'b':
		return '\b', 1, true
	case 'f':
		return '\f', 1, true
	case 'v':
		return '\v', 1, true
	case '0':
		return 0, 1, true
	case '\n':
		return -1, 1, true
	case '\r':
		if strings.HasPrefix(s, "\r\n") {
			return -1, 2, true
		}
		return -1, 1, true
	case 'x', 'u':
		digits, width := s[1:], 2
		if s[0] == 'u' {
			width = 4
		}
		if s[0] == 'u' && strings.HasPrefix(digits, "{") {
			end := strings.IndexByte(digits, '}')
			if end < 0 {
				return 0, 0, false
			}
			v, err := strconv.ParseUint(digits[1:end], 16, 32)
			return rune(v), 2 + end, err == nil && v <= utf8.MaxRune
		}
		if len(digits) < width {
			return 0, 0, false
		}
		v, err := strconv.ParseUint(digits[:width], 16, 32)
		if err != nil {
			return 0, 0, false
		}
		// A surrogate pair is one rune.
		if v >= 0xd800 && v < 0xdc00 && len(digits) >= 10 && digits[4:6] == `\u` {
			if low, err := strconv.ParseUint(digits[6:10], 16, 32); err == nil {
				return (rune(v)-0xd800)<<10 | (rune(low) - 0xdc00) + 0x10000, 11, true
			}
		}
		return rune(v), 1 + width, true
	}
	r, n = utf8.DecodeRuneInString(s)
	return r, n, true
}
