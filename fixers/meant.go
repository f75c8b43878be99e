package fixers

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"regreen/internal/lang"
)

// mayBeMeant tells whether a name that is not there looks as much like one that
// is still to be written (a test written first, a caller before what it calls)
// as like a misspelling of one that is: the two differ as names of one family
// do, by what stands before or behind a word (item, items), by a number, or by
// a word that the project uses elsewhere.
func (v *view) mayBeMeant(l lang.Language, wrong, right string) bool {
	a, b := nameWords(wrong), nameWords(right)
	if strings.Join(a, "") == strings.Join(b, "") {
		return false
	}
	if len(a) != len(b) {
		return strings.HasPrefix(wrong, right) || strings.HasPrefix(right, wrong) || strings.HasSuffix(wrong, right) || strings.HasSuffix(right, wrong)
	}
	for i := range a {
		if a[i] != b[i] && (akin(a[i], b[i]) || v.usesWord(l, a[i], wrong)) {
			return true
		}
	}
	return false
}

// akin tells whether one word is the other with something before or behind it
// that makes a word of it, or with another number. A letter typed twice, or once
// for twice, is a slip, and so is the loss of one that ends no form of a word.
func akin(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if strings.ContainsFunc(a+b, unicode.IsDigit) {
		return true
	}
	if n := len(a); len(b) == n+1 && n > 1 && (strings.HasPrefix(b, a) && b[n] == a[n-1] || strings.HasSuffix(b, a) && b[0] == a[0]) {
		return false
	}
	if strings.HasPrefix(b, a) {
		return len(b) > len(a)+1 || strings.ContainsAny(b[len(a):], "sdrny") // items, named, parser, taken, ready
	}
	return strings.HasSuffix(b, a)
}

// usesWord tells whether the files of a language have the word in a name other
// than this one, or say it in a comment or a string.
func (v *view) usesWord(l lang.Language, word, name string) bool {
	for _, rel := range v.sources(l) {
		t := v.text(rel)
		if t == nil {
			continue
		}
		low := lowered(t.src)
		for at := 0; ; {
			i := bytes.Index(low[at:], []byte(word))
			if i < 0 {
				break
			}
			i += at
			at = i + len(word)
			if from, to := wordAround(t.src, i, at); slices.Contains(nameWords(string(t.src[from:to])), word) && string(t.src[from:to]) != name {
				return true
			}
		}
	}
	return false
}

// lowered is a text with the letters of ASCII in lower case, byte for byte: what
// is no UTF-8, or another length in lower case, stays where it is.
func lowered(src []byte) []byte {
	low := bytes.Clone(src)
	for i, c := range low {
		if 'A' <= c && c <= 'Z' {
			low[i] = c + 'a' - 'A'
		}
	}
	return low
}

// wordAround widens a range to the letters, digits and underscores around it.
func wordAround(src []byte, from, to int) (int, int) {
	in := func(c byte) bool { return isLetter(c) || c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 0x80 }
	for from > 0 && in(src[from-1]) {
		from--
	}
	for to < len(src) && in(src[to]) {
		to++
	}
	return from, to
}
