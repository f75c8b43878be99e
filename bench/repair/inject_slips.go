package main

import (
	"fmt"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// misspell puts a typo into one use of a name.
func misspell(s *site) *fault {
	return s.pickIn(append(s.sources(), s.testFiles()...), func(rel string) *fault {
		l := s.langs.For(rel)
		toks := s.tokens(rel)
		for range 12 {
			i := s.IntN(max(1, len(toks)))
			if i >= len(toks) || toks[i].Kind != lang.Ident || toks[i].Len() < 3 || i > 0 && strings.HasSuffix(s.text(rel, toks[i-1].Span), ".") {
				continue
			}
			name := s.text(rel, toks[i].Span)
			uses := l.Uses(rel, s.tree[rel], name, toks[i].Start)
			if len(uses) < 2 || !slices.Contains(uses, toks[i].Span) || uses[0] == toks[i].Span || s.binds(rel, toks[i].Span, name) {
				continue
			}
			typo := s.typo(name)
			if s.idents[typo] > 0 {
				continue
			}
			return &fault{what: fmt.Sprintf("%s:%d: %s misspelt as %s", rel, s.line(rel, toks[i].Start), name, typo),
				edits: s.edited(rel, lang.TextEdit{Span: toks[i].Span, New: typo}), judge: judgeRestore}
		}
		return nil
	})
}

// binds tells whether the name at the place is where it is bound.
func (s *site) binds(rel string, at lang.Span, name string) bool {
	for _, b := range s.langs.For(rel).InScope(rel, s.tree[rel], at.Start) {
		if b.Name == name {
			return b.Span == at || b.Kind == "builtin"
		}
	}
	return true
}

// typo is a slip of the finger: two letters swapped, one lost, doubled or
// replaced.
func (s *site) typo(name string) string {
	b := []byte(name)
	for {
		i := s.IntN(len(b) - 1)
		var out string
		switch s.IntN(4) {
		case 0:
			out = name[:i] + string(b[i+1]) + string(b[i]) + name[i+2:]
		case 1:
			out = name[:i+1] + name[i+2:]
		case 2:
			out = name[:i+1] + string(b[i]) + name[i+1:]
		default:
			out = name[:i+1] + string(rune('a'+s.IntN(26))) + name[i+2:]
		}
		if out != name && len(out) > 1 {
			return out
		}
	}
}

// misspellDeclaration puts a typo where a name is declared and leaves its uses:
// to put the letter right is the smaller edit than to have them all follow.
func misspellDeclaration(s *site) *fault {
	return s.pickIn(s.sources(), func(rel string) *fault {
		l := s.langs.For(rel)
		toks := s.tokens(rel)
		for range 40 {
			i := s.IntN(max(1, len(toks)))
			if i >= len(toks) || toks[i].Kind != lang.Ident || toks[i].Len() < 5 || i > 0 && strings.HasSuffix(s.text(rel, toks[i-1].Span), ".") {
				continue
			}
			name := s.text(rel, toks[i].Span)
			if uses := l.Uses(rel, s.tree[rel], name, toks[i].Start); len(uses) < 2 || uses[0] != toks[i].Span || s.imports(rel, toks[i].Span) {
				continue
			}
			// What is set before a name or behind it may be meant.
			typo := s.typo(name)
			if s.idents[typo] > 0 || typo[0] != name[0] || typo[len(typo)-1] != name[len(name)-1] {
				continue
			}
			return &fault{what: fmt.Sprintf("%s:%d: %s declared as %s", rel, s.line(rel, toks[i].Start), name, typo),
				edits: s.edited(rel, lang.TextEdit{Span: toks[i].Span, New: typo}), judge: judgeRestore}
		}
		return nil
	})
}

// imports tells whether a place lies in an import.
func (s *site) imports(rel string, at lang.Span) bool {
	return slices.ContainsFunc(s.scan(rel).Imports, func(imp lang.Import) bool {
		return imp.Kind != lang.Mention && imp.Span.Start <= at.Start && at.End <= imp.Span.End ||
			slices.ContainsFunc(imp.Names, func(n lang.Name) bool { return n.LocalSpan == at })
	})
}
