package node

import (
	"regexp/syntax"
	"strings"
)

// PatternPrefix takes a regular expression of JavaScript's apart into its
// literal beginning, whether it takes in anything that follows, and whether it
// ends with the name ("$"); ok is false for any other form.
func PatternPrefix(pattern string) (literal string, rest, whole, ok bool) {
	re, err := syntax.Parse(strings.ReplaceAll(pattern, `\/`, "/"), syntax.Perl)
	if err != nil {
		return "", false, false, false
	}
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	begun := false
	for _, p := range parts {
		if p.Op == syntax.OpCapture {
			p = p.Sub[0]
		}
		switch {
		case p.Op == syntax.OpBeginText && !begun:
			begun = true
		case p.Op == syntax.OpLiteral && begun && !rest && !whole && p.Flags&syntax.FoldCase == 0:
			literal += string(p.Rune)
		case (p.Op == syntax.OpStar || p.Op == syntax.OpPlus) && begun && !rest && !whole &&
			(p.Sub[0].Op == syntax.OpAnyCharNotNL || p.Sub[0].Op == syntax.OpAnyChar):
			rest = true
		case p.Op == syntax.OpEndText && begun:
			whole = true
		default:
			return "", false, false, false
		}
	}
	return literal, rest, whole, begun && literal != ""
}
