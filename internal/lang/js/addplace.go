package js

import (
	"path"
	"strings"

	"regreen/internal/lang"
)

// learn reads the file's style off its imports, else off the rest of it.
func (a *adder) learn(p string) {
	a.quote, a.semi, a.space, a.newline, a.keyword = "'", ";", " ", "\n", "const"
	if strings.Contains(a.src, "\r\n") {
		a.newline = "\r\n"
	}
	var single, double, with, without, spaced, tight int
	count := func(q byte, n int) {
		switch q {
		case '\'':
			single += n
		case '"':
			double += n
		}
	}
	for _, imp := range a.file.Imports {
		if imp.SpecSpan.Start > 0 {
			count(a.src[imp.SpecSpan.Start-1], 100)
		}
		i := a.tokenAt(imp.Span.Start)
		if i >= len(a.toks) {
			continue
		}
		if a.is(a.stmtEnd(i), ";") {
			with += 100
		} else {
			without += 100
		}
		if w := a.str(i - 3); imp.Kind == lang.Require && (w == "var" || w == "let") && !imp.Lazy {
			a.keyword = w
		}
	}
	for i := range a.toks {
		k := &a.toks[i]
		switch {
		case k.kind == kString && !k.jsx:
			count(a.src[k.start], 1)
		case k.kind == kPunct && k.frame == fObject && k.match > int32(i)+1 && a.src[k.start] == '{' && !a.toks[i+1].nl:
			if a.toks[i+1].start > k.end {
				spaced++
			} else {
				tight++
			}
		case a.is(i, ";") && (i+1 == len(a.toks) || a.toks[i+1].nl):
			with++
		case i > 0 && k.nl && a.endsOperand(i-1) && !a.continues(i) && !a.is(i-1, "}") && a.src[k.start] != '}':
			without++
		}
	}
	if n := len(a.toks) - 1; n >= 0 && a.endsOperand(n) && !a.is(n, "}") {
		without++
	}
	if double > single {
		a.quote = `"`
	}
	if without > with {
		a.semi = ""
	}
	if tight > spaced {
		a.space = ""
	}
	a.commonJS = a.file.CommonJS
	if len(a.file.Imports) == 0 && len(a.file.Exports) == 0 {
		a.commonJS = path.Ext(p) == ".cjs" || path.Ext(p) == ".js" && a.kindAt(0) == kString && strings.Contains(a.str(0), "use strict")
	}
}

// flush puts the new lines behind the offset after, or where the order of the
// file's imports wants them, or behind those, or at its top.
func (a *adder) flush(after int) {
	if len(a.lines) == 0 {
		return
	}
	text := strings.Join(a.lines, a.newline)
	if after < 0 {
		if e, ok := a.sortedPlace(); ok {
			a.edits = append(a.edits, e)
			return
		}
		after = a.lastImport()
	}
	if after >= 0 {
		at := a.restOfLine(after)
		a.edit(at, a.newline+text)
		return
	}
	at, blank := a.top()
	switch {
	case at > 0 && a.src[at-1] != '\n':
		text = a.newline + text
	default:
		text += a.newline
		if blank && at < len(a.src) && a.src[at] != '\n' && a.src[at] != '\r' {
			text += a.newline
		}
	}
	a.edit(at, text)
}

// restOfLine is the end of the line that an offset stands in, if only white
// space and comments stand there, else the offset.
func (a *adder) restOfLine(at int) int {
	end := len(a.src)
	if i := strings.IndexAny(a.src[at:], "\r\n"); i >= 0 {
		end = at + i
	}
	if i := a.tokenAt(at); i < len(a.toks) && int(a.toks[i].start) < end {
		return at
	}
	for _, c := range a.comments { // a comment that goes on in the next line
		if int(c.start) < end && int(c.end) > end {
			return at
		}
	}
	return end
}

// lastImport is the end of the last import of the first run of imports, -1
// where the file has none.
func (a *adder) lastImport() int {
	last, lastTok := -1, -1
	for _, imp := range a.file.Imports {
		if imp.Lazy || !a.atModule(imp) {
			continue
		}
		i := a.tokenAt(imp.Span.Start)
		if lastTok >= 0 && a.stmtStartOf(i) > lastTok+1 {
			break
		}
		if end := a.stmtEnd(i); end > lastTok {
			lastTok, last = end, int(a.toks[end].end)
		}
	}
	return last
}

