package fixers

import (
	"slices"

	"regreen/internal/lang"
)

// class is a class, or an object literal in a constant, whose members a text
// shows.
type class struct {
	t    *text
	name string
	def  int // the name's token
	// open and last are the significant tokens around its members: brackets, or
	// Python's colon and the last token of the block.
	open, last int
	bases      []argument
	// object: a literal, of which there is one.
	object bool
	// static: the class itself is meant, not what it makes.
	static bool
}

// classes lists a text's classes and constant objects of the top level, once.
func (t *text) classes() []class {
	if t.cls != nil {
		return t.cls
	}
	t.cls = []class{}
	for _, d := range t.scan().Defs {
		if d.Body.Len() == 0 {
			continue
		}
		first := t.index(d.Body.Start)
		for i := first; first >= 0 && i < first+8 && i < len(t.significant()); i++ {
			var c class
			ok := false
			switch {
			case t.word(i) == "class":
				c, ok = t.classAt(i, d)
			case t.word(i) == "=" && t.word(i+1) == "{" && t.word(i-1) == d.Name && t.lang.Name() == "js":
				c, ok = class{t: t, name: d.Name, def: i - 1, open: i + 1, last: t.matching(i + 1), object: true}, true
			}
			if ok && c.last > c.open {
				t.cls = append(t.cls, c)
				break
			}
		}
	}
	return t.cls
}

// classAt reads the head of the class whose keyword is at i.
func (t *text) classAt(i int, d lang.Export) (class, bool) {
	c := class{t: t, name: t.word(i + 1), def: i + 1}
	if c.name != d.Name && c.name != d.Local {
		return c, false
	}
	if t.lang.Name() == "python" {
		j := i + 2
		if t.word(j) == "(" {
			c.bases = arguments(t, j)
			j = t.matching(j) + 1
		}
		c.open, c.last = j, j
		for ks := t.significant(); c.last+1 < len(ks) && ks[c.last+1].End <= d.Body.End; {
			c.last++
		}
		return c, t.word(j) == ":"
	}
	j := afterTypeParameters(t, i+2)
	if t.word(j) == "extends" {
		from := j + 1
		for j = from; t.word(j) != "{" && t.word(j) != "implements" && t.word(j) != "" && j < from+60; j++ {
			if e := t.matching(j); e > 0 {
				j = e
			}
		}
		c.bases = []argument{{from, j - 1}}
	}
	for ; t.word(j) != "{" && t.word(j) != "" && j < i+80; j++ {
	}
	c.open, c.last = j, t.matching(j)
	return c, t.word(j) == "{"
}

// classAround is the class of the top level that the token at i stands in, and
// in no class inside of it.
func (t *text) classAround(i int) (class, bool) {
	for _, c := range t.classes() {
		if i <= c.open || i > c.last || c.object {
			continue
		}
		for j := c.open; j < i; j++ {
			if t.word(j) == "class" && !t.isMember(j) {
				return class{}, false
			}
		}
		return c, true
	}
	return class{}, false
}

// classNamed is the class or object that a text means by a name, through its
// imports.
func (v *view) classNamed(t *text, name string) (class, bool) {
	if v.defines(t, name) {
		return t.ownClass(name)
	}
	for _, imp := range t.scan().Imports {
		for _, n := range imp.Names {
			if n.Local != name || !loads(imp) || imp.Kind == lang.Mock || imp.Kind == lang.Asset || imp.Kind == lang.ReExport {
				continue
			}
			file, exported := v.source(primary(imp, v.resolve(t, imp)), n.Imported)
			if o := v.text(file); o == nil || n.Imported == "*" && !o.scan().CommonJS {
				return class{}, false
			}
			return v.classIn(file, exported)
		}
	}
	return class{}, false
}

// classIn is the class or object that a file exports by a name of its own.
func (v *view) classIn(file, exported string) (class, bool) {
	t := v.text(file)
	if t == nil {
		return class{}, false
	}
	return t.ownClass(localName(t, exported))
}

func (t *text) ownClass(name string) (class, bool) {
	i := slices.IndexFunc(t.classes(), func(c class) bool { return c.name == name })
	if i < 0 {
		return class{}, false
	}
	return t.classes()[i], true
}

