package js

// statements reads to the end of the stretch.
func (p *reader) statements() {
	for p.i < p.end {
		at := p.i
		p.statement()
		if p.i == at {
			p.i++
		}
	}
}

// block reads { statements } in a scope of its own.
func (p *reader) block() {
	if !p.see("{") {
		return
	}
	outer := p.open(false)
	p.bracketed(p.statement)
	p.shut(outer)
}

func (p *reader) statement() {
	if !p.enter() {
		p.i++
		p.leave()
		return
	}
	defer p.leave()
	switch p.kind() {
	case kKeyword:
		if p.keywordStatement() {
			return
		}
	case kIdent:
		if p.identStatement() {
			return
		}
	case kPunct:
		switch {
		case p.see("{"):
			p.block()
			return
		case p.take(";"):
			return
		case p.see("@"):
			p.decorators()
			return
		}
	}
	p.expression(true)
	p.take(";")
}

// keywordStatement reads a statement that begins with a reserved word.
func (p *reader) keywordStatement() bool {
	word := p.str(p.i)
	switch word {
	case "var", "let", "const":
		if word == "const" && p.seeAt(1, "enum") {
			p.i++
			p.enum()
			return true
		}
		if word == "let" && !(p.kindN(1) == kIdent || p.seeAt(1, "{") || p.seeAt(1, "[") || p.kindN(1) == kKeyword) {
			return false
		}
		p.variables()
		p.take(";")
	case "function":
		p.i++
		p.function(true)
	case "class":
		p.class(true)
	case "enum":
		p.enum()
	case "import":
		if p.seeAt(1, "(") || p.seeAt(1, ".") {
			return false
		}
		p.importStatement()
	case "export":
		p.exportStatement()
	case "if", "while", "with":
		p.i++
		p.paren()
		p.statement()
		for p.see("else") {
			p.i++
			if p.take("if") {
				p.paren()
			}
			p.statement()
		}
	case "do":
		p.i++
		p.statement()
		if p.take("while") {
			p.paren()
		}
	case "for":
		p.forStatement()
	case "switch":
		p.i++
		p.paren()
		if p.see("{") {
			outer := p.open(false)
			p.bracketed(p.switchItem)
			p.shut(outer)
		}
	case "try":
		p.tryStatement()
	case "return", "throw":
		p.i++
		if !p.newline() && !p.see(";") {
			p.expression(true)
		}
		p.take(";")
	case "break", "continue", "debugger":
		p.i++
		if p.kind() == kIdent && !p.newline() {
			p.i++
		}
		p.take(";")
	case "case", "default", "else", "catch", "finally":
		p.i++ // out of place
	default:
		return false
	}
	return true
}

// identStatement reads a statement that begins with a contextual word or a label.
func (p *reader) identStatement() bool {
	if p.seeAt(1, ":") {
		p.i += 2
		p.statement()
		return true
	}
	same := p.i+1 < p.end && !p.toks[p.i+1].nl
	switch p.str(p.i) {
	case "async":
		if same && p.seeAt(1, "function") {
			p.i += 2
			p.function(true)
			return true
		}
	case "abstract":
		if same && p.seeAt(1, "class") {
			p.i++
			p.class(true)
			return true
		}
	case "declare":
		if same && (p.kindN(1) == kIdent || p.kindN(1) == kKeyword) && !p.seeAt(1, "in") && !p.seeAt(1, "instanceof") {
			p.i++
			p.statement()
			return true
		}
	case "interface":
		if same && p.kindN(1) == kIdent {
			p.interfaceDecl()
			return true
		}
	case "type":
		if same && p.kindN(1) == kIdent && (p.seeAt(2, "=") || p.seeAt(2, "<")) {
			p.typeAlias()
			return true
		}
	case "namespace", "module":
		if same && (p.kindN(1) == kIdent || p.kindN(1) == kString) {
			p.namespace()
			return true
		}
	case "global":
		if p.seeAt(1, "{") {
			p.i++
			outer := p.scope
			p.scope = 0 // what it declares is known everywhere
			p.bracketed(p.statement)
			p.scope = outer
			return true
		}
	case "using":
		if same && p.kindN(1) == kIdent && p.seeAt(2, "=") {
			p.variables()
			return true
		}
	}
	return false
}

// paren reads ( expression ).
func (p *reader) paren() {
	if p.see("(") {
		p.bracketed(func() { p.expression(true) })
	}
}

func (p *reader) switchItem() {
	switch {
	case p.take("case"):
		p.expression(true)
		p.take(":")
	case p.see("default") && p.seeAt(1, ":"):
		p.i += 2
	default:
		p.statement()
	}
}

// variables reads the declarators behind var, let, const or using.
func (p *reader) variables() {
	scope := p.scope
	if p.see("var") {
		scope = p.hoisted()
	}
	p.i++
	for p.i < p.end {
		if !p.pattern(scope, "local") {
			return
		}
		p.take("!")
		if p.take(":") {
			p.typ()
		}
		if p.take("=") {
			p.assign()
		}
		if !p.take(",") {
			return
		}
	}
}

