package fixers

import (
	"slices"
	"sort"
	"strings"

	"regreen/internal/lang"
)

// blockBack puts imports of the base back that were all a block's body: without
// them what opens the block stands alone and the text does not parse. Only whole
// lines come back that hold imports and nothing else, where nothing stands in
// their place and the lines around them are the base's, and only if what they
// bind is still used and nothing but another branch binds it: whoever begins to
// write another body has not lost this one.
func (m *mender) blockBack() []attempt {
	if m.t.lang.Name() != "python" {
		return nil
	}
	bl, tl := splitLines(m.base.src), splitLines(m.t.src)
	var out []attempt
	for _, h := range diffStrings(bl, tl) {
		at := len(m.t.src)
		if starts := m.t.lineStarts(); h.B0 < len(starts) {
			at = starts[h.B0]
		}
		if h.B1 != h.B0 || !m.opens(at) {
			continue
		}
		lost, ok := m.onlyImports(h.A0, h.A1, bl)
		if !ok || slices.ContainsFunc(lost, func(imp lang.Import) bool { return !m.missed(imp, lost) }) {
			continue
		}
		var names []string
		for _, imp := range lost {
			for _, n := range imp.Names {
				names = append(names, n.Local)
			}
		}
		text := strings.Join(bl[h.A0:h.A1], "")
		what := "import " + strings.Join(names, ", ") + " again"
		out = append(out, attempt{edits: []lang.TextEdit{{Span: lang.Span{Start: at, End: at}, New: text}}, what: what, vouched: true})
	}
	return out
}

// opens tells whether the code in front of an offset ends in a colon.
func (m *mender) opens(at int) bool {
	sig := m.t.significant()
	i := sort.Search(len(sig), func(i int) bool { return sig[i].End > at })
	return m.t.word(i-1) == ":"
}

// onlyImports are the imports of the base's lines from a to b, if these hold
// nothing else but comments.
func (m *mender) onlyImports(a, b int, lines []string) (lost []lang.Import, ok bool) {
	covered := make([]bool, b-a)
	for _, imp := range m.base.scan().Imports {
		l0, l1 := m.base.lineOf(imp.Span.Start)-1, m.base.lineOf(max(imp.Span.Start, imp.Span.End-1))-1
		if l0 < a || l1 >= b || imp.Kind != lang.Static && imp.Kind != lang.From {
			continue
		}
		before := m.base.at(lang.Span{Start: m.base.line(l0 + 1).Start, End: imp.Span.Start})
		after := m.base.at(lang.Span{Start: imp.Span.End, End: m.base.line(l1 + 1).End})
		if strings.TrimSpace(before) != "" || !bare(after) {
			return nil, false
		}
		for i := l0; i <= l1; i++ {
			covered[i-a] = true
		}
		lost = append(lost, imp)
	}
	for i, c := range covered {
		if !c && !bare(lines[a+i]) {
			return nil, false
		}
	}
	return lost, len(lost) > 0
}

// bare tells whether a line, or the rest of one, does nothing.
func bare(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || s[0] == '#'
}

// missed tells whether the text still uses what a lost import gave, and binds
// it nowhere but where the base did beside the lost ones.
func (m *mender) missed(imp lang.Import, lost []lang.Import) bool {
	now := m.t.scan().Imports
	used := false
	for _, n := range imp.Names {
		if binders(now, n.Local) != binders(m.base.scan().Imports, n.Local)-binders(lost, n.Local) {
			return false
		}
		if assigned(m.t, n.Local) > assigned(m.base, n.Local) {
			return false
		}
		used = used || m.uses(n.Local)
	}
	return used
}

// binders counts the imports that bind a name.
func binders(imports []lang.Import, name string) int {
	count := 0
	for _, imp := range imports {
		for _, n := range imp.Names {
			if n.Local == name {
				count++
			}
		}
	}
	return count
}

// assigned counts the places outside of imports that bind a name.
func assigned(t *text, name string) int {
	count := 0
	for _, i := range t.idents(name, 0) {
		switch prev := t.word(i - 1); {
		case prev == "def" || prev == "class" || prev == "as" || prev == "for", t.word(i+1) == "=" && prev != "." && !inCall(t, i):
			count++
		}
	}
	for _, imp := range t.scan().Imports {
		for _, n := range imp.Names {
			if n.Local == name && n.Imported != name {
				if i := t.index(n.LocalSpan.Start); i > 0 && t.word(i-1) == "as" {
					count--
				}
			}
		}
	}
	return count
}

// uses tells whether the text names something outside of its imports.
func (m *mender) uses(name string) bool {
	sig := m.t.significant()
	return slices.ContainsFunc(m.t.idents(name, 0), func(i int) bool {
		return !m.t.isMember(i) && !slices.ContainsFunc(m.t.scan().Imports, func(imp lang.Import) bool {
			return sig[i].Start >= imp.Span.Start && sig[i].End <= imp.Span.End
		})
	})
}
