package js

import (
	"strings"

	"regreen/internal/lang"
)

// callNames finds what a loading call is bound to: tokens first to end are the
// call. const x = require(…), const { a } = await import(…), require(…).a,
// (await import(…)).a, import(…).then(({ a }) => …).
func (s *scanner) callNames(first, end int) []lang.Name {
	left, right := first-1, end+1
	for {
		switch {
		case s.is(left, "await"):
			left--
		case s.is(left, "(") && s.closing(left) == right && !s.word(left-1):
			left--
			right++
		case s.is(left, "(") && s.closing(left) == right && strings.HasPrefix(s.str(left-1), "_"):
			// _interopRequireDefault(require(…)), __toESM(require(…))
			left -= 2
			right++
			for s.is(left, ".") && s.word(left-1) {
				left -= 2
			}
		case s.is(right, "as") && s.is(right+1, "typeof") && s.is(right+2, "import") && s.is(right+3, "("):
			c := s.closing(right + 3)
			if c < 0 {
				return nil
			}
			right = c + 1
		default:
			return s.bound(left, right)
		}
	}
}

func (s *scanner) bound(left, right int) []lang.Name {
	if (s.is(right, ".") || s.is(right, "?.")) && s.word(right+1) {
		if s.is(right+1, "then") && s.is(right+2, "(") {
			return s.thenNames(right + 3)
		}
		n := lang.Name{Imported: s.str(right + 1), Span: s.span(right+1, right+1)}
		if s.is(left, "=") && s.kindAt(left-1) == kIdent && !s.is(left-2, ".") && !s.is(right+2, "(") && !s.is(right+2, ".") {
			n.Local, n.LocalSpan = s.str(left-1), s.span(left-1, left-1)
		}
		return []lang.Name{n}
	}
	if !s.is(left, "=") {
		return nil
	}
	at := left - 1
	if s.dia.ts { // const x: T = …
		for j := left - 1; j > 0 && j > left-32; j-- {
			k := &s.toks[j]
			if int(k.match) >= 0 && int(k.match) < j {
				j = int(k.match)
			}
			if s.is(j, ";") {
				break
			}
			if s.is(j, "const") || s.is(j, "let") || s.is(j, "var") {
				at = j + 1
				if c := s.closing(at); c > 0 && c < left {
					at = c
				}
				break
			}
		}
	}
	switch {
	case s.is(at, "}") && s.toks[at].match >= 0:
		return s.destructured(int(s.toks[at].match))
	case s.kindAt(at) == kIdent && !s.is(at-1, "."):
		sp := s.span(at, at)
		return []lang.Name{{Imported: "*", Local: s.str(at), Span: sp, LocalSpan: sp}}
	}
	return nil
}

// thenNames reads the parameter of import(…).then( at token i.
func (s *scanner) thenNames(i int) []lang.Name {
	if s.is(i, "async") {
		i++
	}
	if s.is(i, "(") {
		i++
	}
	if s.is(i, "{") {
		return s.destructured(i)
	}
	// m => m.name
	if s.kindAt(i) != kIdent {
		return nil
	}
	j := i + 1
	if s.is(j, ")") {
		j++
	}
	if s.is(j, "=>") && s.str(j+1) == s.str(i) && s.is(j+2, ".") && s.word(j+3) {
		return []lang.Name{{Imported: s.str(j + 3), Span: s.span(j+3, j+3)}}
	}
	return nil
}

// destructured reads { a, b: c, d = 1, e: { f }, ...rest } at token i.
func (s *scanner) destructured(i int) []lang.Name {
	var names []lang.Name
	end := s.closing(i)
	for j := i + 1; j < end; {
		switch {
		case s.is(j, ","):
			j++
			continue
		case s.is(j, "...") && s.word(j+1):
			sp := s.span(j+1, j+1)
			names = append(names, lang.Name{Imported: "*", Local: s.str(j + 1), Span: sp, LocalSpan: sp})
		case s.word(j) || s.kindAt(j) == kString:
			n := lang.Name{}
			n.Imported, n.Span = s.plainName(j)
			switch {
			case !s.is(j+1, ":"):
				n.Local, n.LocalSpan = n.Imported, n.Span
			case s.kindAt(j+2) == kIdent:
				n.Local, n.LocalSpan = s.str(j+2), s.span(j+2, j+2)
			}
			names = append(names, n)
		}
		j = s.nextComma(j, end)
	}
	return names
}

// nextComma is the index of the next comma on this level before end, or end.
func (t *text) nextComma(j, end int) int {
	for ; j < end; j++ {
		if c := t.closing(j); c > 0 {
			for c > 0 && t.toks[c].kind == kTplMiddle {
				c = t.closing(c)
			}
			if c < 0 {
				return end
			}
			j = c
			continue
		}
		if t.is(j, ",") {
			return j
		}
	}
	return end
}

// readFile-like calls with a literal path are data.
func (s *scanner) readCall(i int) {
	if !s.is(i+1, "(") {
		return
	}
	if lit, _, ok := s.literal(i + 2); ok && lit != "" {
		s.addPath(lit)
	} else if s.kindAt(i+2) == kTplHead {
		k := &s.toks[i+2]
		s.addFolder(s.src[k.start+1 : max(k.end-2, k.start+1)])
	}
}

// dirname handles what follows __dirname: path.join(__dirname, "a", "b"),
// __dirname + "/a", `${__dirname}/a`. Such paths are given with a leading dot.
func (s *scanner) dirname(first, next int) {
	var rel string
	switch {
	case s.is(next, ","):
		var parts []string
		for j := next; s.is(j, ","); j += 2 {
			lit, _, ok := s.literal(j + 1)
			if !ok {
				break
			}
			parts = append(parts, lit)
		}
		rel = strings.Join(parts, "/")
	case s.is(next, "+"):
		rel, _, _ = s.literal(next + 1)
	case s.kindAt(next) == kTplTail && s.kindAt(first-1) == kTplHead:
		k := &s.toks[next]
		rel = s.src[k.start+1 : k.end-1]
	}
	rel = strings.TrimLeft(rel, "/")
	if rel == "" || rel == "." || rel == ".." {
		return
	}
	if !strings.HasPrefix(rel, "./") && !strings.HasPrefix(rel, "../") {
		rel = "./" + rel
	}
	s.addPath(rel)
}
