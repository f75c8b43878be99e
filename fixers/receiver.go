package fixers

import (
	"slices"

	"regreen/internal/lang"
)

// receiver finds what the member at token i is read off: a class of the project
// whose members are written down. ok is false where the text does not show it.
func (v *view) receiver(t *text, i int) (class, bool) {
	if !t.isMember(i) {
		return class{}, false
	}
	return v.classOf(t, i-2)
}

// classOf is the class of what the expression gives that ends at a token.
func (v *view) classOf(t *text, o int) (class, bool) {
	if o < 0 {
		return class{}, false
	}
	switch w := t.word(o); {
	case w == "this":
		return t.thisClass(o)
	case (w == "self" || w == "cls") && t.lang.Name() == "python":
		return t.classAround(o)
	case w == ")":
		return v.constructedBy(t, t.opening(o))
	case t.significant()[o].Kind != lang.Ident || t.isMember(o):
		return class{}, false
	}
	if c, ok := v.variable(t, o); ok {
		return c, true
	}
	c, ok := v.classNamed(t, t.word(o))
	c.static = !c.object && t.lang.Name() == "js"
	return c, ok && v.onlyBound(t, o)
}

// ownerOf is the class or object whose member the token at i names where it is
// defined.
func (t *text) ownerOf(i int) (class, bool) {
	if t.isMember(i) {
		switch t.word(i - 2) {
		case "this":
			return t.thisClass(i - 2)
		case "self", "cls":
			return t.classAround(i)
		}
		return class{}, false
	}
	for _, c := range t.classes() {
		if i > c.open && i <= c.last && (t.lang.Name() == "python" || t.around(i) == c.open) {
			return c, c.object || !t.isStatic(i, c.open)
		}
	}
	return class{}, false
}

// isOf tells whether the member at a token is known to be the one that a class
// defines: read off it, or off a class that has it from there.
func (v *view) isOf(t *text, i int, owner class) bool {
	c, ok := v.receiver(t, i)
	return ok && v.hasFrom(c, t.word(i), owner)
}

// hasFrom tells whether what a class makes has a member of that name from the
// class owner.
func (v *view) hasFrom(c class, name string, owner class) bool {
	ok := true
	for range 8 {
		if !ok || c.static {
			return false
		}
		if c.t == owner.t && c.def == owner.def {
			return true
		}
		own := c
		own.bases = nil
		if names, _ := v.membersOf(own, 0); slices.Contains(names, name) || len(c.bases) != 1 {
			return false
		}
		c, ok = v.classNamed(c.t, c.t.word(c.bases[0].first))
	}
	return false
}

// extends tells whether a class is made of another one.
func (v *view) extends(c, base class) bool {
	for range 8 {
		if len(c.bases) == 0 {
			return false
		}
		for _, b := range c.bases[1:] {
			if c.t.word(b.last) == base.name {
				return true
			}
		}
		up, ok := v.classNamed(c.t, c.t.word(c.bases[0].first))
		if !ok {
			return c.t.word(c.bases[0].last) == base.name
		}
		if up.t == base.t && up.def == base.def {
			return true
		}
		c = up
	}
	return false
}

// onlyBound tells whether the name at a token is what the module binds by it.
func (v *view) onlyBound(t *text, i int) bool {
	return slices.Contains(t.lang.Uses(t.path, t.src, t.word(i), -1), t.significant()[i].Span)
}

// thisClass is the class or object whose member function reads this at a token.
func (t *text) thisClass(i int) (class, bool) {
	for o := t.around(i); o >= 0; o = t.around(o) {
		for _, c := range t.classes() {
			if c.open == o {
				c.static = !c.object && t.isStatic(i, o)
				return c, true
			}
		}
		if f, ok := bodyAt(t, o); !ok || t.word(o-1) == "=>" || t.word(o) != "{" {
			continue // no function, or an arrow function: this is that of what is around
		} else if up := t.around(o); t.word(up) != "{" || f.argument || !slices.ContainsFunc(t.classes(), func(c class) bool { return c.open == up }) {
			return class{}, false
		}
	}
	return class{}, false
}

