package fixers

import (
	"fmt"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// testAround is the test's or hook's own function around a function, which may
// be it.
func testAround(t *text, f function) (function, bool) {
	for range 16 {
		if f.argument && isTestCallee(f.callee) {
			return f, t.lang.Name() == "js"
		}
		i := t.index(f.header)
		up, ok := functionAround(t, i)
		if i < 0 || !ok || up.header == f.header {
			return function{}, false
		}
		f = up
	}
	return function{}, false
}

// unreturned returns the chain of promises that a test ends in: nobody waits
// for it, nor sees it fail.
func (v *view) unreturned(t *text, f function) []Fix {
	if f.async || t.word(f.first-1) != "{" {
		return nil
	}
	for i := f.first; i <= f.last; i++ {
		end := t.matching(i + 1)
		if next := t.word(end + 2); t.word(i+1) != "(" || end < 0 || t.word(end+1) != "." || next != "then" && next != "catch" && next != "finally" {
			continue
		}
		start := chainStart(t, i)
		if !v.isAsyncCall(t, i, true) && t.word(start) != "Promise" || !t.startsStatement(start) {
			continue
		}
		last := expressionEnd(t, start)
		if t.word(last+1) == ";" {
			last++
		}
		if in, ok := functionAround(t, start); !ok || in.header != f.header || last != f.last {
			continue
		}
		at := t.significant()[start].Start
		return []Fix{{Title: fmt.Sprintf("return the promise in %s:%d", t.path, t.lineOf(at)), Applicability: Likely, Rank: 3,
			Edits:    inFile(t.path, []lang.TextEdit{{Span: lang.Span{Start: at, End: at}, New: "return "}}),
			Evidence: "the test ends before the promise that it ends in"}}
	}
	return nil
}

// uncalledDone calls what a test is given to say that it is done, and never
// calls, at the end of the one callback that holds its expectations.
func uncalledDone(t *text, f function) []Fix {
	done := t.word(f.params.Start + 1)
	if !isDone(done) && done != "end" || len(arguments(t, f.params.Start)) != 1 {
		return nil
	}
	if slices.ContainsFunc(t.idents(done, 0), func(i int) bool { return i >= f.first && i <= f.last }) {
		return nil
	}
	var callbacks []function
	for i := f.first; i <= f.last; i++ {
		in, ok := functionAround(t, i)
		if !ok || in.header == f.header || t.word(i) != "expect" && t.word(i) != "assert" {
			continue
		}
		if !slices.ContainsFunc(callbacks, func(c function) bool { return c.header == in.header }) {
			callbacks = append(callbacks, in)
		}
	}
	if len(callbacks) != 1 || !callbacks[0].argument || t.word(callbacks[0].first-1) != "{" {
		return nil
	}
	last := t.significant()[callbacks[0].last]
	semi := ""
	if t.str(last) == ";" {
		semi = ";"
	}
	text := t.eol() + t.indentOf(t.significant()[t.firstOfLine(callbacks[0].last)].Start) + done + "()" + semi
	if t.lineOf(last.Start) == t.lineOf(t.significant()[callbacks[0].first-1].Start) {
		text = " " + done + "()" + semi // all of it stands on one line
	}
	return []Fix{{Title: fmt.Sprintf("call %s in %s:%d", done, t.path, t.lineOf(last.Start)), Applicability: Likely, Rank: 4,
		Edits:    inFile(t.path, []lang.TextEdit{{Span: lang.Span{Start: last.End, End: last.End}, New: text}}),
		Evidence: fmt.Sprintf("the test waits for %s, and nothing calls it", done)}}
}

// asyncFixtures lets pytest-asyncio run an asynchronous fixture that pytest
// hands out as it is, where the project's others are marked so.
func (v *view) asyncFixtures(c Cause) []Fix {
	msg := c.message()
	if !strings.Contains(msg, "coroutine") && !strings.Contains(msg, "async_generator") && !strings.Contains(msg, "async fixture") {
		return nil
	}
	for _, p := range v.places(c) {
		t := v.text(p.File)
		if t == nil || t.lang.Name() != "python" || p.Line == 0 {
			continue
		}
		f, ok := v.functionOn(t, p.Line)
		if !ok || f.params.Len() == 0 {
			continue
		}
		for _, a := range arguments(t, f.params.Start) {
			if fix, ok := v.markAsync(t, t.word(a.first)); ok {
				return []Fix{fix}
			}
		}
	}
	return nil
}

// markAsync marks the asynchronous fixture of a name as the project's others
// are: in the file itself, else in its conftest files.
func (v *view) markAsync(t *text, name string) (Fix, bool) {
	var found []unbound
	like := false
	for _, rel := range v.sources(t.lang) {
		o := v.text(rel)
		if o == nil || !o.mentions("fixture") {
			continue
		}
		for _, i := range o.idents("fixture", 0) {
			like = like || o.word(i-2) == "pytest_asyncio"
			end := i
			if o.word(i+1) == "(" {
				end = o.matching(i + 1)
			}
			if o.word(i-2) == "pytest" && o.word(i-3) == "@" && o.word(end+1) == "async" && o.word(end+3) == name && (rel == t.path || baseName(rel) == "conftest") {
				found = append(found, unbound{o, name, i - 2})
			}
		}
	}
	if len(found) != 1 || !v.editable(found[0].t.path) {
		return Fix{}, false
	}
	o := found[0].t
	base := v.before(o.path)
	lost := base != nil && base.mentions("pytest_asyncio")
	if !like && !lost {
		return Fix{}, false
	}
	edits := []lang.TextEdit{{Span: o.significant()[found[0].i].Span, New: "pytest_asyncio"}}
	if !boundAt(o, len(o.src), "pytest_asyncio") {
		add, err := o.lang.AddImport(o.path, o.src, "pytest_asyncio", []lang.Name{{Imported: "*", Local: "pytest_asyncio"}})
		if err != nil {
			return Fix{}, false
		}
		edits = append(edits, add...)
	}
	why := "the project's other asynchronous fixtures are pytest_asyncio's"
	if lost {
		why = o.path + " used pytest_asyncio at the base"
	}
	return Fix{Title: fmt.Sprintf("make %s a fixture of pytest_asyncio", name), Applicability: Likely, Rank: 2, Edits: inFile(o.path, edits), Evidence: why}, true
}
