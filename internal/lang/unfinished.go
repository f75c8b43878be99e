package lang

import "bytes"

// Unfinished tells whether a text that does not parse reads as one that
// somebody is still writing, and on which line (from 1): before parsed, now
// does not, and whatever stands in now before the end of what was changed is
// the beginning of something that parses. bad is what the parser says of now.
func Unfinished(l Language, path string, before, now []byte, bad *SyntaxError) (line int, ok bool) {
	cursor := Cursor(before, now)
	line = bytes.Count(now[:cursor], []byte("\n")) + 1
	// The word under the cursor may itself be half-written, and an editor closes
	// brackets as they are opened.
	last := 0
	for _, t := range l.Tokens(path, now) {
		if t.Start >= cursor {
			break
		}
		if !closes(t, now) {
			last = t.Start
		}
	}
	return line, bad.Offset >= last || neverClosed(now, bad.Offset)
}

// closes: the token ends something, or is none that a parser sees.
func closes(t Token, src []byte) bool {
	switch t.Kind {
	case Newline, Indent, Dedent, Comment:
		return true
	case Punct:
		return bytes.IndexByte([]byte(")]};,"), src[t.Start]) >= 0
	}
	return false
}

// Cursor is where what differs from before ends in now, white space aside:
// where the cursor is when one place was changed. Lines are compared first, so
// that a line that came is not taken for the ends of its neighbours.
func Cursor(before, now []byte) int {
	b, n := bytes.SplitAfter(before, []byte("\n")), bytes.SplitAfter(now, []byte("\n"))
	head, tail := common(b, n, bytes.Equal)
	b, n = b[head:len(b)-tail], n[head:len(n)-tail]
	cursor := len(now)
	for _, line := range bytes.SplitAfter(now, []byte("\n"))[head+len(n):] {
		cursor -= len(line)
	}
	bs, ns := bytes.Join(b, nil), bytes.Join(n, nil)
	if len(bytes.TrimSpace(bs)) == 0 {
		return cursor - len(ns) + len(bytes.TrimRight(ns, " \t\r\n"))
	}
	_, tail = common(bs, ns, func(x, y byte) bool { return x == y })
	return cursor - tail
}

// common is how much two lists share at their beginnings and then at their ends.
func common[E any](a, b []E, same func(x, y E) bool) (head, tail int) {
	most := min(len(a), len(b))
	for head < most && same(a[head], b[head]) {
		head++
	}
	for tail < most-head && same(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	return head, tail
}

// neverClosed: CPython names an opening bracket that no other closes, and not
// the place where it wanted that.
func neverClosed(now []byte, offset int) bool {
	return offset >= 0 && offset < len(now) && bytes.IndexByte([]byte("([{"), now[offset]) >= 0
}
