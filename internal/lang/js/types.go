package js

// typ reads a type. Like an expression it is read flat.
func (p *reader) typ() {
	if !p.enter() {
		p.i++
		p.leave()
		return
	}
	defer p.leave()
	for p.i < p.end {
		p.take("|")
		p.take("&")
		if !p.typeOperand() {
			return
		}
		for p.see("[") && !p.newline() {
			p.bracketed(p.typ)
		}
		switch {
		case p.see("|") || p.see("&"):
			p.i++
		case p.see("extends") && !p.newline():
			p.conditionalType()
			return
		case p.see("is") && !p.newline():
			p.i++
		default:
			return
		}
	}
}

// conditionalType reads from extends on: names that infer binds are known in
// the true branch.
func (p *reader) conditionalType() {
	outer := p.open(false)
	p.i++
	infers := p.infers
	p.infers = p.scope
	p.typ()
	p.infers = infers
	if p.take("?") {
		p.typ()
	}
	p.shut(outer)
	if p.take(":") {
		p.typ()
	}
}

// returnType reads a return type, also "asserts x is T" and "x is T".
func (p *reader) returnType() {
	if p.see("asserts") && (p.kindN(1) == kIdent || p.seeAt(1, "this")) && p.i+1 < p.end && !p.toks[p.i+1].nl && !p.seeAt(1, "is") {
		p.i++
	}
	p.typ()
}

// typeOperand reads one operand of a type; false where none stands.
func (p *reader) typeOperand() bool {
	for p.kind() == kIdent && (p.see("keyof") || p.see("unique") || p.see("readonly")) && p.typeAt(p.i+1) {
		p.i++
	}
	switch p.kind() {
	case kIdent:
		p.typeName()
		return true
	case kKeyword:
		return p.typeKeyword()
	case kNumber, kString, kTemplate:
		p.i++
		return true
	case kTplHead:
		p.templateType()
		return true
	case kPunct:
		switch p.str(p.i) {
		case "(":
			if c := p.closing(p.i); c > 0 && p.is(c+1, "=>") {
				p.functionType()
			} else {
				p.bracketed(p.typ)
			}
			return true
		case "<":
			p.functionType()
			return true
		case "{":
			p.bracketed(p.typeMember)
			return true
		case "[":
			p.bracketed(p.tupleItem)
			return true
		case "-":
			p.i++
			return p.typeOperand()
		}
	}
	return false
}

// typeAt tells whether a type may begin at token i on the same line.
func (p *reader) typeAt(i int) bool {
	if i >= p.end || p.toks[i].nl {
		return false
	}
	switch p.kindAt(i) {
	case kIdent, kKeyword, kString, kTemplate, kTplHead:
		return !p.is(i, "extends") && !p.is(i, "in")
	case kPunct:
		return p.is(i, "(") || p.is(i, "[") || p.is(i, "{")
	}
	return false
}

var typeWords = map[string]bool{
	"string": true, "number": true, "boolean": true, "any": true, "unknown": true, "never": true,
	"object": true, "symbol": true, "bigint": true, "undefined": true, "intrinsic": true,
}

// typeName reads a name in a type, with members and arguments.
func (p *reader) typeName() {
	switch {
	case p.see("infer") && p.kindN(1) == kIdent:
		p.i++
		p.declare(p.infers, p.i, "local")
		p.i++
		if p.see("extends") { // infer T extends U
			p.i++
			p.typeOperand()
		}
		return
	case p.see("abstract") && p.seeAt(1, "new"):
		p.i += 2
		p.functionType()
		return
	case typeWords[p.str(p.i)] && !p.seeAt(1, ".") && !p.seeAt(1, "is"):
		p.i++
		return
	}
	p.use(p.i)
	p.i++
	p.typeSuffix()
}

// typeSuffix reads .name and <arguments>.
func (p *reader) typeSuffix() {
	for p.take(".") {
		p.memberName()
	}
	if p.see("<") && !p.newline() {
		p.typeArgs()
	}
}

