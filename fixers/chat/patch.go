package chat

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"regreen/fixers"
)

// edit replaces lines of a file; old is empty for a new file.
type edit struct {
	file     string
	old, new []string
	// at is the line that a unified diff says, from 0; -1 is unknown.
	at      int
	deleted bool
	created bool
}

// A problem says why an answer cannot be applied; it is told to the model.
type problem struct{ text string }

func (p *problem) Error() string { return p.text }

func refuse(format string, args ...any) error { return &problem{fmt.Sprintf(format, args...)} }

var (
	searchMark  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<{5,9} ?SEARCH\s*$`) })
	dividerMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^={5,9}\s*$`) })
	replaceMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^>{5,9} ?REPLACE\s*$`) })
	hunkMark    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^@@ -(\d+)?.*@@|^@@`) })
	fileMark    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^(?:#+ +)?\\**(?:FILE|File|file):\\**\\s*`?([^`*\\s]+)`?\\**\\s*$")
	})
)

// parse reads the edits of an answer: search and replace blocks, or a unified
// diff, in fences or not.
func parse(answer string) ([]edit, error) {
	lines := strings.Split(strings.ReplaceAll(answer, "\r\n", "\n"), "\n")
	edits, err := blocks(lines)
	if err != nil || len(edits) > 0 {
		return edits, err
	}
	if edits, err = diffs(lines); err != nil || len(edits) > 0 {
		return edits, err
	}
	return nil, refuse("it has no patch")
}

// blocks reads search and replace blocks. A block is of the file that was
// named last.
func blocks(lines []string) ([]edit, error) {
	var out []edit
	file := ""
	for i := 0; i < len(lines); i++ {
		if m := fileMark().FindStringSubmatch(strings.TrimSpace(lines[i])); m != nil {
			file = m[1]
			continue
		}
		if !searchMark().MatchString(lines[i]) {
			continue
		}
		if file == "" {
			return nil, refuse("a block names no file")
		}
		e := edit{file: file, at: -1}
		part := &e.old
		for i++; ; i++ {
			if i >= len(lines) {
				return nil, refuse("a block for %s has no end", file)
			}
			if part == &e.old && dividerMark().MatchString(lines[i]) {
				part = &e.new
				continue
			}
			if replaceMark().MatchString(lines[i]) {
				break
			}
			*part = append(*part, lines[i])
		}
		if part == &e.old {
			return nil, refuse("a block for %s has no divider", file)
		}
		e.created = len(strings.Join(e.old, "")) == 0
		out = append(out, e)
	}
	return out, nil
}

