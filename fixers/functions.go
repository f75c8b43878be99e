package fixers

import (
	"slices"

	"regreen/internal/lang"
)

// function is one that code stands in.
type function struct {
	async bool
	// header is where "async " goes.
	header int
	// body is the range of significant tokens of its body.
	first, last int
	// argument: it is handed to a call, as a test's body is.
	argument bool
	callee   string // of that call
	params   lang.Span
}

// functionAround gives the innermost function around the significant token i.
func functionAround(t *text, i int) (function, bool) {
	if t.lang.Name() == "python" {
		return defAround(t, i)
	}
	arrowOpen := true // no comma or semicolon passed on this level
	for j := i - 1; j >= 0; j-- {
		switch t.word(j) {
		case ")", "]", "}":
			o := t.opening(j)
			if o < 0 {
				return function{}, false
			}
			j = o
		case ",", ";":
			arrowOpen = false
		case "=>":
			if arrowOpen {
				f := arrow(t, j)
				f.first, f.last = j+1, expressionEnd(t, j+1)
				return f, true
			}
		case "(", "[", "{":
			arrowOpen = true
			if t.word(j) != "{" {
				continue
			}
			if f, ok := bodyAt(t, j); ok {
				f.first, f.last = j+1, t.matching(j)-1
				if f.last < 0 {
					f.last = len(t.significant()) - 1
				}
				return f, true
			}
		}
	}
	return function{}, false
}

// bodyAt tells whether the brace at i opens a function's body.
func bodyAt(t *text, i int) (function, bool) {
	if t.word(i-1) == "=>" {
		return arrow(t, i-1), true
	}
	close := i - 1
	if t.word(close) != ")" { // a return type
		for j := i - 1; j > i-24 && j > 1; j-- {
			if t.word(j) == ":" && t.word(j-1) == ")" {
				close = j - 1
				break
			}
			if w := t.word(j); w == ";" || w == "}" || w == "{" {
				return function{}, false
			}
		}
	}
	if t.word(close) != ")" {
		return function{}, false
	}
	open := t.opening(close)
	if open < 1 {
		return function{}, false
	}
	f := function{params: lang.Span{Start: open, End: close}}
	switch t.word(open - 1) {
	case "if", "for", "while", "switch", "catch", "with", "await":
		return function{}, false
	}
	start := open - 1 // the name, or the word function
	switch {
	case t.word(start) == "function":
	case t.word(start) == "*" && t.word(start-1) == "function":
		start--
	case t.word(start-1) == "function":
		start--
	case t.word(start-1) == "*" && t.word(start-2) == "function":
		start -= 2
	}
	f.async = t.word(start-1) == "async"
	f.header = t.significant()[start].Start
	t.argumentOf(&f, start-1)
	return f, true
}

// arrow describes the arrow function whose arrow is at i.
func arrow(t *text, i int) function {
	start := i - 1
	var f function
	if t.word(start) == ")" {
		if o := t.opening(start); o >= 0 {
			f.params = lang.Span{Start: o, End: start}
			start = o
		}
	} else {
		f.params = lang.Span{Start: i - 2, End: i}
	}
	f.async = t.word(start-1) == "async"
	if start >= 0 {
		f.header = t.significant()[start].Start
	}
	t.argumentOf(&f, start-1)
	return f
}

// argumentOf notes the call that a function beginning behind token i is given
// to.
func (t *text) argumentOf(f *function, i int) {
	if t.word(i) == "async" {
		i--
	}
	if w := t.word(i); w != "(" && w != "," {
		return
	}
	o := i
	if t.word(i) == "," {
		o = t.around(i)
	}
	if t.word(o) != "(" || o < 1 {
		return
	}
	for o--; t.word(o-1) == "."; o -= 2 {
	}
	f.argument, f.callee = true, t.word(o)
}

// expressionEnd is the last token of the expression that begins at i.
func expressionEnd(t *text, i int) int {
	n := len(t.significant())
	for ; i < n; i++ {
		switch t.word(i) {
		case "(", "[", "{":
			c := t.matching(i)
			if c < 0 {
				return n - 1
			}
			i = c
		case ")", "]", "}", ",", ";":
			return i - 1
		}
	}
	return n - 1
}

