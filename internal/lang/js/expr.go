package js

// expression reads an expression; with comma, a list of them.
func (p *reader) expression(comma bool) {
	for p.i < p.end {
		p.assign()
		if !comma || !p.take(",") {
			return
		}
	}
}

// assign reads one expression without a comma. Precedence does not matter to
// scopes, so operands and operators are read flat.
func (p *reader) assign() {
	if !p.enter() {
		p.i++
		p.leave()
		return
	}
	defer p.leave()
	for p.i < p.end {
		p.prefixes()
		if !p.primary() {
			return
		}
		p.suffixes()
		if !p.operator() {
			return
		}
	}
}

// prefixes moves over the operators in front of an operand.
func (p *reader) prefixes() {
	for p.i < p.end {
		switch p.kind() {
		case kPunct:
			switch p.str(p.i) {
			case "!", "~", "+", "-", "++", "--", "...":
				p.i++
				continue
			}
		case kKeyword:
			switch p.str(p.i) {
			case "typeof", "void", "delete", "await":
				p.i++
				continue
			case "yield":
				p.i++
				p.take("*")
				continue
			case "new":
				p.i++
				if p.take(".") { // new.target
					p.i++
				}
				continue
			}
		}
		return
	}
}

// operator moves over what joins two operands; false where the expression ends.
func (p *reader) operator() bool {
	for p.i < p.end {
		switch p.kind() {
		case kPunct:
			s := p.str(p.i)
			switch s {
			case "?":
				p.i++
				p.ternary++
				p.assign()
				p.ternary--
				return p.take(":")
			case "=>", ",", ";", ":", ")", "]", "}", "{", "@", "#", "!", "++", "--", "~", "...", "</", "/>":
				return false
			case "<":
				if p.toks[p.i].frame == fJSXTag {
					return false
				}
			}
			p.i++
			for p.see(">") { // >> and >>> are single signs
				p.i++
			}
			return true
		case kKeyword:
			if p.see("in") || p.see("instanceof") {
				p.i++
				return true
			}
			return false
		case kIdent:
			if p.dia.ts && !p.newline() && (p.see("as") || p.see("satisfies")) {
				p.i++
				if !p.take("const") {
					p.typ()
				}
				continue
			}
			return false
		default:
			return false
		}
	}
	return false
}

// suffixes reads members, calls, templates and postfix operators.
func (p *reader) suffixes() {
	for p.i < p.end {
		switch p.kind() {
		case kTemplate:
			p.i++
		case kTplHead:
			p.template()
		case kPunct:
			switch p.str(p.i) {
			case ".":
				p.i++
				p.memberName()
			case "?.":
				p.i++
				if !p.see("(") && !p.see("[") {
					p.memberName()
				}
			case "[":
				p.bracketed(func() { p.expression(true) })
			case "(":
				p.arguments()
			case "!", "++", "--":
				if p.newline() {
					return
				}
				p.i++
			case "<":
				if !p.callTypeArgs() {
					return
				}
			default:
				return
			}
		default:
			return
		}
	}
}

// memberName moves over a name behind a dot.
func (p *reader) memberName() {
	if p.word(p.i) && p.i < p.end || p.kind() == kPrivate {
		p.i++
	}
}

// callTypeArgs reads the type arguments of a call, if the < opens such.
func (p *reader) callTypeArgs() bool {
	if !p.dia.ts {
		return false
	}
	e := p.typeArgsEnd(p.i)
	if e < 0 || e > p.end {
		return false
	}
	if e < p.end && !p.toks[e].nl {
		switch p.kindAt(e) {
		case kTemplate, kTplHead:
		case kPunct:
			switch p.str(e) {
			case "(", ")", "]", "}", ",", ";", ":", ".", "?.", "=>", "==", "===", "!=", "!==", "&&", "||", "??", "?":
			default:
				return false
			}
		default:
			return false
		}
	}
	p.typeArgs()
	return true
}

func (p *reader) arguments() {
	p.bracketed(func() {
		if p.take(",") {
			return
		}
		p.assign()
	})
}

// template reads a template with holes.
func (p *reader) template() {
	for p.i < p.end {
		c := p.closing(p.i)
		p.bracketed(func() { p.expression(true) })
		if c < 0 || p.toks[c].kind != kTplMiddle {
			return
		}
		p.i = c // the middle part opens the next hole
	}
}

// primary reads an operand; false where none stands.
func (p *reader) primary() bool {
	switch p.kind() {
	case kIdent:
		return p.identifier()
	case kKeyword:
		return p.keywordOperand()
	case kNumber, kString, kTemplate, kRegexp, kPrivate:
		p.i++
		return true
	case kInvalid:
		if p.i < p.end {
			p.i++
			return true
		}
		return false
	case kTplHead:
		p.template()
		return true
	case kPunct:
		switch p.str(p.i) {
		case "(":
			if p.arrowAhead(p.i) {
				p.arrow()
			} else {
				p.paren()
			}
			return true
		case "[":
			p.bracketed(func() {
				if !p.take(",") {
					p.assign()
				}
			})
			return true
		case "{":
			p.bracketed(p.objectMember)
			return true
		case "<":
			return p.angle()
		case "@":
			p.decoratorList()
			return p.primary()
		}
	}
	return false
}

