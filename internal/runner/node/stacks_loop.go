package node

import (
	"bytes"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/runner"
)

// reduce finds what several samples of one thread have in common: the stack
// down to the innermost function that never returned, and in it the innermost
// loop that none of the samples is outside of.
func reduce(c Context, samples [][]runner.Frame) []runner.Frame {
	depth := common(samples)
	if depth == 0 {
		return samples[0]
	}
	stack := samples[0][len(samples[0])-depth:]
	// The functions called from the loop are where the samples happened to be.
	for i := range stack {
		var at []runner.Place
		for _, s := range samples {
			at = append(at, s[len(s)-depth+i].Place)
		}
		src, ok := c.read(stack[i].File)
		if !ok {
			continue
		}
		if head, ok := loop(stack[i].File, src, at); ok {
			out := append([]runner.Frame(nil), stack[i:]...)
			out[0].Place = head
			return out
		}
	}
	return stack
}

// common is how many of the outermost frames all samples share; the innermost
// of these may stand at different places of one function.
func common(samples [][]runner.Frame) int {
	for depth := 0; ; depth++ {
		var first runner.Frame
		for i, s := range samples {
			if depth >= len(s) {
				return depth
			}
			fr := s[len(s)-1-depth]
			if i == 0 {
				first = fr
			}
			if fr.File != first.File || fr.Function != first.Function {
				return depth
			}
			// Below two different calls nothing is common any more.
			if depth > 0 && s[len(s)-depth].Place != samples[0][len(samples[0])-depth].Place {
				return depth
			}
		}
	}
}

// loop is the header of the innermost loop of a file that holds all places.
func loop(file string, src []byte, at []runner.Place) (runner.Place, bool) {
	p := &pieces{src: src}
	for _, t := range (js.Language{}).Tokens(file, src) {
		if t.Kind != lang.Comment {
			p.toks = append(p.toks, t)
		}
	}
	best, size := -1, len(src)+1
	for i := range p.toks {
		end := p.loopEnd(i)
		if end < 0 {
			continue
		}
		from, to := p.toks[i].Start, p.toks[end].End
		holds := to-from < size
		for _, pl := range at {
			o := offsetOf(src, pl)
			holds = holds && from <= o && o < to
		}
		if holds {
			best, size = i, to-from
		}
	}
	if best < 0 {
		return runner.Place{}, false
	}
	line, column := lineAt(src, p.toks[best].Start)
	return runner.Place{File: file, Line: line, Column: column}, true
}

// loopEnd is the last token of the loop that begins at i, -1 when none does.
func (p *pieces) loopEnd(i int) int {
	if !p.is(i, lang.Keyword) && !p.is(i, lang.Ident) || p.punct(i-1) == "." {
		return -1
	}
	switch p.text(i) {
	case "do":
		end := p.bodyEnd(i + 1)
		if end > 0 && p.text(end+1) == "while" && p.punct(end+2) == "(" {
			return p.closing(end + 2)
		}
		return -1
	case "while", "for":
		j := i + 1
		if p.text(j) == "await" {
			j++
		}
		if p.punct(j) != "(" {
			return -1
		}
		if j = p.closing(j); j < 0 {
			return -1
		}
		if p.punct(j+1) == ";" { // an empty body, or the end of do … while
			return j + 1
		}
		return p.bodyEnd(j + 1)
	}
	return -1
}

// bodyEnd is the last token of a statement that is a loop's body.
func (p *pieces) bodyEnd(i int) int {
	if p.punct(i) == "{" {
		return p.closing(i)
	}
	for ; i < len(p.toks); i++ {
		switch p.punct(i) {
		case "(", "[", "{":
			end := p.closing(i)
			if end < 0 {
				return -1
			}
			if i = end; p.punct(i) == "}" && p.punct(i+1) != ";" && p.punct(i+1) != "." {
				return i
			}
		case ";":
			return i
		case ")", "]", "}":
			return i - 1
		}
	}
	return -1
}

// offsetOf is the byte offset of a place.
func offsetOf(src []byte, p runner.Place) int {
	o := 0
	for line := 1; line < p.Line; line++ {
		i := bytes.IndexByte(src[o:], '\n')
		if i < 0 {
			return len(src)
		}
		o += i + 1
	}
	return min(o+max(p.Column-1, 0), len(src))
}