// defAround finds the def whose indented block holds the token.
func defAround(t *text, i int) (function, bool) {
	ks := t.significant()
	if i < 0 || i >= len(ks) {
		return function{}, false
	}
	type block struct {
		isDef bool
		f     function
	}
	var stack []block
	var pending block
	at := ks[i].Start
	s := -1 // index among the significant tokens
	var found function
	ok := false
	for _, k := range t.tokens() {
		switch k.Kind {
		case lang.Comment:
			continue
		case lang.Newline:
			continue
		case lang.Indent:
			pending.f.first = s + 1
			stack = append(stack, pending)
			pending = block{}
			continue
		case lang.Dedent:
			if len(stack) > 0 {
				top := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if ok && top.isDef && top.f.header == found.header {
					found.last = s
					return found, true
				}
			}
			continue
		}
		s++
		if t.str(k) == "def" {
			pending = block{true, function{async: t.word(s-1) == "async", header: k.Start}}
			if t.word(s+2) == "(" {
				pending.f.params = lang.Span{Start: s + 2, End: t.matching(s + 2)}
			}
		} else if t.startsStatement(s) && t.word(s) != "async" && t.around(s) < 0 {
			pending = block{}
		}
		if k.Start == at && !ok {
			for j := len(stack) - 1; j >= 0; j-- {
				if stack[j].isDef {
					found, ok = stack[j].f, true
					break
				}
			}
			if !ok {
				return function{}, false
			}
		}
	}
	found.last = len(ks) - 1
	return found, ok
}

// asyncNames lists the functions and methods of a text that give a promise or
// a coroutine.
func asyncNames(t *text) map[string]bool {
	out := map[string]bool{}
	for i := range t.significant() {
		if t.word(i) != "async" {
			continue
		}
		switch {
		case t.word(i+1) == "def":
			out[t.word(i+2)] = true
		case t.word(i+1) == "function" && t.word(i+2) == "*":
		case t.word(i+1) == "function" && t.word(i+2) != "(":
			out[t.word(i+2)] = true
		case t.word(i-1) == "=" || t.word(i-1) == ":":
			out[t.word(i-2)] = true
		case t.word(i+2) == "(" && t.word(i+1) != "function":
			if c := t.matching(i + 2); c > 0 && (t.word(c+1) == "{" || t.word(c+1) == ":") {
				out[t.word(i+1)] = true
			}
		}
	}
	if t.lang.Name() == "js" {
		for i := range t.significant() {
			out[promisedName(t, i)] = true
		}
		for _, d := range t.scan().Defs {
			if d.Body.Len() > 0 && givesPromise(t, d.Body) {
				out[firstOf(d.Local, d.Name)] = true
			}
		}
	}
	delete(out, "")
	return out
}

// promisedName is the function that token i says of that it gives a promise,
// or "": by its annotated result, or because util.promisify makes it.
func promisedName(t *text, i int) string {
	switch {
	case t.word(i) == "promisify" && t.word(i+1) == "(":
		start := chainStart(t, i)
		if t.word(start-1) == "=" && t.word(t.matching(i+1)+1) != "(" {
			return t.word(start - 2)
		}
	case t.word(i) == "Promise" && t.word(i+1) == "<" && t.word(i-1) == ":" && t.word(i-2) == ")":
		o := t.opening(i - 2)
		if o < 1 {
			return ""
		}
		k := o - 1
		if t.word(k) == "=" && endsInArrow(t, i+1) {
			k--
		}
		if name := t.word(k); t.significant()[k].Kind == lang.Ident && t.word(k-1) != ":" && name != "async" && name != "function" {
			return name
		}
	}
	return ""
}

// endsInArrow tells whether an arrow follows the angle brackets at token i.
func endsInArrow(t *text, i int) bool {
	for depth, j := 0, i; j < min(i+40, len(t.significant())); j++ {
		switch w := t.word(j); w {
		case "<":
			depth++
		case ">", ">>", ">>>":
			depth -= len(w)
		}
		if depth <= 0 {
			return t.word(j+1) == "=>"
		}
	}
	return false
}

// givesPromise tells whether a function's own text returns a promise that it
// makes.
func givesPromise(t *text, body lang.Span) bool {
	for i, k := range t.significant() {
		if k.Start < body.Start || k.End > body.End {
			continue
		}
		w := t.word(i)
		if (w == "return" || w == "=>") && (t.word(i+1) == "new" && t.word(i+2) == "Promise" || t.word(i+1) == "Promise" && t.word(i+2) == ".") {
			return true
		}
	}
	return false
}

// isTestCallee tells whether a function handed to this call is a test's or a
// hook's body.
func isTestCallee(name string) bool {
	return slices.Contains([]string{"it", "test", "specify", "fit", "before", "after", "beforeEach", "afterEach", "beforeAll", "afterAll",
		"setup", "teardown", "suiteSetup", "suiteTeardown", "only", "each", "concurrent", "sequential", "fails"}, name)
}
