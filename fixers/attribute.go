package fixers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/lazyregexp"
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
	type heirOf struct {
		name string
		defs []string
		back []Fix
	}
	var heirs []heirOf
	for to, files := range v.renamed(m.name) {
		h := heirOf{name: to}
		for _, rel := range files {
			t := v.text(rel)
			for _, s := range v.swaps(rel) {
				if s.old == m.name && s.new == to && definesMember(t, s.i) {
					h.defs = append(h.defs, rel)
					if back, ok := v.misspeltDeclaration(t, s, 0); ok {
						h.back = append(h.back, back)
					}
					break
				}
			}
		}
		if len(h.defs) > 0 {
			heirs = append(heirs, h)
		}
	}
	var out []Fix
	for _, h := range heirs {
		level := Likely
		if len(heirs) > 1 || len(h.back) > 0 {
			level = Propose
		}
		if len(heirs) == 1 {
			out = append(out, h.back...)
		}
		why := fmt.Sprintf("%s defined %s at the base and %s now", h.defs[0], m.name, h.name)
		line := []lang.TextEdit{{Span: m.t.significant()[m.i].Span, New: h.name}}
		if all, files := v.renameMembers(m, h.name, h.defs); len(all) > 1 {
			out = append(out, Fix{Title: fmt.Sprintf("rename .%s to .%s in %s", m.name, h.name, fileCount(len(files))), Applicability: level, Rank: 0,
				Edits: all, Evidence: why})
		}
		out = append(out, Fix{Title: fmt.Sprintf("rename .%s to .%s in %s:%d", m.name, h.name, m.t.path, m.t.lineOf(line[0].Start)),
			Applicability: level, Rank: 1, Edits: inFile(m.t.path, line), Evidence: why})
	}
	return out
}

// renameMembers renames every read of a member in the files that load a file
// which defined it. Where anything else still has a member of that name, or
// the language's own things do, nobody can tell the reads apart.
func (v *view) renameMembers(m member, to string, defs []string) (edits []Edit, files []string) {
	if isBuiltinMember(m.t.lang, m.name) {
		return nil, nil
	}
	for _, rel := range v.sources(m.t.lang) {
		t := v.text(rel)
		if t == nil || !t.mentions(m.name) {
			continue
		}
		var mine []lang.TextEdit
		for _, i := range t.idents(m.name, 0) {
			if definesMember(t, i) {
				return nil, nil
			}
			if t.isMember(i) {
				mine = append(mine, lang.TextEdit{Span: t.significant()[i].Span, New: to})
			}
		}
		loads := slices.Contains(defs, rel)
		for _, d := range defs {
			loads = loads || v.reaches(rel, d)
		}
		if len(mine) > 0 && loads && v.editable(rel) {
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

// typeOf reads a class's name out of Python's message.
var typeOf = lazyregexp.New(`^(?:type object )?'([^']+)'(?: object)? has no attribute`)

// nearMember takes the nearest member where the members are known.
func (v *view) nearMember(c Cause, m member) []Fix {
	names, level, why := v.knownMembers(c, m)
	if slices.Contains(names, m.name) {
		return nil
	}
	ns := nearest(m.name, names)
	win, ok := clearWin(ns)
	if !ok {
		return nil
	}
	if v.hadMember(m.name) || isBuiltinMember(m.t.lang, m.name) {
		level = Propose // it is no misspelling: the thing is another than was thought
	}
	return []Fix{{Title: fmt.Sprintf("use %s instead of %s", win, m.name), Applicability: level, Rank: 20,
		Edits: inFile(m.t.path, []lang.TextEdit{{Span: m.t.significant()[m.i].Span, New: win}}), Evidence: why}}
}

// knownMembers lists what the receiver has, and how sure that is.
func (v *view) knownMembers(c Cause, m member) ([]string, Applicability, string) {
	recv := m.t.word(m.i - 2)
	var msg string
	for _, f := range c.Failures {
		msg = firstOf(msg, f.Message)
	}
	msg = firstOf(c.Message, msg)
	class := ""
	switch g := typeOf.FindStringSubmatch(strings.TrimSpace(strings.TrimPrefix(msg, "AttributeError: "))); {
	case g != nil:
		class = g[1]
		if names := builtinMembers(m.t.lang, class); names != nil {
			return names, Likely, "the nearest member of " + class
		}
	case recv == "this" || recv == "self":
		return v.classMembers(m.t, lang.Span{End: len(m.t.src)}), Likely, "the nearest member in " + m.t.path
	case m.t.lang.Name() == "js":
		class = v.constructed(m)
	}
	if class != "" {
		for _, rel := range append([]string{m.t.path}, v.exporters(m.t.lang, class, m.t.path)...) {
			t := v.text(rel)
			for _, d := range t.scan().Defs {
				if (d.Name == class || d.Local == class) && d.Body.Len() > 0 {
					return v.classMembers(t, d.Body), Likely, "the nearest member of " + class
				}
			}
		}
		return nil, Propose, ""
	}
	if m.t.lang.Name() == "js" && !strings.Contains(msg, "of undefined") && !strings.Contains(msg, "of null") {
		k := m.i - 2
		if k >= 0 && m.t.significant()[k].Kind == lang.String {
			return builtinMembers(m.t.lang, "String"), Likely, "the nearest member of a string"
		}
		return allBuiltinMembers(m.t.lang), Propose, "the nearest member of the language's own objects"
	}
	return nil, Propose, ""
}

// constructed is the class of a receiver that the file makes with new.
func (v *view) constructed(m member) string {
	recv := m.t.word(m.i - 2)
	class := ""
	for _, i := range m.t.idents(recv, 0) {
		if m.t.isMember(i) || m.t.word(i+1) != "=" {
			continue
		}
		if m.t.word(i+2) != "new" || class != "" && class != m.t.word(i+3) {
			return ""
		}
		class = m.t.word(i + 3)
	}
	return class
}

// classMembers lists the members that a class's text defines or reads off
// itself.
func (v *view) classMembers(t *text, body lang.Span) []string {
	var out []string
	for i, k := range t.significant() {
		if k.Kind == lang.Ident && k.Start >= body.Start && k.End <= body.End && definesMember(t, i) && !slices.Contains(out, t.str(k)) {
			out = append(out, t.str(k))
		}
	}
	return out
}
