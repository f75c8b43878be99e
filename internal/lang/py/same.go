package py

import (
	"bytes"

	"regreen/internal/lang"
)

var (
	_ lang.Comparer      = (*Language)(nil)
	_ lang.Distributions = (*Language)(nil)
)

// SameCode compares the tokens, docstrings among them (they may hold
// doctests), the blocks by their structure. Of the comments the one that
// declares the encoding counts.
func (*Language) SameCode(_ string, before, after []byte) bool {
	if !bytes.Equal(encoding(before), encoding(after)) {
		return false
	}
	a, b := code(before), code(after)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		s, t := a[i], b[i]
		switch {
		case s.Kind != t.Kind || s.Kind == lang.Invalid:
			return false
		case s.Kind == lang.Newline || s.Kind == lang.Indent || s.Kind == lang.Dedent:
		case !bytes.Equal(before[s.Start:s.End], after[t.Start:t.End]):
			return false
		}
	}
	return true
}

func code(src []byte) []lang.Token {
	toks := tokenize(src)
	out := toks[:0]
	for _, t := range toks {
		if t.Kind != lang.Comment {
			out = append(out, t)
		}
	}
	return out
}

// encoding is the comment of the first two lines that declares one.
func encoding(src []byte) []byte {
	for range 2 {
		line, rest, _ := bytes.Cut(src, []byte("\n"))
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) && bytes.Contains(line, []byte("coding")) {
			return bytes.TrimSpace(line)
		}
		src = rest
	}
	return nil
}
