package fixers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// missingFixture mends parameters of tests that ask for a fixture that nobody
// defines.
type missingFixture struct{}

func (missingFixture) Name() string { return "missing_fixture" }

func (missingFixture) Kinds() []runner.Kind { return []runner.Kind{runner.MissingFixture} }

// Fix takes a slip back, follows a fixture's rename, then takes the nearest
// fixture of the project.
func (missingFixture) Fix(ctx context.Context, c Cause, w Workspace) ([]Fix, error) {
	v := look(w)
	name := c.Symbol
	for _, p := range v.places(c) {
		t := v.text(p.File)
		if t == nil || !v.own(p.File) || t.lang.Name() != "python" {
			continue
		}
		i := t.parameter(name, p.Line)
		if i < 0 {
			continue
		}
		known := v.fixtures(t.lang)
		users := append([]int{i}, t.askers(name)...)
		fix := func(to string, a Applicability, rank int, why string) Fix {
			return Fix{Title: fmt.Sprintf("ask for the fixture %s instead of %s", to, name), Applicability: a, Rank: rank,
				Edits: inFile(t.path, renameParameters(t, users, to)), Evidence: why}
		}
		if old, ok := v.restored(t.path, t.significant()[i]); ok && slices.Contains(known, old) {
			users = slices.DeleteFunc(users, func(j int) bool {
				was, ok := v.restored(t.path, t.significant()[j])
				return !ok || was != old
			})
			return []Fix{fix(old, Likely, 0, t.path+" had "+old+" there at the base")}, ctx.Err()
		}
		var out []Fix
		heirs := 0
		for to, files := range v.renamed(name) {
			if slices.Contains(known, to) {
				heirs++
				if all, in := v.renameFixture(t.lang, name, to); in > 1 {
					out = append(out, Fix{Title: fmt.Sprintf("ask for the fixture %s instead of %s in %s", to, name, fileCount(in)), Applicability: Likely,
						Edits: all, Evidence: fmt.Sprintf("%s was renamed to %s in %s", name, to, files[0])})
				}
				out = append(out, fix(to, Likely, 1, fmt.Sprintf("%s was renamed to %s in %s", name, to, files[0])))
			}
		}
		if heirs > 1 {
			for j := range out {
				out[j].Applicability = Propose
			}
		}
		if win, ok := clearWin(nearest(name, known)); ok && len(out) == 0 {
			level := Likely
			if v.mayBeMeant(t.lang, name, win) {
				level = Propose
			}
			out = append(out, fix(win, level, 20, win+" is the nearest fixture"))
		}
		return out, ctx.Err()
	}
	return nil, ctx.Err()
}

// renameFixture makes every test and every fixture that asks for a fixture ask
// for another: a rename has as many victims as there are users, and they are
// one fault.
//
// A test file with a fixture of the old name has its own; where a conftest has
// one, nobody can tell whose is meant.
func (v *view) renameFixture(l lang.Language, name, to string) (edits []Edit, files int) {
	for _, rel := range v.sources(l) {
		t := v.text(rel)
		if t == nil || !t.mentions(name) || !v.editable(rel) {
			continue
		}
		if baseName(rel) == "conftest" && slices.Contains(t.fixtures(), name) {
			return nil, 0
		}
		if mine := renameParameters(t, t.askers(name), to); len(mine) > 0 {
			files++
			edits = append(edits, inFile(rel, mine)...)
		}
	}
	return edits, files
}

// askers are the parameters by which a file's tests and fixtures ask for a
// fixture that the file itself does not give, neither by a fixture nor by
// parametrising.
func (t *text) askers(name string) []int {
	if slices.Contains(t.fixtures(), name) || len(t.idents("parametrize", 0)) > 0 && t.inString(name) {
		return nil
	}
	var out []int
	for _, i := range t.idents(name, 0) {
		if o := t.around(i); o >= 2 && t.word(o) == "(" && t.word(o-2) == "def" && (t.word(i-1) == "(" || t.word(i-1) == ",") && t.asks(o) {
			out = append(out, i)
		}
	}
	return out
}

// asks tells whether pytest fills the parameters of the function whose bracket
// opens at o: a test, or a fixture.
func (t *text) asks(o int) bool {
	if strings.HasPrefix(t.word(o-1), "test") {
		return true
	}
	k := o - 3
	if t.word(k) == "async" {
		k--
	}
	if t.word(k) == ")" {
		k = t.opening(k) - 1
	}
	return t.word(k) == "fixture"
}

// parameter is the token of a parameter of that name of a function declared on
// or just under a line, -1 when there is none.
func (t *text) parameter(name string, line int) int {
	for _, i := range t.idents(name, 0) {
		o := t.around(i)
		if o < 2 || t.word(o) != "(" || t.word(o-2) != "def" {
			continue
		}
		if l := t.lineOf(t.significant()[o].Start); line == 0 || l >= line && l <= line+6 {
			return i
		}
	}
	return -1
}

// inString tells whether a name is a word of a string.
func (t *text) inString(name string) bool {
	return slices.ContainsFunc(t.significant(), func(k lang.Token) bool {
		return k.Kind == lang.String && slices.Contains(strings.FieldsFunc(t.str(k), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }), name)
	})
}

// renameParameters renames parameters and what reads them in their functions.
func renameParameters(t *text, is []int, to string) (out []lang.TextEdit) {
	for _, i := range is {
		k := t.significant()[i]
		out = merge(out, []lang.TextEdit{{Span: k.Span, New: to}})
		for _, u := range t.lang.Uses(t.path, t.src, t.str(k), k.Start) {
			out = merge(out, []lang.TextEdit{{Span: u, New: to}})
		}
	}
	return out
}

// fixtures lists the functions of the project that a fixture mark stands over.
func (v *view) fixtures(l lang.Language) []string {
	var out []string
	for _, rel := range v.sources(l) {
		if t := v.text(rel); t != nil && t.mentions("fixture") {
			out = append(out, t.fixtures()...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// fixtures lists those of one file.
func (t *text) fixtures() []string {
	var out []string
	for _, i := range t.idents("fixture", 0) {
		j := i + 1
		if t.word(j) == "(" {
			if j = t.matching(j) + 1; j == 0 {
				continue
			}
		}
		if t.word(j) == "async" {
			j++
		}
		if t.word(j) == "def" {
			out = append(out, t.word(j+1))
		}
	}
	return out
}
