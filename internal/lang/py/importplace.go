package py

import (
	"strings"

	"regreen/internal/lang"
)

// group is what isort and most people call a section of imports.
type group int

const (
	futureGroup group = iota
	stdGroup
	otherGroup
	relativeGroup
)

func groupOf(specifier string) group {
	switch {
	case specifier == "__future__":
		return futureGroup
	case strings.HasPrefix(specifier, "."):
		return relativeGroup
	case IsStdlib(head(specifier)):
		return stdGroup
	}
	return otherGroup
}

// entry is one import statement of the file's first block of imports.
type entry struct {
	stmt  *stmt
	spec  string
	from  bool
	group group
	blank bool // a blank line stands before it
}

// block lists the first run of top-level import statements.
func (w *importWriter) block() []entry {
	var out []entry
	for _, st := range w.stmts {
		if st.kind != sImport && st.kind != sFrom {
			// Settings before the imports are passed over; behind functions
			// an import is there for a reason of its own.
			if len(out) > 0 || st.kind == sDef || st.kind == sClass {
				break
			}
			continue
		}
		e := entry{stmt: st, from: st.kind == sFrom}
		if e.from {
			spec, _ := w.fromNames(st)
			for k := spec[0]; k < spec[1]; k++ {
				e.spec += w.str(k)
			}
		} else if names := w.importNames(st); len(names) > 0 {
			for k := names[0].spec[0]; k < names[0].spec[1]; k++ {
				e.spec += w.str(k)
			}
		}
		e.group = groupOf(e.spec)
		if n := len(out); n > 0 {
			gap := string(w.src[out[n-1].stmt.span.End:st.span.Start])
			gap = strings.ReplaceAll(gap, "\r\n", "\n")
			e.blank = strings.Contains(gap, "\n\n")
		}
		out = append(out, e)
	}
	return out
}

func (w *importWriter) isDocstring(i int, st *stmt) bool {
	return i == 0 && st.to == st.from+1 && w.kind(st.from) == lang.String
}

// key orders imports; force is isort's force_sort_within_sections.
func (e entry) key(force bool) string {
	if force || !e.from {
		return "0" + strings.ToLower(e.spec)
	}
	return "1" + strings.ToLower(e.spec)
}

// insert places a new import line.
func (w *importWriter) insert(specifier, line string) lang.TextEdit {
	block := w.block()
	if len(block) == 0 {
		return w.first(line)
	}
	mine := entry{spec: specifier, from: strings.HasPrefix(line, "from "), group: groupOf(specifier)}
	from, to := w.segment(block, mine)
	if from < to {
		segment := block[from:to]
		for _, force := range []bool{false, true} {
			if !sorted(segment, force) {
				continue
			}
			for _, e := range segment {
				if mine.key(force) < e.key(force) {
					return w.above(e.stmt, line)
				}
			}
			break
		}
		return w.below(segment[len(segment)-1].stmt, line, "")
	}
	// A section of its own, behind the last one that comes before it.
	last := -1
	for i, e := range block {
		if e.group <= mine.group {
			last = i
		}
	}
	if last < 0 {
		edit := w.above(block[0].stmt, line)
		edit.New += w.eol
		return edit
	}
	return w.below(block[last].stmt, line, w.eol)
}

// segment gives the run of imports between blank lines that the new one
// belongs to; an empty one where it needs a new section.
func (w *importWriter) segment(block []entry, mine entry) (from, to int) {
	mixed := true
	for i := 0; i < len(block); {
		end := i + 1
		same, near := block[i].group == mine.group, head(block[i].spec) == head(mine.spec)
		for end < len(block) && !block[end].blank {
			same = same || block[end].group == mine.group
			near = near || head(block[end].spec) == head(mine.spec)
			end++
		}
		if near && mine.group != relativeGroup {
			return i, end
		}
		if same {
			from, to = i, end
		}
		mixed = mixed && end == len(block) && i == 0
		i = end
	}
	if from == to && mixed && len(block) > 1 && block[0].group != block[len(block)-1].group {
		return 0, len(block) // the file does not separate sections
	}
	return from, to
}

func sorted(segment []entry, force bool) bool {
	for i := 1; i < len(segment); i++ {
		if segment[i].key(force) < segment[i-1].key(force) {
			return false
		}
	}
	return true
}

func (w *importWriter) above(st *stmt, line string) lang.TextEdit {
	at := st.span.Start
	return lang.TextEdit{Span: lang.Span{Start: at, End: at}, New: line + w.eol}
}

// below puts a line behind the line on which the statement ends.
func (w *importWriter) below(st *stmt, line, gap string) lang.TextEdit {
	end := lineEnd(w.src, st.span.End)
	return lang.TextEdit{Span: lang.Span{Start: end, End: end}, New: w.eol + gap + line}
}

// first places the first import of a file: behind its docstring, or behind
// the comments at its top.
func (w *importWriter) first(line string) lang.TextEdit {
	if len(w.stmts) > 0 && w.isDocstring(0, w.stmts[0]) {
		edit := w.below(w.stmts[0], line, w.eol)
		if rest := w.src[edit.Start:]; len(strings.TrimSpace(string(rest))) > 0 && !blankFollows(rest) {
			edit.New += w.eol
		}
		return edit
	}
	at := w.head()
	gap := w.eol
	if len(strings.TrimSpace(string(w.src[at:]))) == 0 {
		gap = ""
	} else if len(w.stmts) > 0 && (w.stmts[0].kind == sDef || w.stmts[0].kind == sClass) {
		gap += w.eol
	}
	if at > 0 && w.src[at-1] != '\n' && w.src[at-1] != '\r' && at != 3 {
		line = w.eol + line
	}
	return lang.TextEdit{Span: lang.Span{Start: at, End: at}, New: line + w.eol + gap}
}

// blankFollows tells whether the line after the present one is empty.
func blankFollows(rest []byte) bool {
	s := strings.ReplaceAll(string(rest[:min(len(rest), 64)]), "\r\n", "\n")
	s = strings.TrimPrefix(s, "\n")
	return strings.HasPrefix(strings.TrimLeft(s, " \t"), "\n")
}

// head gives the offset behind the shebang, the coding line, and each comment
// that a blank line separates from the code.
func (w *importWriter) head() int {
	at := 0
	if len(w.src) >= 3 && string(w.src[:3]) == "\xef\xbb\xbf" {
		at = 3
	}
	keep := at
	for i, n := at, 0; i < len(w.src); n++ {
		end := lineEnd(w.src, i)
		text := strings.TrimSpace(string(w.src[i:end]))
		next := end
		if next < len(w.src) {
			next += eolLen(w.src, next)
		}
		switch {
		case text == "":
			if n > 0 {
				keep = next
			}
		case text[0] != '#':
			return keep
		case n == 0 && strings.HasPrefix(text, "#!"), n < 2 && strings.Contains(text, "coding"):
			keep = next
		}
		if next == i {
			break
		}
		i = next
		if i >= len(w.src) {
			keep = i
		}
	}
	return keep
}
