package fixers

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"regreen/internal/lang"
)

// misspeltDeclaration takes back a slip of the pen where a name is declared,
// which is the smaller edit than to have every use follow it. It is one only
// where all of it speaks for a slip: the diff replaced this one token alone,
// nothing says the new name but it, and the new name's word is none that the
// project uses. Where the slip took the capital or the underscore between two
// words with it, the new name may be one word that is meant, or two: then neither
// this nor that the uses follow is certain.
func (v *view) misspeltDeclaration(t *text, s swap, rank int) (Fix, bool) {
	one, ok := v.isSlipOfPen(t, s)
	if !ok {
		return Fix{}, false
	}
	level := Likely
	if !one {
		level = Propose
	}
	return Fix{Title: fmt.Sprintf("rename %s back to %s in %s", s.new, s.old, t.path), Applicability: level, Rank: rank,
		Edits:    inFile(t.path, []lang.TextEdit{{Span: s.tok.Span, New: s.old}}),
		Evidence: fmt.Sprintf("%s was %s at the base, nothing else says %s", s.new, s.old, s.new)}, true
}

// misspeltExport takes back a slip in the declaration of what a module offers.
func (v *view) misspeltExport(module, old, now string) (Fix, bool) {
	m := v.text(module)
	if m == nil {
		return Fix{}, false
	}
	t := home(m, withPrivate(v.offers(module), m), now, v.text)
	for _, s := range v.swaps(t.path) {
		if s.old == old && s.new == now {
			return v.misspeltDeclaration(t, s, 0)
		}
	}
	return Fix{}, false
}

// isSlipOfPen tells whether all speaks for a slip, and whether it is one within
// one word.
func (v *view) isSlipOfPen(t *text, s swap) (one, ok bool) {
	if distance(s.old, s.new) != step || !isSlip(s.old, s.new) || !v.editable(t.path) {
		return false, false
	}
	if heirs := v.renamed(s.old); len(heirs) != 1 || len(heirs[s.new]) != 1 || len(t.idents(s.new, 0)) != 1 {
		return false, false
	}
	was, is, one := changedWords(s.old, s.new)
	return one, is != "" && len(was) > 3 && normalSpelling.Replace(was) != normalSpelling.Replace(is) && v.countWord(t.lang, is, 2) < 2
}

// changedWords gives the part, in lower case, in which the words of two names
// differ, and whether that is one word of both.
func changedWords(old, now string) (was, is string, one bool) {
	a, b := nameWords(old), nameWords(now)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return strings.Join(a, ""), strings.Join(b, ""), len(a) == 1 && len(b) == 1
}

// nameWords splits a name at its underscores and capitals: parseURL_of is
// parse, url, of.
func nameWords(name string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
		}
		word = nil
	}
	rs := []rune(name)
	for i, r := range rs {
		switch {
		case r == '_' || r == '$':
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])):
			flush()
		}
		word = append(word, r)
	}
	flush()
	return out
}

// normalSpelling makes the British and the American spelling of a word one:
// who writes the other one means it.
var normalSpelling = strings.NewReplacer("our", "or", "tre", "ter", "ise", "ize", "isa", "iza", "isi", "izi", "yse", "yze", "ll", "l", "ogue", "og",
	"ae", "e", "oe", "e", "ence", "ense", "grey", "gray", "que", "ck", "mme", "m")

// countWord counts where the files of a language say a word or one that begins
// with it, in any letter case, also in comments and strings, up to most.
func (v *view) countWord(l lang.Language, word string, most int) int {
	n := 0
	for _, rel := range v.sources(l) {
		t := v.text(rel)
		if t == nil {
			continue
		}
		low := bytes.ToLower(t.src)
		if len(low) != len(t.src) {
			low = t.src // letters outside of ASCII change their length: look at it as it is
		}
		for at := 0; n < most; at++ {
			i := bytes.Index(low[at:], []byte(word))
			if i < 0 {
				break
			}
			if at += i; beginsWord(t.src, at) {
				n++
			}
		}
	}
	return n
}

// beginsWord tells whether a letter is the first of a word: behind none, or
// the capital of the next word in a name.
func beginsWord(src []byte, i int) bool {
	if i == 0 || !isLetter(src[i-1]) {
		return true
	}
	return isUpper(src[i]) && (!isUpper(src[i-1]) || i+1 < len(src) && isLetter(src[i+1]) && !isUpper(src[i+1]))
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
