package cycle

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"regreen/fixers"
	"regreen/internal/lang"
)

// The slips that are guessed at: an operator, a bound, two arguments in the
// wrong order, the wrong variable. Each is one edit of one or two tokens, of which
// mutation testing makes its faults.

// operators are what may stand for each other.
var operators = map[string][]string{
	"<": {"<=", ">"}, "<=": {"<", ">="}, ">": {">=", "<"}, ">=": {">", "<="},
	"==": {"!="}, "!=": {"=="}, "===": {"!=="}, "!==": {"==="},
	"+": {"-"}, "-": {"+"}, "*": {"/"}, "/": {"*"}, "+=": {"-="}, "-=": {"+="},
	"&&": {"||"}, "||": {"&&"}, "and": {"or"}, "or": {"and"},
	"true": {"false"}, "false": {"true"}, "True": {"False"}, "False": {"True"},
}

// maxVariables bounds the names that are tried in the place of one.
const maxVariables = 6

// mutation is one edit of a text, and what it is in words.
type mutation struct {
	edits []lang.TextEdit
	what  string
}

// mutations are the edits of the lines from first to last (from 1), by kind:
// the likeliest slips come first.
func mutations(l lang.Language, file string, src []byte, first, last int) []mutation {
	m := &mutator{l: l, file: file, src: src}
	start, end := lineStart(src, first), lineStart(src, last+1)
	for _, t := range l.Tokens(file, src) {
		switch t.Kind {
		case lang.Comment, lang.Newline, lang.Indent, lang.Dedent:
			continue
		}
		m.tokens = append(m.tokens, t)
	}
	var by [4][]mutation
	for i, t := range m.tokens {
		if t.Start < start || t.End > end {
			continue
		}
		by[0] = append(by[0], m.operator(i)...)
		by[1] = append(by[1], m.bound(i)...)
		by[2] = append(by[2], m.swap(i)...)
		by[3] = append(by[3], m.variable(i)...)
	}
	return slices.Concat(by[:]...)
}

// lineStart is where a line (from 1) begins.
func lineStart(src []byte, line int) int {
	at := 0
	for range line - 1 {
		i := bytes.IndexByte(src[at:], '\n')
		if i < 0 {
			return len(src)
		}
		at += i + 1
	}
	return at
}

// mutator knows the tokens that count of one text.
type mutator struct {
	l      lang.Language
	file   string
	src    []byte
	tokens []lang.Token
}

func (m *mutator) text(i int) string {
	if i < 0 || i >= len(m.tokens) {
		return ""
	}
	return string(m.src[m.tokens[i].Start:m.tokens[i].End])
}

// replace is one token exchanged.
func (m *mutator) replace(i int, by string) mutation {
	return mutation{[]lang.TextEdit{{Span: m.tokens[i].Span, New: by}}, fmt.Sprintf("%s in the place of %s", by, m.text(i))}
}

func (m *mutator) operator(i int) (out []mutation) {
	if m.tokens[i].Kind == lang.String {
		return nil
	}
	for _, by := range operators[m.text(i)] {
		out = append(out, m.replace(i, by))
	}
	return out
}

// bound is a whole number that is off by one.
func (m *mutator) bound(i int) []mutation {
	n, err := strconv.ParseInt(m.text(i), 10, 32)
	if err != nil || m.tokens[i].Kind != lang.Number {
		return nil
	}
	out := []mutation{m.replace(i, strconv.FormatInt(n+1, 10))}
	if n > 0 {
		out = append(out, m.replace(i, strconv.FormatInt(n-1, 10)))
	}
	return out
}

// swap exchanges the arguments on both sides of a comma, where each is one
// token.
func (m *mutator) swap(i int) []mutation {
	a, b := m.text(i-1), m.text(i+1)
	if m.text(i) != "," || a == b || !m.argument(i-1) || !m.argument(i+1) ||
		!slices.Contains([]string{"(", ","}, m.text(i-2)) || !slices.Contains([]string{")", ","}, m.text(i+2)) {
		return nil
	}
	return []mutation{{[]lang.TextEdit{{Span: m.tokens[i-1].Span, New: b}, {Span: m.tokens[i+1].Span, New: a}},
		fmt.Sprintf("%s, %s in the place of %s, %s", b, a, a, b)}}
}

func (m *mutator) argument(i int) bool {
	if i < 0 || i >= len(m.tokens) {
		return false
	}
	k := m.tokens[i].Kind
	return k == lang.Ident || k == lang.Number || k == lang.String
}

// variable puts another parameter or local name in the place of one that is
// used there.
func (m *mutator) variable(i int) (out []mutation) {
	name := m.text(i)
	if m.tokens[i].Kind != lang.Ident || m.text(i-1) == "." || m.text(i-1) == "?." || m.text(i+1) == ":" || m.text(i+1) == "=" {
		return nil
	}
	scope := m.l.InScope(m.file, m.src, m.tokens[i].Start)
	near := func(b lang.Binding) bool { return b.Kind == "param" || b.Kind == "local" }
	at := slices.IndexFunc(scope, func(b lang.Binding) bool { return b.Name == name })
	if at < 0 || !near(scope[at]) || scope[at].Span == m.tokens[i].Span {
		return nil
	}
	for _, b := range scope {
		if len(out) == maxVariables {
			break
		}
		if near(b) && b.Name != name && b.Span.Start < m.tokens[i].Start {
			out = append(out, m.replace(i, b.Name))
		}
	}
	return out
}

// fix is a mutation as a candidate that only a person may take.
func (m mutation) fix(file string, line int) fixers.Fix {
	f := fixers.Fix{Title: fmt.Sprintf("a guess: %s, line %d of %s", m.what, line, file), Rule: "guess", Applicability: fixers.Propose}
	for _, e := range m.edits {
		f.Edits = append(f.Edits, fixers.Edit{File: file, Start: e.Start, End: e.End, New: e.New})
	}
	f.Seal()
	return f
}