// diffs reads a unified diff; the counts of its hunks are not relied on.
func diffs(lines []string) ([]edit, error) {
	var out []edit
	from, to := "", ""
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ ") {
			from, to = name(line[4:], "a/"), name(lines[i+1][4:], "b/")
			i++
			continue
		}
		m := hunkMark().FindStringSubmatch(line)
		if m == nil || from == "" && to == "" {
			continue
		}
		e := edit{file: to, at: -1}
		switch {
		case from == "/dev/null":
			e.created = true
		case to == "/dev/null":
			e.file, e.deleted = from, true
		}
		if m[1] != "" {
			_, _ = fmt.Sscan(m[1], &e.at)
			e.at--
		}
		for i+1 < len(lines) {
			l := lines[i+1]
			if strings.HasPrefix(l, "--- ") && i+2 < len(lines) && strings.HasPrefix(lines[i+2], "+++ ") || strings.HasPrefix(l, "@@") ||
				strings.HasPrefix(l, "```") || strings.HasPrefix(l, "diff --git") {
				break
			}
			i++
			switch {
			case strings.HasPrefix(l, "+"):
				e.new = append(e.new, l[1:])
			case strings.HasPrefix(l, "-"):
				e.old = append(e.old, l[1:])
			case strings.HasPrefix(l, " "), l == "":
				t := strings.TrimPrefix(l, " ")
				e.old, e.new = append(e.old, t), append(e.new, t)
			case strings.HasPrefix(l, `\`): // no newline at the end of the file
			default:
				return nil, refuse("the diff of %s has a line that is none of it: %q", e.file, fixers.Plain(l, 60))
			}
		}
		// Empty lines after the diff are not of it.
		for n := len(e.old); n > 0 && len(e.new) > 0 && e.old[n-1] == "" && e.new[len(e.new)-1] == ""; n = len(e.old) {
			e.old, e.new = e.old[:n-1], e.new[:len(e.new)-1]
		}
		if slices.Equal(e.old, e.new) && !e.deleted {
			continue
		}
		out = append(out, e)
	}
	return out, nil
}

// name takes the prefix and what follows a tab off a diff's file name.
func name(s, prefix string) string {
	s, _, _ = strings.Cut(s, "\t")
	s = strings.Trim(strings.TrimSpace(s), `"`)
	if s == "/dev/null" {
		return s
	}
	return strings.TrimPrefix(s, prefix)
}

// apply makes the edits on files as read gives them. Each must fit in exactly
// one place.
func apply(edits []edit, read func(rel string) ([]byte, error)) ([]fixers.Whole, error) {
	out := map[string]*fixers.Whole{}
	var order []string
	for _, e := range edits {
		if path.IsAbs(e.file) || path.Clean(e.file) != e.file || e.file == "." || strings.HasPrefix(e.file, "../") || strings.ContainsAny(e.file, "\\\x00") {
			return nil, refuse("%q is no file of the repository", fixers.Plain(e.file, 100))
		}
		w := out[e.file]
		if w == nil {
			src, err := read(e.file)
			w = &fixers.Whole{File: e.file, Before: src, After: src}
			switch {
			case errors.Is(err, fs.ErrNotExist):
				w.Created = true
			case err != nil:
				return nil, refuse("%s cannot be read", e.file)
			}
			out[e.file] = w
			order = append(order, e.file)
		}
		if err := applyTo(w, e); err != nil {
			return nil, err
		}
	}
	var list []fixers.Whole
	for _, file := range order {
		if w := out[file]; w.Created || w.Deleted || !bytes.Equal(w.Before, w.After) {
			list = append(list, *w)
		}
	}
	if len(list) == 0 {
		return nil, refuse("it changes nothing")
	}
	return list, nil
}

func applyTo(w *fixers.Whole, e edit) error {
	switch {
	case e.deleted && w.Created:
		return refuse("%s is not there", e.file)
	case e.deleted:
		w.Deleted, w.After = true, nil
		return nil
	case e.created && w.Created && len(w.After) == 0:
		w.After = []byte(strings.Join(e.new, "\n") + "\n")
		return nil
	case w.Created && len(w.After) == 0:
		return refuse("%s is not there", e.file)
	case e.created || w.Deleted:
		return refuse("%s is there already", e.file)
	case bytes.IndexByte(w.After, 0) >= 0:
		return refuse("%s is no text", e.file)
	}
	text := string(w.After)
	ending := "\n"
	if strings.Contains(text, "\r\n") {
		ending = "\r\n"
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	at, err := find(lines, e)
	if err != nil {
		return err
	}
	var fresh []string
	for _, l := range e.new {
		fresh = append(fresh, l+ending)
	}
	// Lines that only frame the edit keep their bytes, and the file its end.
	old := lines[at : at+len(e.old)]
	for i := 0; i < min(len(old), len(fresh)) && same(old[i], e.new[i], true); i++ {
		fresh[i] = old[i]
	}
	for i := 1; i <= min(len(old), len(fresh)) && same(old[len(old)-i], e.new[len(e.new)-i], true); i++ {
		fresh[len(fresh)-i] = old[len(old)-i]
	}
	if at+len(e.old) == len(lines) && len(fresh) > 0 && len(old) > 0 && !strings.HasSuffix(old[len(old)-1], "\n") {
		fresh[len(fresh)-1] = strings.TrimRight(fresh[len(fresh)-1], "\r\n")
	}
	w.After = []byte(strings.Join(slices.Concat(lines[:at], fresh, lines[at+len(e.old):]), ""))
	return nil
}

// find gives the only place where the old lines stand; white space at the ends
// of lines does not count when nothing fits exactly.
func find(lines []string, e edit) (int, error) {
	if len(e.old) == 0 {
		if e.at >= 0 && e.at < len(lines) {
			return e.at + 1, nil // an insertion without context: after that line
		}
		return 0, refuse("an edit of %s says no place", e.file)
	}
	for _, exact := range []bool{true, false} {
		var hits []int
		for i := 0; i+len(e.old) <= len(lines); i++ {
			fits := true
			for j, l := range e.old {
				if fits = same(lines[i+j], l, exact); !fits {
					break
				}
			}
			if fits {
				hits = append(hits, i)
			}
		}
		switch {
		case len(hits) == 1:
			return hits[0], nil
		case len(hits) > 1 && slices.Contains(hits, e.at):
			return e.at, nil
		case len(hits) > 1:
			return 0, refuse("an edit of %s fits in %d places", e.file, len(hits))
		}
	}
	return 0, refuse("an edit of %s does not fit: %q is not there", e.file, fixers.Plain(e.old[0], 60))
}

func same(have, want string, exact bool) bool {
	have = strings.TrimRight(have, "\r\n")
	if exact {
		return have == want
	}
	return strings.TrimRight(have, " \t") == strings.TrimRight(want, " \t")
}