func (p *reader) identifier() bool {
	same := p.i+1 < p.end && !p.toks[p.i+1].nl
	switch {
	case p.seeAt(1, "=>"):
		p.arrow()
	case p.see("async") && same && p.seeAt(1, "function"):
		p.i += 2
		p.function(false)
	case p.see("async") && same && (p.kindN(1) == kIdent && p.seeAt(2, "=>") || p.seeAt(1, "(") && p.arrowAhead(p.i+1)):
		p.i++
		p.arrow()
	case p.see("async") && same && p.dia.ts && p.seeAt(1, "<") && p.genericArrow(p.i+1):
		p.i++
		p.arrow()
	default:
		p.use(p.i)
		p.i++
	}
	return true
}

func (p *reader) keywordOperand() bool {
	switch p.str(p.i) {
	case "this", "super", "null", "true", "false":
		p.i++
	case "function":
		p.i++
		p.function(false)
	case "class":
		p.class(false)
	case "import":
		p.i++
	case "let", "yield", "await":
		p.use(p.i)
		p.i++
	default:
		return false
	}
	return true
}

// arrowAhead tells whether the ( at token i begins an arrow function.
func (p *reader) arrowAhead(i int) bool {
	c := p.closing(i)
	if c < 0 || c+1 >= p.end {
		return false
	}
	if p.is(c+1, "=>") {
		return true
	}
	if !p.dia.ts || !p.is(c+1, ":") {
		return false
	}
	if p.ternary > 0 && !p.typedParam(i+1, c) {
		return false
	}
	m := p.mark()
	p.i = c + 2
	p.end = min(p.end, c+400) // no return type is longer
	p.returnType()
	arrow := p.see("=>")
	p.reset(m)
	return arrow
}

// typedParam tells whether a parameter with a type stands at token i.
func (p *reader) typedParam(i, c int) bool {
	return i == c || p.is(i, "...") || p.kindAt(i) == kIdent && (p.is(i+1, ":") || p.is(i+1, "?") && p.is(i+2, ":"))
}

// genericArrow tells whether the < at token i begins the type parameters of an
// arrow function.
func (p *reader) genericArrow(i int) bool {
	e := p.typeArgsEnd(i)
	return e > 0 && e < p.end && p.is(e, "(") && p.arrowAhead(e)
}

// arrow reads an arrow function from its parameters on.
func (p *reader) arrow() {
	outer := p.open(true)
	if p.see("<") {
		p.typeParams()
	}
	if p.see("(") {
		p.params()
	} else {
		p.declare(p.scope, p.i, "param")
		p.i++
	}
	if p.take(":") {
		p.returnType()
	}
	p.take("=>")
	if p.see("{") {
		p.bracketed(p.statement)
	} else {
		p.assign()
	}
	p.shut(outer)
}

// angle reads what a < begins where an operand is wanted: an element, a
// generic arrow function, or a type assertion.
func (p *reader) angle() bool {
	if !p.enter() {
		p.i++
		p.leave()
		return false
	}
	defer p.leave()
	switch {
	case p.toks[p.i].frame == fJSXTag:
		p.element()
	case !p.dia.ts:
		p.i++
	case p.genericArrow(p.i):
		p.arrow()
	default:
		p.typeArgs()
		p.prefixes()
		return p.primary()
	}
	return true
}

// objectMember reads one member of an object literal.
func (p *reader) objectMember() {
	if p.take(",") || p.take(";") {
		return
	}
	if p.take("...") {
		p.assign()
		return
	}
	for (p.see("get") || p.see("set") || p.see("async") || p.see("static")) && p.keyAt(p.i+1) {
		p.i++
	}
	p.take("*")
	at := p.i
	if !p.key() {
		p.assign() // not a member; read what is there
		return
	}
	switch {
	case p.see("(") || p.see("<"):
		p.signature()
	case p.take(":"):
		p.assign()
	case p.kindAt(at) == kIdent:
		p.use(at)
		p.refs[len(p.refs)-1].shorthand = true
		if p.take("=") {
			p.assign()
		}
	}
}

// element reads a JSX element from its < on.
func (p *reader) element() {
	if !p.enter() {
		p.i++
		p.leave()
		return
	}
	defer p.leave()
	single := false
	if c := p.closing(p.i); c > 0 {
		single = p.is(c, "/>")
	}
	name := true
	p.bracketed(func() {
		switch {
		case name:
			name = false
			p.tagName()
		case p.see("{"):
			p.bracketed(func() { p.expression(true) })
		case p.see("<") && p.toks[p.i].frame == fJSXTag:
			p.element()
		case p.see("<"):
			p.typeArgs()
		}
	})
	if single {
		return
	}
	for p.i < p.end {
		switch {
		case p.see("</"):
			named := true
			p.bracketed(func() {
				if named {
					named = false
					p.tagName()
				}
			})
			return
		case p.see("{"):
			p.bracketed(func() { p.expression(true) })
		case p.see("<") && p.toks[p.i].frame == fJSXTag:
			p.element()
		case p.kind() == kJSXText:
			p.i++
		default:
			return
		}
	}
}

// tagName notes the use that a tag's name is: a component's, or the object's
// whose member it is.
func (p *reader) tagName() {
	if p.kind() != kIdent {
		return
	}
	s := p.str(p.i)
	if p.seeAt(1, ".") || s[0] < 'a' && s[0] != '-' || s[0] > 'z' {
		if !p.seeAt(1, ":") && s != "this" {
			p.use(p.i)
		}
	}
	p.i++
	for p.see(".") || p.see(":") {
		p.i += 2
	}
}
