package fixers

import (
	"sort"
	"strings"

	"regreen/internal/lang"
)

// guesses are one-token edits near the parser's position, at line ends before
// it, where an unclosed bracket's block ends, and on the lines that changed
// since the base.
func (m *mender) guesses() []attempt {
	g := &guesser{mender: m, ks: m.t.significant(), errAt: min(max(m.bad.Offset, 0), len(m.t.src))}
	g.errLine = m.t.lineOf(g.errAt)
	g.near = g.lines()
	g.quotes()
	if open, close := g.unbalanced(); open >= 0 || close >= 0 {
		g.brackets(open, close)
	} else {
		g.marks()
	}
	g.keywords()
	return g.out
}

type guesser struct {
	*mender
	ks      []lang.Token
	errAt   int
	errLine int
	near    map[int]bool // lines to look at
	out     []attempt
}

// lines are the error's line, the two before it, and all changed lines.
func (g *guesser) lines() map[int]bool {
	out := map[int]bool{}
	for l := max(1, g.errLine-2); l <= g.errLine; l++ {
		out[l] = true
	}
	if g.base != nil {
		for _, h := range diffStrings(splitLines(g.base.src), splitLines(g.t.src)) {
			if h.B1-h.B0 > 80 {
				continue
			}
			// The line before a deletion counts: what is missing may belong there.
			for l := h.B0; l <= h.B1; l++ {
				out[l+1] = true
				if h.B0 == h.B1 {
					out[l] = true
				}
			}
		}
	}
	return out
}

func (g *guesser) insert(at int, text string, class int) {
	g.out = append(g.out, attempt{edits: []lang.TextEdit{{Span: lang.Span{Start: at, End: at}, New: text}},
		what: "insert " + strings.TrimSpace(text), class: class})
}

func (g *guesser) replace(k lang.Token, text string, class int) {
	g.out = append(g.out, attempt{edits: []lang.TextEdit{{Span: k.Span, New: text}}, what: whatFor(text, g.t.str(k)), class: class, weak: true})
}

// classAt says how near a place is to where the parser stopped.
func (g *guesser) classAt(offset int, wanted bool) int {
	between := offset <= g.errAt && strings.TrimSpace(g.t.at(lang.Span{Start: offset, End: g.errAt})) == ""
	switch {
	case between && wanted:
		return 0
	case between:
		return 1
	case g.endsLine(offset) && g.t.lineOf(offset) >= g.errLine-1:
		return 2
	}
	return 4
}

func (g *guesser) endsLine(offset int) bool {
	return strings.TrimSpace(g.t.at(lang.Span{Start: offset, End: g.t.line(g.t.lineOf(offset)).End})) == ""
}

var partner = map[string]string{"(": ")", "[": "]", "{": "}", "${": "}", ")": "(", "]": "[", "}": "{"}

// unbalanced gives the first closing bracket that fits no opening one, with
// the opening one it met, or the last opening one left over; -1 for none.
func (g *guesser) unbalanced() (open, close int) {
	var stack []int
	for i, k := range g.ks {
		if k.Kind == lang.String || k.Kind == lang.Regexp || k.Kind == lang.JSXText {
			continue
		}
		switch s := g.t.str(k); s {
		case "(", "[", "{", "${":
			stack = append(stack, i)
		case ")", "]", "}":
			if len(stack) == 0 {
				return -1, i
			}
			top := stack[len(stack)-1]
			if partner[g.t.str(g.ks[top])] != s {
				return top, i
			}
			stack = stack[:len(stack)-1]
		}
	}
	if len(stack) == 0 {
		return -1, -1
	}
	return stack[len(stack)-1], -1
}

// brackets guesses where a lost bracket belongs, or which one is too much. The
// base's counts say which of the two it is, where they can.
func (g *guesser) brackets(open, close int) {
	if open >= 0 {
		e := g.counts(g.t.str(g.ks[open]))
		if !e.known || e.closers < 0 {
			g.closeAfter(open, close)
		}
		if !e.known || e.openers > 0 {
			g.deleteToken(open, 4)
			g.deleteNear(g.t.str(g.ks[open]), e.known)
		}
	}
	if close >= 0 {
		e := g.counts(partner[g.t.str(g.ks[close])])
		if !e.known || e.closers > 0 {
			g.deleteToken(close, 1)
			g.deleteNear(g.t.str(g.ks[close]), e.known)
		}
		if !e.known || e.openers < 0 {
			from := len(g.out)
			g.openBefore(close)
			for i := from; i < len(g.out); i++ {
				g.out[i].weak = !e.known
			}
		}
		if open >= 0 {
			g.replace(g.ks[close], partner[g.t.str(g.ks[open])], 1)
		}
	}
}

// balance says how many brackets of a kind there are more than at the base.
// It is known where only the openers' or only the closers' number changed.
type balance struct {
	openers, closers int
	known            bool
}

func (g *guesser) counts(opener string) balance {
	if g.base == nil {
		return balance{}
	}
	count := func(t *text, s string) int {
		n := 0
		for _, k := range t.significant() {
			if k.Kind == lang.Punct && t.str(k) == s {
				n++
			}
		}
		return n
	}
	b := balance{openers: count(g.t, opener) - count(g.base, opener), closers: count(g.t, partner[opener]) - count(g.base, partner[opener])}
	b.known = (b.openers == 0) != (b.closers == 0)
	return b
}

