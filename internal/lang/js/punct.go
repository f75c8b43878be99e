package js

import "strings"

// puncts are the tokens longer than one byte, by first byte, longest first.
// ">>" and its kin are left as single signs, since two of them may close two
// lists of type arguments.
var puncts = [128][]string{
	'=': {"===", "==", "=>"},
	'!': {"!==", "!="},
	'+': {"++", "+="},
	'-': {"--", "-="},
	'*': {"**=", "**", "*="},
	'/': {"/="},
	'%': {"%="},
	'&': {"&&=", "&&", "&="},
	'|': {"||=", "||", "|="},
	'^': {"^="},
	'<': {"<<=", "<<", "<="},
	'>': {">>>=", ">>=", ">="},
	'?': {"??=", "??", "?."},
	'.': {"..."},
}

// punct reads punctuation, a regular expression or the start of an element.
func (l *lexer) punct(c byte) {
	switch c {
	case '(':
		l.openParen()
		return
	case '[':
		l.emit(kPunct, l.pos+1, false)
		l.push(frame{kind: fBracket, operand: true})
		return
	case '{':
		l.openBrace()
		return
	case ')', ']', '}':
		l.closer(c)
		return
	case '/':
		if !l.operand && l.regexp() {
			return
		}
	case '<':
		if l.dia.script && strings.HasPrefix(l.src[l.pos:l.limit], "<!--") {
			l.comment(l.lineEnd(l.pos))
			return
		}
		if l.top().kind == fAngle {
			l.emit(kPunct, l.pos+1, false)
			l.push(frame{kind: fAngle})
			return
		}
		if l.dia.jsx && !l.operand && l.looksLikeJSX() {
			l.openTag()
			return
		}
	case '>':
		if l.top().kind == fAngle {
			l.emit(kPunct, l.pos+1, true)
			l.closeTop()
			return
		}
	}
	end := l.pos + 1
	if c < 0x80 {
		for _, p := range puncts[c] {
			if strings.HasPrefix(l.src[l.pos:l.limit], p) {
				if p == "?." && isDigit(l.at(l.pos+2)) {
					continue
				}
				end = l.pos + len(p)
				break
			}
		}
	}
	l.sign(l.src[l.pos:end], end)
}

// sign emits punctuation that is no bracket and keeps the frame's state.
func (l *lexer) sign(s string, end int) {
	f := l.top()
	operand := false
	switch s {
	case "++", "--":
		operand = l.operand && !l.nl
		if s == "--" && l.nl && l.dia.script && l.at(end) == '>' {
			l.comment(l.lineEnd(l.pos))
			return
		}
	case "!":
		operand = l.operand && !l.nl // x! of TypeScript
	case "?":
		f.ternary++
	case ":":
		switch {
		case f.inCase && f.ternary == 0:
			f.inCase = false
		case f.ternary > 0:
			f.ternary--
		}
	case ";":
		f.ternary, f.pend, f.inCase = 0, pendNone, false
	case ",":
		if f.kind == fObject || f.kind == fParen {
			f.ternary = 0
		}
	case ".", "?.", "=", "=>", "...", "@", "#", "~", "+", "-", "*", "/", "%", "&", "|", "^", "<", ">":
	default:
		if len(s) == 1 {
			l.emit(kInvalid, end, false)
			return
		}
	}
	l.emit(kPunct, end, operand)
}

// openParen opens ( and remembers whether a statement's head stands before it.
func (l *lexer) openParen() {
	f := frame{kind: fParen, operand: true}
	n := len(l.toks) - 1
	if n >= 0 && l.toks[n].kind == kKeyword {
		switch s := l.str(n); s {
		case "if", "while", "for", "with":
			f.ctl, f.operand = true, false
		case "switch", "catch":
			f.ctl = true
		case "await":
			if l.is(n-1, "for") {
				f.ctl, f.operand = true, false
			}
		}
	}
	l.emit(kPunct, l.pos+1, false)
	l.push(f)
}

// openBrace opens { and decides what it holds.
func (l *lexer) openBrace() {
	f := l.braceFrame()
	l.emit(kPunct, l.pos+1, false)
	l.push(f)
}

