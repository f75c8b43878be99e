package js

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape gives the value of a string literal's text. What is no valid escape
// stays as it is written.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		r, n := escape(s[i+1:])
		b.WriteString(r)
		i += 1 + n
	}
	return b.String()
}

// escape reads what follows a backslash and says how long that is.
func escape(s string) (value string, n int) {
	simple := map[byte]string{'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'v': "\v", 'f': "\f", '0': "\x00", '\n': ""}
	if v, ok := simple[s[0]]; ok {
		return v, 1
	}
	hex := ""
	switch {
	case s[0] == '\r':
		return "", 1 + len(s[1:]) - len(strings.TrimPrefix(s[1:], "\n"))
	case s[0] == 'x' && len(s) >= 3:
		hex, n = s[1:3], 3
	case strings.HasPrefix(s, "u{"):
		if end := strings.IndexByte(s, '}'); end > 0 {
			hex, n = s[2:end], end+1
		}
	case s[0] == 'u' && len(s) >= 5:
		hex, n = s[1:5], 5
	}
	if code, err := strconv.ParseUint(hex, 16, 21); hex != "" && err == nil {
		if low := s[n:]; utf16.IsSurrogate(rune(code)) && len(low) >= 6 && low[0] == '\\' && low[1] == 'u' {
			// Two escapes that are one character.
			if second, err := strconv.ParseUint(low[2:6], 16, 21); err == nil && utf16.IsSurrogate(rune(second)) {
				return string(utf16.DecodeRune(rune(code), rune(second))), n + 6
			}
		}
		return string(rune(code)), n
	}
	_, size := utf8.DecodeRuneInString(s)
	return s[:size], size
}
