package node

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// excerptRunes is where a line of an excerpt ends.
const excerptRunes = 300

// FirstLines is the beginning of what a program printed, for a message: at
// most n lines, none of them long, without colours and control characters. A
// line that is no text is "…".
func FirstLines(text string, n int) string {
	lines := legible(text)
	if len(lines) > n {
		lines = lines[:n:n]
		if lines[n-1] != "…" {
			lines = append(lines, "…")
		}
	}
	return strings.Join(lines, "\n")
}

// LastLines is the end of what a program printed, as FirstLines its beginning.
func LastLines(text string, n int) string {
	lines := legible(text)
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "\n")
}

// legible are a text's lines as a person can read them. Lines in a row that
// are no text are one.
func legible(text string) []string {
	text = strings.TrimSpace(Plain(text))
	if text == "" {
		return nil
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		line = readable(strings.TrimSuffix(line, "\r"))
		if line == "…" && len(out) > 0 && out[len(out)-1] == "…" {
			continue
		}
		out = append(out, line)
	}
	return out
}

// readable is a line without what does not print, "…" if that is much of it.
func readable(line string) string {
	var b strings.Builder
	all, bad, kept := 0, 0, 0
	for _, r := range line {
		all++
		switch {
		case r == utf8.RuneError, r != '\t' && !unicode.IsPrint(r):
			bad++
		case kept < excerptRunes:
			kept++
			b.WriteRune(r)
		}
	}
	switch {
	case bad*4 > all:
		return "…"
	case kept+bad < all:
		return b.String() + "…"
	}
	return b.String()
}
