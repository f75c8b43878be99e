package py

import (
	"sort"

	"regreen/internal/lang"
)

// InScope lists the names that code at the offset can use: the innermost
// scope's first, in the order in which they are bound, then the enclosing
// functions', the module's and the builtins. A class's names are there for
// code that stands directly in it, and not for its methods.
func (*Language) InScope(_ string, src []byte, offset int) []lang.Binding {
	t := newText(src)
	a := analyse(t, t.parse(), false)
	var out []lang.Binding
	seen := map[string]bool{}
	inner := a.at(offset)
	for s := inner; s != nil; s = s.parent {
		if s.kind == classScope && s != inner {
			continue
		}
		for _, b := range s.binds {
			if seen[b.name] {
				continue
			}
			seen[b.name] = true
			kind := b.kind
			if kind == "local" && s.kind == moduleScope {
				kind = "module"
			}
			out = append(out, lang.Binding{Name: b.name, Kind: kind, Span: b.span})
		}
	}
	for _, name := range builtins() {
		if !seen[name] {
			out = append(out, lang.Binding{Name: name, Kind: "builtin"})
		}
	}
	return out
}

// Uses lists where the file means the binding of name that is visible at the
// offset (-1: the module's), all places that bind it included, in order. A
// name that is bound nowhere gives the places that use it unbound.
func (*Language) Uses(_ string, src []byte, name string, offset int) []lang.Span {
	t := newText(src)
	a := analyse(t, t.parse(), false)
	at := a.module
	if offset >= 0 {
		at = a.at(offset)
	}
	target := at.resolve(name)
	var out []lang.Span
	if target != nil {
		for _, b := range target.binds {
			if b.name == name {
				out = append(out, b.span)
			}
		}
	}
	for _, r := range a.refs {
		if r.name == name && r.in.resolve(name) == target {
			out = append(out, r.span)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Start < out[j].Start })
	n := 0
	for _, s := range out {
		if n == 0 || out[n-1] != s {
			out[n] = s
			n++
		}
	}
	return out[:n]
}
