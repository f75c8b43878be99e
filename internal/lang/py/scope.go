package py

import (
	"regreen/internal/lang"
)

type scopeKind uint8

const (
	moduleScope scopeKind = iota
	classScope
	funcScope // also a lambda, a comprehension and a list of type parameters
	compScope
)

// scope is one namespace.
type scope struct {
	kind     scopeKind
	parent   *scope
	binds    []bind
	names    map[string]int  // name to its first bind
	globals  map[string]bool // declared global
	nonlocal map[string]bool
}

// bind is a name bound at one place.
type bind struct {
	name string
	kind string // param | local | import
	span lang.Span
	stmt *stmt // the statement that binds it
	from int   // for an import: its index among the statement's names
}

// ref is a name used at one place.
type ref struct {
	name string
	span lang.Span
	in   *scope
}

// region says which scope a range of the text belongs to.
type region struct {
	lang.Span
	scope *scope
}

// analysis walks statements and keeps who binds and who uses which name.
type analysis struct {
	*text
	module  *scope
	refs    []ref
	regions []region
	shallow bool // leave the bodies of functions and classes out
	now     *stmt
}

func analyse(t *text, stmts []*stmt, shallow bool) *analysis {
	a := &analysis{text: t, module: &scope{kind: moduleScope}, shallow: shallow}
	a.block(a.module, stmts)
	return a
}

func (s *scope) add(b bind) {
	if s.names == nil {
		s.names = map[string]int{}
	}
	if _, ok := s.names[b.name]; !ok {
		s.names[b.name] = len(s.binds)
	}
	s.binds = append(s.binds, b)
}

// bind binds the name that token i holds, in the scope that Python means.
func (a *analysis) bind(sc *scope, i int, kind string) {
	b := bind{name: a.str(i), kind: kind, span: a.toks[i].Span, stmt: a.now}
	switch {
	case sc.globals[b.name]:
		sc = a.module
	case sc.nonlocal[b.name]:
		if outer := sc.resolve(b.name); outer != nil {
			sc = outer
		}
	}
	sc.add(b)
}

func (a *analysis) use(sc *scope, i int) {
	if a.shallow {
		return
	}
	a.refs = append(a.refs, ref{name: a.str(i), span: a.toks[i].Span, in: sc})
}

func (a *analysis) region(sc *scope, start, end int) {
	if !a.shallow {
		a.regions = append(a.regions, region{lang.Span{Start: start, End: end}, sc})
	}
}

// resolve finds the scope that binds name for code in s; nil when none does.
func (s *scope) resolve(name string) *scope {
	start := s
	for ; s != nil; s = s.parent {
		if s.kind == classScope && s != start {
			continue
		}
		if s.globals[name] {
			for s.parent != nil {
				s = s.parent
			}
		} else if s.nonlocal[name] {
			start = nil
			continue
		}
		if _, ok := s.names[name]; ok {
			return s
		}
	}
	return nil
}

// at gives the innermost scope at an offset.
func (a *analysis) at(offset int) *scope {
	best, size := a.module, len(a.src)+1
	for _, r := range a.regions {
		if r.Start <= offset && offset <= r.End && r.Len() <= size {
			best, size = r.scope, r.Len()
		}
	}
	return best
}

func (a *analysis) block(sc *scope, stmts []*stmt) {
	for _, s := range stmts {
		a.declare(sc, s)
	}
	for _, s := range stmts {
		a.now = s
		a.statement(sc, s)
	}
}

// declare notes a function's global and nonlocal names before its bindings.
func (a *analysis) declare(sc *scope, s *stmt) {
	if s.kind == sGlobal || s.kind == sNonlocal {
		for i := s.from + 1; i < s.to; i++ {
			if !a.ident(i) {
				continue
			}
			set := &sc.globals
			if s.kind == sNonlocal {
				set = &sc.nonlocal
			}
			if *set == nil {
				*set = map[string]bool{}
			}
			(*set)[a.str(i)] = true
		}
	}
	if s.kind != sDef && s.kind != sClass {
		for _, inner := range s.body {
			a.declare(sc, inner)
		}
	}
}

