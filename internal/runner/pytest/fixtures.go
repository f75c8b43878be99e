package pytest

import (
	"bytes"
	"slices"
	"strings"

	"regreen/internal/runner"
)

var _ runner.Narrower = (*Framework)(nil)

// Narrow tells which fixtures a change of a conftest.py or plugin touches. A
// fixture is used by its name alone: as a parameter, in usefixtures, by
// getfixturevalue. So a change inside fixtures and the plain functions that
// they call reaches the tests that name one of them; all else runs when the
// file loads, or is a hook, and reaches every test.
func (*Framework) Narrow(file string, before, after []byte, others map[string][]byte) (runner.Narrowing, bool) {
	a, aok := chunks(before)
	b, bok := chunks(after)
	if !aok || !bok {
		return runner.Narrowing{}, false
	}
	touched, ok := differing(a, b)
	if !ok {
		return runner.Narrowing{}, false
	}
	c := closure{names: touched, fixtures: map[string]bool{}}
	files := [][]chunk{a, b}
	var texts [][]byte
	for other, src := range others {
		switch {
		case other == file:
		case isPython(other):
			cs, _ := chunks(src)
			files = append(files, cs)
		default:
			texts = append(texts, src)
		}
	}
	for grown := true; grown; {
		grown = false
		for _, cs := range files {
			more, ok := c.grow(cs)
			if !ok {
				return runner.Narrowing{}, false
			}
			grown = grown || more
		}
	}
	n := runner.Narrowing{}
	for name := range c.fixtures {
		n.Names = append(n.Names, name)
	}
	slices.Sort(n.Names)
	for _, src := range texts { // usefixtures of the ini file
		for _, name := range n.Names {
			if holdsWord(src, name) {
				return runner.Narrowing{}, false
			}
		}
	}
	n.Mentions = func(file string, src []byte, test bool) bool { return c.mentions(file, src, test) }
	n.Plugs = func(src []byte) bool { return plugs(src, file) }
	return n, true
}

// chunk is a statement at the top level with all that belongs to it.
type chunk struct {
	name       string // of a function, "" for anything else
	decorators []token
	head       []token // up to the colon
	toks       []token // all, the decorators too
	text       string  // of toks
}

// chunks splits a text; ok is false where a function is defined twice.
func chunks(src []byte) (out []chunk, ok bool) {
	seen := map[string]bool{}
	ok = true
	var pending []token
	for _, s := range scan(src) {
		if s.indent > 0 && len(out) > 0 && pending == nil {
			out[len(out)-1].toks = append(out[len(out)-1].toks, mark(s)...)
			continue
		}
		if s.is("@") {
			pending = append(pending, s.toks...)
			continue
		}
		c := chunk{decorators: pending, toks: slices.Concat(pending, mark(s))}
		pending = nil
		if name, kind := defined(s); kind == "def" {
			c.name, c.head = name, headOf(s.toks)
			ok = ok && !seen[name]
			seen[name] = true
		}
		out = append(out, c)
	}
	for i := range out {
		var b strings.Builder
		for _, t := range out[i].toks {
			b.WriteString(t.text)
			b.WriteByte(0)
		}
		out[i].text = b.String()
	}
	return out, ok
}

// mark gives a statement's tokens with its indentation in front, so that two
// blocks of another structure differ.
func mark(s statement) []token {
	return append([]token{{kind: tokOp, text: strings.Repeat(" ", s.indent)}}, s.toks...)
}

// headOf is a definition up to the colon before its body.
func headOf(toks []token) []token {
	depth := 0
	for i, t := range toks {
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ":":
			if depth == 0 && t.kind == tokOp {
				return toks[:i]
			}
		}
	}
	return toks
}

// differing gives the names of the functions that differ; ok is false where
// anything else does, or where the difference runs when the file loads.
func differing(a, b []chunk) (names map[string]bool, ok bool) {
	index := func(cs []chunk) map[string]chunk {
		m := map[string]chunk{}
		for _, c := range cs {
			if c.name != "" {
				m[c.name] = c
			}
		}
		return m
	}
	x, y := index(a), index(b)
	order := func(cs []chunk, other map[string]chunk) (out []string) {
		for _, c := range cs {
			if c.name == "" {
				out = append(out, c.text)
			} else if _, both := other[c.name]; both {
				out = append(out, "def "+c.name)
			}
		}
		return out
	}
	if !slices.Equal(order(a, y), order(b, x)) {
		return nil, false
	}
	names = map[string]bool{}
	for _, pair := range [][2]map[string]chunk{{x, y}, {y, x}} {
		for name, c := range pair[0] {
			d, both := pair[1][name]
			switch {
			case both && c.text == d.text:
				continue
			case both && (!sameText(c.decorators, d.decorators) || !sameText(c.head, d.head) && (!c.plainHead() || !d.plainHead())):
				return nil, false
			case !both && (!c.plainHead() || len(c.decorators) > 0 && !c.literalFixture()):
				return nil, false
			case !c.fixture() && len(c.decorators) > 0 && !c.harmlessDecorators():
				return nil, false
			}
			names[name] = true
		}
	}
	return names, true
}

func sameText(a, b []token) bool {
	return slices.EqualFunc(a, b, func(s, t token) bool { return s.text == t.text })
}

// plainHead says that the parameters have neither defaults nor annotations,
// which would run when the file loads.
func (c chunk) plainHead() bool {
	for _, t := range c.head {
		if t.text == "=" || t.text == ":" || t.text == "->" || t.text == "-" {
			return false
		}
	}
	return true
}

