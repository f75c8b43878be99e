package py

import (
	"bytes"
	"context"
	"path"
	"strings"
	"unicode/utf8"

	"regreen/internal/lang"
)

// Check lets the project's own interpreter compile the text, in one process
// that stays until Close. It is safe for concurrent use; one text is compiled
// at a time.
func (l *Language) Check(ctx context.Context, file string, src []byte) (*lang.SyntaxError, error) {
	a, err := l.check.ask(ctx, path.Base(file), src)
	if err != nil || a.OK {
		return nil, err
	}
	return a.syntaxError(src), nil
}

// answer is what the helper says about one text.
type answer struct {
	OK     bool   `json:"ok"`
	Phase  string `json:"phase"` // parse | compile: where it failed
	Line   int    `json:"line"`
	Offset int    `json:"offset"` // from 1, in characters or bytes
	Msg    string `json:"msg"`
	Text   string `json:"text"` // the line as Python has it
	File   string `json:"file"`
	minor  int    // of the interpreter, 3.minor
}

func (a *answer) syntaxError(src []byte) *lang.SyntaxError {
	toks := tokenize(src)
	at := a.place(src, toks)
	starts := lineStarts(src)
	line := 1
	for line < len(starts) && starts[line] <= at {
		line++
	}
	e := &lang.SyntaxError{Line: line, Column: at - starts[line-1] + 1, Offset: at, Message: a.Msg, Expected: a.expected()}
	for _, t := range toks {
		if t.Start <= at && at < t.End {
			e.Token = string(src[t.Start:t.End])
			if strings.Contains(a.Msg, "unterminated string") || strings.Contains(a.Msg, "EOL while scanning") {
				e.Expected = strings.TrimLeft(e.Token, "rRbBuUfFtT")[:1]
			}
			break
		}
	}
	return e
}

// expected reads what Python wanted out of its message.
func (a *answer) expected() string {
	if i := strings.Index(a.Msg, "' was never closed"); i > 0 {
		switch a.Msg[i-1] {
		case '(':
			return ")"
		case '[':
			return "]"
		case '{':
			return "}"
		}
	}
	if _, want, ok := strings.Cut(a.Msg, "expected "); ok && !strings.HasPrefix(a.Msg, "un") {
		if n := len(want); n > 2 && want[0] == '\'' && strings.IndexByte(want[1:], '\'') == n-2 {
			return want[1 : n-1]
		}
		return want
	}
	return ""
}

// place turns Python's line and offset into a byte offset.
//
// Python counts characters, but errors found while compiling, and some of the
// parsers of 3.10 to 3.12, count bytes. Where a line is not ASCII, the
// reading that falls on the start of a token is taken.
func (a *answer) place(src []byte, toks []lang.Token) int {
	if at, ok := a.inFString(src); ok {
		return at
	}
	starts := lineStarts(src)
	if a.Line < 1 || a.Line > len(starts) {
		if a.Line > len(starts) {
			return len(src)
		}
		return 0
	}
	start := starts[a.Line-1]
	end := lineEnd(src, start)
	if a.Line == 1 && bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		start += 3
	}
	col := max(a.Offset-1, 0)
	inBytes := min(start+col, end)
	inChars := start
	for n := 0; n < col && inChars < end; n++ {
		_, size := utf8.DecodeRune(src[inChars:end])
		inChars += size
	}
	first, second := inChars, inBytes
	if a.Phase == "compile" || a.minor >= 10 && a.minor <= 12 || a.minor < 10 && strings.HasPrefix(a.Msg, "cannot ") {
		first, second = second, first
	}
	if first == second || tokenStart(toks, first) || !tokenStart(toks, second) {
		return first
	}
	return second
}

func tokenStart(toks []lang.Token, at int) bool {
	for _, t := range toks {
		if t.Start >= at {
			return t.Start == at
		}
	}
	return false
}

// inFString places an error that Python before 3.12 reports relative to a
// replacement field, which it shows as "(field)".
func (a *answer) inFString(src []byte) (int, bool) {
	text := strings.TrimRight(a.Text, "\r\n")
	if a.minor >= 12 || len(text) < 2 || text[0] != '(' || a.File != "<fstring>" && !strings.HasPrefix(a.Msg, "f-string") {
		return 0, false
	}
	from := 0
	if starts := lineStarts(src); a.File != "<fstring>" && a.Line >= 1 && a.Line <= len(starts) {
		from = starts[a.Line-1]
	}
	field := "{" + strings.TrimSuffix(text[1:], ")")
	i := bytes.Index(src[from:], []byte(field))
	if i < 0 {
		return 0, false
	}
	at := from + i + 1
	for n := 2; n < a.Offset && at < len(src); n++ {
		_, size := utf8.DecodeRune(src[at:])
		at += size
	}
	return min(at, from+i+len(field)), true
}
