package fixers

import (
	"context"
	"fmt"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// missingImport mends imports that lead to no file.
type missingImport struct{}

func (missingImport) Name() string { return "missing_import" }

func (missingImport) Kinds() []runner.Kind { return []runner.Kind{runner.MissingImport} }

// Fix follows moves first, then looks for the file by its name, then among
// packages.
func (missingImport) Fix(ctx context.Context, c Cause, w Workspace) ([]Fix, error) {
	v := look(w)
	bs := v.brokenFor(c)
	var out []Fix
	for _, b := range bs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if moved := v.followMoves(b); len(moved) > 0 {
			out = append(out, moved...)
			continue
		}
		found := v.byName(b)
		out = append(out, found...)
		if len(found) == 0 {
			out = append(out, v.packages(c, b)...)
		}
	}
	return out, nil
}

// brokenFor finds the imports that a cause is about: by what is written, else
// by the line, else the only broken one of the file.
func (v *view) brokenFor(c Cause) []broken {
	spec := c.Specifier
	if spec == "" {
		spec = c.Symbol
	}
	for _, p := range v.places(c) {
		t := v.text(p.File)
		if t == nil || !v.own(p.File) {
			continue
		}
		all := v.brokenImports(t)
		for _, pick := range []func(b broken) bool{
			func(b broken) bool { return b.imp.Specifier == spec && b.imp.Line == p.Line },
			func(b broken) bool { return b.imp.Specifier == spec },
			func(b broken) bool {
				return p.Line > 0 && p.Line == b.imp.Line
			},
			func(b broken) bool {
				return lastPart(spec) != "" && (lastPart(b.imp.Specifier) == lastPart(spec) || b.name != nil && b.name.Imported == lastPart(spec)) ||
					b.imp.Kind == lang.Mock && strings.HasPrefix(b.imp.Specifier, spec+".")
			},
			func(broken) bool { return len(all) == 1 },
		} {
			var out []broken
			for _, b := range all {
				if pick(b) {
					out = append(out, b)
				}
			}
			if len(out) > 0 {
				return out[:1]
			}
		}
		// The resolver finds a file where the run did not: a spelling that this
		// project's module system does not take.
		for _, imp := range t.scan().Imports {
			if imp.Specifier == spec && loads(imp) {
				return []broken{{t: t, imp: imp}}
			}
		}
	}
	return v.brokenAnywhere(spec)
}

// brokenAnywhere finds a broken import by what is written, where the run did
// not say who imports it.
func (v *view) brokenAnywhere(spec string) []broken {
	for _, l := range v.Languages() {
		for _, rel := range v.sources(l) {
			t := v.text(rel)
			if t == nil || spec == "" || !t.mentions(spec) {
				continue
			}
			for _, b := range v.brokenImports(t) {
				if b.imp.Specifier == spec {
					return []broken{b}
				}
			}
		}
	}
	return nil
}

