package py

import (
	"regreen/internal/lang"
)

// stmtKind sorts statements; compound ones carry a body.
type stmtKind uint8

const (
	sSimple stmtKind = iota // an expression, an assignment, return, raise, …
	sImport
	sFrom
	sGlobal
	sNonlocal
	sType // type X = …
	sDef
	sClass
	sIf // if, elif, while
	sElse
	sTry
	sFinally
	sFor
	sWith
	sExcept
	sMatch
	sCase
)

// stmt is one statement. from and to bound its tokens without a body: the
// header of a compound statement (the colon left out), else all of it.
type stmt struct {
	kind     stmtKind
	from, to int
	decos    [][2]int // decorators, without the @
	body     []*stmt
	span     lang.Span // decorators and body included, the line's end left out
}

// text is a source with its tokens (comments left out) and, for each bracket,
// the index of its partner, for each lambda that of its colon.
type text struct {
	src  []byte
	toks []lang.Token
	pair []int32 // -1 for anything else and for one without a partner
}

func newText(src []byte) *text {
	all := tokenize(src)
	toks := all[:0]
	for _, tok := range all {
		if tok.Kind != lang.Comment {
			toks = append(toks, tok)
		}
	}
	t := &text{src: src, toks: toks, pair: make([]int32, len(toks))}
	var open []int32 // brackets and lambdas
	for i, tok := range toks {
		t.pair[i] = -1
		switch tok.Kind {
		case lang.Newline:
			open = open[:0]
		case lang.Keyword:
			if t.is(i, "lambda") {
				open = append(open, int32(i))
			}
		case lang.Punct:
			if tok.Len() == 1 {
				open = t.match(open, i)
			}
		}
	}
	return t
}

// match pairs token i with what is open, if it closes something.
func (t *text) match(open []int32, i int) []int32 {
	n := len(open)
	switch t.src[t.toks[i].Start] {
	case '(', '[', '{':
		return append(open, int32(i))
	case ':':
		if n > 0 && t.kind(int(open[n-1])) == lang.Keyword {
			t.pair[open[n-1]] = int32(i)
			return open[:n-1]
		}
	case ')', ']', '}':
		for n > 0 && t.kind(int(open[n-1])) == lang.Keyword { // a lambda without its colon
			n--
		}
		if n > 0 {
			t.pair[i], t.pair[open[n-1]] = open[n-1], int32(i)
			n--
		}
		return open[:n]
	}
	return open
}

// str is a token's text; "" outside of the tokens.
func (t *text) str(i int) string {
	if i < 0 || i >= len(t.toks) {
		return ""
	}
	return string(t.src[t.toks[i].Start:t.toks[i].End])
}

// is compares a token's text. It does not allocate.
func (t *text) is(i int, s string) bool {
	if i < 0 || i >= len(t.toks) {
		return false
	}
	tok := t.toks[i]
	return tok.End-tok.Start == len(s) && tok.Kind != lang.String && string(t.src[tok.Start:tok.End]) == s
}

func (t *text) kind(i int) lang.TokenKind {
	if i < 0 || i >= len(t.toks) {
		return lang.Newline
	}
	return t.toks[i].Kind
}

func (t *text) ident(i int) bool { return t.kind(i) == lang.Ident }

// skip gives the index after token i, or after its partner.
func (t *text) skip(i int) int {
	if p := int(t.pair[i]); p > i {
		return p + 1
	}
	return i + 1
}

// find gives the first token within [from, to) and outside brackets for
// which ok holds, -1 if there is none.
func (t *text) find(from, to int, ok func(i int) bool) int {
	for i := from; i < to; i = t.skip(i) {
		if ok(i) {
			return i
		}
	}
	return -1
}

// split cuts [from, to) at the tokens outside brackets that read sep.
func (t *text) split(from, to int, sep string) [][2]int {
	var parts [][2]int
	start := from
	for i := from; i < to; i = t.skip(i) {
		if t.is(i, sep) {
			parts = append(parts, [2]int{start, i})
			start = i + 1
		}
	}
	if start < to {
		parts = append(parts, [2]int{start, to})
	}
	return parts
}

// parse gives the text's statements.
func (t *text) parse() []*stmt {
	p := &parser{text: t}
	var all []*stmt
	for p.i < len(t.toks) {
		all = append(all, p.block(0)...)
	}
	return all
}

// maxDepth bounds the nesting of blocks and brackets that is told apart;
// CPython itself stops at 100 and 200.
const maxDepth = 400

type parser struct {
	*text
	i    int
	last int // end of the last token that is part of a statement
}

