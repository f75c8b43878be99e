package main

import (
	"fmt"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// call is one call of a function by its name.
type call struct {
	rel  string
	open int // the offset behind the opening bracket
	args []lang.Span
}

// changeArguments changes the parameters of a function and leaves calls as
// they were: a new first one with one call brought up to date, two swapped, or
// a keyword of Python renamed.
func changeArguments(s *site) *fault {
	makers := []func(s *site, rel string, e lang.Export) *fault{addParameter, swapParameters, renameKeyword}
	first := s.IntN(len(makers))
	for i := range makers {
		f := s.pickIn(s.sources(), func(rel string) *fault {
			var list []lang.Export
			for _, e := range s.renamable(rel, 3) {
				if e.Kind == "Func" {
					list = append(list, e)
				}
			}
			e, ok := pick(s.Rand, list)
			if !ok {
				return nil
			}
			return makers[(first+i)%len(makers)](s, rel, e)
		})
		if f != nil {
			return f
		}
	}
	return nil
}

// signature gives a function's parameters and the offset behind its opening
// bracket.
func (s *site) signature(rel string, e lang.Export) (open int, params []lang.Span, ok bool) {
	toks := s.tokens(rel)
	for i, k := range toks {
		if k.Start < e.Body.Start || s.text(rel, k.Span) != e.Name || i+1 >= len(toks) || s.text(rel, toks[i+1].Span) != "(" {
			continue
		}
		if i == 0 || !slices.Contains([]string{"function", "def", "*"}, s.text(rel, toks[i-1].Span)) {
			return 0, nil, false
		}
		args, end := s.list(rel, toks, i+1)
		return toks[i+1].End, args, end > 0
	}
	return 0, nil, false
}

// list splits what stands between brackets at its commas.
func (s *site) list(rel string, toks []lang.Token, open int) (parts []lang.Span, end int) {
	word := func(i int) string {
		if i < 0 || i >= len(toks) {
			return ""
		}
		return s.text(rel, toks[i].Span)
	}
	end = closing(word, open, len(toks))
	if end < 0 {
		return nil, -1
	}
	depth, start := 0, open+1
	for i := open + 1; i <= end; i++ {
		switch w := word(i); {
		case i == end || depth == 0 && w == ",":
			if i > start {
				parts = append(parts, lang.Span{Start: toks[start].Start, End: toks[i-1].End})
			}
			start = i + 1
		case w == "(" || w == "[" || w == "{":
			depth++
		case w == ")" || w == "]" || w == "}":
			depth--
		}
	}
	return parts, end
}

// calls are the calls of a name; ok is false when it is used in another way
// than in imports and calls.
func (s *site) calls(name string) (out []call) {
	s.each(name, func(rel string, toks []lang.Token, i int) {
		if i+1 >= len(toks) || s.text(rel, toks[i+1].Span) != "(" {
			return
		}
		if i > 0 && slices.Contains([]string{"def", "function", "*", "new"}, s.text(rel, toks[i-1].Span)) {
			return
		}
		if args, end := s.list(rel, toks, i+1); end > 0 {
			out = append(out, call{rel, toks[i+1].End, args})
		}
	})
	return out
}

// apply edits several files.
func (s *site) apply(edits map[string][]lang.TextEdit) map[string][]byte {
	out := map[string][]byte{}
	for rel, es := range edits {
		out[rel] = lang.Apply(s.tree[rel], es)
	}
	return out
}

func addParameter(s *site, rel string, e lang.Export) *fault {
	open, params, ok := s.signature(rel, e)
	calls := s.calls(e.Name)
	if !ok || len(params) == 0 || len(calls) < 2 {
		return nil
	}
	value := []string{`"strict"`, "0", "null", "[]"}[s.IntN(4)]
	name := "mode"
	switch {
	case python(rel) && value == "null":
		value = "None"
	case strings.HasSuffix(rel, ".ts"):
		name = "mode: unknown"
	}
	after := func(args []lang.Span) string {
		if len(args) == 0 {
			return ""
		}
		return ", "
	}
	mend := func(c call) lang.TextEdit {
		return lang.TextEdit{Span: lang.Span{Start: c.open, End: c.open}, New: value + after(c.args)}
	}
	def := lang.TextEdit{Span: lang.Span{Start: open, End: open}, New: name + ", "}
	broken, right := map[string][]lang.TextEdit{rel: {def}}, map[string][]lang.TextEdit{rel: {def}}
	done := s.IntN(len(calls))
	for i, c := range calls {
		right[c.rel] = append(right[c.rel], mend(c))
		if i == done {
			broken[c.rel] = append(broken[c.rel], mend(c))
		}
	}
	return &fault{what: fmt.Sprintf("%s: %s has a new first parameter, one of %d calls gives %s", rel, e.Name, len(calls), value),
		edits: s.apply(broken), judge: judgeExpected(s.apply(right)), answers: []map[string][]byte{s.apply(right)}}
}

func swapParameters(s *site, rel string, e lang.Export) *fault {
	_, params, ok := s.signature(rel, e)
	if !ok || len(params) < 2 {
		return nil
	}
	for _, p := range params {
		if strings.ContainsAny(s.text(rel, p), "=*.?{[") || s.text(rel, p) == "/" {
			return nil
		}
	}
	swap := func(rel string, a, b lang.Span) []lang.TextEdit {
		return []lang.TextEdit{{Span: a, New: s.text(rel, b)}, {Span: b, New: s.text(rel, a)}}
	}
	broken := map[string][]lang.TextEdit{rel: swap(rel, params[0], params[1])}
	right := map[string][]lang.TextEdit{rel: swap(rel, params[0], params[1])}
	for _, c := range s.calls(e.Name) {
		if len(c.args) < 2 || strings.Contains(s.text(c.rel, lang.Span{Start: c.args[0].Start, End: c.args[1].End}), e.Name) {
			return nil
		}
		right[c.rel] = append(right[c.rel], swap(c.rel, c.args[0], c.args[1])...)
	}
	return &fault{what: fmt.Sprintf("%s: the first two parameters of %s changed places", rel, e.Name), edits: s.apply(broken), judge: judgeExpected(s.apply(right)), answers: []map[string][]byte{s.apply(right)}}
}

func renameKeyword(s *site, rel string, e lang.Export) *fault {
	_, params, ok := s.signature(rel, e)
	if !ok || !python(rel) {
		return nil
	}
	key := func(rel string, p lang.Span) (string, lang.Span) {
		text := s.text(rel, p)
		n := strings.IndexAny(text, " =:\n")
		if n < 0 {
			n = len(text)
		}
		return text[:n], lang.Span{Start: p.Start, End: p.Start + n}
	}
	var used []string
	right := map[string][]lang.TextEdit{}
	for _, c := range s.calls(e.Name) {
		for _, a := range c.args {
			if name, _ := key(c.rel, a); strings.Contains(s.text(c.rel, a), "=") && name != "" {
				used = append(used, name)
			}
		}
	}
	params = slices.DeleteFunc(params, func(p lang.Span) bool {
		name, _ := key(rel, p)
		return !slices.Contains(used, name)
	})
	p, ok := pick(s.Rand, params)
	if !ok {
		return nil
	}
	name, _ := key(rel, p)
	to := s.newName(name)
	var own []lang.TextEdit
	for _, u := range s.langs.For(rel).Uses(rel, s.tree[rel], name, p.Start) {
		own = append(own, lang.TextEdit{Span: u, New: to})
	}
	right[rel] = slices.Clone(own)
	for _, c := range s.calls(e.Name) {
		for _, a := range c.args {
			if n, at := key(c.rel, a); n == name && strings.Contains(s.text(c.rel, a), "=") {
				right[c.rel] = append(right[c.rel], lang.TextEdit{Span: at, New: to})
			}
		}
	}
	return &fault{what: fmt.Sprintf("%s: the parameter %s of %s is called %s now", rel, name, e.Name, to),
		edits: s.edited(rel, own...), judge: judgeExpected(s.apply(right)), answers: []map[string][]byte{s.apply(right)}}
}
