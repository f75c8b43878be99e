package js

import (
	"unicode/utf8"

	"regreen/internal/lang"
)

// Tokens splits a text, whether it parses or not. ">>" comes as two tokens,
// "</" and "/>" of an element as one each. Of a component file the script
// blocks are split, and what is between them is one JSXText each.
func (Language) Tokens(path string, src []byte) []lang.Token {
	s := string(src)
	if !isComponent(path) {
		t := lex(s, 0, len(s), dialectOf(path))
		return t.merged(make([]lang.Token, 0, len(t.toks)+len(t.comments)))
	}
	var out []lang.Token
	at := 0
	for _, b := range scriptBlocks(s) {
		out = markup(out, s, at, b.Start)
		out = lex(s, b.Start, b.End, b.dialect).merged(out)
		at = b.End
	}
	return markup(out, s, at, len(s))
}

// markup adds the text of src[from:to] without the white space around it.
func markup(out []lang.Token, src string, from, to int) []lang.Token {
	for from < to {
		n := spaceLen(src[from:to])
		if n == 0 {
			break
		}
		from += n
	}
	if from == to {
		return out
	}
	return append(out, lang.Token{Kind: lang.JSXText, Span: lang.Span{Start: from, End: to}})
}

// spaceLen is the length of the white space character at the start of s.
func spaceLen(s string) int {
	if s[0] < utf8.RuneSelf {
		if s[0] == '\n' || s[0] == '\r' || class[s[0]]&clsSpace != 0 {
			return 1
		}
		return 0
	}
	n, _ := wideSpace(s)
	return n
}

// merged appends the tokens and comments in the order of the text.
func (t *text) merged(out []lang.Token) []lang.Token {
	c := 0
	for i := range t.toks {
		k := &t.toks[i]
		for c < len(t.comments) && t.comments[c].start < k.start {
			out = append(out, public(&t.comments[c]))
			c++
		}
		out = append(out, public(k))
	}
	for ; c < len(t.comments); c++ {
		out = append(out, public(&t.comments[c]))
	}
	return out
}

func public(k *tok) lang.Token {
	return lang.Token{Kind: publicKind[k.kind], Span: lang.Span{Start: int(k.start), End: int(k.end)}}
}

var publicKind = [...]lang.TokenKind{
	kIdent: lang.Ident, kKeyword: lang.Keyword, kPrivate: lang.Ident, kNumber: lang.Number,
	kString: lang.String, kTemplate: lang.String, kTplHead: lang.String, kTplMiddle: lang.String,
	kTplTail: lang.String, kRegexp: lang.Regexp, kPunct: lang.Punct, kJSXText: lang.JSXText,
	kComment: lang.Comment, kInvalid: lang.Invalid,
}