// followMoves gives the fixes for an import that broke because its target or
// its own file was moved.
func (v *view) followMoves(b broken) []Fix {
	m := v.movesOf()
	if b.was == "" {
		return nil
	}
	to, targetMoved := m.to[b.was]
	from, selfMoved := m.from[b.t.path]
	if targetMoved && !v.Exists(to) || !targetMoved && !v.Exists(b.was) || !targetMoved && !selfMoved {
		return nil
	}
	evidence := m.why[b.was]
	group := map[string]bool{}
	if targetMoved {
		m.together(group, b.was)
	}
	if selfMoved {
		m.together(group, from)
		evidence = firstOf(evidence, m.why[from])
	}
	var out []Fix
	one, files := v.moveFix(func(x broken) bool { return group[x.was] || group[m.from[x.t.path]] }, b.t.lang)
	if len(one) > 0 {
		title := fmt.Sprintf("follow the move of %s", v.moveName(group))
		if len(files) > 1 {
			title += fmt.Sprintf(" in %d files", len(files))
		} else {
			title = v.importTitle(b, firstOf(to, b.was))
		}
		out = append(out, Fix{Title: title, Applicability: v.moveLevel(b, firstOf(to, b.was)), Rank: 0, Edits: one, Evidence: evidence})
	}
	if all, files := v.moveFix(func(broken) bool { return true }, b.t.lang); len(all) > len(one) {
		out = append(out, Fix{Title: fmt.Sprintf("follow all moves in %s", fileCount(len(files))), Applicability: Safe, Rank: 1, Edits: all,
			Evidence: evidence})
	}
	if names := v.moveNames(group, b.t.lang); len(one) > 0 && len(names) > 0 {
		out = append(out, Fix{Title: fmt.Sprintf("follow the move of %s, in text too", v.moveName(group)), Applicability: Likely, Rank: 3,
			Edits: beside(names, one), Evidence: evidence})
	}
	if edits, _, ok := v.retarget(b, firstOf(to, b.was)); ok && len(files) > 1 {
		out = append(out, Fix{Title: v.importTitle(b, firstOf(to, b.was)), Applicability: v.moveLevel(b, firstOf(to, b.was)), Rank: 2,
			Edits: inFile(b.t.path, edits), Evidence: evidence})
	}
	return out
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// moveLevel is Safe when the moved file surely offers what is imported.
func (v *view) moveLevel(b broken, to string) Applicability {
	if b.name != nil || b.imp.Kind == lang.Mock {
		return Safe
	}
	if sure, maybe := v.provides(to, v.wanted(b.t, b.imp)); sure || maybe {
		return Safe
	}
	return Likely
}

func (v *view) moveName(group map[string]bool) string {
	var parts []string
	for _, r := range v.movesOf().list() {
		if group[r.From] {
			parts = append(parts, r.From+" to "+r.To)
		}
	}
	if len(parts) > 2 {
		return fmt.Sprintf("%s and %d more", parts[0], len(parts)-1)
	}
	return strings.Join(parts, ", ")
}

func (v *view) importTitle(b broken, to string) string {
	_, spec, ok := v.retarget(b, to)
	if !ok {
		spec = to
	}
	return fmt.Sprintf("import %s instead of %s", spec, b.imp.Specifier)
}

// moveFix collects the edits for every broken import that belongs to a move
// and that pick wants.
func (v *view) moveFix(pick func(broken) bool, l lang.Language) ([]Edit, []string) {
	m := v.movesOf()
	names := map[string]bool{}
	for from := range m.to {
		names[baseName(from)] = true
	}
	var edits []Edit
	var files []string
	for _, rel := range v.sources(l) {
		t := v.text(rel)
		if t == nil || !v.editable(rel) || m.from[rel] == "" && !mentionsAny(t, names) {
			continue
		}
		var mine []lang.TextEdit
		for _, b := range v.brokenImports(t) {
			to := m.to[b.was]
			if to == "" && m.from[rel] != "" && b.was != "" && v.Exists(b.was) {
				to = b.was
			}
			if to == "" || !pick(b) {
				continue
			}
			if es, _, ok := v.retarget(b, to); ok {
				mine = merge(mine, es)
			}
		}
		if len(mine) > 0 {
			files = append(files, rel)
			edits = append(edits, inFile(rel, mine)...)
		}
	}
	return edits, files
}

func mentionsAny(t *text, names map[string]bool) bool {
	for n := range names {
		if t.mentions(n) {
			return true
		}
	}
	return false
}

// merge joins edits of one file; an edit that is there already or that
// overlaps another one is left out.
func merge(a, b []lang.TextEdit) []lang.TextEdit {
	for _, e := range b {
		clash := false
		for _, x := range a {
			if x == e || overlaps(x.Span, e.Span) || x.Span == e.Span {
				clash = true
				break
			}
		}
		if !clash {
			a = append(a, e)
		}
	}
	return a
}

// inFile turns text edits into a fix's edits.
func inFile(rel string, es []lang.TextEdit) []Edit {
	out := make([]Edit, 0, len(es))
	for _, e := range es {
		out = append(out, Edit{File: rel, Start: e.Start, End: e.End, New: e.New})
	}
	return out
}
