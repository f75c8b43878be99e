package js

import (
	"slices"
	"strings"

	"regreen/internal/lang"
)

// Links reads import and export statements; of every other way to load a
// module (require, import(), mocks) it says Whole. Types are no use: they are
// gone when the text runs.
func (l Language) Links(p string, src []byte) []lang.Link {
	f := l.Scan(p, src)
	u := &linker{src: string(src), exports: f.Exports}
	u.opaque = isComponent(p) || strings.Contains(u.src, `\u`) // an escape can hide a name
	out := make([]lang.Link, 0, len(f.Imports))
	for _, imp := range f.Imports {
		out = append(out, u.link(p, imp))
	}
	return out
}

// linker knows what a text does with the names it imports.
type linker struct {
	src     string
	exports []lang.Export
	opaque  bool  // names may be used where the tokens do not show it
	text    *text // lexed when first asked for
}

func (u *linker) link(p string, imp lang.Import) lang.Link {
	l := lang.Link{Import: imp}
	switch imp.Kind {
	case lang.TypeOnly:
		return l
	case lang.ReExport:
		for _, n := range imp.Names {
			if !n.TypeOnly {
				l.Passes = append(l.Passes, lang.Passed{From: n.Imported, As: n.Local})
			}
		}
		return l
	case lang.Static:
		if len(imp.Names) == 0 {
			break
		}
		for _, n := range imp.Names {
			if n.TypeOnly {
				continue
			}
			if !u.name(p, n, &l) {
				return lang.Link{Import: imp, Whole: true}
			}
		}
		return l
	}
	l.Whole = true
	return l
}

// name adds what is done with one name; false where that cannot be told.
func (u *linker) name(p string, n lang.Name, l *lang.Link) bool {
	if n.Imported == "*" {
		return u.namespace(p, n, l)
	}
	as := u.handedOn(n.Local)
	// Elements may use a name that configuration makes their factory.
	if len(as) == 0 || u.opaque || u.count(p, n.Local) != 1+len(as) || u.lexed(p).hasElements() {
		l.Uses = append(l.Uses, lang.Passed{From: n.Imported, As: n.Local})
		return true
	}
	for _, name := range as { // nothing but its import and export lists
		l.Passes = append(l.Passes, lang.Passed{From: n.Imported, As: name})
	}
	return true
}

// handedOn are the names under which the text exports a local one by a list.
func (u *linker) handedOn(local string) []string {
	var out []string
	for _, e := range u.exports {
		if e.From == "" && e.Local == local {
			out = append(out, e.Name)
		}
	}
	return out
}

// count is how often a name stands in the text, as a member or key too.
func (u *linker) count(p, name string) int {
	n := 0
	for i := range u.lexed(p).toks {
		if u.text.word(i) && u.text.is(i, name) {
			n++
		}
	}
	return n
}

// namespace follows import * as ns: its members are uses as long as it stands
// nowhere but before a dot.
func (u *linker) namespace(p string, n lang.Name, l *lang.Link) bool {
	t := u.lexed(p)
	if u.opaque || t.hasElements() {
		return false
	}
	for i := range t.toks {
		if !t.word(i) || !t.is(i, n.Local) || int(t.toks[i].start) == n.LocalSpan.Start {
			continue
		}
		if !t.is(i+1, ".") && !t.is(i+1, "?.") || !t.word(i+2) {
			return false
		}
		if use := (lang.Passed{From: t.str(i + 2), As: n.Local}); !slices.Contains(l.Uses, use) {
			l.Uses = append(l.Uses, use)
		}
	}
	return true
}

func (u *linker) lexed(p string) *text {
	if u.text == nil {
		u.text = lex(u.src, 0, len(u.src), dialectOf(p))
	}
	return u.text
}
