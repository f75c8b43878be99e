package js

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// ErrBound says that a name to be imported is taken in the file.
var ErrBound = errors.New("name is bound already")

// AddImport gives the edits that import names from specifier, in the file's
// own style. An empty Local is the imported name. Types are kept in an import
// type of their own unless the file marks them one by one.
func (Language) AddImport(path string, src []byte, specifier string, names []lang.Name) ([]lang.TextEdit, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("import from %s: no names", specifier)
	}
	s := readScopes(path, src)
	for i := range names {
		if names[i].Local == "" {
			names = append([]lang.Name(nil), names...)
			names[i].Local = names[i].Imported
		}
		if s.owner(0, names[i].Local) == 0 {
			return nil, fmt.Errorf("import %s from %s: %w", names[i].Local, specifier, ErrBound)
		}
	}
	a := &adder{text: s.text, file: Language{}.Scan(path, src), spec: specifier}
	a.learn(path)
	if a.commonJS {
		a.addRequire(names)
	} else {
		a.addESM(names)
	}
	return a.edits, nil
}

// adder writes imports into one file.
type adder struct {
	*text
	file  *lang.File
	spec  string
	edits []lang.TextEdit
	// lines are the new statements, and after where they go.
	lines []string

	commonJS bool
	quote    string
	semi     string
	space    string // inside braces
	newline  string
	keyword  string // const, let or var of the file's requires
}

func (a *adder) edit(at int, s string) {
	a.edits = append(a.edits, lang.TextEdit{Span: lang.Span{Start: at, End: at}, New: s})
}

// addESM adds names by import statements.
func (a *adder) addESM(names []lang.Name) {
	var values, types []lang.Name
	for _, n := range names {
		if n.TypeOnly {
			types = append(types, n)
		} else {
			values = append(values, n)
		}
	}
	after := -1
	if len(values) > 0 {
		after = a.addTo(values, false)
	}
	if len(types) > 0 {
		if at := a.addTo(types, true); at > after {
			after = at
		}
	}
	a.flush(after)
}

// addTo adds names of one sort to an existing import, and to the new lines
// what does not fit there; it gives the end of the existing one, -1 for none.
func (a *adder) addTo(names []lang.Name, types bool) int {
	kind := lang.Static
	if types {
		kind = lang.TypeOnly
	}
	after := -1
	for _, imp := range a.file.Imports {
		if imp.Specifier != a.spec || imp.Kind != kind && !(imp.Kind == lang.Asset && !types) || !a.isStatement(imp, "import") {
			continue
		}
		after = imp.Span.End
		names = a.extend(imp, names, false)
		if len(names) == 0 {
			return after
		}
	}
	if types {
		for _, imp := range a.file.Imports {
			if imp.Specifier == a.spec && imp.Kind == lang.Static && a.isStatement(imp, "import") && a.inlineTypes() {
				if names = a.extend(imp, names, true); len(names) == 0 {
					return imp.Span.End
				}
			}
		}
	}
	a.lines = append(a.lines, a.statements(names, types)...)
	return after
}

// inlineTypes tells whether the file writes import { type A }.
func (a *adder) inlineTypes() bool {
	for _, imp := range a.file.Imports {
		for _, n := range imp.Names {
			if imp.Kind == lang.Static && n.TypeOnly {
				return true
			}
		}
	}
	return false
}

// isStatement tells whether the import is a statement that begins with word.
func (a *adder) isStatement(imp lang.Import, word string) bool {
	rest, ok := strings.CutPrefix(a.src[imp.Span.Start:imp.Span.End], word)
	return ok && rest != "" && rest[0] != '(' && rest[0] != '.' && !isIdentByte(rest[0])
}

// extend puts names into an import statement and gives back those that cannot
// stand in it.
func (a *adder) extend(imp lang.Import, names []lang.Name, inline bool) []lang.Name {
	i := a.tokenAt(imp.Span.Start)
	j := i + 1
	if imp.Kind == lang.TypeOnly && a.is(j, "type") {
		j++
	}
	head := j // where a default name would stand
	hasDefault := a.kindAt(j) == kIdent && !a.is(j, "from")
	if a.kindAt(j) == kString {
		return names // import "x" stays as it is
	}
	if hasDefault {
		j++
		if a.is(j, ",") {
			j++
		}
	}
	if a.is(j, "*") {
		return names
	}
	var rest, named []lang.Name
	for _, n := range names {
		switch {
		case n.Imported == "*":
			rest = append(rest, n)
		case n.Imported == "default" && !hasDefault && !inline && imp.Kind != lang.TypeOnly:
			a.edit(int(a.toks[head].start), n.Local+", ")
			hasDefault = true
		default:
			named = append(named, n)
		}
	}
	switch {
	case len(named) == 0:
	case a.is(j, "{"):
		a.into(j, a.items(named, inline, " as "))
	case imp.Kind == lang.TypeOnly: // a type import has a default or names
		rest = append(rest, named...)
	default:
		a.edit(int(a.toks[j-1].end), ", "+a.braces(a.items(named, inline, " as ")))
	}
	return rest
}

// items writes names as an import list or an object pattern has them.
func (a *adder) items(names []lang.Name, inline bool, as string) []string {
	var out []string
	for _, n := range names {
		s := n.Imported
		if n.Local != n.Imported {
			s += as + n.Local
		}
		if inline {
			s = "type " + s
		}
		out = append(out, s)
	}
	return out
}