// atModule tells whether an import is one of the module's own statements.
func (a *adder) atModule(imp lang.Import) bool {
	if a.commonJS {
		i := a.tokenAt(imp.Span.Start)
		w := a.str(a.stmtStartOf(i))
		return imp.Kind == lang.Require && (w == "const" || w == "let" || w == "var" || w == "require") && a.level(i)
	}
	return a.isStatement(imp, "import")
}

// level tells whether token i stands outside of all brackets.
func (a *adder) level(i int) bool {
	for j := 0; j < i; j++ {
		if c := a.skipBracket(j); c > j {
			if c >= i {
				return false
			}
			j = c
		}
	}
	return true
}

// stmtStartOf is the first token of the statement on whose level token i is.
func (t *text) stmtStartOf(i int) int {
	for j := i; j > 0; j-- {
		if t.closes(j-1) && j-1 != i {
			if t.toks[j].nl && !t.continues(j) && t.endsOperand(j-1) {
				return j
			}
			j = int(t.toks[j-1].match) + 1
			continue
		}
		if t.is(j-1, ";") || t.is(j-1, "{") || t.toks[j].nl && t.endsOperand(j-1) && !t.continues(j) {
			return j
		}
	}
	return 0
}

// top is where the first import of a file goes: behind a hashbang, a comment
// that heads the file, and directives. blank asks for an empty line behind it.
func (a *adder) top() (at int, blank bool) {
	first := len(a.src)
	from := 0
	if bs := a.blockStart(); bs > 0 {
		from = bs
	}
	at = from
	if from > 0 { // behind the line of <script>
		at = a.nextLine(from)
	}
	if len(a.toks) > 0 {
		first = int(a.toks[0].start)
	}
	var header int
	for n, c := range a.comments {
		if int(c.start) > first {
			break
		}
		next := first
		if n+1 < len(a.comments) && int(a.comments[n+1].start) < first {
			next = int(a.comments[n+1].start)
		}
		if a.heads(c, int(c.end), next) {
			header = n + 1
		}
	}
	for n := 0; n < header; n++ {
		at = a.nextLine(int(a.comments[n].end))
	}
	for i := 0; i < len(a.toks) && a.kindAt(i) == kString; {
		end := a.stmtEnd(i)
		if end > i+1 || end == i+1 && !a.is(end, ";") {
			break
		}
		at = a.nextLine(a.restOfLine(int(a.toks[end].end)))
		i = end + 1
	}
	// an empty line between a header and the import
	for at > 0 && at < len(a.src) && (a.src[at] == '\n' || a.src[at] == '\r') && header > 0 {
		at = a.nextLine(at)
	}
	return at, true
}

// blockStart is where the first script block of a component starts, else 0.
func (a *adder) blockStart() int {
	if !isComponent(a.file.Path) {
		return 0
	}
	if bs := scriptBlocks(a.src); len(bs) > 0 {
		return bs[0].Start
	}
	return 0
}

// nextLine is the start of the line behind the one that an offset stands in.
func (a *adder) nextLine(at int) int {
	i := strings.IndexByte(a.src[at:], '\n')
	if i < 0 {
		return len(a.src)
	}
	return at + i + 1
}

// heads tells whether a comment belongs to the file and not to what follows
// it: a hashbang, a marker for a tool, a licence, or one with an empty line behind.
func (a *adder) heads(c tok, end, next int) bool {
	body := a.src[c.start:c.end]
	if strings.HasPrefix(body, "#!") || strings.Count(a.src[end:next], "\n") > 1 || next == len(a.src) {
		return true
	}
	for _, mark := range []string{"@jest-", "@vitest-", "@ts-", "@flow", "eslint-", "icense", "opyright", "/// <reference", "@jsx", "istanbul ", "c8 ", "prettier", "@format", "@fileoverview", "biome-", "global "} {
		if strings.Contains(body, mark) {
			return true
		}
	}
	return false
}
