package js

// numberEnd is the end of the number that starts at i.
func (l *lexer) numberEnd(i int) int {
	if l.at(i) == '0' {
		switch l.at(i+1) | 0x20 {
		case 'x', 'b', 'o':
			return l.nameEnd(i + 2)
		}
	}
	digits := func() {
		for i < l.limit && (isDigit(l.src[i]) || l.src[i] == '_') {
			i++
		}
	}
	digits()
	if l.at(i) == '.' {
		i++
		digits()
	}
	if l.at(i)|0x20 == 'e' {
		j := i + 1
		if l.at(j) == '+' || l.at(j) == '-' {
			j++
		}
		if isDigit(l.at(j)) {
			i = j
			digits()
		}
	}
	return l.nameEnd(i) // 1n, and what is stuck to it by mistake
}

// quoted reads a string literal; one that does not end before the line does is invalid.
func (l *lexer) quoted(q byte) {
	i := l.pos + 1
	for i < l.limit {
		switch c := l.src[i]; c {
		case q:
			l.emit(kString, i+1, true)
			return
		case '\\':
			if l.at(i+1) == '\r' && l.at(i+2) == '\n' {
				i++
			}
			i++
		case '\n', '\r':
			l.emit(kInvalid, i, true)
			return
		}
		i++
	}
	l.emit(kInvalid, i, true)
}

// template reads a template's part; i is behind its opening ` or }.
func (l *lexer) template(i int, first bool) {
	for i < l.limit {
		switch c := l.src[i]; c {
		case '`':
			k := kTplTail
			if first {
				k = kTemplate
			}
			l.emit(k, i+1, true)
			if !first {
				l.closeTop()
			}
			return
		case '\\':
			i++
		case '$':
			if l.at(i+1) == '{' {
				k := kTplMiddle
				if first {
					k = kTplHead
				}
				l.emit(k, i+2, false)
				if !first {
					l.closeTop()
				}
				l.push(frame{kind: fTemplate})
				return
			}
		}
		i++
	}
	l.emit(kInvalid, i, true)
	if !first {
		l.frames = l.frames[:len(l.frames)-1]
	}
}

// regexp reads a regular expression literal, if one ends on this line.
func (l *lexer) regexp() bool {
	inClass := false
	end := l.lineEnd(l.pos)
	for i := l.pos + 1; i < end; i++ {
		switch l.src[i] {
		case '\\':
			i++
		case '[':
			inClass = true
		case ']':
			inClass = false
		case '/':
			if !inClass {
				l.emit(kRegexp, l.nameEnd(i+1), true)
				return true
			}
		}
	}
	return false
}