// deleteNear deletes one bracket of the kind on the lines in question.
func (g *guesser) deleteNear(s string, sure bool) {
	for i, k := range g.ks {
		if g.near[g.t.lineOf(k.Start)] && g.t.str(k) == s {
			g.deleteToken(i, 5)
			g.out[len(g.out)-1].weak = !sure
		}
	}
}

func (g *guesser) deleteToken(i, class int) {
	if s := g.t.str(g.ks[i]); mendable[s] {
		g.out = append(g.out, attempt{edits: []lang.TextEdit{{Span: g.ks[i].Span}}, what: "delete " + s, class: class, weak: true})
	}
}

// closeAfter inserts the partner of an opening bracket behind tokens after it.
func (g *guesser) closeAfter(open, close int) {
	text := partner[g.t.str(g.ks[open])]
	if text == "}" || text == ")" {
		g.closeBlock(open)
	}
	end := len(g.ks)
	if close >= 0 {
		end = close
	}
	line := g.t.lineOf(g.ks[open].Start)
	for i := open; i < end; i++ {
		l := g.t.lineOf(g.ks[i].End)
		if l > line+12 && !g.near[l] {
			continue
		}
		at := g.ks[i].End
		class := g.classAt(at, true)
		switch {
		case i+1 == end && close >= 0 && l == line:
			class = min(class, 0)
		case l == line && g.endsStatement(i):
			class = min(class, 1)
		case l == line:
			class = min(class, 3)
		}
		if text == "}" && l > line {
			// The end of the text, where the parser gave up, is seldom the place.
			class = max(class, 2)
			if g.endsLine(at) {
				g.insert(at, g.t.eol()+g.indent(line)+text, class)
				continue
			}
		}
		g.insert(at, text, class)
	}
}

// endsStatement tells whether the token is the last of its line, but for a
// colon, an opening brace, a comma or a semicolon.
func (g *guesser) endsStatement(i int) bool {
	l := g.t.lineOf(g.ks[i].Start)
	switch next := g.t.word(i + 1); next {
	case ":", "{", ";", ",", "=>":
		return i+2 >= len(g.ks) || g.t.lineOf(g.ks[i+2].Start) > l
	}
	return i+1 >= len(g.ks) || g.t.lineOf(g.ks[i+1].Start) > l
}

// closeBlock closes a bracket that stays open over lines where indentation
// says that its block ends.
func (g *guesser) closeBlock(open int) {
	culprit := g.byIndent()
	for _, o := range []int{culprit, open} {
		if o < 0 {
			continue
		}
		line := g.t.lineOf(g.ks[o].Start)
		indent := g.indent(line)
		text := g.closing(o)
		last := line
		for l := line + 1; l <= len(g.t.lineStarts()); l++ {
			s := g.t.at(g.t.line(l))
			if strings.TrimSpace(s) == "" {
				continue
			}
			if len(g.indent(l)) <= len(indent) {
				break
			}
			last = l
		}
		if last == line {
			continue
		}
		at := g.t.line(last).End
		g.insert(at, g.t.eol()+indent+text, 0)
		break
	}
}

