package js

import (
	"strings"

	"regreen/internal/lang"
)

// block is the inside of a component file's script element.
type block struct {
	lang.Span
	dialect dialect
}

// scriptBlocks finds the script elements of a component file.
func scriptBlocks(src string) []block {
	var out []block
	at := 0
	for {
		i := indexFold(src, at, "<script")
		if i < 0 {
			return out
		}
		j := i + len("<script")
		if j < len(src) && isIdentByte(src[j]) {
			at = j
			continue
		}
		end := tagEnd(src, j)
		if end < 0 {
			return out
		}
		attrs := src[j:end]
		b := block{Span: lang.Span{Start: end + 1, End: len(src)}}
		if k := indexFold(src, end, "</script"); k >= 0 {
			b.End = k
		}
		at = b.End
		if strings.HasSuffix(attrs, "/") {
			at = end + 1
			continue
		}
		switch {
		case strings.Contains(attrs, "tsx"):
			b.dialect = dialect{ts: true, jsx: true}
		case strings.Contains(attrs, `"ts"`), strings.Contains(attrs, `'ts'`),
			strings.Contains(attrs, "=ts"), strings.Contains(attrs, "typescript"):
			b.dialect = dialect{ts: true}
		default:
			b.dialect = dialect{jsx: true}
		}
		out = append(out, b)
	}
}

// tagEnd is the index of the > that ends a tag, -1 for none.
func tagEnd(src string, i int) int {
	var quote byte
	for ; i < len(src); i++ {
		switch c := src[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i
		}
	}
	return -1
}

// indexFold finds an ASCII word without regard to case.
func indexFold(src string, from int, word string) int {
	for i := from; i+len(word) <= len(src); i++ {
		k := strings.IndexByte(src[i:], word[0])
		if k < 0 {
			return -1
		}
		i += k
		if i+len(word) <= len(src) && strings.EqualFold(src[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}
