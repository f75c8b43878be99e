package fixers

import (
	"fmt"
	"slices"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// waiters are functions that take promises and give one: what stands in their
// argument is waited for through them.
var waiters = []string{"all", "allSettled", "race", "any", "gather", "run", "create_task", "wait", "wait_for", "ensure_future",
	"run_until_complete", "resolve", "run_coroutine_threadsafe", "as_completed", "shield", "rejects", "doesNotReject", "TaskGroup"}

// unawaited waits for asynchronous calls in the functions that failed.
func (v *view) unawaited(c Cause) []Fix {
	var out []Fix
	seen := map[string]bool{}
	for _, p := range v.places(c) {
		t := v.text(p.File)
		if t == nil || !v.own(p.File) || p.Line == 0 || !v.editable(p.File) {
			continue
		}
		f, ok := v.functionOn(t, p.Line)
		key := fmt.Sprintf("%s %d", p.File, f.header)
		if !ok || seen[key] {
			continue
		}
		seen[key] = true
		if test, ok := testAround(t, f); ok {
			out = append(out, v.unreturned(t, test)...)
			if c.Kind == runner.Timeout {
				out = append(out, uncalledDone(t, test)...)
			}
		}
		if !f.async && !(f.argument && isTestCallee(f.callee) && t.lang.Name() == "js") {
			continue
		}
		out = append(out, v.awaitsIn(t, f, p.Line, looksAsync(c))...)
	}
	return out
}

// functionOn gives the function that a line belongs to: the innermost one
// around its first token, or the one that begins on it as a test's body.
func (v *view) functionOn(t *text, line int) (function, bool) {
	first, last := -1, -1
	for i, k := range t.significant() {
		if l := t.lineOf(k.Start); l == line {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return function{}, false
	}
	// A test's declaration: the failure is in its body.
	if last+1 < len(t.significant()) {
		if f, ok := functionAround(t, last+1); ok && t.lineOf(f.header) == line {
			return f, true
		}
	}
	if f, ok := functionAround(t, last); ok && f.first <= last {
		return f, true
	}
	return functionAround(t, first)
}

// awaitsIn gives the candidates in one function: the calls of the failing line
// first, then the others, then all of them.
func (v *view) awaitsIn(t *text, f function, line int, sure bool) []Fix {
	var all []lang.TextEdit
	var out []Fix
	lines := map[int]bool{}
	for i := f.first; i <= f.last && i < len(t.significant()); i++ {
		start, end, ok := v.needsAwait(t, i, sure)
		if !ok {
			continue
		}
		if in, ok := functionAround(t, i); ok && in.header != f.header {
			continue // a function within: its own affair
		}
		edits := awaitEdits(t, start, end)
		l := t.lineOf(t.significant()[i].Start)
		lines[l] = true
		rank := 3
		if l == line {
			rank = 2
		}
		all = merge(all, edits)
		out = append(out, Fix{Title: fmt.Sprintf("await %s in %s:%d", t.word(i), t.path, l), Applicability: Likely, Rank: rank,
			Edits:    inFile(t.path, withAsync(t, f, edits)),
			Evidence: fmt.Sprintf("%s gives a promise that nothing waits for", t.word(i))})
	}
	if len(out) > 1 {
		for i := range out {
			out[i].Rank++ // several unawaited calls in one test: all of them are wrong
		}
		out = append(out, Fix{Title: fmt.Sprintf("await %d calls in %s", len(out), t.path), Applicability: Likely, Rank: 2,
			Edits: inFile(t.path, withAsync(t, f, all)), Evidence: "their promises are not waited for"})
	}
	return out[:min(len(out), 8)]
}

func withAsync(t *text, f function, edits []lang.TextEdit) []lang.TextEdit {
	if f.async || t.lang.Name() != "js" {
		return edits
	}
	return append(slices.Clone(edits), lang.TextEdit{Span: lang.Span{Start: f.header, End: f.header}, New: "async "})
}

// awaitEdits waits for the expression of tokens start to end, in brackets where
// something is read off the result.
func awaitEdits(t *text, start, end int) []lang.TextEdit {
	ks := t.significant()
	s, e := ks[start].Start, ks[end].End
	if next := t.word(end + 1); next == "." || next == "[" || next == "?." {
		return []lang.TextEdit{{Span: lang.Span{Start: s, End: s}, New: "(await "}, {Span: lang.Span{Start: e, End: e}, New: ")"}}
	}
	return []lang.TextEdit{{Span: lang.Span{Start: s, End: s}, New: "await "}}
}

// needsAwait tells whether the token begins, or names, something that is not
// waited for and should be; start and end are the expression's tokens.
func (v *view) needsAwait(t *text, i int, sure bool) (start, end int, ok bool) {
	switch w := t.word(i); {
	case w == "expect" && t.word(i+1) == "(" && !t.isMember(i):
		c := t.matching(i + 1)
		if c < 0 || t.word(c+1) != "." || t.word(c+2) != "resolves" && t.word(c+2) != "rejects" {
			return 0, 0, false
		}
		end := expressionEnd(t, i)
		return i, end, !isWaited(t, i)
	case (w == "rejects" || w == "doesNotReject") && t.word(i-1) == "." && t.word(i-2) == "assert" && t.word(i+1) == "(":
		return i - 2, t.matching(i + 1), t.matching(i+1) > 0 && !isWaited(t, i-2)
	}
	if !v.isAsyncCall(t, i, sure) {
		return 0, 0, false
	}
	end = t.matching(i + 1)
	if end < 0 {
		return 0, 0, false
	}
	start = chainStart(t, i)
	if next := t.word(end + 2); t.word(end+1) == "." && (next == "then" || next == "catch" || next == "finally") {
		return 0, 0, false
	}
	if isWaited(t, start) || waitedOutside(t, start) || waitedLater(t, start) {
		return 0, 0, false
	}
	return start, end, true
}

// chainStart is the first token of a.b(c).d when i is d.
func chainStart(t *text, i int) int {
	for t.isMember(i) {
		i -= 2
		for w := t.word(i); w == ")" || w == "]"; w = t.word(i) {
			o := t.opening(i)
			if o < 1 {
				return i
			}
			i = o - 1
		}
	}
	if t.word(i-1) == "new" {
		i--
	}
	return i
}

func isWaited(t *text, start int) bool {
	switch t.word(start - 1) {
	case "await", "return", "yield", "from", "=>", "async", "def", "function", "void", "lambda":
		return true
	case ":":
		return t.lang.Name() == "python" && t.around(start) >= 0 // a lambda's body
	}
	return false
}

// waitedOutside tells whether a bracket around the expression belongs to what
// takes promises, or to an expectation that waits for it.
func waitedOutside(t *text, i int) bool {
	for o := t.around(i); o >= 0; o = t.around(o) {
		if t.word(o) == "{" && t.lang.Name() == "js" {
			if _, ok := bodyAt(t, o); ok {
				return false
			}
		}
		if t.word(o) != "(" {
			continue
		}
		if slices.Contains(waiters, t.word(o-1)) {
			return true
		}
		if c := t.matching(o); c > 0 && t.word(c+1) == "." && (t.word(c+2) == "resolves" || t.word(c+2) == "rejects") {
			return true
		}
	}
	return false
}

// waitedLater tells whether the expression is kept in a variable that is waited
// for afterwards.
func waitedLater(t *text, start int) bool {
	if t.word(start-1) != "=" {
		return false
	}
	name := t.word(start - 2)
	for _, i := range t.idents(name, 0) {
		if i <= start {
			continue
		}
		if w := t.word(i - 1); w == "await" || w == "return" {
			return true
		}
		if t.word(i+1) == "." && (t.word(i+2) == "then" || t.word(i+2) == "catch") {
			return true
		}
		if waitedOutside(t, i) {
			return true
		}
	}
	return false
}

// alwaysAwaited tells whether a text calls a name twice at least and waits for
// each of the calls: then it is asynchronous, wherever it comes from.
func alwaysAwaited(t *text, name string) bool {
	n := 0
	for _, i := range t.idents(name, 0) {
		if t.word(i+1) != "(" {
			continue
		}
		for t.isMember(i) && i > 1 {
			i -= 2
		}
		if t.word(i-1) != "await" {
			return false
		}
		n++
	}
	return n > 1
}
