package main

import (
	"fmt"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// loseToken deletes a bracket, a quote, a colon or a comma.
func loseToken(s *site) *fault {
	kind := s.IntN(4)
	return s.pickIn(s.sources(), func(rel string) *fault {
		var at []lang.Span
		for _, k := range s.tokens(rel) {
			w := s.text(rel, k.Span)
			switch {
			case kind == 0 && len(w) == 1 && strings.Contains("()[]{}", w),
				kind == 1 && w == ":",
				kind == 2 && w == ",":
				at = append(at, k.Span)
			case kind == 3 && k.Kind == lang.String && k.Len() > 2 && strings.ContainsAny(w[:1], `"'`) && w[len(w)-1] == w[0]:
				if s.IntN(2) == 0 {
					at = append(at, lang.Span{Start: k.Start, End: k.Start + 1})
				} else {
					at = append(at, lang.Span{Start: k.End - 1, End: k.End})
				}
			}
		}
		x, ok := pick(s.Rand, at)
		if !ok {
			return nil
		}
		return &fault{what: fmt.Sprintf("%s:%d: a %s is lost", rel, s.line(rel, x.Start), s.text(rel, x)),
			edits: s.edited(rel, lang.TextEdit{Span: x}), judge: judgeRestore}
	})
}

// loseAwait deletes one await.
func loseAwait(s *site) *fault {
	return s.pickIn(append(s.sources(), s.testFiles()...), func(rel string) *fault {
		var at []lang.Span
		toks := s.tokens(rel)
		for i, k := range toks {
			if s.text(rel, k.Span) == "await" && i+1 < len(toks) && toks[i+1].Start > k.End && k.Kind != lang.String {
				at = append(at, lang.Span{Start: k.Start, End: toks[i+1].Start})
			}
		}
		x, ok := pick(s.Rand, at)
		if !ok {
			return nil
		}
		return &fault{what: fmt.Sprintf("%s:%d: an await is lost", rel, s.line(rel, x.Start)),
			edits: s.edited(rel, lang.TextEdit{Span: x}), judge: judgeRestore}
	})
}

// swaps are the operators that a slip of thought confuses.
var swaps = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===", "==": "!=", "!=": "==",
	"+": "-", "-": "+", "&&": "||", "||": "&&", "and": "or", "or": "and", "*": "+", "True": "False", "False": "True", "true": "false", "false": "true"}

// changeLogic changes an operator, a constant or a condition in a source file,
// among edits that change nothing.
func changeLogic(s *site) *fault {
	return s.pickIn(s.sources(), func(rel string) *fault {
		type change struct {
			at lang.Span
			to string
		}
		var list []change
		toks := s.tokens(rel)
		for i, k := range toks {
			w := s.text(rel, k.Span)
			prev := ""
			if i > 0 {
				prev = s.text(rel, toks[i-1].Span)
			}
			switch {
			case (k.Kind == lang.Punct || k.Kind == lang.Keyword || k.Kind == lang.Ident) && swaps[w] != "":
				if (w == "<" || w == ">") && (strings.HasSuffix(rel, "ts") || strings.HasSuffix(rel, "x")) ||
					(w == "*" || w == "-" || w == "+") && (prev == "" || strings.Contains("(,=[{:*", prev) || prev == "import" || prev == "export" || prev == "function") {
					continue
				}
				list = append(list, change{k.Span, swaps[w]})
			case k.Kind == lang.Number && len(w) < 4 && prev != ".":
				list = append(list, change{k.Span, "1" + w})
			case w == "if" && k.Kind == lang.Keyword && i+1 < len(toks):
				if s.text(rel, toks[i+1].Span) == "(" && !python(rel) {
					list = append(list, change{lang.Span{Start: toks[i+1].End, End: toks[i+1].End}, "!"})
				} else if python(rel) {
					list = append(list, change{lang.Span{Start: toks[i+1].Start, End: toks[i+1].Start}, "not "})
				}
			}
		}
		x, ok := pick(s.Rand, list)
		if !ok {
			return nil
		}
		line := s.line(rel, x.at.Start)
		edits := []lang.TextEdit{{Span: x.at, New: x.to}}
		edits = append(edits, s.decoys(rel, line)...)
		shift := 0
		for _, e := range edits[1:] {
			if e.Start <= x.at.Start {
				shift += strings.Count(e.New, "\n")
			}
		}
		all := s.edited(rel, edits...)
		if other, ok := pick(s.Rand, slices.DeleteFunc(s.sources(), func(f string) bool { return f == rel })); ok {
			all[other] = lang.Apply(s.tree[other], s.decoys(other, -9))
		}
		what := fmt.Sprintf("%s:%d: %q became %q", rel, line, s.text(rel, x.at), x.to)
		return &fault{what: what, edits: all, judge: judgeTrap, guilty: place{rel, line + shift, line + shift}}
	})
}

