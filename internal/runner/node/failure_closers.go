package node

import (
	"strings"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
)

// closers is the text that would close what a file leaves open: brackets in
// order, with the semicolon where the file writes one.
func closers(file string, src []byte) string {
	p := &pieces{src: src}
	for _, t := range (js.Language{}).Tokens(file, src) {
		if t.Kind != lang.Comment {
			p.toks = append(p.toks, t)
		}
	}
	var st []string
	semicolons := false
	for i := range p.toks {
		switch s := p.punct(i); s {
		case "(", "[", "{":
			st = append(st, s)
		case ")", "]", "}":
			if n := len(st); n > 0 && closer(st[n-1]) == s {
				st = st[:n-1]
			}
		case ";":
			semicolons = true
		}
	}
	var out strings.Builder
	for i := len(st) - 1; i >= 0; i-- {
		out.WriteString(closer(st[i]))
	}
	if semicolons && strings.HasSuffix(out.String(), ")") {
		out.WriteByte(';')
	}
	return out.String()
}
