package js

// stmtEnd is the last token of the statement that token i stands in, by its
// semicolon or by the rules of automatic insertion.
func (t *text) stmtEnd(i int) int {
	for j := i; j < len(t.toks); j++ {
		if j > i && t.toks[j].nl && t.endsOperand(j-1) && !t.continues(j) {
			return j - 1
		}
		if t.is(j, ";") {
			return j
		}
		if t.closes(j) && int(t.toks[j].match) < i || t.strayCloser(j) {
			return j - 1
		}
		if c := t.skipBracket(j); c > j {
			j = c
		}
	}
	return len(t.toks) - 1
}

// skipBracket is the end of the bracket or template that opens at j, else j.
func (t *text) skipBracket(j int) int {
	c := t.closing(j)
	for c > 0 && t.toks[c].kind == kTplMiddle {
		n := t.closing(c)
		if n < 0 {
			break
		}
		c = n
	}
	if c < 0 {
		return j
	}
	return c
}

// closes tells whether token j ends a bracket.
func (t *text) closes(j int) bool {
	m := int(t.toks[j].match)
	return m >= 0 && m < j
}

func (t *text) strayCloser(j int) bool {
	return t.kindAt(j) == kPunct && t.toks[j].match < 0 && (t.is(j, ")") || t.is(j, "]") || t.is(j, "}"))
}

// endsOperand tells whether a statement may end behind token j.
func (t *text) endsOperand(j int) bool {
	switch t.kindAt(j) {
	case kPunct:
		switch t.str(j) {
		case ")", "]", "}", "++", "--", ">", "/>", "!", "*":
			return true
		}
		return false
	case kKeyword:
		switch t.str(j) {
		case "this", "null", "true", "false", "super", "break", "continue", "return", "debugger", "void", "default", "await", "yield", "let":
			return true
		}
		return t.is(j-1, ".")
	case kIdent:
		switch t.str(j) {
		case "as", "satisfies", "keyof", "infer":
			return t.kindAt(j-1) == kPunct && !t.is(j-1, ")") && !t.is(j-1, "]") && !t.is(j-1, "}")
		}
	case kTplHead, kTplMiddle:
		return false
	}
	return true
}

// continues tells whether token j at a line's start goes on with the
// expression of the line before.
func (t *text) continues(j int) bool {
	switch t.kindAt(j) {
	case kPunct:
		switch t.str(j) {
		case "{": // the body of a head on the line before
			f := t.toks[j].frame
			return f == fFunc || f == fClass || f == fNamespace
		case "}", "++", "--", "!", "~", "@", "#", "...":
			return false
		case "</":
			return true
		case "<":
			return !t.dia.jsx || t.closing(j) < 0
		}
		return true
	case kTemplate, kTplHead:
		return true
	case kKeyword, kIdent:
		switch t.str(j) {
		case "in", "instanceof", "extends", "implements":
			return true
		case "as", "satisfies":
			return t.dia.ts && !t.is(j+1, "=") && !t.is(j+1, ".") && !t.is(j+1, "(")
		}
	}
	return false
}

// bodyEnd is the token that ends the body of kind k of a head that goes on at
// i; where there is none (an overload, a declare), the end of the statement.
func (t *text) bodyEnd(i int, k frameKind) int {
	for j := i; j < len(t.toks); j++ {
		if t.is(j, "{") && t.toks[j].frame == k {
			if c := t.closing(j); c > 0 {
				return c
			}
			return -1
		}
		if t.is(j, ";") {
			return j
		}
		if j > i && t.toks[j].nl && t.endsOperand(j-1) && !t.continues(j) {
			return j - 1
		}
		if t.closes(j) && int(t.toks[j].match) < i {
			return j - 1
		}
		j = t.skipBracket(j)
	}
	return len(t.toks) - 1
}

// declaratorEnd is the comma behind the declarator at j, or end.
func (t *text) declaratorEnd(j, end int) int {
	depth, inType := 0, false
	for ; j < end; j++ {
		if c := t.skipBracket(j); c > j {
			j = c
			continue
		}
		if t.kindAt(j) != kPunct {
			continue
		}
		switch t.str(j) {
		case ":":
			inType = true
		case "=":
			if depth <= 0 {
				inType = false
			}
		case "<":
			if inType {
				depth++
			} else if t.dia.ts {
				if e := t.typeArgsEnd(j); e > 0 {
					j = e - 1
				}
			}
		case ">":
			if inType {
				depth--
			}
		case ",":
			if depth <= 0 {
				return j
			}
		}
	}
	return end
}

// typeArgsEnd is the index behind the > that ends the type arguments that
// open at i, -1 where the < is a comparison.
func (t *text) typeArgsEnd(i int) int {
	depth := 0
	for j := i; j < len(t.toks) && j < i+400; j++ {
		if c := t.skipBracket(j); c > j {
			j = c
			continue
		}
		switch t.kindAt(j) {
		case kIdent, kString, kNumber, kTemplate:
			continue
		case kKeyword:
			switch t.str(j) {
			case "typeof", "void", "null", "this", "true", "false", "in", "extends", "new", "import", "const":
				continue
			}
			return -1
		case kPunct:
			switch t.str(j) {
			case "<":
				depth++
			case ">":
				depth--
				if depth == 0 {
					return j + 1
				}
			case ".", ",", "|", "&", "?", ":", "=>", "=", "-", "...":
			default:
				return -1
			}
		default:
			return -1
		}
	}
	return -1
}
