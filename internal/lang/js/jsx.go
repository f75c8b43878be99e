package js

import "strings"

// looksLikeJSX tells whether the < at pos, where an operand may begin, opens
// an element, and not type parameters or a type assertion.
func (l *lexer) looksLikeJSX() bool {
	if n := len(l.toks) - 1; n >= 0 && l.toks[n].kind == kKeyword {
		switch l.str(n) {
		case "function", "class", "new", "extends", "import", "super":
			return false
		}
	}
	i := l.skipSpace(l.pos + 1)
	c := l.at(i)
	if c == '>' {
		return strings.Contains(l.src[i:l.limit], "</")
	}
	if !(c >= 0x80 || c != 0 && class[c]&clsStart != 0) {
		return false
	}
	start := i
	i = l.tagNameEnd(i)
	name := l.src[start:i]
	i = l.skipSpace(i)
	switch c := l.at(i); {
	case c == '>':
		if !l.dia.ts {
			return true
		}
		j := l.skipSpace(i + 1)
		return l.at(j) != '(' || l.closedBehind(j, name)
	case c == '/':
		return l.at(i+1) == '>' || l.at(i+1) == '*' || l.at(i+1) == '/'
	case c == '{':
		return true
	case c == '<':
		return l.dia.ts
	case c >= 0x80 || c != 0 && class[c]&clsStart != 0:
		if !l.dia.ts {
			return true
		}
		if name == "const" {
			return false
		}
		end := l.nameEnd(i)
		if l.src[i:end] != "extends" {
			return true
		}
		switch l.at(l.skipSpace(end)) {
		case '=', '/', '>':
			return true
		}
		return false
	}
	return false
}

// closedBehind tells whether a closing tag of that name stands behind i.
func (l *lexer) closedBehind(i int, name string) bool {
	for {
		k := strings.Index(l.src[i:l.limit], "</"+name)
		if k < 0 {
			return false
		}
		i += k + 2 + len(name)
		if !isIdentByte(l.at(i)) {
			return true
		}
	}
}

func (l *lexer) skipSpace(i int) int {
	for i < l.limit {
		c := l.src[i]
		if c != '\n' && c != '\r' && (c >= 0x80 || class[c]&clsSpace == 0) {
			break
		}
		i++
	}
	return i
}

// tagNameEnd is the end of a tag's name: a-b, a:b, A.B.
func (l *lexer) tagNameEnd(i int) int {
	for i < l.limit && (isIdentByte(l.src[i]) || l.src[i] == '-' || l.src[i] == '.' || l.src[i] == ':') {
		i++
	}
	return i
}

// openTag emits the < of an element.
func (l *lexer) openTag() {
	l.emit(kPunct, l.pos+1, false)
	l.push(frame{kind: fJSXTag})
}

// jsxTag reads one token inside <…> or </…>.
func (l *lexer) jsxTag(c byte) {
	f := l.top()
	switch {
	case c == '>':
		if f.kind == fJSXClose {
			l.emit(kPunct, l.pos+1, true)
			l.closeTop()
			if l.top().kind == fJSXKids {
				l.endElement()
			}
			return
		}
		l.emit(kPunct, l.pos+1, false)
		l.closeTop()
		l.push(frame{kind: fJSXKids})
	case c == '/' && l.at(l.pos+1) == '>':
		l.emit(kPunct, l.pos+2, true)
		l.closeTop()
	case c == '{':
		l.openBrace()
	case c == '"' || c == '\'':
		i := strings.IndexByte(l.src[l.pos+1:l.limit], c)
		if i < 0 {
			l.emit(kInvalid, l.lineEnd(l.pos), false)
			return
		}
		l.emit(kString, l.pos+1+i+1, false)
	case c == '<':
		if n := len(l.toks) - 1; n >= 0 && l.is(n, "=") {
			l.openTag()
			return
		}
		l.emit(kPunct, l.pos+1, false)
		l.push(frame{kind: fAngle})
	case c == '}' || c == ')' || c == ']':
		// The tag never ended: let the bracket close what it belongs to.
		l.closer(c)
	case c >= 0x80 || class[c]&clsStart != 0:
		i := l.pos
		for i < l.limit && (isIdentByte(l.src[i]) || l.src[i] == '-') {
			i++
		}
		l.emit(kIdent, i, false)
		l.toks[len(l.toks)-1].jsx = true
	case c == '.' || c == ':' || c == '=':
		l.emit(kPunct, l.pos+1, false)
	default:
		l.emit(kInvalid, l.pos+1, false)
	}
}

// endElement pops the children's frame behind a closing tag.
func (l *lexer) endElement() {
	l.frames = l.frames[:len(l.frames)-1]
	l.operand = true
}

// jsxKids reads text, a hole or a tag between an element's tags.
func (l *lexer) jsxKids() bool {
	i := l.pos
	blank := true
	for i < l.limit && l.src[i] != '<' && l.src[i] != '{' {
		switch c := l.src[i]; {
		case c == '\n' || c == '\r':
			if blank {
				l.nl = true
			}
		case c >= 0x80 || class[c]&clsSpace == 0:
			blank = false
		}
		i++
	}
	if i > l.pos {
		if blank {
			l.pos = i
			return true
		}
		for l.pos < i && (l.src[l.pos] < 0x80 && class[l.src[l.pos]]&clsSpace != 0 || l.src[l.pos] == '\n' || l.src[l.pos] == '\r') {
			l.pos++
		}
		l.emit(kJSXText, i, false)
		return true
	}
	if i >= l.limit {
		return false
	}
	if l.src[i] == '{' {
		l.openBrace()
		return true
	}
	if l.at(i+1) == '/' {
		l.emit(kPunct, i+2, false)
		l.push(frame{kind: fJSXClose})
		return true
	}
	l.openTag()
	return true
}
