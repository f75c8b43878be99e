package fixers

// returnsInTry tells whether what a token begins is returned from within a try
// of JavaScript. There a function that waits does so for a reason, whatever it
// calls: without it the catch sees no rejection, and the finally comes too early.
func returnsInTry(t *text, i int) bool {
	if t.lang.Name() != "js" || t.word(i-1) != "return" {
		return false
	}
	depth := 0
	for j := i - 2; j > 0; j-- {
		switch t.word(j) {
		case "}":
			depth++
		case "{":
			if depth--; depth >= 0 {
				continue
			}
			depth = 0
			switch before := t.word(j - 1); {
			case before == "try":
				return true
			case before == "else", before == "do", before == ")" && t.isStatementHead(j-1):
			default:
				return false // a function's body, or no block
			}
		}
	}
	return false
}

// isStatementHead tells whether a closing bracket is that of if (…) and the like.
func (t *text) isStatementHead(closing int) bool {
	depth := 0
	for j := closing; j > 0; j-- {
		switch t.word(j) {
		case ")":
			depth++
		case "(":
			if depth--; depth > 0 {
				continue
			}
			switch t.word(j - 1) {
			case "if", "for", "while", "switch", "with":
				return true
			case "await":
				return t.word(j-2) == "for"
			}
			return false
		}
	}
	return false
}
