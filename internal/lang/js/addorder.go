package js

import (
	"slices"
	"sort"
	"strings"

	"regreen/internal/lang"
)

// importKind is what most projects group imports by, in the order of ESLint's
// import/order: node's own modules, packages, aliases, then paths from the
// farthest.
type importKind int

const (
	nodeKind importKind = iota
	packageKind
	aliasKind
	parentKind
	siblingKind
)

func kindOfSpecifier(spec string) importKind {
	switch {
	case nodeBuiltin(spec):
		return nodeKind
	case strings.HasPrefix(spec, "@/") || strings.HasPrefix(spec, "~") || strings.HasPrefix(spec, "#") || strings.HasPrefix(spec, "/"):
		return aliasKind
	case strings.HasPrefix(spec, ".."):
		return parentKind
	case strings.HasPrefix(spec, "."):
		return siblingKind
	}
	return packageKind
}

// line is one import statement of the first run of imports.
type line struct {
	start, end int // of the statement
	spec       string
	kind       importKind
	// blank: an empty line stands before it. comment: a comment does, which a
	// new line must not part from it.
	blank, comment bool
}

// importLines lists the first run of imports that a new one may be sorted into:
// those behind the last that is loaded for its effects, since what is loaded
// before it is chosen with care.
func (a *adder) importLines() []line {
	var out []line
	lastTok := -1
	for _, imp := range a.file.Imports {
		if imp.Lazy || !a.atModule(imp) {
			continue
		}
		i := a.stmtStartOf(a.tokenAt(imp.Span.Start))
		if lastTok >= 0 && i > lastTok+1 {
			break
		}
		end := a.stmtEnd(a.tokenAt(imp.Span.Start))
		if end <= lastTok {
			continue // the same statement again
		}
		l := line{start: int(a.toks[i].start), end: int(a.toks[end].end), spec: imp.Specifier, kind: kindOfSpecifier(imp.Specifier)}
		if lastTok >= 0 {
			gap := strings.ReplaceAll(a.src[a.toks[lastTok].end:l.start], "\r", "")
			l.blank, l.comment = strings.Contains(gap, "\n\n"), strings.TrimSpace(gap) != ""
		} else {
			l.comment = strings.HasSuffix(strings.TrimRight(a.src[:l.start], " \t\r\n"), "*/") || a.commentEndsBefore(l.start)
		}
		lastTok = end
		if a.file.CommonJS && a.is(i, "require") || len(imp.Names) == 0 {
			out = nil
			continue
		}
		out = append(out, l)
	}
	return out
}

// commentEndsBefore tells whether the line above an offset holds a comment.
func (a *adder) commentEndsBefore(at int) bool {
	for _, c := range a.comments {
		if int(c.end) <= at && strings.TrimSpace(a.src[c.end:at]) == "" {
			return true
		}
	}
	return false
}

// sortedPlace finds where the order of the present imports puts the new ones.
// ok is false where they have none that can be told.
func (a *adder) sortedPlace() (edit lang.TextEdit, ok bool) {
	lines := a.importLines()
	if len(lines) < 2 {
		return edit, false
	}
	kind := kindOfSpecifier(a.spec)
	var mine []int // of the kind, in the run that the new one belongs to
	for i, l := range lines {
		switch {
		case l.kind != kind:
		case len(mine) > 0 && a.runOf(lines, mine[0]) != a.runOf(lines, i):
			if packageOf(lines[mine[0]].spec) != packageOf(a.spec) || kind > packageKind {
				mine = []int{i}
			}
		default:
			mine = append(mine, i)
		}
	}
	if len(mine) == 0 {
		return a.newGroup(lines, kind)
	}
	if slices.IsSortedFunc(mine, func(i, j int) int { return compareFold(lines[i].spec, lines[j].spec) }) && len(mine) > 1 {
		for _, i := range mine {
			if compareFold(a.spec, lines[i].spec) >= 0 {
				continue
			}
			if i > 0 && !lines[i].blank && !lines[i].comment {
				return a.below(lines[i-1], ""), true
			}
			if lines[i].comment {
				return edit, false
			}
			return a.above(lines[i], ""), true
		}
	}
	return a.below(lines[mine[len(mine)-1]], ""), true
}

// runOf is the index of the first of the lines that no empty line parts from
// line i.
func (a *adder) runOf(lines []line, i int) int {
	for i > 0 && !lines[i].blank {
		i--
	}
	return i
}

// newGroup places the first import of its kind between the others, where theirs
// are in order; with an empty line where those part the kinds.
func (a *adder) newGroup(lines []line, kind importKind) (edit lang.TextEdit, ok bool) {
	parted, kinds := true, 1
	for i := 1; i < len(lines); i++ {
		if lines[i].kind < lines[i-1].kind {
			return edit, false
		}
		if lines[i].kind != lines[i-1].kind {
			kinds++
			parted = parted && lines[i].blank
		}
	}
	if kinds < 2 {
		return edit, false
	}
	gap := ""
	if parted {
		gap = a.newline
	}
	i := sort.Search(len(lines), func(i int) bool { return lines[i].kind > kind })
	if i == 0 {
		return a.above(lines[0], gap), !lines[0].comment
	}
	return a.below(lines[i-1], gap), true
}

// above puts the new lines before a statement.
func (a *adder) above(l line, gap string) lang.TextEdit {
	return lang.TextEdit{Span: lang.Span{Start: l.start, End: l.start}, New: strings.Join(a.lines, a.newline) + a.newline + gap}
}

// below puts the new lines behind the line on which a statement ends.
func (a *adder) below(l line, gap string) lang.TextEdit {
	at := a.restOfLine(l.end)
	return lang.TextEdit{Span: lang.Span{Start: at, End: at}, New: a.newline + gap + strings.Join(a.lines, a.newline)}
}

// packageOf is the package that a specifier names.
func packageOf(spec string) string {
	parts := strings.SplitN(spec, "/", 3)
	if strings.HasPrefix(spec, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

func compareFold(a, b string) int {
	if c := strings.Compare(strings.ToLower(a), strings.ToLower(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// nameOrder tells how the names of a list are sorted: nil where they are not, or
// where there is one only and nothing can be told.
func nameOrder(have []string) func(a, b string) int {
	for _, order := range []func(a, b string) int{compareFold, strings.Compare} {
		if len(have) > 1 && slices.IsSortedFunc(have, order) {
			return order
		}
	}
	return nil
}
