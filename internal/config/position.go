package config

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// place is where a key stands.
type place struct{ line, column int }

// keyed is one key of the file in order: its path with the index of tables in
// arrays ("project[0].root") and its place.
type keyed struct {
	path string
	place
}

// positions lists the keys of a text that the TOML parser has accepted; the
// parser tells values and syntax errors but not where each key stands. On a
// text that is not TOML the result is useless, but it ends and does not panic.
func positions(src string) []keyed {
	s := &keyScanner{src: src, tables: map[string]int{}}
	s.document()
	return s.keys
}

type keyScanner struct {
	src    string
	at     int
	keys   []keyed
	tables map[string]int // array of tables to its number of tables so far
}

func (s *keyScanner) document() {
	prefix := ""
	for s.blank(true); s.at < len(s.src); s.blank(true) {
		start := s.at
		if !s.skip("[") {
			s.pair(prefix)
		} else {
			array := s.skip("[")
			s.blank(false)
			head := s.at
			prefix = s.header(s.key(), array)
			s.add(prefix, head)
			for s.at < len(s.src) && s.src[s.at] != '\n' {
				s.at++
			}
		}
		if s.at == start {
			s.at++
		}
	}
}

// header resolves a table's path through the arrays of tables above it.
func (s *keyScanner) header(parts []string, array bool) string {
	path := ""
	for i, p := range parts {
		path = join(path, p)
		n, known := s.tables[path]
		if array && i == len(parts)-1 {
			s.tables[path] = n + 1
			return fmt.Sprintf("%s[%d]", path, n)
		}
		if known {
			path = fmt.Sprintf("%s[%d]", path, n-1)
		}
	}
	return path
}

// pair reads key = value.
func (s *keyScanner) pair(prefix string) {
	start := s.at
	path := prefix
	for _, p := range s.key() {
		path = join(path, p)
	}
	s.add(path, start)
	s.blank(false)
	if s.skip("=") {
		s.blank(false)
		s.value(path)
	}
}

func (s *keyScanner) value(path string) {
	switch {
	case s.skip(`"""`):
		s.until(`"""`, true)
	case s.skip(`'''`):
		s.until(`'''`, false)
	case s.skip(`"`):
		s.until(`"`, true)
	case s.skip(`'`):
		s.until(`'`, false)
	case s.skip("["):
		for i := 0; ; i++ {
			if s.blank(true); s.at >= len(s.src) || s.skip("]") {
				return
			}
			before := s.at
			s.value(fmt.Sprintf("%s[%d]", path, i))
			s.blank(true)
			s.skip(",")
			if s.at == before {
				s.at++
			}
		}
	case s.skip("{"):
		for {
			if s.blank(true); s.at >= len(s.src) || s.skip("}") {
				return
			}
			before := s.at
			s.pair(path)
			s.blank(true)
			s.skip(",")
			if s.at == before {
				s.at++
			}
		}
	default:
		for s.at < len(s.src) && !strings.ContainsRune(",]}#\r\n", rune(s.src[s.at])) {
			s.at++
		}
	}
}

// key reads a dotted key.
func (s *keyScanner) key() []string {
	var parts []string
	for {
		s.blank(false)
		start := s.at
		switch {
		case s.skip(`"`):
			s.until(`"`, true)
			parts = append(parts, strings.TrimSuffix(s.src[start+1:s.at], `"`))
		case s.skip(`'`):
			s.until(`'`, false)
			parts = append(parts, strings.TrimSuffix(s.src[start+1:s.at], `'`))
		default:
			for s.at < len(s.src) && !strings.ContainsRune(".=]}, \t\r\n#", rune(s.src[s.at])) {
				s.at++
			}
			parts = append(parts, s.src[start:s.at])
		}
		s.blank(false)
		if !s.skip(".") {
			return parts
		}
	}
}

// until passes the closing mark; a basic string's backslash hides what follows.
func (s *keyScanner) until(mark string, escapes bool) {
	for s.at < len(s.src) {
		if escapes && s.src[s.at] == '\\' {
			s.at = min(s.at+2, len(s.src))
			continue
		}
		if s.skip(mark) {
			// A multi-line string may end in up to two more quotes.
			for len(mark) == 3 && s.at < len(s.src) && s.src[s.at] == mark[0] {
				s.at++
			}
			return
		}
		s.at++
	}
}

// blank passes white space, and with lines also line ends and comments.
func (s *keyScanner) blank(lines bool) {
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == ' ' || c == '\t':
			s.at++
		case lines && (c == '\n' || c == '\r'):
			s.at++
		case lines && c == '#':
			for s.at < len(s.src) && s.src[s.at] != '\n' {
				s.at++
			}
		default:
			return
		}
	}
}

func (s *keyScanner) skip(mark string) bool {
	if strings.HasPrefix(s.src[s.at:], mark) {
		s.at += len(mark)
		return true
	}
	return false
}

func (s *keyScanner) add(path string, at int) {
	before := s.src[:min(at, len(s.src))]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	s.keys = append(s.keys, keyed{path, place{line, column}})
}

func join(prefix, key string) string {
	if prefix == "" {
		return key
	}
	return prefix + "." + key
}
