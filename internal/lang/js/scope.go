package js

import "regreen/internal/lang"

// scope is a stretch of the text in which names are bound.
type scope struct {
	parent     int  // -1 for the module's
	hoist      bool // a function, namespace or module: var ends up here
	start, end int  // bytes
}

// bind is a name bound in a scope.
type bind struct {
	scope int
	name  string
	kind  string // param | local | module | import
	tok   int
	// shorthand marks { name } of an object pattern, whose key is the name too.
	shorthand bool
}

// ref is a use of a name.
type ref struct {
	scope int
	tok   int
	// shorthand marks { name } of an object literal, whose key is the name too.
	shorthand bool
}

// scopes is what the reader finds in a text. Bindings and references are
// found for broken texts too, as far as their brackets go.
type scopes struct {
	*text
	all   []scope
	binds []bind
	refs  []ref
	// bound finds the bindings of a name in a scope.
	bound map[boundKey][]int
}

type boundKey struct {
	scope int
	name  string
}

// lexFile tokenizes a file; of a component all script blocks, as one module.
func lexFile(path string, src string) *text {
	if !isComponent(path) {
		return lex(src, 0, len(src), dialectOf(path))
	}
	all := &text{src: src, dia: dialect{jsx: true}}
	for _, b := range scriptBlocks(src) {
		t := lex(src, b.Start, b.End, b.dialect)
		all.dia.ts = all.dia.ts || t.dia.ts
		all.broken = all.broken || t.broken
		n := int32(len(all.toks))
		for _, k := range t.toks {
			if k.match >= 0 {
				k.match += n
			}
			all.toks = append(all.toks, k)
		}
		all.comments = append(all.comments, t.comments...)
	}
	return all
}

// readScopes reads the scopes of a file.
func readScopes(path string, src []byte) *scopes {
	s := &scopes{text: lexFile(path, string(src)), bound: map[boundKey][]int{}}
	s.all = append(s.all, scope{parent: -1, hoist: true, end: len(src) + 1})
	p := &reader{scopes: s, end: len(s.toks)}
	p.statements()
	for i, b := range s.binds {
		k := boundKey{b.scope, b.name}
		s.bound[k] = append(s.bound[k], i)
	}
	return s
}

// at is the innermost scope at an offset; the module's for a negative one.
func (s *scopes) at(offset int) int {
	if offset < 0 {
		return 0
	}
	for i := len(s.all) - 1; i > 0; i-- {
		if s.all[i].start <= offset && offset < s.all[i].end {
			return i
		}
	}
	return 0
}

// owner is the scope that binds the name as seen from a scope, -1 for none.
func (s *scopes) owner(from int, name string) int {
	for i := from; i >= 0; i = s.all[i].parent {
		if len(s.bound[boundKey{i, name}]) > 0 {
			return i
		}
	}
	return -1
}

// tokSpan is the range of a token.
func (s *scopes) tokSpan(i int) lang.Span {
	return lang.Span{Start: int(s.toks[i].start), End: int(s.toks[i].end)}
}

// reader walks the statements of a text and notes scopes, bindings and uses.
// It sees no token at or behind end; every loop of it moves on.
type reader struct {
	*scopes
	i, end  int
	scope   int
	depth   int
	ternary int // open conditionals in the expression that is read
	infers  int // the scope that infer binds in
}

// maxDepth bounds the recursion; deeper code is skipped.
const maxDepth = 600

func (p *reader) enter() bool {
	p.depth++
	return p.depth <= maxDepth
}

func (p *reader) leave() { p.depth-- }

func (p *reader) see(s string) bool { return p.i < p.end && p.is(p.i, s) }

// seeAt looks n tokens ahead.
func (p *reader) seeAt(n int, s string) bool { return p.i+n < p.end && p.is(p.i+n, s) }

// take moves over the token if it is s.
func (p *reader) take(s string) bool {
	if p.see(s) {
		p.i++
		return true
	}
	return false
}

func (p *reader) kind() kind {
	if p.i >= p.end {
		return kInvalid
	}
	return p.toks[p.i].kind
}

func (p *reader) kindN(n int) kind {
	if p.i+n >= p.end {
		return kInvalid
	}
	return p.toks[p.i+n].kind
}

// newline tells whether a line ends before the present token.
func (p *reader) newline() bool { return p.i < p.end && p.toks[p.i].nl }

// open starts a scope at the present token.
func (p *reader) open(hoist bool) int {
	start := len(p.src)
	if p.i < len(p.toks) {
		start = int(p.toks[p.i].start)
	}
	p.all = append(p.all, scope{parent: p.scope, hoist: hoist, start: start, end: len(p.src) + 1})
	outer := p.scope
	p.scope = len(p.all) - 1
	return outer
}

// shut ends the present scope behind the last token and goes back to outer.
func (p *reader) shut(outer int) {
	if p.i > 0 && p.i <= len(p.toks) {
		last := int(p.toks[p.i-1].end)
		if p.i < len(p.toks) || !p.broken {
			p.all[p.scope].end = max(last, p.all[p.scope].start)
		}
	}
	p.scope = outer
}

// declare binds the name at token i in a scope.
func (p *reader) declare(scope, i int, kind string) {
	if kind == "local" && scope == 0 {
		kind = "module"
	}
	p.binds = append(p.binds, bind{scope: scope, name: p.str(i), kind: kind, tok: i})
}

// hoisted is the scope that a var in the present one belongs to.
func (p *reader) hoisted() int {
	s := p.scope
	for !p.all[s].hoist {
		s = p.all[s].parent
	}
	return s
}

// use notes a use of the name at token i.
func (p *reader) use(i int) { p.refs = append(p.refs, ref{scope: p.scope, tok: i}) }

// bracketed reads what stands in the bracket that opens here with f, again
// and again until its end, and moves behind it.
func (p *reader) bracketed(f func()) {
	open := p.i
	c := p.closing(open)
	p.i++
	end := p.end
	if c > 0 && c < end {
		p.end = c
	}
	ternary := p.ternary
	p.ternary = 0
	for p.i < p.end {
		at := p.i
		if c < 0 && p.kind() == kPunct && (p.see("}") || p.see(")") || p.see("]")) {
			break
		}
		f()
		if p.i == at {
			p.i++
		}
	}
	p.ternary = ternary
	p.end = end
	if c > 0 && c < end {
		p.i = c + 1
	}
}

// mark is a state that the reader can go back to.
type mark struct{ i, all, binds, refs, scope, end int }

func (p *reader) mark() mark {
	return mark{p.i, len(p.all), len(p.binds), len(p.refs), p.scope, p.end}
}

func (p *reader) reset(m mark) {
	p.i, p.scope, p.end = m.i, m.scope, m.end
	p.all, p.binds, p.refs = p.all[:m.all], p.binds[:m.binds], p.refs[:m.refs]
}
