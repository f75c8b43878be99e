package py

import (
	"strings"

	"regreen/internal/lang"
)

// expr walks the expression in [from, to). call says that the range is the
// inside of parentheses, where "name=" is a keyword argument.
func (a *analysis) expr(sc *scope, from, to int, call bool, depth int) {
	for i := from; i < to; {
		switch a.kind(i) {
		case lang.Ident:
			i = a.name(sc, i, from, to, call)
		case lang.Keyword:
			if a.is(i, "lambda") && depth < maxDepth {
				i = a.lambda(sc, i, to, depth+1)
			} else {
				i++
			}
		case lang.Punct:
			closing := int(a.pair[i])
			if closing > i && closing < to && depth < maxDepth {
				a.bracket(sc, i, closing, depth+1)
				i = closing + 1
			} else {
				i++
			}
		default:
			i++
		}
	}
}

func (a *analysis) name(sc *scope, i, from, to int, call bool) int {
	switch {
	case a.is(i-1, ".") || a.is(i-1, "!"): // an attribute, an f-string's conversion
	case call && i+1 < to && a.is(i+1, "=") && (i == from || a.is(i-1, ",")): // a keyword argument
	case i+1 < to && a.is(i+1, ":="):
		target := sc
		for target.kind == compScope && target.parent != nil {
			target = target.parent
		}
		a.bind(target, i, "local")
	default:
		a.use(sc, i)
	}
	return i + 1
}

// bracket walks the inside of a pair of brackets.
func (a *analysis) bracket(sc *scope, open, closing, depth int) {
	forAt := a.find(open+1, closing, func(i int) bool { return a.is(i, "for") })
	if forAt < 0 {
		a.expr(sc, open+1, closing, a.is(open, "("), depth)
		return
	}
	comp := &scope{kind: compScope, parent: sc}
	a.region(comp, a.toks[open].End, a.toks[closing].Start)
	element := forAt
	if a.is(forAt-1, "async") {
		element--
	}
	first := true
	for at := forAt; at >= 0 && at < closing; {
		next := a.find(at+1, closing, func(i int) bool { return a.is(i, "for") })
		end := next
		if next < 0 {
			end = closing
		}
		in := a.find(at+1, end, func(i int) bool { return a.is(i, "in") })
		if in < 0 {
			a.target(comp, at+1, end, depth)
		} else {
			a.target(comp, at+1, in, depth)
			stop := a.find(in+1, end, func(i int) bool { return a.is(i, "if") || a.is(i, "async") })
			if stop < 0 {
				stop = end
			}
			if first { // the first iterable is evaluated outside
				if stop > in+1 {
					a.region(sc, a.toks[in+1].Start, a.toks[stop-1].End)
				}
				a.expr(sc, in+1, stop, false, depth)
			} else {
				a.expr(comp, in+1, stop, false, depth)
			}
			a.expr(comp, stop, end, false, depth)
		}
		first = false
		at = next
	}
	a.expr(comp, open+1, element, false, depth)
}

// lambda walks "lambda params: body" and gives the index behind it.
func (a *analysis) lambda(sc *scope, i, to, depth int) int {
	colon := int(a.pair[i])
	if colon < 0 || colon >= to {
		return i + 1
	}
	fn := &scope{kind: funcScope, parent: sc}
	end := a.find(colon+1, to, func(i int) bool {
		return a.is(i, ",") || a.is(i, ":") || a.is(i, "for") || a.is(i, "=")
	})
	if end < 0 {
		end = to
	}
	if end > i {
		a.region(fn, a.toks[i].End, a.toks[end-1].End)
	}
	a.params(fn, sc, i+1, colon)
	a.expr(fn, colon+1, end, false, depth)
	return end
}