// decoys are edits that change nothing: comments at the file's end and on
// lines of their own, away from the line.
func (s *site) decoys(rel string, line int) []lang.TextEdit {
	src := s.tree[rel]
	mark := "// "
	if python(rel) {
		mark = "# "
	}
	var out []lang.TextEdit
	toks := s.tokens(rel)
	for range 2 {
		if len(toks) < 2 {
			break
		}
		k := toks[s.IntN(len(toks))]
		start := k.Start
		for start > 0 && (src[start-1] == ' ' || src[start-1] == '\t') {
			start--
		}
		at := s.line(rel, k.Start)
		if start > 0 && src[start-1] != '\n' || at > line-6 && at < line+6 || k.Kind == lang.String || k.Kind == lang.JSXText ||
			slices.ContainsFunc(out, func(e lang.TextEdit) bool { return e.Start == start }) {
			continue
		}
		out = append(out, lang.TextEdit{Span: lang.Span{Start: start, End: start}, New: string(src[start:k.Start]) + mark + "as the manual says\n"})
	}
	if n := len(src); n > 0 && src[n-1] == '\n' && line < s.line(rel, n-1)-6 {
		out = append(out, lang.TextEdit{Span: lang.Span{Start: n, End: n}, New: mark + "end\n"})
	}
	return out
}

// changeExpectation makes a test expect something else, as if the code had
// been changed on purpose and the test not.
func changeExpectation(s *site) *fault {
	return s.pickIn(s.testFiles(), func(rel string) *fault {
		toks := s.tokens(rel)
		word := func(i int) string {
			if i < 0 || i >= len(toks) {
				return ""
			}
			return s.text(rel, toks[i].Span)
		}
		var at []int
		for i, k := range toks {
			js := word(i-1) == "(" && slices.Contains([]string{"toBe", "toEqual", "toStrictEqual", "equal", "strictEqual", "expect"}, word(i-2)) && word(i-2) != "expect"
			if (js || python(rel) && word(i-1) == "==") && (k.Kind == lang.Number || k.Kind == lang.String && k.Len() > 2) {
				at = append(at, i)
			}
		}
		i, ok := pick(s.Rand, at)
		if !ok {
			return nil
		}
		k := toks[i]
		to := "1" + s.text(rel, k.Span)
		if k.Kind == lang.String {
			w := s.text(rel, k.Span)
			to = w[:len(w)-1] + "s" + w[len(w)-1:]
		}
		line := s.line(rel, k.Start)
		return &fault{what: fmt.Sprintf("%s:%d: expects %s instead of %s", rel, line, to, s.text(rel, k.Span)),
			edits: s.edited(rel, lang.TextEdit{Span: k.Span, New: to}), judge: judgeTrap, guilty: place{rel, line, line}}
	})
}

// removeFeature deletes an exported function, class or constant that others
// use.
func removeFeature(s *site) *fault {
	return s.pickIn(s.sources(), func(rel string) *fault {
		e, ok := pick(s.Rand, s.renamable(rel, 2))
		if !ok {
			return nil
		}
		src := s.tree[rel]
		start, end := e.Body.Start, e.Body.End
		for start > 0 && src[start-1] != '\n' {
			start--
		}
		for end < len(src) && src[end] != '\n' {
			end++
		}
		end = min(end+1, len(src))
		line := s.line(rel, start)
		return &fault{what: fmt.Sprintf("%s: %s is removed", rel, e.Name), edits: s.edited(rel, lang.TextEdit{Span: lang.Span{Start: start, End: end}}),
			judge: judgeTrap, guilty: place{rel, line - 1, line + 1}}
	})
}

// missingPackage makes a source file load a package that is not installed.
func missingPackage(s *site) *fault {
	return s.pickIn(s.sources(), func(rel string) *fault {
		f := s.scan(rel)
		for _, imp := range f.Imports {
			if imp.Lazy || imp.Kind != lang.Static && imp.Kind != lang.From && imp.Kind != lang.Require || strings.HasPrefix(imp.Specifier, "__future__") {
				continue
			}
			src := s.tree[rel]
			end := imp.Span.End
			for end < len(src) && src[end] != '\n' {
				end++
			}
			line := "\nimport leftpadx from \"left-padd-x\";\nvoid leftpadx;"
			switch {
			case python(rel):
				line = "\nimport left_padd_x"
			case f.CommonJS:
				line = "\nconst leftpadx = require(\"left-padd-x\");"
			}
			if imp.Kind == lang.Require && !strings.HasSuffix(strings.TrimSpace(string(src[:end])), ";") {
				continue
			}
			at := s.line(rel, end) + 1
			return &fault{what: fmt.Sprintf("%s: loads a package that is not installed", rel),
				edits: s.edited(rel, lang.TextEdit{Span: lang.Span{Start: end, End: end}, New: line}), judge: judgeTrap, guilty: place{rel, at, at + 1}}
		}
		return nil
	})
}