// closing is what closes the brackets that stand open on an opening bracket's
// line, from it on, innermost first.
func (g *guesser) closing(o int) string {
	line := g.t.lineOf(g.ks[o].Start)
	var open []string
	for i := range g.ks {
		if g.t.lineOf(g.ks[i].Start) != line {
			continue
		}
		switch s := g.t.str(g.ks[i]); s {
		case "(", "[", "{":
			open = append(open, partner[s])
		case ")", "]", "}":
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	var b strings.Builder
	for i := len(open) - 1; i >= 0; i-- {
		b.WriteString(open[i])
	}
	if b.Len() == 0 {
		return partner[g.t.str(g.ks[o])]
	}
	if len(open) > 1 && g.usesSemicolons() {
		b.WriteString(";")
	}
	return b.String()
}

func (g *guesser) usesSemicolons() bool {
	n := 0
	for _, k := range g.ks {
		if g.t.str(k) == ";" {
			n++
		}
	}
	return n > 1
}

func (g *guesser) indent(line int) string {
	s := g.t.at(g.t.line(line))
	return s[:len(s)-len(strings.TrimLeft(s, " \t"))]
}

// byIndent finds the brace whose partner stands further left than its own
// line: the one that lost its own.
func (g *guesser) byIndent() int {
	var stack []int
	found := -1
	for i, k := range g.ks {
		switch g.t.str(k) {
		case "{":
			stack = append(stack, i)
		case "}":
			if len(stack) == 0 {
				return found
			}
			o := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			ol, cl := g.t.lineOf(g.ks[o].Start), g.t.lineOf(k.Start)
			if ol != cl && len(g.indent(cl)) < len(g.indent(ol)) && g.startsLine(i) && (found < 0 || o < found) {
				return o
			}
		}
	}
	return found
}

func (g *guesser) startsLine(i int) bool {
	return i == 0 || g.t.lineOf(g.ks[i-1].Start) < g.t.lineOf(g.ks[i].Start)
}

// openBefore inserts the partner of a closing bracket before tokens ahead of it.
func (g *guesser) openBefore(close int) {
	text := partner[g.t.str(g.ks[close])]
	if text == "" {
		return
	}
	line := g.t.lineOf(g.ks[close].Start)
	for i := close; i >= 0; i-- {
		l := g.t.lineOf(g.ks[i].Start)
		if l < line-1 && !g.near[l] {
			if l < line-12 {
				break
			}
			continue
		}
		at := g.ks[i].Start
		if text == "{" {
			// An opening brace ends its line.
			if i == 0 || !g.startsLine(i) {
				continue
			}
			at = g.ks[i-1].End
			g.insert(at, " {", 3)
			continue
		}
		g.insert(at, text, g.classAt(at, false)+1)
		g.split(i, text)
	}
	if text == "{" {
		for i := range g.ks {
			l := g.t.lineOf(g.ks[i].Start)
			if g.near[l] && g.endsStatement(i) {
				g.insert(g.ks[i].End, " {", 3)
			}
		}
	}
}

// split opens a bracket inside an identifier that begins with another one of
// the text or the base: a name and the first argument ran together.
func (g *guesser) split(i int, text string) {
	k := g.ks[i]
	if k.Kind != lang.Ident {
		return
	}
	s := g.t.str(k)
	for n := 1; n < len(s); n++ {
		if len(g.t.idents(s[:n], 0)) > 0 || g.base != nil && len(g.base.idents(s[:n], 0)) > 0 {
			g.insert(k.Start+n, text, 3)
		}
	}
}

// quotes closes a string that stays open, and opens one that is closed only.
func (g *guesser) quotes() {
	for i, k := range g.ks {
		s := g.t.str(k)
		if k.Kind != lang.Invalid || s == "" {
			continue
		}
		q, from := quoteOf(s)
		if q == "" {
			continue
		}
		line := g.t.line(g.t.lineOf(k.Start))
		end := min(k.End, line.End)
		g.insert(end, q, 1)
		for at := k.Start + from + len(q); at < end; at++ {
			switch g.t.src[at] {
			case ')', ']', '}', ',', ';', ':', '>', ' ':
				class := 2
				if strings.Trim(g.t.at(lang.Span{Start: at, End: end}), ")]};:,> ") == "" {
					class = 1
				}
				g.insert(at, q, class)
			}
		}
		for j := i - 1; j >= 0 && g.t.lineOf(g.ks[j].Start) == g.t.lineOf(k.Start); j-- {
			g.insert(g.ks[j].Start, q, 2)
			if n := g.prefix(g.ks[j]); n > 0 {
				g.insert(g.ks[j].Start+n, q, 2)
			}
		}
	}
}

// prefix is how many letters of a name may be a string's prefix: b"text" is
// btext" when its first quote is lost.
func (g *guesser) prefix(k lang.Token) int {
	s := g.t.str(k)
	if g.t.lang.Name() != "python" || k.Kind != lang.Ident {
		return 0
	}
	n := len(s) - len(strings.TrimLeft(s, "bBrRfFuU"))
	if n > 2 || n == len(s) {
		return min(n, 1)
	}
	return n
}

// quoteOf finds the quote that an unclosed string begins with, behind its
// prefix.
func quoteOf(s string) (q string, at int) {
	i := strings.IndexAny(s, "'\"`")
	if i < 0 || i > 2 {
		return "", 0
	}
	if strings.HasPrefix(s[i:], `"""`) || strings.HasPrefix(s[i:], "'''") {
		return s[i : i+3], i
	}
	return s[i : i+1], i
}

// keywords mends misspelt keywords.
func (g *guesser) keywords() {
	seen := map[string]bool{}
	for _, k := range g.ks {
		if k.Kind == lang.Keyword {
			seen[g.t.str(k)] = true
		}
	}
	for _, w := range keywordsOf[g.t.lang.Name()] {
		seen[w] = true
	}
	all := make([]string, 0, len(seen))
	for w := range seen {
		all = append(all, w)
	}
	sort.Strings(all)
	for _, k := range g.ks {
		if k.Kind != lang.Ident || !g.near[g.t.lineOf(k.Start)] {
			continue
		}
		if w, ok := clearWin(nearest(g.t.str(k), all)); ok && distance(w, g.t.str(k)) <= step {
			g.replace(k, w, 1)
		}
	}
}

var keywordsOf = map[string][]string{
	"js": {"async", "await", "break", "case", "catch", "class", "const", "continue", "default", "delete", "else", "export", "extends",
		"finally", "for", "from", "function", "import", "instanceof", "interface", "let", "new", "return", "static", "switch", "throw",
		"try", "typeof", "var", "while", "yield"},
	"python": {"and", "assert", "async", "await", "break", "class", "continue", "def", "elif", "else", "except", "finally", "for", "from",
		"global", "import", "lambda", "nonlocal", "not", "pass", "raise", "return", "try", "while", "with", "yield"},
}