func (a *analysis) statement(sc *scope, s *stmt) {
	for _, d := range s.decos {
		a.expr(sc, d[0], d[1], false, 0)
	}
	from := s.from
	if a.is(from, "async") {
		from++
	}
	switch s.kind {
	case sDef:
		a.function(sc, s, from+1)
		return
	case sClass:
		a.class(sc, s, from+1)
		return
	case sImport:
		for n, m := range a.importNames(s) {
			a.now.bindImport(sc, a, m.local, n)
		}
	case sFrom:
		_, names := a.fromNames(s)
		for n, m := range names {
			if m.imported >= 0 && !a.is(m.imported, "*") {
				a.now.bindImport(sc, a, m.local, n)
			}
		}
	case sGlobal, sNonlocal:
		for i := s.from + 1; i < s.to; i++ {
			if a.ident(i) {
				a.use(sc, i)
			}
		}
	case sType:
		a.bind(sc, s.from+1, "local")
		a.typeAlias(sc, s)
	case sFor:
		a.forHeader(sc, from+1, s.to)
	case sWith:
		a.withItems(sc, from+1, s.to)
	case sExcept:
		a.asTarget(sc, from+1, s.to)
	case sCase:
		a.casePattern(sc, from+1, s.to)
	case sSimple:
		a.simple(sc, s.from, s.to)
	default:
		if s.from < s.to {
			a.expr(sc, from+1, s.to, false, 0)
		}
	}
	a.block(sc, s.body)
}

func (s *stmt) bindImport(sc *scope, a *analysis, i, n int) {
	if i < 0 {
		return
	}
	target := sc
	if sc.globals[a.str(i)] {
		target = a.module
	}
	target.add(bind{name: a.str(i), kind: "import", span: a.toks[i].Span, stmt: s, from: n})
}

// body walks a block in a new scope.
func (a *analysis) body(sc *scope, s *stmt, start int) {
	if a.shallow {
		return
	}
	a.region(sc, start, s.span.End)
	a.block(sc, s.body)
}

// function reads "name[T](params) -> R" at token i.
func (a *analysis) function(sc *scope, s *stmt, i int) {
	if !a.ident(i) || i >= s.to {
		a.body(&scope{kind: funcScope, parent: sc}, s, s.span.Start)
		return
	}
	a.bind(sc, i, "local")
	outer := sc
	i++
	if a.is(i, "[") && i < s.to {
		outer = a.typeParams(sc, s, i)
		i = a.skip(i)
	}
	fn := &scope{kind: funcScope, parent: outer}
	start := s.span.End
	if i < s.to {
		start = a.toks[i].Start
	}
	if a.is(i, "(") && i < s.to {
		end, closing := s.to, s.to // where the bracket is not closed
		if p := int(a.pair[i]); p > i && p < s.to {
			end, closing = p+1, p
		}
		a.params(fn, outer, i+1, closing)
		i = end
	}
	if a.is(i, "->") {
		a.outerExpr(outer, i+1, s.to)
		a.quoted(outer, i+1, s.to)
	}
	a.body(fn, s, start)
}

func (a *analysis) class(sc *scope, s *stmt, i int) {
	outer := sc
	cl := &scope{kind: classScope}
	start := s.span.Start
	if a.ident(i) && i < s.to {
		a.bind(sc, i, "local")
		start = a.toks[i].End
		i++
		if a.is(i, "[") && i < s.to {
			outer = a.typeParams(sc, s, i)
			i = a.skip(i)
		}
		if i < s.to {
			a.outerExpr(outer, i, s.to)
		}
	}
	cl.parent = outer
	a.body(cl, s, start)
}

// outerExpr walks an expression of a header, which belongs to the scope around.
func (a *analysis) outerExpr(sc *scope, from, to int) {
	if from < to {
		a.region(sc, a.toks[from].Start, a.toks[to-1].End)
		a.expr(sc, from, to, false, 0)
	}
}

// params reads a parameter list; annotations and defaults belong to outer.
func (a *analysis) params(fn, outer *scope, from, to int) {
	for _, p := range a.split(from, to, ",") {
		i, end := p[0], p[1]
		for i < end && (a.is(i, "*") || a.is(i, "**")) {
			i++
		}
		if i >= end || !a.ident(i) {
			continue
		}
		a.bind(fn, i, "param")
		a.outerExpr(outer, i+1, end)
		if a.is(i+1, ":") && i+1 < end {
			to := end
			if eq := a.find(i+1, end, func(k int) bool { return a.is(k, "=") }); eq >= 0 {
				to = eq
			}
			a.quoted(outer, i+2, to)
		}
	}
}

// typeParams reads "[T: bound = default, *Ts]".
func (a *analysis) typeParams(sc *scope, s *stmt, i int) *scope {
	inner := &scope{kind: funcScope, parent: sc}
	a.region(inner, a.toks[i].Start, s.span.End)
	if a.pair[i] > 0 {
		a.params(inner, inner, i+1, int(a.pair[i]))
	}
	return inner
}

func (a *analysis) typeAlias(sc *scope, s *stmt) {
	i, in := s.from+2, sc
	if a.is(i, "[") {
		in = a.typeParams(sc, s, i)
		i = a.skip(i)
	}
	if i < s.to {
		a.expr(in, i, s.to, false, 0)
	}
}