// target walks an assignment's left side.
func (a *analysis) target(sc *scope, from, to, depth int) {
	for i := from; i < to; {
		switch a.kind(i) {
		case lang.Ident:
			switch {
			case a.is(i-1, ".") && i > from:
			case i+1 < to && (a.is(i+1, ".") || a.is(i+1, "[") || a.is(i+1, "(")):
				a.use(sc, i)
			default:
				a.bind(sc, i, "local")
			}
			i++
		case lang.Punct:
			closing := int(a.pair[i])
			if closing <= i || closing >= to || depth >= maxDepth {
				i++
				continue
			}
			if i > from && a.operand(i-1) {
				a.expr(sc, i+1, closing, a.is(i, "("), depth+1)
			} else {
				a.target(sc, i+1, closing, depth+1)
			}
			i = closing + 1
		default:
			i++
		}
	}
}

// operand tells whether token i ends an operand, so that a bracket behind it
// calls or subscribes.
func (a *analysis) operand(i int) bool {
	return a.kind(i) == lang.Ident || a.kind(i) == lang.String || a.is(i, ")") || a.is(i, "]") || a.is(i, "}")
}

// simple walks an expression statement or an assignment.
func (a *analysis) simple(sc *scope, from, to int) {
	if a.kind(from) == lang.Keyword { // return, raise, del, assert, await, …
		a.expr(sc, from, to, false, 0)
		return
	}
	parts := a.split(from, to, "=")
	if len(parts) > 1 {
		for n, p := range parts {
			if n == len(parts)-1 {
				a.expr(sc, p[0], p[1], false, 0)
			} else {
				a.annotated(sc, p[0], p[1])
			}
		}
		return
	}
	if op := a.find(from, to, func(i int) bool {
		s := a.str(i)
		return a.kind(i) == lang.Punct && len(s) >= 2 && s[len(s)-1] == '=' && !strings.Contains("== != <= >= :=", s)
	}); op >= 0 {
		a.target(sc, from, op, 0)
		a.expr(sc, op+1, to, false, 0)
		return
	}
	if a.find(from, to, func(i int) bool { return a.is(i, ":") }) > 0 && a.kind(from) == lang.Ident {
		a.annotated(sc, from, to)
		return
	}
	a.expr(sc, from, to, false, 0)
}

// annotated walks a target that may have an annotation.
func (a *analysis) annotated(sc *scope, from, to int) {
	colon := a.find(from, to, func(i int) bool { return a.is(i, ":") })
	if colon < 0 {
		a.target(sc, from, to, 0)
		return
	}
	a.target(sc, from, colon, 0)
	a.expr(sc, colon+1, to, false, 0)
	a.quoted(sc, colon+1, to)
}

func (a *analysis) forHeader(sc *scope, from, to int) {
	in := a.find(from, to, func(i int) bool { return a.is(i, "in") })
	if in < 0 {
		a.target(sc, from, to, 0)
		return
	}
	a.target(sc, from, in, 0)
	a.expr(sc, in+1, to, false, 0)
}

// withItems walks "a as b, c as (d, e)", parenthesised or not.
func (a *analysis) withItems(sc *scope, from, to int) {
	if a.is(from, "(") && int(a.pair[from]) == to-1 {
		inner := a.find(from+1, to-1, func(i int) bool { return a.is(i, "as") })
		if inner >= 0 {
			from, to = from+1, to-1
		}
	}
	for _, item := range a.split(from, to, ",") {
		a.asTarget(sc, item[0], item[1])
	}
}

// asTarget walks "expression as target".
func (a *analysis) asTarget(sc *scope, from, to int) {
	as := a.find(from, to, func(i int) bool { return a.is(i, "as") })
	if as < 0 {
		a.expr(sc, from, to, false, 0)
		return
	}
	a.expr(sc, from, as, false, 0)
	a.target(sc, as+1, to, 0)
}

// casePattern walks "pattern if guard".
func (a *analysis) casePattern(sc *scope, from, to int) {
	guard := a.find(from, to, func(i int) bool { return a.is(i, "if") })
	end := to
	if guard >= 0 {
		end = guard
		a.expr(sc, guard, to, false, 0)
	}
	for i := from; i < end; i++ {
		if !a.ident(i) || a.is(i-1, ".") {
			continue
		}
		switch {
		case a.is(i, "_"):
		case a.is(i+1, ".") || a.is(i+1, "("):
			a.use(sc, i)
		case a.is(i+1, "="): // a class pattern's keyword
		default:
			a.bind(sc, i, "local")
		}
	}
}