func (a *adder) braces(items []string) string {
	return "{" + a.space + strings.Join(items, ", ") + a.space + "}"
}

// into adds items to the braces that open at token i: at their sorted places
// where the others are sorted, else at the end, on lines of their own where the
// last one is.
func (a *adder) into(i int, items []string) {
	c := a.closing(i)
	if c < 0 {
		return
	}
	if items = a.sortIn(i, c, items); len(items) == 0 {
		return
	}
	last := c - 1
	if last == i { // { }
		a.edits = append(a.edits, lang.TextEdit{Span: lang.Span{Start: int(a.toks[i].end), End: int(a.toks[c].start)},
			New: a.space + strings.Join(items, ", ") + a.space})
		return
	}
	comma := a.is(last, ",")
	item := last
	if comma {
		item--
	}
	for item > i+1 && !a.is(item-1, ",") {
		item--
	}
	sep := ", "
	if a.toks[item].nl {
		sep = "," + a.newline + a.indentOf(int(a.toks[item].start))
	}
	at := int(a.toks[last].end)
	if comma {
		text := ""
		for _, s := range items {
			text += sep[1:] + s + ","
		}
		a.edit(at, text)
		return
	}
	a.edit(at, sep+strings.Join(items, sep))
}

// sortIn puts items before the first of a sorted list that comes behind them,
// and gives back those that come last.
func (a *adder) sortIn(open, end int, items []string) []string {
	var at []int // the tokens at which the list's items begin
	var have []string
	for i := open + 1; i < end; i++ {
		if i == open+1 || a.is(i-1, ",") {
			at = append(at, i)
			have = append(have, itemName(a.src[a.toks[i].start:a.toks[end].start]))
		}
	}
	order := nameOrder(have)
	if order == nil {
		return items
	}
	slices.SortFunc(items, func(x, y string) int { return order(itemName(x), itemName(y)) })
	for k, start := range at {
		n := 0
		for n < len(items) && order(itemName(items[n]), have[k]) < 0 {
			n++
		}
		if n == 0 {
			continue
		}
		offset, sep := int(a.toks[start].start), ", "
		if a.toks[start].nl {
			sep = "," + a.newline + a.indentOf(offset)
		}
		a.edit(offset, strings.Join(items[:n], sep)+sep)
		items = items[n:]
	}
	return items
}

// itemName is the name that an item of a list begins with.
func itemName(item string) string {
	rest, ok := strings.CutPrefix(item, "type ")
	if ok && !strings.HasPrefix(strings.TrimSpace(rest), "as ") {
		item = strings.TrimSpace(rest)
	}
	if i := strings.IndexAny(item, " ,:}\r\n\t="); i >= 0 {
		item = item[:i]
	}
	return item
}

// indentOf is the white space in front of an offset on its line.
func (a *adder) indentOf(at int) string {
	start := strings.LastIndexByte(a.src[:at], '\n') + 1
	return a.src[start : start+len(a.src[start:at])-len(strings.TrimLeft(a.src[start:at], " \t"))]
}

// statements writes new import statements for the names.
func (a *adder) statements(names []lang.Name, types bool) []string {
	word := "import "
	if types {
		word = "import type "
	}
	from := " from " + a.quote + a.spec + a.quote + a.semi
	var out []string
	var def string
	var named []lang.Name
	for _, n := range names {
		switch {
		case n.Imported == "*":
			out = append(out, word+"* as "+n.Local+from)
		case n.Imported == "default" && def == "":
			def = n.Local
		default:
			named = append(named, n)
		}
	}
	switch {
	case def != "" && len(named) > 0 && !types:
		return append(out, word+def+", "+a.braces(a.items(named, false, " as "))+from)
	case def != "":
		out = append(out, word+def+from)
	}
	if len(named) > 0 {
		out = append(out, word+a.braces(a.items(named, false, " as "))+from)
	}
	return out
}

// addRequire adds names by require.
func (a *adder) addRequire(names []lang.Name) {
	var named []lang.Name
	for _, n := range names {
		if n.Imported == "*" || n.Imported == "default" {
			a.lines = append(a.lines, a.keyword+" "+n.Local+" = require("+a.quote+a.spec+a.quote+")"+a.semi)
		} else {
			named = append(named, n)
		}
	}
	after := -1
	for _, imp := range a.file.Imports {
		if imp.Kind != lang.Require || imp.Specifier != a.spec || imp.Lazy || len(named) == 0 {
			continue
		}
		i := a.tokenAt(imp.Span.Start)
		after = int(a.toks[a.stmtEnd(i)].end)
		if a.is(i-1, "=") && a.is(i-2, "}") && a.toks[i-2].match >= 0 && a.toks[a.stmtEnd(i)].end <= int32(imp.Span.End)+1 {
			open := int(a.toks[i-2].match)
			if w := a.str(open - 1); w == "const" || w == "let" || w == "var" {
				a.into(open, a.items(named, false, ": "))
				named = nil
			}
		}
	}
	if len(named) > 0 {
		a.lines = append(a.lines, a.keyword+" "+a.braces(a.items(named, false, ": "))+" = require("+a.quote+a.spec+a.quote+")"+a.semi)
	}
	a.flush(after)
}

// tokenAt is the index of the token that starts at an offset.
func (t *text) tokenAt(off int) int {
	lo, hi := 0, len(t.toks)
	for lo < hi {
		m := (lo + hi) / 2
		if int(t.toks[m].start) < off {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}