// block reads statements up to the Dedent that ends them.
func (p *parser) block(depth int) []*stmt {
	var out []*stmt
	var decos [][2]int
	decoAt := -1
	for p.i < len(p.toks) {
		switch p.kind(p.i) {
		case lang.Newline:
			p.i++
			continue
		case lang.Indent: // unexpected: its statements belong here
			p.i++
			if depth < maxDepth {
				out = append(out, p.block(depth+1)...)
			}
			continue
		case lang.Dedent:
			p.i++
			if depth > 0 {
				return out
			}
			continue
		}
		if p.is(p.i, "@") {
			if decoAt < 0 {
				decoAt = p.toks[p.i].Start
			}
			from := p.i + 1
			p.toLineEnd()
			decos = append(decos, [2]int{from, p.i})
			continue
		}
		s := p.statement(depth)
		if decoAt >= 0 {
			s.decos, s.span.Start = decos, decoAt
			decos, decoAt = nil, -1
		}
		out = append(out, s)
	}
	return out
}

func structural(k lang.TokenKind) bool {
	return k == lang.Newline || k == lang.Indent || k == lang.Dedent
}

func (p *parser) toLineEnd() {
	for p.i < len(p.toks) && !structural(p.kind(p.i)) {
		p.last = p.toks[p.i].End
		p.i++
	}
}

func (p *parser) statement(depth int) *stmt {
	s := &stmt{from: p.i, span: lang.Span{Start: p.toks[p.i].Start}}
	kind, compound := p.compound()
	if !compound {
		p.simple(s)
		s.span.End = p.last
		return s
	}
	s.kind = kind
	for p.i < len(p.toks) && !structural(p.kind(p.i)) && !p.is(p.i, ":") {
		next := p.skip(p.i)
		p.last = p.toks[next-1].End
		p.i = next
	}
	s.to = p.i
	if p.is(p.i, ":") {
		p.last = p.toks[p.i].End
		p.i++
	}
	switch {
	case p.kind(p.i) == lang.Newline:
		p.i++
		if p.i < len(p.toks) && p.kind(p.i) == lang.Indent && depth < maxDepth {
			p.i++
			s.body = p.block(depth + 1)
		}
	default: // the body stands on the same line
		for p.i < len(p.toks) && !structural(p.kind(p.i)) {
			one := &stmt{from: p.i, span: lang.Span{Start: p.toks[p.i].Start}}
			p.simple(one)
			one.span.End = p.last
			s.body = append(s.body, one)
		}
	}
	s.span.End = p.last
	return s
}

// simple reads up to the line's end or past a semicolon.
func (p *parser) simple(s *stmt) {
	switch {
	case p.is(p.i, "import"):
		s.kind = sImport
	case p.is(p.i, "from"):
		s.kind = sFrom
	case p.is(p.i, "global"):
		s.kind = sGlobal
	case p.is(p.i, "nonlocal"):
		s.kind = sNonlocal
	case p.is(p.i, "type") && p.ident(p.i+1) && (p.is(p.i+2, "=") || p.is(p.i+2, "[")):
		s.kind = sType
	}
	for p.i < len(p.toks) && !structural(p.kind(p.i)) {
		if p.is(p.i, ";") {
			s.to = p.i
			p.i++
			return
		}
		next := p.skip(p.i)
		p.last = p.toks[next-1].End
		p.i = next
	}
	s.to = p.i
}

// compound tells whether a compound statement starts here.
func (p *parser) compound() (stmtKind, bool) {
	at := p.i
	if p.is(at, "async") {
		at++
	}
	switch p.kind(at) {
	case lang.Keyword:
		switch p.str(at) {
		case "def":
			return sDef, true
		case "class":
			return sClass, true
		case "if", "elif", "while":
			return sIf, true
		case "else":
			return sElse, true
		case "for":
			return sFor, true
		case "with":
			return sWith, true
		case "try":
			return sTry, true
		case "except":
			return sExcept, true
		case "finally":
			return sFinally, true
		}
	case lang.Ident:
		switch {
		case p.is(at, "match") && p.soft(at):
			return sMatch, true
		case p.is(at, "case") && p.soft(at):
			return sCase, true
		}
	}
	return 0, false
}

// soft tells whether match or case is the keyword: its line ends with a colon
// outside brackets, and what follows it can start a subject or pattern.
func (p *parser) soft(at int) bool {
	next := at + 1
	switch p.kind(next) {
	case lang.Newline, lang.Indent, lang.Dedent:
		return false
	case lang.Punct:
		switch p.str(next) {
		case "(", "[", "{", "-", "*", "~", "...":
		default:
			return false
		}
	case lang.Keyword:
		switch p.str(next) {
		case "and", "or", "is", "in", "if", "else", "for":
			return false
		}
	}
	colon, assigns := -1, false
	for i := next; i < len(p.toks) && !structural(p.kind(i)) && !p.is(i, ";"); i = p.skip(i) {
		if p.is(i, "=") {
			assigns = true
		}
		if p.is(i, ":") && colon < 0 && i > next {
			colon = i
		}
	}
	if colon < 0 || assigns {
		// "case 1: x = 2" is one line, "match[a]: int = 3" an annotation.
		return colon >= 0 && p.is(at, "case") && !p.is(next, "[") && !p.is(next, "(")
	}
	return p.is(at, "case") || p.kind(colon+1) == lang.Newline
}
