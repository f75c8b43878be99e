package cycle

import (
	"slices"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// suspects are parts of the atoms that are worth a run of their own before the
// search halves the rest: what the failures' own places point to, then all
// that is code. A comment can matter too (it may be an instruction to a tool),
// so nothing is left out for good.
func (d *delta) suspects(atoms []atom) [][]atom {
	only := func(from []atom, keep func(atom) bool) []atom {
		return slices.DeleteFunc(slices.Clone(from), func(a atom) bool { return !keep(a) })
	}
	code := only(atoms, d.isCode())
	var out [][]atom
	if part := only(code, d.pointedTo()); len(part) > 0 && len(part) < len(code) {
		out = append(out, part)
	}
	if len(code) > 0 && len(code) < len(atoms) {
		out = append(out, code)
	}
	return out
}

// pointedTo tells whether a line of an atom is one that a failure names, as its
// place or on its stack.
func (d *delta) pointedTo() func(atom) bool {
	lines := map[string][]int{}
	add := func(p runner.Place) { lines[p.File] = append(lines[p.File], p.Line) }
	for _, f := range d.target {
		add(f.Place)
		for _, fr := range f.Frames {
			add(fr.Place)
		}
	}
	return func(a atom) bool {
		return slices.ContainsFunc(lines[a.file], func(n int) bool { return n > a.n0 && n <= max(a.n1, a.n0+1) })
	}
}

// isCode tells whether an atom changes more than comments and empty lines.
func (d *delta) isCode() func(atom) bool {
	base, now := map[string][]bool{}, map[string][]bool{}
	return func(a atom) bool {
		l := d.c.deps.Languages.For(a.file)
		if l == nil {
			return true
		}
		if base[a.file] == nil {
			base[a.file], now[a.file] = codeLines(l, a.file, d.base[a.file]), codeLines(l, a.file, d.now[a.file])
		}
		return slices.Contains(base[a.file][a.b0:a.b1], true) || slices.Contains(now[a.file][a.n0:a.n1], true)
	}
}

// codeLines tells of each line whether something other than a comment stands
// on it.
func codeLines(l lang.Language, file string, text []string) []bool {
	out := make([]bool, len(text))
	src := []byte(strings.Join(text, ""))
	line, start := 0, 0 // of the line that the last token began on
	for _, k := range l.Tokens(file, src) {
		switch k.Kind {
		case lang.Comment, lang.Newline, lang.Indent, lang.Dedent:
			continue
		}
		for line < len(text) && start+len(text[line]) <= k.Start {
			start += len(text[line])
			line++
		}
		for i, at := line, start; i < len(text) && at < k.End; i++ {
			out[i] = true
			at += len(text[i])
		}
	}
	return out
}