// fixture tells whether the function is one.
func (c chunk) fixture() bool {
	for _, t := range c.decorators {
		if t.kind == tokName && strings.HasSuffix(t.text, "fixture") {
			return true
		}
	}
	return false
}

// literalFixture says that the one decorator is a fixture's with nothing but
// literals in it.
func (c chunk) literalFixture() bool {
	if !c.fixture() {
		return false
	}
	for i, t := range c.decorators {
		switch {
		case t.text == "@" && i > 0:
			return false
		case t.kind != tokName || t.text == "pytest" || t.text == "pytest_asyncio" || strings.HasSuffix(t.text, "fixture"):
		case t.text == "scope" || t.text == "name" || t.text == "autouse" || t.text == "params" || t.text == "True" || t.text == "False" || t.text == "None":
		default:
			return false
		}
	}
	return true
}

func (c chunk) harmlessDecorators() bool {
	for _, t := range c.decorators {
		if t.kind == tokName && !slices.Contains([]string{"contextmanager", "asynccontextmanager", "contextlib", "functools", "cache", "lru_cache", "maxsize", "None"}, t.text) {
			return false
		}
	}
	return true
}

// autouse tells whether a fixture is used by tests that do not name it.
func (c chunk) autouse() bool {
	for i, t := range c.decorators {
		if t.text == "autouse" && !(i+2 < len(c.decorators) && c.decorators[i+2].text == "False") {
			return true
		}
	}
	return false
}

// offered are the names by which tests use a fixture.
func (c chunk) offered() []string {
	out := []string{c.name}
	for i, t := range c.decorators {
		if t.text == "name" && i+2 < len(c.decorators) && c.decorators[i+1].text == "=" {
			if c.decorators[i+2].kind == tokString {
				out = append(out, stringText(c.decorators[i+2].text))
			}
		}
	}
	return out
}

// closure is the set of names that lead to a difference.
type closure struct {
	names    map[string]bool // functions and fixtures
	fixtures map[string]bool // of them, the fixtures
}

// grow adds what uses a name that is in already; ok is false when that is
// everything.
func (c *closure) grow(cs []chunk) (grown, ok bool) {
	for _, ch := range cs {
		own := c.names[ch.name]
		if !own && !c.used(ch.toks) {
			continue
		}
		if ch.name == "" || strings.HasPrefix(ch.name, "pytest_") || c.decorates(ch) {
			return false, false
		}
		if !own {
			c.names[ch.name] = true
			grown = true
		}
		if !ch.fixture() {
			continue
		}
		if ch.autouse() {
			return false, false
		}
		for _, name := range ch.offered() {
			if !c.fixtures[name] {
				c.fixtures[name], c.names[name] = true, true
				grown = true
			}
		}
	}
	return grown, true
}

// decorates tells whether a function's decorators call one of the names when
// the file loads.
func (c *closure) decorates(ch chunk) bool {
	return slices.ContainsFunc(ch.decorators, func(t token) bool { return t.kind == tokName && c.names[t.text] })
}

// used tells whether tokens name one of the names, or compute a fixture's.
func (c *closure) used(toks []token) bool {
	for i, t := range toks {
		switch t.kind {
		case tokName:
			if c.names[t.text] && (i == 0 || toks[i-1].text != "def") {
				return true
			}
			if (t.text == "getfixturevalue" || t.text == "getfixture") && len(c.fixtures) > 0 && computed(toks, i) {
				return true
			}
		case tokString:
			for name := range c.names {
				if holdsWord([]byte(t.text), name) {
					return true
				}
			}
		}
	}
	return false
}

// computed tells whether the call at i has anything but one literal.
func computed(toks []token, i int) bool {
	return i+3 >= len(toks) || toks[i+1].text != "(" || toks[i+2].kind != tokString || toks[i+3].text != ")" ||
		strings.ContainsAny(toks[i+2].text[:1], "fF")
}

func (c *closure) mentions(file string, src []byte, test bool) bool {
	if len(c.fixtures) == 0 {
		return false
	}
	if !isPython(file) {
		for name := range c.fixtures {
			if holdsWord(src, name) {
				return true
			}
		}
		return false
	}
	only := closure{names: c.fixtures, fixtures: c.fixtures}
	used := false
	for _, s := range scan(src) {
		test = test || slices.ContainsFunc(s.toks, ofTests)
		if !only.used(s.toks) {
			continue
		}
		used = true
		// A function that another one makes may be handed to pytest.
		if _, kind := defined(s); kind == "def" && s.indent > 0 && !method(s.toks) {
			test = true
		}
	}
	return used && test
}

// ofTests tells whether a token shows that a file has to do with tests: it
// names them, or asks for fixtures on behalf of a test.
func ofTests(t token) bool {
	return t.kind == tokName && (slices.Contains([]string{"pytest", "fixture", "usefixtures", "getfixturevalue", "getfixture"}, t.text) ||
		strings.HasPrefix(strings.ToLower(t.text), "test"))
}

// method tells whether a definition's first parameter is an instance or a class.
func method(toks []token) bool {
	i := slices.IndexFunc(toks, func(t token) bool { return t.text == "(" })
	return i >= 0 && i+1 < len(toks) && (toks[i+1].text == "self" || toks[i+1].text == "cls")
}

// holdsWord tells whether a text holds a name between other characters than
// those of names.
func holdsWord(text []byte, name string) bool {
	inName := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
	}
	for at := 0; name != ""; {
		i := bytes.Index(text[at:], []byte(name))
		if i < 0 {
			return false
		}
		i += at
		if end := i + len(name); (i == 0 || !inName(text[i-1])) && (end == len(text) || !inName(text[end])) {
			return true
		}
		at = i + 1
	}
	return false
}
