package fixers

import (
	"slices"

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

// spans are the reads in a text and, where nothing else has a member of the
// name, the strings in which a test names it to replace it.
func (r memberReads) spans(t *text) []lang.Span {
	var out []lang.Span
	for _, i := range r.in(t) {
		out = append(out, t.significant()[i].Span)
	}
	if !r.alone {
		return out
	}
	for _, p := range replacedMembers(t, r.name) {
		out = append(out, p.name)
	}
	return append(out, dottedMembers(t, r.name)...)
}
