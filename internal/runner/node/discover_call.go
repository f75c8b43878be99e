package node

import (
	"bytes"
	"strings"

	"regreen/internal/lang"
)

// pieces is a text as tokens without its comments.
type pieces struct {
	src  []byte
	toks []lang.Token
}

func (p *pieces) text(i int) string {
	if i < 0 || i >= len(p.toks) {
		return ""
	}
	return string(p.src[p.toks[i].Start:p.toks[i].End])
}

func (p *pieces) punct(i int) string {
	if i < 0 || i >= len(p.toks) || p.toks[i].Kind != lang.Punct {
		return ""
	}
	return p.text(i)
}

func (p *pieces) is(i int, k lang.TokenKind) bool {
	return i >= 0 && i < len(p.toks) && p.toks[i].Kind == k
}

// balanced tells whether every bracket is closed by its like.
func (p *pieces) balanced() bool {
	var st []string
	for i := range p.toks {
		switch s := p.punct(i); s {
		case "(", "[", "{":
			st = append(st, s)
		case ")", "]", "}":
			if len(st) == 0 || closer(st[len(st)-1]) != s {
				return false
			}
			st = st[:len(st)-1]
		}
	}
	return len(st) == 0
}

func closer(s string) string {
	switch s {
	case "(":
		return ")"
	case "[":
		return "]"
	}
	return "}"
}

// indent is the width of the white space before the line of a token.
func (p *pieces) indent(i int) int {
	at := p.toks[i].Start
	start := bytes.LastIndexByte(p.src[:at], '\n') + 1
	n := 0
	for start+n < at && (p.src[start+n] == ' ' || p.src[start+n] == '\t') {
		n++
	}
	return n
}

// callable tells that an identifier stands where a call may begin: it is no
// member, no key and no binding.
func (p *pieces) callable(i int) bool {
	switch p.text(i - 1) {
	case ".", "?.", "function", "class", "new", "import", "as", "const", "let", "var", "*":
		return false
	}
	return true
}

// assigned is the name in "name = " before a token.
func (p *pieces) assigned(i int) string {
	if p.punct(i-1) == "=" && p.is(i-2, lang.Ident) {
		return p.text(i - 2)
	}
	return ""
}

// called is a declaring call.
type called struct {
	open     int // the index of its opening bracket
	title    string
	skipped  bool
	extended bool // test.extend(…), which declares nothing
	count    int
}

// call reads what follows the declaring function's name: modifiers, a table,
// the opening bracket and the title.
func (p *pieces) call(i int) (c called, ok bool) {
	c.count = 1
	table := false
	i++
	for {
		i = p.skipGenerics(i)
		if d := p.punct(i); d != "." && d != "?." {
			break
		}
		mod := p.text(i + 1)
		i += 2
		switch mod {
		case "skip", "todo":
			c.skipped = true
		case "extend", "scoped", "override":
			c.extended = true
			return c, false
		case "each", "for", "skipIf", "runIf":
			i = p.skipGenerics(i)
			var n int
			if p.punct(i) == "(" {
				end := p.closing(i)
				if end < 0 {
					return c, false
				}
				n = p.rows(i+1, end)
				i = end + 1
			} else if p.is(i, lang.String) {
				n, i = p.templateRows(i)
			} else {
				return c, false
			}
			if mod == "each" || mod == "for" {
				table = true
				c.count = max(n, 1)
			}
		case "only", "concurrent", "sequential", "failing", "fails", "serial", "shuffle", "parallel":
		default:
			return c, false
		}
	}
	if p.punct(i) != "(" {
		return c, false
	}
	c.open = i
	c.title = p.title(i + 1)
	if table && strings.ContainsAny(c.title, "%$") {
		c.title = ""
	}
	return c, true
}

// skipGenerics steps over <…> with type arguments.
func (p *pieces) skipGenerics(i int) int {
	if p.punct(i) != "<" {
		return i
	}
	depth := 0
	for j := i; j < len(p.toks) && j < i+400; j++ {
		switch p.punct(j) {
		case "<":
			depth++
		case ">":
			if depth--; depth == 0 {
				return j + 1
			}
		case ";":
			return i
		}
	}
	return i
}

// closing is the index of the bracket that closes the one at i, -1 without.
func (p *pieces) closing(i int) int {
	depth := 0
	for ; i < len(p.toks); i++ {
		switch p.punct(i) {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// rows counts the elements of a literal array that is the whole argument; 0
// when it cannot be counted.
func (p *pieces) rows(from, to int) int {
	if p.punct(from) != "[" {
		return 0
	}
	end := p.closing(from)
	// [ … ] as const is still countable
	if end < 0 || end >= to || end+1 < to && p.text(end+1) != "as" && p.text(end+1) != "," && p.text(end+1) != "satisfies" {
		return 0
	}
	n, depth, filled := 0, 0, false
	for i := from + 1; i < end; i++ {
		switch p.punct(i) {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ",":
			if depth == 0 {
				n++
				filled = false
				continue
			}
		case "...":
			if depth == 0 {
				return 0
			}
		}
		filled = true
	}
	if filled {
		n++
	}
	return n
}

// templateRows counts the rows of a table written as a tagged template, and
// gives the index behind it.
func (p *pieces) templateRows(i int) (rows, next int) {
	head := p.text(i)
	if !strings.HasPrefix(head, "`") {
		return 0, i
	}
	columns := 1
	if first, _, ok := strings.Cut(strings.TrimLeft(head[1:], " \t\r\n"), "\n"); ok {
		columns = 1 + strings.Count(first, "|")
	}
	if strings.HasSuffix(head, "`") && len(head) > 1 {
		return 0, i + 1
	}
	holes, depth := 0, 0
	for ; i < len(p.toks); i++ {
		if !p.is(i, lang.String) {
			continue
		}
		t := p.text(i)
		switch {
		case strings.HasPrefix(t, "`") && strings.HasSuffix(t, "${"):
			depth++
			if depth == 1 {
				holes++
			}
		case strings.HasPrefix(t, "}") && strings.HasSuffix(t, "${"):
			if depth == 1 {
				holes++
			}
		case strings.HasPrefix(t, "}") && strings.HasSuffix(t, "`"):
			if depth--; depth == 0 {
				return holes / columns, i + 1
			}
		}
	}
	return 0, i
}
