package js

import (
	"path"
	"strconv"
	"strings"

	"regreen/internal/lang"
)

var (
	_ lang.Comparer = Language{}
	_ lang.Ambient  = Language{}
)

// pragmas mark comments that a compiler, a runner or a coverage tool obeys.
var pragmas = []string{"@jest", "@vitest", "@jsx", "@ts-", "@flow", "@noflow", "@vite", "@emotion", "@swc", "@babel", "istanbul", "v8 ", "c8 ", "node:",
	"webpack", "turbopack", "sourcemapping", "sourceurl", "<reference", "<amd", "__pure__", "__no_side_effects__", "__inline__", "__noinline__"}

func isPragma(comment string) bool {
	comment = strings.ToLower(comment)
	for _, p := range pragmas {
		if strings.Contains(comment, p) {
			return true
		}
	}
	return false
}

// SameCode compares the tokens. A line's end may come or go where it can end
// no statement, and in a text with elements no space inside a line may.
func (Language) SameCode(p string, before, after []byte) bool {
	if isComponent(p) {
		return false
	}
	a, b := string(before), string(after)
	x, y := lex(a, 0, len(a), dialectOf(p)), lex(b, 0, len(b), dialectOf(p))
	if len(x.toks) != len(y.toks) || !samePragmas(x, y, a, b) {
		return false
	}
	elements := x.hasElements() || y.hasElements()
	for i := range x.toks {
		s, t := &x.toks[i], &y.toks[i]
		text := a[s.start:s.end]
		if s.kind != t.kind || s.kind == kInvalid || text != b[t.start:t.end] {
			return false
		}
		if i > 0 && s.nl != t.nl && !joined(x.toks[i-1].kind, a[x.toks[i-1].start:x.toks[i-1].end], s.kind, text) {
			return false
		}
		if elements && i > 0 && x.between(a, i) != y.between(b, i) {
			return false
		}
	}
	return true
}

// between is the white space before a token as far as it means something
// between elements: within one line, exactly; with a line's end, nothing.
func (t *text) between(src string, i int) string {
	gap := src[t.toks[i-1].end:t.toks[i].start]
	if strings.TrimSpace(gap) != "" || strings.ContainsAny(gap, "\n\r") {
		return "" // a comment, or an end of line
	}
	return gap
}

func (t *text) hasElements() bool {
	for i := range t.toks {
		if t.isElement(i) {
			return true
		}
	}
	return false
}

// isElement tells whether token i stands in elements alone.
func (t *text) isElement(i int) bool {
	k := &t.toks[i]
	return k.kind == kJSXText || k.jsx || k.kind == kPunct && (t.is(i, "</") || t.is(i, "/>"))
}

// samePragmas compares the comments that count, and the tokens they stand before.
func samePragmas(x, y *text, a, b string) bool {
	list := func(t *text, src string) (out []string) {
		k := 0
		for i := range t.comments {
			c := &t.comments[i]
			for k < len(t.toks) && t.toks[k].start < c.start {
				k++
			}
			if s := src[c.start:c.end]; isPragma(s) {
				out = append(out, s, strconv.Itoa(k))
			}
		}
		return out
	}
	l, m := list(x, a), list(y, b)
	if len(l) != len(m) {
		return false
	}
	for i := range l {
		if l[i] != m[i] {
			return false
		}
	}
	return true
}

// joined tells whether a line's end between two tokens can end no statement:
// the first cannot end an expression, or the second can only go on with one.
func joined(k kind, before string, next kind, after string) bool {
	if k == kPunct {
		switch before {
		case ",", "(", "[", "{", ";", "&&", "||", "??", "=", "==", "===", "!=", "!==", "+", "-", "*", "%", "+=", "-=", "*=", "=>", "?", ".", "?.", "|", "&", "...":
			return true
		}
	}
	if next == kPunct {
		switch after { // not the star: it may begin a class member or belong to yield
		case ",", ")", "]", ";", "}", "&&", "||", "??", "=", "==", "===", "!=", "!==", ".", "?.", "?", "%", "|", "&":
			return true
		}
	}
	return false
}

// Ambient are the runtimes of elements.
func (Language) Ambient(p string) []string {
	switch path.Ext(p) {
	case ".jsx", ".tsx":
		return []string{"react", "preact", "solid-js", "@emotion/react"}
	case ".vue":
		return []string{"vue"}
	case ".svelte":
		return []string{"svelte"}
	}
	return nil
}