// localName is what a module calls an export itself.
func localName(t *text, exported string) string {
	if exported == "*" {
		exported = "default" // a CommonJS module that is one thing
	}
	for _, e := range t.scan().Exports {
		if e.Name == exported && e.From == "" {
			return firstOf(e.Local, e.Name)
		}
	}
	return exported
}

// membersOf lists what a class and the classes that it is made of define; known
// is false where there may be more.
func (v *view) membersOf(c class, depth int) (names []string, known bool) {
	t := c.t
	level := 0
	known = depth < 8
	for i := c.open + 1; i <= c.last; i++ {
		switch w := t.word(i); w {
		case "(", "[", "{", "${":
			level++
		case ")", "]", "}":
			level--
		case "...":
			known = known && (level > 0 || !c.object)
		default:
			if t.significant()[i].Kind == lang.Ident && t.isMemberOf(c, i, level == 0) && !slices.Contains(names, w) {
				names = append(names, w)
			}
		}
	}
	for _, b := range c.bases {
		if t.word(b.first+1) == "=" {
			continue // metaclass=…
		}
		base, ok := class{}, false
		if next := t.word(b.first + 1); b.first == b.last || next == "[" || next == "<" {
			base, ok = v.classNamed(t, t.word(b.first))
		}
		if plain, ok := v.plainBase(t, b); ok {
			names = append(names, plain...)
			continue
		}
		if !ok || !known {
			known = false
			continue
		}
		more, all := v.membersOf(base, depth+1)
		names, known = append(names, more...), known && all
	}
	return names, known
}

// standardBases are Python's classes that add no name, or these, to what is
// made of them.
var standardBases = map[string][]string{"object": nil, "ABC": nil, "Generic": nil, "Protocol": nil, "NamedTuple": {"count", "index"},
	"Enum": {"name", "value"}, "IntEnum": {"name", "value"}, "Exception": {"args", "with_traceback", "add_note"}}

// plainBase are the members of a base class that is the language's own.
func (v *view) plainBase(t *text, b argument) ([]string, bool) {
	name := t.word(b.first)
	if next := t.word(b.first + 1); b.first != b.last && next != "[" && next != "<" || v.defines(t, name) {
		return nil, false
	}
	for _, imp := range t.scan().Imports {
		for _, n := range imp.Names {
			if n.Local == name && len(v.resolve(t, imp).Files) > 0 {
				return nil, false
			}
		}
	}
	if names, ok := standardBases[name]; ok && t.lang.Name() == "python" {
		return names, true
	}
	names := builtinMembers(t.lang, name)
	return names, names != nil
}

// isMemberOf tells whether the identifier names a member of the class: directly
// in its block, or assigned to this or self inside it.
func (t *text) isMemberOf(c class, i int, direct bool) bool {
	prev, next := t.word(i-1), t.word(i+1)
	switch {
	case t.isMember(i):
		return !c.object && definesMember(t, i)
	case !direct:
		return false
	case t.lang.Name() == "python":
		return definesMember(t, i) && t.column(t.firstOfLine(i)) == t.column(c.open+1)
	case c.object:
		return (prev == "{" || prev == "," || slices.Contains(memberMarks, prev)) && (next == ":" || next == "(" || next == "," || next == "}")
	case c.static != (prev == "static"):
		return false
	case !t.startsStatement(i) && prev != "{" && prev != "}" && prev != ";" && !slices.Contains(memberMarks, prev):
		return false
	}
	switch t.word(afterTypeParameters(t, i+1)) {
	case "(", "=", ";", ":", "?", "!", "}":
		return true
	}
	return t.startsStatement(i + 1)
}

// memberMarks stand before a member's name.
var memberMarks = append([]string{"async", "*", "#", "accessor"}, modifiers...)

// firstOfLine is the first significant token of a token's line.
func (t *text) firstOfLine(i int) int {
	for i > 0 && !t.startsStatement(i) {
		i--
	}
	return i
}

// column is a token's distance from the start of its line.
func (t *text) column(i int) int {
	ks := t.significant()
	if i < 0 || i >= len(ks) {
		return -1
	}
	return ks[i].Start - t.line(t.lineOf(ks[i].Start)).Start
}