func (p *reader) forStatement() {
	outer := p.open(false)
	p.i++
	p.take("await")
	if p.see("(") {
		p.bracketed(func() {
			switch {
			case p.see("var"), p.see("const"), p.see("let") && p.kindN(1) != kPunct, p.see("let") && (p.seeAt(1, "{") || p.seeAt(1, "[")):
				p.forVariables()
			case p.take(";"), p.take("of"), p.take("in"):
			default:
				p.expression(true)
			}
		})
	}
	p.statement()
	p.shut(outer)
}

// forVariables reads declarators whose initial values stop at in.
func (p *reader) forVariables() {
	scope := p.scope
	if p.see("var") {
		scope = p.hoisted()
	}
	p.i++
	for p.pattern(scope, "local") {
		if p.take(":") {
			p.typ()
		}
		if p.take("=") {
			p.assign()
		}
		if !p.take(",") {
			return
		}
	}
}

func (p *reader) tryStatement() {
	p.i++
	p.block()
	if p.see("catch") {
		outer := p.open(false)
		p.i++
		if p.see("(") {
			p.bracketed(func() {
				if !p.pattern(p.scope, "local") {
					return
				}
				if p.take(":") {
					p.typ()
				}
			})
		}
		p.block()
		p.shut(outer)
	}
	if p.take("finally") {
		p.block()
	}
}

// importStatement binds the names of an import.
func (p *reader) importStatement() {
	p.i++
	if p.kind() == kString {
		p.importTail()
		return
	}
	if p.see("type") && (p.kindN(1) == kIdent && !p.seeAt(1, "from") || p.seeAt(1, "{") || p.seeAt(1, "*") || p.seeAt(1, "from") && p.seeAt(2, "from")) {
		p.i++
	}
	if p.kind() == kIdent {
		p.declare(0, p.i, "import")
		p.i++
		if p.take("=") {
			p.expression(false)
			p.take(";")
			return
		}
		p.take(",")
	}
	if p.take("*") {
		p.take("as")
		if p.kind() == kIdent {
			p.declare(0, p.i, "import")
			p.i++
		}
	} else if p.see("{") {
		p.bracketed(func() {
			local, next := p.specifierNames()
			if local >= 0 {
				p.declare(0, local, "import")
			}
			p.i = next
		})
	}
	if p.take("from") {
		p.importTail()
	}
}

// importTail moves over the module's name and attributes.
func (p *reader) importTail() {
	if p.kind() == kString {
		p.i++
	}
	if (p.see("with") || p.see("assert")) && p.seeAt(1, "{") {
		p.i++
		p.bracketed(func() { p.i++ })
	}
	p.take(";")
}

// specifierNames finds, for one item of an import or export list, the token
// of its last name (the local one of an import) and the index of what follows.
func (p *reader) specifierNames() (last, next int) {
	i := p.i
	if p.is(i, ",") {
		return -1, i + 1
	}
	if p.is(i, "type") && i+1 < p.end && !p.is(i+1, ",") && !(p.is(i+1, "as") && (i+2 < p.end && !p.is(i+2, "as") && p.word(i+2))) {
		i++
	}
	if !p.word(i) && p.kindAt(i) != kString || i >= p.end {
		return -1, p.i
	}
	if i+2 < p.end && p.is(i+1, "as") {
		return i + 2, i + 3
	}
	return i, i + 1
}

func (p *reader) exportStatement() {
	p.i++
	if p.see("type") && (p.seeAt(1, "{") || p.seeAt(1, "*")) {
		p.i++
	}
	switch {
	case p.see("{"):
		c := p.closing(p.i)
		from := c > 0 && p.is(c+1, "from")
		p.bracketed(func() {
			first := p.i
			if p.see("type") && p.i+1 < p.end && !p.seeAt(1, ",") && !p.seeAt(1, "as") {
				first++
			}
			_, next := p.specifierNames()
			if next > p.i && !p.see(",") && !from && p.word(first) {
				p.use(first)
			}
			p.i = next
		})
		if p.take("from") {
			p.importTail()
		}
		p.take(";")
	case p.take("*"):
		if p.take("as") {
			p.i++
		}
		if p.take("from") {
			p.importTail()
		}
	case p.take("="):
		p.expression(true)
		p.take(";")
	case p.see("as") && p.seeAt(1, "namespace"):
		p.i += 3
	case p.take("default"):
		p.exportDefault()
	case p.see("import"):
		p.importStatement()
	default:
		p.statement()
	}
}

func (p *reader) exportDefault() {
	p.decoratorList()
	switch {
	case p.see("abstract") && p.seeAt(1, "class"):
		p.i++
		p.class(true)
	case p.see("class"):
		p.class(true)
	case p.see("function"):
		p.i++
		p.function(true)
	case p.see("async") && p.seeAt(1, "function"):
		p.i += 2
		p.function(true)
	case p.see("interface") && p.kindN(1) == kIdent:
		p.interfaceDecl()
	default:
		p.assign()
		p.take(";")
	}
}

// decorators reads decorators and the statement that they stand before.
func (p *reader) decorators() {
	p.decoratorList()
	p.statement()
}

func (p *reader) decoratorList() {
	for p.take("@") {
		if p.see("(") {
			p.paren()
			continue
		}
		if p.word(p.i) && p.i < p.end {
			p.use(p.i)
			p.i++
		}
		for p.see(".") {
			p.i += 2
		}
		if p.see("(") {
			p.arguments()
		}
	}
}
