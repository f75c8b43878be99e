package fixers

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// attributeError mends members that the thing they are read off does not have.
type attributeError struct{}

func (attributeError) Name() string { return "attribute_error" }

func (attributeError) Kinds() []runner.Kind { return []runner.Kind{runner.AttributeError} }

// member is a read of a member on a failing line.
type member struct {
	t    *text
	i    int
	name string
}

// Fix follows a rename in the user's diff, then a slip of the pen, and names a
// near member only where it is known what the members are.
func (attributeError) Fix(ctx context.Context, c Cause, w Workspace) ([]Fix, error) {
	v := look(w)
	if len(v.lacks(c)) > 0 {
		return nil, ctx.Err() // a module's member is missing_export's
	}
	ms := v.members(c)
	var out []Fix
	for _, m := range ms {
		out = append(out, v.restoredMember(m)...)
		out = append(out, v.renamedMember(m)...)
		out = append(out, v.nearMember(c, m)...)
		if len(out) > 0 {
			return out, ctx.Err()
		}
	}
	return v.slipOnLine(c), ctx.Err()
}

// members finds the reads that a cause is about, on the lines of its places.
func (v *view) members(c Cause) []member {
	name := lastMember(c.Symbol)
	var out []member
	for _, p := range v.places(c) {
		t := v.text(p.File)
		if t == nil || !v.own(p.File) || p.Line == 0 || name == "" {
			continue
		}
		for _, i := range t.idents(name, p.Line) {
			if t.isMember(i) {
				out = append(out, member{t, i, name})
			}
		}
	}
	return out
}

func (v *view) restoredMember(m member) []Fix {
	old, ok := v.restored(m.t.path, m.t.significant()[m.i])
	if !ok {
		return nil
	}
	return []Fix{{Title: fmt.Sprintf("use %s instead of %s", old, m.name), Applicability: Likely, Rank: 5,
		Edits:    inFile(m.t.path, []lang.TextEdit{{Span: m.t.significant()[m.i].Span, New: old}}),
		Evidence: fmt.Sprintf("%s had %s there at the base", m.t.path, old)}}
}

// slipOnLine takes back typos in other names of the failing line: the member
// of undefined that could not be read is not the one that is misspelt.
func (v *view) slipOnLine(c Cause) []Fix {
	var out []Fix
	for _, p := range v.places(c) {
		t := v.text(p.File)
		if t == nil || !v.own(p.File) || p.Line == 0 {
			continue
		}
		for _, s := range v.swaps(p.File) {
			if t.lineOf(s.tok.Start) == p.Line && isTypo(s.old, s.new) && t.isMember(s.i) {
				out = append(out, Fix{Title: fmt.Sprintf("use %s instead of %s", s.old, s.new), Applicability: Likely, Rank: 6,
					Edits:    inFile(t.path, []lang.TextEdit{{Span: s.tok.Span, New: s.old}}),
					Evidence: fmt.Sprintf("%s had %s there at the base", t.path, s.old)})
			}
		}
	}
	return out
}

// renamedMember follows a member whose definition the diff renamed.
func (v *view) renamedMember(m member) []Fix {
	heirs := v.memberHeirs(m.name)
	var out []Fix
	for _, to := range slices.Sorted(maps.Keys(heirs)) {
		defs := heirs[to]
		var back []Fix
		for _, d := range defs {
			if f, ok := v.misspeltDeclaration(d.t, swap{m.name, to, d.t.significant()[d.i], d.i}, 0); ok {
				back = append(back, f)
			}
		}
		level := Likely
		if len(heirs) > 1 || len(back) > 0 {
			level = Propose
		}
		if len(heirs) == 1 {
			out = append(out, back...)
		}
		why := fmt.Sprintf("%s defined %s at the base and %s now", defs[0].t.path, m.name, to)
		line := []lang.TextEdit{{Span: m.t.significant()[m.i].Span, New: to}}
		if all, files := v.renameMembers(m.name, to, defs); len(all) > 1 {
			out = append(out, Fix{Title: fmt.Sprintf("rename .%s to .%s in %s", m.name, to, fileCount(len(files))), Applicability: level, Rank: 0,
				Edits: all, Evidence: why})
		}
		out = append(out, Fix{Title: fmt.Sprintf("rename .%s to .%s in %s:%d", m.name, to, m.t.path, m.t.lineOf(line[0].Start)),
			Applicability: level, Rank: 1, Edits: inFile(m.t.path, line), Evidence: why})
	}
	return out
}

// memberHeirs are the definitions that the diff put in the place of definitions
// of a member, by their name.
func (v *view) memberHeirs(name string) map[string][]member {
	heirs := map[string][]member{}
	for to, files := range v.renamed(name) {
		for _, rel := range files {
			t := v.text(rel)
			for _, s := range v.swaps(rel) {
				if s.old == name && s.new == to && definesMember(t, s.i) {
					heirs[to] = append(heirs[to], member{t, s.i, to})
				}
			}
		}
	}
	return heirs
}

// renameMembers renames the reads of a member in the files that load a file
// which defined it, as far as they can be told from reads of another thing's
// member of that name.
func (v *view) renameMembers(name, to string, defs []member) (edits []Edit, files []string) {
	reads := v.readsOf(name, defs)
	for _, rel := range v.sources(defs[0].t.lang) {
		t := v.text(rel)
		if t == nil || !t.mentions(name) || !v.editable(rel) {
			continue
		}
		loads := !reads.alone
		for _, d := range defs {
			loads = loads || d.t == t || v.reaches(rel, d.t.path)
		}
		if !loads {
			continue
		}
		var mine []lang.TextEdit
		for _, span := range reads.spans(t) {
			mine = append(mine, lang.TextEdit{Span: span, New: to})
		}
		if len(mine) > 0 {
			files = append(files, rel)
			edits = append(edits, inFile(rel, mine)...)
		}
	}
	return edits, files
}

// definesMember tells whether an identifier stands where a class or an object
// gets a member: a method, a field, a key, or an assignment to self or this.
func definesMember(t *text, i int) bool {
	prev, next := t.word(i-1), t.word(i+1)
	if prev == "." {
		return (t.word(i-2) == "self" || t.word(i-2) == "this" || t.word(i-2) == "cls") && (next == "=" || next == ":")
	}
	switch {
	case prev == "def" || prev == "get" || prev == "set" || prev == "static":
		return true
	case t.lang.Name() == "python":
		return (next == ":" || next == "=") && !inCall(t, i) && t.startsStatement(i)
	case next == ":" && (prev == "{" || prev == ","):
		return true
	case next == "(" && prev != "function" && prev != "new":
		j := t.matching(i + 1)
		return j > 0 && (t.word(j+1) == "{" || t.word(j+1) == ":") && (prev == "{" || prev == "}" || prev == ";" || prev == "," || prev == "async" || prev == "*" || slices.Contains(modifiers, prev))
	case next == "=" || next == ";" || next == "?":
		return (prev == "{" || prev == ";" || prev == "}" || prev == "private" || prev == "public" || prev == "readonly" || prev == "protected") && t.startsStatement(i) && t.inClass(i)
	}
	return false
}

// modifiers stand before a member that a class or an object defines.
var modifiers = []string{"private", "public", "protected", "static", "override", "abstract", "readonly", "get", "set"}
