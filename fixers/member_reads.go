package fixers

import (
	"slices"
	"strings"

	"regreen/internal/lang"
)

// memberReads tells which reads of a member are those of certain definitions:
// all of them where nothing else has a member of that name, else those whose
// receiver is known.
type memberReads struct {
	v    *view
	name string
	// alone: no other thing has a member of that name.
	alone  bool
	owners []class
}

// readsOf looks for what else has a member of that name than the definitions at
// these tokens.
func (v *view) readsOf(name string, defs []member) memberReads {
	r := memberReads{v: v, name: name}
	if len(defs) == 0 {
		return r
	}
	for _, d := range defs {
		if c, ok := d.t.ownerOf(d.i); ok {
			r.owners = append(r.owners, c)
		}
	}
	r.alone = !isBuiltinMember(defs[0].t.lang, name)
	for _, rel := range v.sources(defs[0].t.lang) {
		t := v.text(rel)
		if t == nil || !t.mentions(name) {
			continue
		}
		for _, i := range t.idents(name, 0) {
			if slices.ContainsFunc(defs, func(d member) bool { return d.t == t && d.i == i }) || !definesMember(t, i) && !(t.isMember(i) && t.word(i+1) == "=") {
				continue
			}
			r.alone = false
			if c, ok := t.ownerOf(i); ok && slices.ContainsFunc(r.owners, func(o class) bool { return v.extends(c, o) }) {
				r.owners = nil // what is read off this may be either's
				return r
			}
		}
	}
	return r
}

// in lists the tokens of the reads in a text.
func (r memberReads) in(t *text) []int {
	var out []int
	for _, i := range t.idents(r.name, 0) {
		if !t.isMember(i) {
			continue
		}
		if r.alone || slices.ContainsFunc(r.owners, func(o class) bool { return r.v.isOf(t, i, o) }) {
			out = append(out, i)
		}
	}
	return out
}

// spans are the reads in a text and the strings in which a test names the
// member to replace it.
func (r memberReads) spans(t *text) []lang.Span {
	var out []lang.Span
	for _, i := range r.in(t) {
		out = append(out, t.significant()[i].Span)
	}
	for _, p := range replacedMembers(t, r.name) {
		if c, ok := r.v.replacedOn(t, p.of); r.alone || ok && r.owns(c) {
			out = append(out, p.name)
		}
	}
	for _, span := range dottedMembers(t, r.name) {
		if c, ok := r.v.dottedClass(t, span); r.alone || ok && r.owns(c) {
			out = append(out, span)
		}
	}
	return out
}

// owns tells whether what a class makes has the member from one of the owners.
func (r memberReads) owns(c class) bool {
	return slices.ContainsFunc(r.owners, func(o class) bool { return r.v.hasFrom(c, r.name, o) })
}

// replacedOn is the class or object that a test replaces a member of, which it
// names up to a token: an object, an instance, Python's class, the prototype of
// JavaScript's.
func (v *view) replacedOn(t *text, of int) (class, bool) {
	if t.lang.Name() == "js" && t.word(of) == "prototype" && t.isMember(of) {
		c, ok := v.classOf(t, of-2)
		c.static = false
		return c, ok && !c.object
	}
	return v.classOf(t, of)
}

// dottedClass is the class that Python's patch names before a member's name, as
// in "package.module.Class.name".
func (v *view) dottedClass(t *text, name lang.Span) (class, bool) {
	for _, imp := range t.scan().Imports {
		if imp.Kind != lang.Mock || imp.SpecSpan.End != name.End {
			continue
		}
		parts := strings.Split(imp.Specifier, ".")
		if len(parts) < 3 {
			continue
		}
		head := lang.Import{Kind: lang.Static, Specifier: strings.Join(parts[:len(parts)-2], ".")}
		if m := v.text(primary(head, v.resolve(t, head))); m != nil {
			return v.classNamed(m, parts[len(parts)-2])
		}
	}
	return class{}, false
}
