package js

// function reads from behind the keyword: star, name, parameters, body.
func (p *reader) function(decl bool) {
	p.take("*")
	outer := p.scope
	if p.word(p.i) && p.i < p.end && !p.see("(") {
		if decl {
			p.declare(p.scope, p.i, "local")
			p.i++
		} else { // its name is known inside only
			outer = p.open(false)
			p.declare(p.scope, p.i, "local")
			p.i++
			p.signature()
			p.shut(outer)
			return
		}
	}
	p.signature()
}

// signature reads type parameters, parameters, return type and body.
func (p *reader) signature() {
	outer := p.open(true)
	if p.see("<") {
		p.typeParams()
	}
	p.params()
	if p.take(":") {
		p.returnType()
	}
	if p.see("{") {
		p.bracketed(p.statement)
	} else {
		p.take(";")
	}
	p.shut(outer)
}

// params reads ( parameters ).
func (p *reader) params() {
	if p.see("(") {
		p.bracketed(p.param)
	}
}

func (p *reader) param() {
	if p.take(",") {
		return
	}
	p.decoratorList()
	for p.kind() == kIdent && memberModifiers[p.str(p.i)] && (p.kindN(1) == kIdent || p.seeAt(1, "{") || p.seeAt(1, "[")) {
		p.i++
	}
	p.take("...")
	if p.take("this") { // TypeScript's own
	} else if !p.pattern(p.scope, "param") {
		return
	}
	p.take("?")
	if p.take(":") {
		p.typ()
	}
	if p.take("=") {
		p.assign()
	}
}

var memberModifiers = map[string]bool{
	"public": true, "private": true, "protected": true, "readonly": true, "override": true,
	"static": true, "abstract": true, "declare": true, "accessor": true, "async": true, "get": true, "set": true,
}

// pattern binds the names of a pattern; false when none stands here.
func (p *reader) pattern(scope int, kind string) bool {
	if !p.enter() {
		p.i++
		p.leave()
		return false
	}
	defer p.leave()
	switch {
	case p.i >= p.end:
		return false
	case p.see("{"):
		p.bracketed(func() { p.property(scope, kind) })
	case p.see("["):
		p.bracketed(func() {
			if p.take(",") {
				return
			}
			p.take("...")
			if p.pattern(scope, kind) && p.take("=") {
				p.assign()
			}
		})
	case p.kind() == kIdent, p.see("await"), p.see("yield"), p.see("let"):
		p.declare(scope, p.i, kind)
		p.i++
	default:
		return false
	}
	return true
}

// property reads one property of an object pattern.
func (p *reader) property(scope int, kind string) {
	switch {
	case p.take(","):
		return
	case p.take("..."):
		p.pattern(scope, kind)
		return
	case p.see("["):
		p.bracketed(func() { p.expression(true) })
	case p.kindN(1) == kPunct && p.seeAt(1, ":"):
		p.i++
	default:
		plain := p.kind() != kPunct
		if !p.pattern(scope, kind) {
			return
		}
		if plain {
			p.binds[len(p.binds)-1].shorthand = true
		}
		if p.take("=") {
			p.assign()
		}
		return
	}
	if p.take(":") && p.pattern(scope, kind) && p.take("=") {
		p.assign()
	}
}

// class reads a class from its keyword on.
func (p *reader) class(decl bool) {
	p.i++
	outer := p.open(false)
	if p.kind() == kIdent && !p.see("implements") {
		if decl {
			p.declare(outer, p.i, "local")
		} else {
			p.declare(p.scope, p.i, "local")
		}
		p.i++
	}
	if p.see("<") {
		p.typeParams()
	}
	if p.take("extends") {
		p.heritage()
	}
	if p.take("implements") {
		p.typeList()
	}
	if p.see("{") {
		p.bracketed(p.member)
	}
	p.shut(outer)
}

// heritage reads the expression of an extends clause.
func (p *reader) heritage() {
	if !p.enter() {
		p.leave()
		return
	}
	defer p.leave()
	if p.see("{") { // an empty extends
		return
	}
	p.primary()
	p.suffixes()
	if p.see("<") {
		p.typeArgs()
	}
}

// member reads one member of a class body.
func (p *reader) member() {
	if p.take(";") || p.take(",") {
		return
	}
	p.decoratorList()
	if p.see("static") && p.seeAt(1, "{") {
		p.i++
		outer := p.open(true)
		p.bracketed(p.statement)
		p.shut(outer)
		return
	}
	for p.kind() == kIdent && memberModifiers[p.str(p.i)] && p.keyAt(p.i+1) {
		p.i++
	}
	p.take("*")
	if !p.key() {
		if p.see("(") || p.see("<") { // a call signature, or a broken method
			p.signature()
		}
		return
	}
	p.take("?")
	p.take("!")
	if p.see("(") || p.see("<") {
		p.signature()
		return
	}
	if p.take(":") {
		p.typ()
	}
	if p.take("=") {
		outer := p.open(true)
		p.assign()
		p.shut(outer)
	}
	p.take(";")
}

// keyAt tells whether a property's key may begin at token i.
func (p *reader) keyAt(i int) bool {
	if i >= p.end {
		return false
	}
	switch p.kindAt(i) {
	case kIdent, kKeyword, kPrivate, kString, kNumber:
		return true
	case kPunct:
		return p.is(i, "[") || p.is(i, "*")
	}
	return false
}

// key moves over a property's key; false where none stands.
func (p *reader) key() bool {
	switch p.kind() {
	case kIdent, kKeyword, kPrivate, kString, kNumber:
		p.i++
		return true
	}
	if p.see("[") {
		p.computedKey()
		return true
	}
	return false
}

// computedKey reads [expression], or the [name: type] of an index signature.
func (p *reader) computedKey() {
	if p.kindN(1) == kIdent && p.seeAt(2, ":") {
		p.bracketed(func() {
			p.i++
			if p.take(":") {
				p.typ()
			}
		})
		return
	}
	p.bracketed(func() { p.expression(true) })
}

func (p *reader) enum() {
	p.i++
	if p.kind() == kIdent {
		p.declare(p.scope, p.i, "local")
		p.i++
	}
	if !p.see("{") {
		return
	}
	outer := p.open(true)
	p.bracketed(func() {
		switch {
		case p.take(","):
		case p.kind() == kIdent:
			p.declare(p.scope, p.i, "local")
			p.i++
		case p.take("="):
			p.assign()
		case p.kind() == kString:
			p.i++
		}
	})
	p.shut(outer)
}

func (p *reader) namespace() {
	p.i++
	if p.kind() == kIdent {
		p.declare(p.scope, p.i, "local")
	}
	p.i++
	for p.see(".") {
		p.i += 2
	}
	if !p.see("{") {
		return
	}
	outer := p.open(true)
	p.bracketed(p.statement)
	p.shut(outer)
}

func (p *reader) interfaceDecl() {
	p.i++
	p.declare(p.scope, p.i, "local")
	p.i++
	outer := p.open(false)
	if p.see("<") {
		p.typeParams()
	}
	if p.take("extends") {
		p.typeList()
	}
	if p.see("{") {
		p.bracketed(p.typeMember)
	}
	p.shut(outer)
}

func (p *reader) typeAlias() {
	p.i++
	p.declare(p.scope, p.i, "local")
	p.i++
	outer := p.open(false)
	if p.see("<") {
		p.typeParams()
	}
	if p.take("=") {
		p.typ()
	}
	p.take(";")
	p.shut(outer)
}
