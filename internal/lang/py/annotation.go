package py

import (
	"strings"

	"regreen/internal/lang"
)

// quoted notes the names that the strings of an annotation use: x: "Tree" means
// the class as x: Tree does.
func (a *analysis) quoted(sc *scope, from, to int) {
	if a.shallow {
		return
	}
	for i := from; i < to; i++ {
		if a.kind(i) != lang.String || a.isText(i, from) {
			continue
		}
		s := a.str(i)
		if len(s) < 3 || s[0] != '"' && s[0] != '\'' || s[len(s)-1] != s[0] || !isTypeText(s[1:len(s)-1]) {
			continue
		}
		for at := 1; at < len(s)-1; {
			end := at
			for end < len(s)-1 && isWord(s[end]) {
				end++
			}
			if end > at && s[at-1] != '.' && (s[at] < '0' || s[at] > '9') {
				span := lang.Span{Start: a.toks[i].Start + at, End: a.toks[i].Start + end}
				a.refs = append(a.refs, ref{name: s[at:end], span: span, in: sc})
			}
			at = max(end, at+1)
		}
	}
}

// isText tells whether a string of an annotation is no type: it stands in
// Literal[...] or Annotated[...].
func (a *analysis) isText(i, from int) bool {
	depth := 0
	for k := i - 1; k > from; k-- {
		switch {
		case a.is(k, "]"):
			depth++
		case a.is(k, "[") && depth > 0:
			depth--
		case a.is(k, "["):
			if a.is(k-1, "Literal") || a.is(k-1, "Annotated") {
				return true
			}
		}
	}
	return false
}

// isTypeText tells whether a text can be a type's: names, dots, brackets.
func isTypeText(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > 127 || !isWord(byte(r)) && !strings.ContainsRune("., |[]", r) }) < 0 &&
		!strings.Contains(s, "Literal[") && !strings.Contains(s, "Annotated[")
}

func isWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
