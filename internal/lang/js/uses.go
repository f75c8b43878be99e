package js

import (
	"sort"

	"regreen/internal/lang"
)

// InScope lists the names that code at the offset can use, nearest scope
// first, a name once. The test globals are among the builtins where the text
// uses one of them.
func (Language) InScope(path string, src []byte, offset int) []lang.Binding {
	s := readScopes(path, src)
	var out []lang.Binding
	seen := map[string]bool{}
	inScope := make([][]int, len(s.all))
	for i, b := range s.binds {
		inScope[b.scope] = append(inScope[b.scope], i)
	}
	for at := s.at(offset); at >= 0; at = s.all[at].parent {
		for _, i := range inScope[at] {
			b := s.binds[i]
			if !seen[b.name] {
				seen[b.name] = true
				out = append(out, lang.Binding{Name: b.name, Kind: b.kind, Span: s.tokSpan(b.tok)})
			}
		}
	}
	lists := [][]string{globals}
	if s.dia.ts {
		lists = append(lists, typeGlobals)
	}
	if s.usesAny(testGlobals) {
		lists = append(lists, testGlobals)
	}
	for _, l := range lists {
		for _, name := range l {
			if !seen[name] {
				seen[name] = true
				out = append(out, lang.Binding{Name: name, Kind: "builtin"})
			}
		}
	}
	return out
}

// usesAny tells whether the text uses one of the names without binding it.
func (s *scopes) usesAny(names []string) bool {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	for _, r := range s.refs {
		if name := s.str(r.tok); set[name] && s.owner(r.scope, name) < 0 {
			return true
		}
	}
	return false
}

// Uses lists where the file uses the name as the binding visible at the
// offset, the binding included, in the order of the text. A name that nothing
// there binds gives the uses that nothing binds. Of { name } in a literal or
// pattern the span is the name's, which is the key too (see Shorthands).
func (Language) Uses(path string, src []byte, name string, offset int) []lang.Span {
	s := readScopes(path, src)
	own := s.owner(s.at(offset), name)
	at := map[int]bool{}
	for _, b := range s.binds {
		if b.name == name && b.scope == own {
			at[b.tok] = true
		}
	}
	for _, r := range s.refs {
		if s.str(r.tok) == name && s.owner(r.scope, name) == own {
			at[r.tok] = true
		}
	}
	out := make([]lang.Span, 0, len(at))
	for i := range at {
		out = append(out, s.tokSpan(i))
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Start < out[j].Start })
	return out
}

// Shorthands lists the names in the text that are a property's key and its
// value (or what it is bound to) at once, as in { a } and { a = 1 }: whoever
// renames one of those must write key: value.
func (Language) Shorthands(path string, src []byte) []lang.Span {
	s := readScopes(path, src)
	var out []lang.Span
	for _, r := range s.refs {
		if r.shorthand {
			out = append(out, s.tokSpan(r.tok))
		}
	}
	for _, b := range s.binds {
		if b.shorthand {
			out = append(out, s.tokSpan(b.tok))
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Start < out[j].Start })
	return out
}
