package fixers

import (
	"fmt"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// mendable are the tokens that may be inserted, deleted or replaced. Operators
// and values are not among them: they carry meaning that no parser can give
// back.
var mendable = map[string]bool{
	")": true, "]": true, "}": true, "(": true, "[": true, "{": true, ",": true, ":": true, ";": true, "=>": true, "'": true,
	`"`: true, "`": true, `"""`: true, "'''": true, "${": true,
}

// restorable may come back from the base, though nobody would guess them.
var restorable = map[string]bool{"=": true, ".": true, "->": true, "@": true, "?": true, "...": true, "?.": true}

var closers = map[string]bool{")": true, "]": true, "}": true, ";": true, ",": true, "});": true, "})": true}

// fromBase gives the edits that bring single tokens of the base back.
func (m *mender) fromBase() []attempt {
	out := slices.Concat(m.byLines(), m.byTokens(), m.blockBack())
	for i := range out {
		out[i].vouched = true
	}
	return out
}

func canRestore(t *text, k lang.Token) bool {
	s := t.str(k)
	return mendable[s] || restorable[s] || k.Kind == lang.Keyword && !logicWords[s]
}

// logicWords are keywords that say what a program does, not how it is built.
var logicWords = map[string]bool{"not": true, "and": true, "or": true, "is": true, "True": true, "False": true, "None": true, "true": true,
	"false": true, "null": true, "this": true, "super": true, "delete": true, "typeof": true, "void": true, "break": true, "continue": true}

// byTokens compares the token lists: a hunk of one token is that token lost,
// added or exchanged; a hunk of closing brackets alone is a line lost.
func (m *mender) byTokens() []attempt {
	bs, ts := structure(m.base), structure(m.t)
	var out []attempt
	for _, h := range diffTokens(m.base, bs, m.t, ts) {
		lost, added := bs[h.A0:h.A1], ts[h.B0:h.B1]
		switch {
		case len(added) == 0 && (len(lost) == 1 && canRestore(m.base, lost[0]) || allClosers(m.base, lost)):
			text := m.base.at(lang.Span{Start: lost[0].Start, End: lost[len(lost)-1].End})
			out = append(out, attempt{edits: []lang.TextEdit{m.gap(bs, ts, m.slid(bs, ts, h), text)}, what: "insert " + text})
		case len(lost) == 0 && len(added) == 1 && mendable[m.t.str(added[0])]:
			out = append(out, attempt{edits: []lang.TextEdit{m.gap(bs, ts, h, "")}, what: "delete " + m.t.str(added[0])})
		case len(lost) == 1 && len(added) == 1 && m.exchangeable(lost[0], added[0]):
			out = append(out, attempt{edits: []lang.TextEdit{{Span: added[0].Span, New: m.base.str(lost[0])}},
				what: fmt.Sprintf("replace %s with %s", m.t.str(added[0]), m.base.str(lost[0]))})
		}
	}
	return out
}

// exchangeable tells whether a token that stands for a base token may go back
// to it: marks for marks, and a keyword for its misspelling.
func (m *mender) exchangeable(lost, added lang.Token) bool {
	o, n := m.base.str(lost), m.t.str(added)
	if lost.Kind == lang.Keyword {
		return added.Kind == lang.Ident && isTypo(o, n) || added.Kind == lang.Ident && distance(o, n) <= 2*step
	}
	return mendable[o] && (mendable[n] || added.Kind == lang.Invalid || restorable[n])
}

func allClosers(t *text, ks []lang.Token) bool {
	if len(ks) == 0 || len(ks) > 4 {
		return false
	}
	for _, k := range ks {
		if s := t.str(k); !closers[s] {
			return false
		}
	}
	return true
}

// gap is the edit between the neighbours of a hunk. Where only white space
// stands there, the base's own bytes come back, line ends and all.
func (m *mender) gap(bs, ts []lang.Token, h hunk, text string) lang.TextEdit {
	old := lang.Span{Start: 0, End: len(m.base.src)}
	now := lang.Span{Start: 0, End: len(m.t.src)}
	if h.A0 > 0 {
		old.Start = bs[h.A0-1].End
	}
	if h.A1 < len(bs) {
		old.End = bs[h.A1].Start
	}
	if h.B0 > 0 {
		now.Start = ts[h.B0-1].End
	}
	if h.B1 < len(ts) {
		now.End = ts[h.B1].Start
	}
	was := m.base.at(old)
	same := h.A1 == len(bs) && h.B1 == len(ts) || h.A1 < len(bs) && h.B1 < len(ts) && m.base.str(bs[h.A1]) == m.t.str(ts[h.B1])
	if rest := strings.Replace(was, text, "", 1); same && old.End >= old.Start && now.End >= now.Start && strings.TrimSpace(rest) == "" {
		is := m.t.at(now)
		for _, k := range ts[h.B0:h.B1] {
			is = strings.Replace(is, m.t.str(k), "", 1)
		}
		if strings.TrimSpace(is) == "" && (rest == is || cutOut(was, is) || text == "" && (strings.HasPrefix(is, was) || strings.HasSuffix(is, was))) {
			return shrink(m.t, lang.TextEdit{Span: now, New: was})
		}
	}
	if h.B1 > h.B0 {
		return lang.TextEdit{Span: ts[h.B0].Span, New: text}
	}
	if h.B0 > 0 {
		return lang.TextEdit{Span: lang.Span{Start: now.Start, End: now.Start}, New: text}
	}
	return lang.TextEdit{Span: lang.Span{Start: now.End, End: now.End}, New: text}
}

// cutOut tells whether a text is another one with one stretch cut out of it.
func cutOut(was, is string) bool {
	head, tail := 0, 0
	for head < min(len(was), len(is)) && was[head] == is[head] {
		head++
	}
	for tail < min(len(was), len(is)) && was[len(was)-1-tail] == is[len(is)-1-tail] {
		tail++
	}
	return len(was) >= len(is) && head+tail >= len(is)
}

// slid is a hunk of one lost token among several of its text: the one of them
// that was lost, by the white space around them, and not the last.
func (m *mender) slid(bs, ts []lang.Token, h hunk) hunk {
	if h.A1 != h.A0+1 || h.B1 != h.B0 {
		return h
	}
	text := m.base.str(bs[h.A0])
	low, high := 0, 0
	for h.A0+low > 1 && h.B0+low > 1 && m.base.str(bs[h.A0+low-1]) == text {
		low--
	}
	for h.A1+high < len(bs) && h.B0+high < len(ts) && m.base.str(bs[h.A1+high]) == text {
		high++
	}
	if low == high || h.A0+low < 1 || h.B0+low < 1 {
		return h
	}
	end, from, to := len(m.base.src), ts[h.B0+low-1].End, len(m.t.src)
	if h.A1+high < len(bs) {
		end = bs[h.A1+high].Start
	}
	if h.B0+high < len(ts) {
		to = ts[h.B0+high].Start
	}
	want := m.base.at(lang.Span{Start: bs[h.A0+low-1].End, End: end})
	for d := low; d <= high; d++ {
		x := hunk{h.A0 + d, h.A1 + d, h.B0 + d, h.B1 + d}
		e := m.gap(bs, ts, x, text)
		if e.Start >= from && e.End <= to && m.t.at(lang.Span{Start: from, End: e.Start})+e.New+m.t.at(lang.Span{Start: e.End, End: to}) == want {
			return x
		}
	}
	return h
}

// shrink cuts what an edit leaves as it is off its ends.
func shrink(t *text, e lang.TextEdit) lang.TextEdit {
	old := t.at(e.Span)
	for len(old) > 0 && len(e.New) > 0 && old[0] == e.New[0] {
		old, e.New, e.Start = old[1:], e.New[1:], e.Start+1
	}
	for len(old) > 0 && len(e.New) > 0 && old[len(old)-1] == e.New[len(e.New)-1] {
		old, e.New, e.End = old[:len(old)-1], e.New[:len(e.New)-1], e.End-1
	}
	return e
}

// byLines compares lines: a lost quote makes other tokens of the rest of its
// line, or of the whole file, but is one character to the eye.
func (m *mender) byLines() []attempt {
	bl, tl := splitLines(m.base.src), splitLines(m.t.src)
	if n := len(bl); n > 1 && bl[n-1] == "" && tl[len(tl)-1] != "" {
		bl = bl[:n-1] // the last line's end was lost
	}
	starts := m.t.lineStarts()
	var out []attempt
	var indents []lang.TextEdit
	for _, h := range diffStrings(bl, tl) {
		if h.A1-h.A0 != h.B1-h.B0 {
			continue
		}
		for i := range h.A1 - h.A0 {
			old, now := bl[h.A0+i], tl[h.B0+i]
			if old == now {
				continue
			}
			at := starts[h.B0+i]
			e := shrink(m.t, lang.TextEdit{Span: lang.Span{Start: at, End: at + len(now)}, New: old})
			lost, added := strings.TrimSpace(e.New), strings.TrimSpace(m.t.at(e.Span))
			switch {
			case strings.TrimSpace(old) == strings.TrimSpace(now) && lost == "" && added == "":
				indents = append(indents, e)
				out = append(out, attempt{edits: []lang.TextEdit{e}, what: "indent as at the base", layout: true})
			case (lost == "" || mendable[lost]) && (added == "" || mendable[added]) && lost != added:
				out = append(out, attempt{edits: []lang.TextEdit{e}, what: whatFor(lost, added)})
			}
		}
	}
	if len(indents) > 1 && len(indents) < 60 {
		out = append(out, attempt{edits: indents, what: "indent as at the base", layout: true})
	}
	return out
}

func whatFor(lost, added string) string {
	switch {
	case added == "":
		return "insert " + lost
	case lost == "":
		return "delete " + added
	}
	return fmt.Sprintf("replace %s with %s", added, lost)
}
