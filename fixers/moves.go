package fixers

import (
	"bytes"
	"path"
	"sort"
)

// moves are the files that have another path than at the base.
type moves struct {
	to   map[string]string // old path to new
	from map[string]string // new path to old
	why  map[string]string // old path to the evidence, for a person
}

// movesOf finds moves once: what git says, then deleted and added files with
// the same bytes, then with the same name, each only where it is unique.
func (v *view) movesOf() *moves {
	if v.moves != nil {
		return v.moves
	}
	m := &moves{to: map[string]string{}, from: map[string]string{}, why: map[string]string{}}
	v.moves = m
	for _, r := range v.Renames() {
		m.add(r.From, r.To, "git says "+r.From+" was moved to "+r.To)
	}
	inBase := map[string]bool{}
	var gone, added []string
	for _, f := range v.BaseFiles() {
		inBase[f] = true
		if !v.Exists(f) && m.to[f] == "" {
			gone = append(gone, f)
		}
	}
	if len(gone) == 0 {
		return m
	}
	for _, f := range v.Files() {
		if !inBase[f] && m.from[f] == "" {
			added = append(added, f)
		}
	}
	m.pair(gone, added, "has the bytes of the deleted", func(from, to string) bool {
		if path.Ext(from) != path.Ext(to) {
			return false
		}
		a, ok := v.Base(from)
		b, err := v.ReadFile(to)
		return ok && err == nil && len(a) > 0 && bytes.Equal(a, b)
	})
	m.pair(gone, added, "is new and has the name of the deleted", func(from, to string) bool {
		return baseName(from) == baseName(to) && v.sameLanguage(from, to)
	})
	return m
}

func (m *moves) add(from, to, why string) {
	if from == to || m.to[from] != "" || m.from[to] != "" {
		return
	}
	m.to[from], m.from[to], m.why[from] = to, from, why
}

// maxPairs bounds the work of pairing.
const maxPairs = 200

// pair joins gone and added files that belong together, where the partner is
// the only one on both sides.
func (m *moves) pair(gone, added []string, why string, same func(from, to string) bool) {
	if len(gone) > maxPairs || len(added) > maxPairs {
		return
	}
	fwd, back := map[string][]string{}, map[string][]string{}
	for _, g := range gone {
		if m.to[g] != "" {
			continue
		}
		for _, a := range added {
			if m.from[a] == "" && same(g, a) {
				fwd[g] = append(fwd[g], a)
				back[a] = append(back[a], g)
			}
		}
	}
	for g, as := range fwd {
		if len(as) == 1 && len(back[as[0]]) == 1 {
			m.add(g, as[0], as[0]+" "+why+" "+g)
		}
	}
}

// list gives the moves sorted by old path.
func (m *moves) list() []Rename {
	out := make([]Rename, 0, len(m.to))
	for f, t := range m.to {
		out = append(out, Rename{f, t})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].From < out[j].From })
	return out
}

// together adds a moved file to a group, with the files that moved along from
// its folder to the other one: a package that was renamed.
func (m *moves) together(group map[string]bool, from string) {
	group[from] = true
	to := m.to[from]
	for f, t := range m.to {
		if dirOf(f) == dirOf(from) && dirOf(t) == dirOf(to) && dirOf(f) != dirOf(t) && path.Base(f) == path.Base(t) {
			group[f] = true
		}
	}
}