// isStatic tells whether a token stands in a static member of the class whose
// bracket opens at open.
func (t *text) isStatic(i, open int) bool {
	for j := i; j > open; j-- {
		if t.word(j) == "static" && t.around(j) == open {
			return true
		}
		if w := t.word(j); t.around(j) == open && (w == ";" || w == "}") {
			return false
		}
	}
	return false
}

// constructedBy is the class of which the call whose bracket is at open makes
// an instance: Cart(…), new Cart(…), or read off a module, new shop.Cart(…).
func (v *view) constructedBy(t *text, open int) (class, bool) {
	i := open - 1
	if i < 0 || t.significant()[i].Kind != lang.Ident {
		return class{}, false
	}
	head, find := i, v.classNamed
	if t.isMember(i) {
		head, find = i-2, v.classOfModule(i-2)
	}
	if head < 0 || t.isMember(head) || t.lang.Name() == "js" && t.word(head-1) != "new" || !v.onlyBound(t, head) {
		return class{}, false
	}
	c, ok := find(t, t.word(i))
	return c, ok && !c.object
}

// classOfModule finds a class by its name in the module that the variable at a
// token is.
func (v *view) classOfModule(i int) func(t *text, name string) (class, bool) {
	return func(t *text, name string) (class, bool) {
		for _, imp := range t.scan().Imports {
			for _, n := range imp.Names {
				module := primary(imp, v.resolve(t, imp))
				if sub := v.submodule(module, n.Imported); sub != "" {
					module = sub
				} else if n.Imported != "*" && !(n.Imported == "default" && v.isObject(module)) {
					continue
				}
				if n.Local == t.word(i) && loads(imp) && imp.Kind != lang.Mock {
					file, exported := v.source(module, name)
					return v.classIn(file, exported)
				}
			}
		}
		return class{}, false
	}
}

// variable is the class of the variable that is read at a token, where all that
// is ever put into it is of that class, or its type is written down.
func (v *view) variable(t *text, i int) (class, bool) {
	var found class
	bound := false
	at := t.significant()[i].Start
	for _, b := range t.lang.InScope(t.path, t.src, at) {
		if b.Name != t.word(i) {
			continue
		}
		j := t.index(b.Span.Start)
		if b.Kind == "builtin" || b.Kind == "import" || j < 0 {
			return class{}, false
		}
		if c, ok := v.annotated(t, j); ok {
			return c, true
		}
		bound = t.word(j+1) == "=" || t.word(j-1) == "let" || t.word(j-1) == "var"
		break
	}
	for _, u := range t.lang.Uses(t.path, t.src, t.word(i), at) {
		j := t.index(u.Start)
		if t.word(j+1) != "=" {
			if prev := t.word(j - 1); prev == "for" || prev == "as" || t.lang.Name() == "python" && prev == "," || t.word(j+1) == ":=" {
				return class{}, false
			}
			continue
		}
		c, ok := v.constructedBy(t, t.callAt(j+2))
		if !ok || found.t != nil && found.def != c.def {
			return class{}, false
		}
		found = c
	}
	return found, bound && found.t != nil
}

// callAt is the bracket of the call that an expression at i is as a whole.
func (t *text) callAt(i int) int {
	if t.word(i) == "new" {
		i++
	}
	if t.word(i+1) == "." {
		i += 2
	}
	open := i + 1
	if t.lang.Name() == "js" {
		open = afterTypeParameters(t, open)
	}
	if t.word(open) != "(" || open != i+1 {
		return -1
	}
	end := t.matching(open)
	if next := t.word(end + 1); end < 0 || next != ";" && next != ")" && next != "}" && !t.startsStatement(end+1) || next == "." {
		return -1
	}
	return open
}

// annotated is the class that the type behind a binding names.
func (v *view) annotated(t *text, j int) (class, bool) {
	if t.word(j+1) != ":" || t.significant()[min(j+2, len(t.significant())-1)].Kind != lang.Ident {
		return class{}, false
	}
	switch t.word(j + 3) {
	case ",", ")", "=", ";":
	default:
		if !t.startsStatement(j + 3) {
			return class{}, false
		}
	}
	prev := t.word(j - 1)
	if t.lang.Name() == "js" && prev != "const" && prev != "let" && prev != "(" && prev != "," && !slices.Contains(modifiers, prev) {
		return class{}, false
	}
	c, ok := v.classNamed(t, t.word(j+2))
	return c, ok && !c.object
}
