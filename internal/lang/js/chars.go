package js

import (
	"unicode"
	"unicode/utf8"
)

const (
	clsStart = 1 << iota // may start an identifier
	clsPart              // may stand inside one
	clsDigit
	clsSpace // not a line end
)

// class holds the classes of the ASCII bytes.
var class = func() (c [128]uint8) {
	for b := 'a'; b <= 'z'; b++ {
		c[b] = clsStart | clsPart
	}
	for b := 'A'; b <= 'Z'; b++ {
		c[b] = clsStart | clsPart
	}
	for b := '0'; b <= '9'; b++ {
		c[b] = clsPart | clsDigit
	}
	c['$'] = clsStart | clsPart
	c['_'] = clsStart | clsPart
	for _, b := range " \t\v\f" {
		c[b] = clsSpace
	}
	return c
}()

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isIdentByte(b byte) bool { return b >= 0x80 || class[b]&clsPart != 0 }

// wideSpace gives the length of the non-ASCII white space at the start of s
// and whether it ends a line; 0 where there is none.
func wideSpace(s string) (n int, newline bool) {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == 0x2028 || r == 0x2029:
		return n, true
	case r == 0xFEFF || r != utf8.RuneError && unicode.IsSpace(r):
		return n, false
	}
	return 0, false
}

// reserved are the words that are tokens of kind Keyword wherever they are
// not a member's name.
var reserved = map[string]bool{
	"break": true, "case": true, "catch": true, "class": true, "const": true,
	"continue": true, "debugger": true, "default": true, "delete": true, "do": true,
	"else": true, "enum": true, "export": true, "extends": true, "false": true,
	"finally": true, "for": true, "function": true, "if": true, "import": true,
	"in": true, "instanceof": true, "new": true, "null": true, "return": true,
	"super": true, "switch": true, "this": true, "throw": true, "true": true,
	"try": true, "typeof": true, "var": true, "void": true, "while": true,
	"with": true, "let": true, "await": true, "yield": true,
}

func isReserved(s string) bool {
	if len(s) < 2 || len(s) > 10 || s[0] < 'a' || s[0] > 'y' {
		return false
	}
	return reserved[s]
}
