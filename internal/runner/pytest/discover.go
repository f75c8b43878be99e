package pytest

import (
	"strconv"
	"strings"

	"regreen/internal/runner"
)

func isPython(file string) bool {
	return strings.HasSuffix(file, ".py") || strings.HasSuffix(file, ".pyw")
}

// block is a class or function that encloses a statement.
type block struct {
	indent  int
	name    string
	class   bool // a class whose tests pytest collects
	skipped bool
	count   int
}

// discover finds tests by pytest's default names.
func discover(src []byte) []runner.Decl {
	var out []runner.Decl
	var stack []block
	var marks []statement
	all := false // pytestmark = pytest.mark.skip
	for _, s := range scan(src) {
		for len(stack) > 0 && s.indent <= stack[len(stack)-1].indent {
			stack = stack[:len(stack)-1]
		}
		if s.is("@") {
			marks = append(marks, s)
			continue
		}
		name, kind := defined(s)
		if kind == "" {
			if s.is("pytestmark") && s.indent == 0 && skips(s) {
				all = true
			}
			marks = nil
			continue
		}
		b := block{indent: s.indent, name: name, count: 1, skipped: all}
		for _, m := range marks {
			b.skipped = b.skipped || skips(m)
			b.count *= tableSize(m.toks)
		}
		marks = nil
		inClass := len(stack) == 0 || stack[len(stack)-1].class
		if kind == "class" {
			b.class = inClass && testClass(s)
		} else if inClass && strings.HasPrefix(name, "test") {
			out = append(out, declare(s, b, stack))
		}
		stack = append(stack, b)
	}
	return out
}

func declare(s statement, b block, outer []block) runner.Decl {
	d := runner.Decl{Line: s.line, Skipped: b.skipped, Count: b.count}
	for _, o := range outer {
		d.Path = append(d.Path, o.name)
		d.Skipped = d.Skipped || o.skipped
		d.Count *= o.count
	}
	d.Path = append(d.Path, b.name)
	d.Count = min(max(d.Count, 1), 1_000_000)
	return d
}

// defined gives the name that a def or class statement defines.
func defined(s statement) (name, kind string) {
	i := 0
	if s.is("async", "def") {
		i = 1
	}
	switch s.word(i) {
	case "def":
		return s.word(i + 1), "def"
	case "class":
		return s.word(i + 1), "class"
	}
	return "", ""
}

// testClass tells whether pytest collects a class: by its name, or as a TestCase.
func testClass(s statement) bool {
	if strings.HasPrefix(s.word(1), "Test") {
		return true
	}
	for _, t := range s.toks {
		if t.kind == tokName && strings.HasSuffix(t.text, "TestCase") {
			return true
		}
	}
	return false
}

// skips tells whether a decorator or pytestmark always skips.
func skips(s statement) bool {
	for i, t := range s.toks {
		if t.text == "skip" && i > 0 && (s.toks[i-1].text == "." || s.toks[i-1].text == "@") {
			return true
		}
	}
	return false
}

// tableSize counts the rows of a parametrize decorator; 1 where it is not literal.
func tableSize(toks []token) int {
	for i, t := range toks {
		if t.text == "parametrize" && i+1 < len(toks) && toks[i+1].text == "(" {
			args := split(toks[i+2:])
			if len(args) < 2 {
				return 1
			}
			rows := args[1]
			for _, a := range args {
				if len(a) > 2 && a[0].text == "argvalues" && a[1].text == "=" {
					rows = a[2:]
				}
			}
			return max(1, rowCount(rows))
		}
	}
	return 1
}

func rowCount(toks []token) int {
	if len(toks) >= 4 && toks[0].text == "range" && toks[1].text == "(" && toks[2].kind == tokNumber && toks[3].text == ")" {
		n, _ := strconv.Atoi(toks[2].text)
		return min(n, 1_000_000)
	}
	if len(toks) < 2 || !strings.Contains("[({", toks[0].text) {
		return 0
	}
	rows := split(toks[1:])
	for _, r := range rows {
		for i, t := range r {
			if t.kind == tokName && t.text == "for" || i == 0 && t.text == "*" {
				return 0 // a comprehension, or unpacking
			}
		}
	}
	return len(rows)
}

// split gives the parts between top-level commas, up to the closing bracket.
func split(toks []token) [][]token {
	var out [][]token
	depth, from := 0, 0
	for i, t := range toks {
		if t.kind != tokOp {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth == 0 {
				if i > from {
					out = append(out, toks[from:i])
				}
				return out
			}
			depth--
		case ",":
			if depth == 0 {
				out = append(out, toks[from:i])
				from = i + 1
			}
		}
	}
	if from < len(toks) {
		out = append(out, toks[from:])
	}
	return out
}

// loopHeader gives the line of the innermost for or while around a line,
// within its function; 0 where there is none.
func loopHeader(stmts []statement, line int) int {
	at := -1
	for i, s := range stmts {
		if s.line <= line {
			at = i
		}
	}
	if at < 0 {
		return 0
	}
	if loops(stmts[at]) {
		return stmts[at].line
	}
	indent := stmts[at].indent
	for i := at - 1; i >= 0; i-- {
		s := stmts[i]
		if s.indent >= indent {
			continue
		}
		if loops(s) {
			return s.line
		}
		if _, kind := defined(s); kind != "" {
			return 0
		}
		indent = s.indent
	}
	return 0
}

func loops(s statement) bool { return s.is("for") || s.is("while") || s.is("async", "for") }
