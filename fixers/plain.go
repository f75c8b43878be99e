package fixers

import (
	"strings"
	"unicode"
)

// Plain is the text of another program for people: without what does more to
// a terminal than to be read, and no longer than limit runes, of which the end
// is kept.
func Plain(s string, limit int) string {
	s = strings.ToValidUTF8(s, "?")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t', r == '\r':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
	s = strings.TrimSpace(s)
	if r := []rune(s); len(r) > limit {
		s = "…" + string(r[len(r)-limit+1:])
	}
	return s
}