func (p *reader) typeKeyword() bool {
	switch p.str(p.i) {
	case "void", "null", "true", "false":
		p.i++
	case "this":
		p.i++
		p.typeSuffix()
	case "typeof":
		p.i++
		switch {
		case p.see("import"):
			return p.typeKeyword()
		case p.take("this"):
		case p.kind() == kIdent:
			p.use(p.i)
			p.i++
		}
		p.typeSuffix()
	case "import":
		p.i++
		if p.see("(") {
			p.bracketed(func() { p.i++ })
		}
		p.typeSuffix()
	case "new":
		p.i++
		p.functionType()
	case "const":
		p.i++
	default:
		return false
	}
	return true
}

// functionType reads <T>(a: A) => R.
func (p *reader) functionType() {
	outer := p.open(true)
	if p.see("<") {
		p.typeParams()
	}
	p.params()
	if p.take("=>") {
		p.returnType()
	}
	p.shut(outer)
}

// typeParams reads <const in out T extends U = V, …>.
func (p *reader) typeParams() {
	p.i++
	for p.i < p.end && !p.see(">") {
		at := p.i
		for (p.see("const") || p.see("in") || p.see("out")) && (p.kindN(1) == kIdent || p.seeAt(1, "out")) {
			p.i++
		}
		if p.kind() == kIdent {
			p.declare(p.scope, p.i, "local")
			p.i++
		}
		if p.take("extends") {
			p.typ()
		}
		if p.take("=") {
			p.typ()
		}
		if !p.take(",") && !p.see(">") {
			return
		}
		if p.i == at {
			return
		}
	}
	p.take(">")
}

// typeArgs reads <A, B>.
func (p *reader) typeArgs() {
	p.i++
	for p.i < p.end && !p.see(">") {
		at := p.i
		p.typ()
		if !p.take(",") || p.i == at {
			break
		}
	}
	p.take(">")
}

// typeList reads A, B<C>.
func (p *reader) typeList() {
	for p.i < p.end && !p.see("{") {
		at := p.i
		p.typ()
		if !p.take(",") || p.i == at {
			return
		}
	}
}

func (p *reader) templateType() {
	for p.i < p.end {
		c := p.closing(p.i)
		p.bracketed(p.typ)
		if c < 0 || p.toks[c].kind != kTplMiddle {
			return
		}
		p.i = c
	}
}

func (p *reader) tupleItem() {
	if p.take(",") {
		return
	}
	p.take("...")
	if p.kind() == kIdent && (p.seeAt(1, ":") || p.seeAt(1, "?") && p.seeAt(2, ":")) { // a label
		p.i++
		p.take("?")
		p.take(":")
	}
	p.typ()
	p.take("?")
}

// typeMember reads one member of an object type, an interface or a mapped type.
func (p *reader) typeMember() {
	if p.take(";") || p.take(",") || p.take("+") || p.take("-") {
		return
	}
	if p.see("new") && (p.seeAt(1, "(") || p.seeAt(1, "<")) {
		p.i++
	}
	for (p.see("readonly") || p.see("get") || p.see("set") || p.see("static")) && p.keyAt(p.i+1) {
		p.i++
	}
	if p.see("[") && p.kindN(1) == kIdent && p.seeAt(2, "in") {
		p.mappedMember()
		return
	}
	switch {
	case p.see("(") || p.see("<"):
		p.signature()
		return
	case !p.key():
		return
	}
	p.take("?")
	if p.see("(") || p.see("<") {
		p.signature()
		return
	}
	if p.take(":") {
		p.typ()
	}
}

// mappedMember reads [K in T as U]: V, where K is known in U and V.
func (p *reader) mappedMember() {
	outer := p.open(false)
	p.bracketed(func() {
		switch {
		case p.kind() == kIdent && p.seeAt(1, "in"):
			p.declare(p.scope, p.i, "local")
			p.i += 2
			p.typ()
		case p.take("as"):
			p.typ()
		}
	})
	p.take("+")
	p.take("-")
	p.take("?")
	if p.take(":") {
		p.typ()
	}
	p.shut(outer)
}
