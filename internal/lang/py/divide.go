package py

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"slices"

	"regreen/internal/lang"
)

var _ lang.Divider = (*Language)(nil)

// sumBytes is how much of a hash is kept for a body: two bodies of one function
// are compared, never all with all.
const sumBytes = 9

// loose are the names of what chooses by chance, and of what looks at the code
// of a function instead of calling it.
var loose = map[string]bool{
	"random": true, "randint": true, "randrange": true, "randbytes": true, "getrandbits": true, "shuffle": true, "urandom": true,
	"secrets": true, "uuid1": true, "uuid4": true, "SystemRandom": true, "Faker": true, "faker": true, "hypothesis": true,
	"__code__": true, "f_code": true, "gi_code": true, "cr_code": true, "co_code": true, "co_consts": true, "co_names": true,
	"co_varnames": true, "co_freevars": true, "co_cellvars": true, "marshal": true, "dis": true,
}

// seenOutside are the words in a body by which a function is of another kind,
// or its class is made in another way.
var seenOutside = []string{"yield", "await", "async", "super", "__class__"}

// Divide takes the text apart at the functions that are in no other function.
// Decorators, parameters with their defaults and annotations, and the docstring
// belong to what runs, or can be read, when the file is loaded.
func (*Language) Divide(_ string, src []byte) (lang.Parts, bool) {
	t := newText(src)
	if slices.ContainsFunc(t.toks, func(tok lang.Token) bool { return tok.Kind == lang.Invalid }) {
		return lang.Parts{}, false
	}
	d := divider{text: t, rest: sha256.New(), lines: lineStarts(src)}
	d.write(d.rest, "", string(encoding(src)))
	d.block(t.parse(), "")
	d.upTo(len(src) + 1)
	d.parts.Rest = sum(d.rest, sha256.Size)
	return d.parts, true
}

type divider struct {
	*text
	i     int // the next token
	rest  hash.Hash
	lines []int
	parts lang.Parts
}

func sum(h hash.Hash, size int) string {
	return base64.RawStdEncoding.EncodeToString(h.Sum(nil)[:size])
}

func (d *divider) write(h hash.Hash, kind lang.TokenKind, text string) {
	h.Write([]byte(kind))
	h.Write([]byte{0})
	h.Write([]byte(text))
	h.Write([]byte{0})
}

// token adds a token to a hash; the blocks count by their structure.
func (d *divider) token(h hash.Hash, i int) {
	if structural(d.kind(i)) {
		d.write(h, d.kind(i), "")
		return
	}
	d.write(h, d.kind(i), d.str(i))
}

// upTo adds the tokens before an offset to the rest.
func (d *divider) upTo(offset int) {
	for d.i < len(d.toks) && d.toks[d.i].Start < offset {
		d.token(d.rest, d.i)
		d.i++
	}
}

// block goes through the statements outside of functions.
func (d *divider) block(stmts []*stmt, class string) {
	for _, s := range stmts {
		if s.kind == sDef {
			d.function(s, class)
			continue
		}
		inner := class
		if s.kind == sClass {
			inner = class + d.str(s.from+1) + "."
		}
		if s.kind != sImport && s.kind != sFrom {
			d.parts.Loose = d.parts.Loose || d.loose(s.from, s.to)
		}
		d.decorators(s)
		d.block(s.body, inner)
	}
}

func (d *divider) decorators(s *stmt) {
	for _, r := range s.decos {
		d.parts.Loose = d.parts.Loose || d.loose(r[0], r[1])
	}
}

func (d *divider) loose(from, to int) bool {
	for i := from; i < to && i < len(d.toks); i++ {
		if d.ident(i) && loose[d.str(i)] {
			return true
		}
	}
	return false
}

// function adds its header to the rest, and hashes its body.
func (d *divider) function(s *stmt, class string) {
	d.decorators(s)
	d.parts.Loose = d.parts.Loose || d.loose(s.from, s.to)
	start := s.span.End
	if s.to < len(d.toks) && d.is(s.to, ":") {
		start = d.toks[s.to].End
	}
	d.upTo(start)
	name := s.from + 1
	if d.is(s.from, "async") {
		name++
	}
	b := lang.Body{Name: class + d.str(name), First: d.line(s.span.Start), Last: d.line(max(s.span.End-1, s.span.Start))}
	h, first := sha256.New(), d.i
	for d.i < len(d.toks) && d.toks[d.i].Start < s.span.End {
		d.token(h, d.i)
		d.i++
	}
	b.Sum, b.Loose = sum(h, sumBytes), d.loose(first, d.i)
	d.write(d.rest, "body", d.docstring(first))
	for _, word := range seenOutside {
		if slices.ContainsFunc(d.toks[first:d.i], func(t lang.Token) bool { return string(d.src[t.Start:t.End]) == word }) {
			d.write(d.rest, "has", word)
		}
	}
	d.parts.Bodies = append(d.parts.Bodies, b)
}

// docstring is the text of the string that a body begins with.
func (d *divider) docstring(i int) string {
	for i < len(d.toks) && structural(d.kind(i)) {
		i++
	}
	from := i
	for d.kind(i) == lang.String && i < len(d.toks) {
		i++
	}
	if i == from || i < len(d.toks) && !structural(d.kind(i)) && !d.is(i, ";") {
		return ""
	}
	var b bytes.Buffer
	for ; from < i; from++ {
		b.WriteString(d.str(from))
		b.WriteByte(0)
	}
	return b.String()
}

// line is the number of an offset's line.
func (d *divider) line(offset int) int {
	n, exact := slices.BinarySearch(d.lines, offset)
	if exact {
		return n + 1
	}
	return n
}