func (l *lexer) braceFrame() frame {
	top := l.top()
	if top.kind == fJSXTag || top.kind == fJSXKids {
		return frame{kind: fJSXExpr}
	}
	n := len(l.toks) - 1
	if n < 0 {
		return frame{kind: fBlock}
	}
	block, object := frame{kind: fBlock}, frame{kind: fObject, operand: true}
	p := &l.toks[n]
	s := l.src[p.start:p.end]
	if p.kind == kPunct {
		switch s {
		case ")":
			if p.match >= 0 && l.headParen(int(p.match)) {
				return block
			}
			return l.bodyFrame(top)
		case "=>":
			return frame{kind: fFunc, operand: true}
		case ";":
			return block
		case "{":
			if p.frame == fObject || p.frame == fJSXExpr {
				return object
			}
			return block
		case "}":
			if l.operand && !l.nl {
				return l.bodyFrame(top)
			}
			return block
		case ":":
			return l.colonFrame(top, n)
		case "]", ">":
			return l.bodyFrame(top)
		}
		return object
	}
	if p.kind == kKeyword {
		switch s {
		case "else", "do", "finally", "catch":
			return block
		case "try":
			return frame{kind: fTry}
		case "this", "null", "true", "false", "super":
			return l.bodyFrame(top)
		case "class":
			return l.bodyFrame(top)
		case "void":
			if top.pend != pendNone || top.kind == fClass {
				return l.bodyFrame(top)
			}
		}
		return object
	}
	if p.kind == kIdent {
		switch s {
		case "static":
			return block
		case "is":
			if l.word(n - 1) {
				return object
			}
		case "as", "satisfies", "keyof", "infer":
			if top.pend == pendNone {
				return object
			}
		case "type": // import type { … }, export type { … }
			if l.is(n-1, "import") || l.is(n-1, "export") {
				return object
			}
		case "global":
			if l.is(n-1, "declare") {
				return frame{kind: fNamespace}
			}
		}
	}
	if l.namespaceHead(n) {
		return frame{kind: fNamespace}
	}
	return l.bodyFrame(top)
}

// headParen tells whether the paren belongs to if, for, while, switch, catch.
func (l *lexer) headParen(open int) bool {
	if l.kindAt(open-1) != kKeyword {
		return false
	}
	switch l.str(open - 1) {
	case "if", "while", "for", "with", "switch", "catch":
		return true
	case "await":
		return l.is(open-2, "for")
	}
	return false
}

// bodyFrame is the brace after a head: the body of what is pending.
func (l *lexer) bodyFrame(top *frame) frame {
	pend := top.pend
	top.pend = pendNone
	switch pend {
	case pendFuncDecl:
		return frame{kind: fFunc}
	case pendFuncExpr:
		return frame{kind: fFunc, operand: true}
	case pendClassDecl, pendInterface:
		return frame{kind: fClass}
	case pendClassExpr:
		return frame{kind: fClass, operand: true}
	}
	if n := len(l.toks) - 1; top.kind == fClass || top.kind == fObject || l.is(n, ")") {
		return frame{kind: fFunc}
	}
	return frame{kind: fBlock}
}

// colonFrame is the brace after a colon: a value, a type, or a labelled block.
func (l *lexer) colonFrame(top *frame, n int) frame {
	if top.kind == fBlock || top.kind == fFunc || top.kind == fRoot || top.kind == fTry {
		if top.ternary == 0 && top.pend == pendNone {
			if l.is(n-1, "default") {
				return frame{kind: fBlock}
			}
			// walk back to "case" on this level, or a label
			for i := n - 1; i >= 0 && n-i < 64; i-- {
				t := &l.toks[i]
				if t.match >= 0 && t.match < int32(i) {
					i = int(t.match)
					continue
				}
				switch s := l.str(i); s {
				case "case":
					return frame{kind: fBlock}
				case ";", "{", "}", "(", "[", "=", ",", "let", "const", "var":
					if i == n-2 && (s == ";" || s == "{" || s == "}") {
						return frame{kind: fBlock}
					}
					return frame{kind: fObject, operand: true}
				}
			}
		}
	}
	return frame{kind: fObject, operand: true}
}

// namespaceHead tells whether the name or string at n ends the head of a
// namespace or module block.
func (l *lexer) namespaceHead(n int) bool {
	i := n
	for i >= 2 && l.kindAt(i) == kIdent && l.is(i-1, ".") {
		i -= 2
	}
	return l.kindAt(i-1) == kIdent && (l.is(i-1, "namespace") || l.is(i-1, "module")) &&
		(l.kindAt(i) == kIdent || l.kindAt(i) == kString) && !l.toks[i].nl
}

// closer reads a closing bracket: it ends the nearest frame of its kind, and
// those above that one stay open for ever.
func (l *lexer) closer(c byte) {
	at := -1
search:
	for i := len(l.frames) - 1; i > 0; i-- {
		switch k := l.frames[i].kind; {
		case c == ')' && k == fParen, c == ']' && k == fBracket:
			at = i
			break search
		case c == '}':
			switch k {
			case fBlock, fFunc, fTry, fObject, fClass, fNamespace, fTemplate, fJSXExpr:
				at = i
				break search
			}
		case k == fTemplate || k == fJSXExpr: // never cross a hole with ) or ]
			break search
		}
	}
	if at < 0 {
		l.broken = true
		l.emit(kPunct, l.pos+1, true)
		return
	}
	if at < len(l.frames)-1 {
		l.broken = true
		l.frames = l.frames[:at+1]
	}
	f := l.frames[at]
	if f.kind == fTemplate {
		l.template(l.pos+1, false)
		return
	}
	l.emit(kPunct, l.pos+1, f.operand)
	l.closeTop()
}
