package affected

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"regreen/internal/lang"
)

// maxNamed is how many changes may be judged by names: with more of them most
// tests are reached anyway, and each judgement costs a few milliseconds.
const maxNamed = 32

func sorted(n lang.Names) []string { return slices.Sorted(maps.Keys(n)) }

// judgement is what a Linker said of two texts; it is asked once for each pair.
type judgement struct {
	names lang.Names
	ok    bool
}

type judgementKey struct {
	file        string
	before, now [sha256.Size]byte
}

// maxJudgements bounds how many are remembered.
const maxJudgements = 1024

// nameEffect narrows a change of a module to those who use the names that
// differ, where the language proves that nothing else does (lang.Linker).
//
// It is by induction over the modules in the order in which they are loaded:
// one that is as it was, or differs as the proof allows, and uses no name that
// differs, does what it did. So only what uses such a name is reached, and from
// there on everything that loads it; what hands such a name on is followed to
// those who use it.
func (g *Graph) nameEffect(ctx context.Context, file string, l lang.Language, before, now []byte) effect {
	linker, ok := l.(lang.Linker)
	id, known := g.ids[file]
	if !ok || !known || len(g.in.Changes) > maxNamed || len(now) > maxScan || len(before) > maxScan ||
		!g.nodes[id].owned || len(g.nodes[id].projects) > 0 || len(g.nodes[id].rev) == 0 || g.readsTypes(id) || g.importsItself(id) {
		return effect{}
	}
	key := judgementKey{file, sha256.Sum256(before), sha256.Sum256(now)}
	j, known := g.judged[key]
	if !known {
		j.names, j.ok = linker.Differs(ctx, file, before, now)
		if ctx.Err() != nil {
			return effect{}
		}
		if g.judged == nil || len(g.judged) >= maxJudgements {
			g.judged = map[judgementKey]judgement{}
		}
		g.judged[key] = j
	}
	if !j.ok {
		return effect{}
	}
	e := effect{named: true, names: j.names, note: file + " runs as before: it differs in types or spelling alone"}
	if len(j.names) > 0 {
		e.note = fmt.Sprintf("%s differs in %s alone: only what uses that", file, some(sorted(j.names)))
	}
	return e
}

// resolvedLink is one link of a file with the nodes it may lead to.
type resolvedLink struct {
	whole        bool
	uses, passes []lang.Passed
	to           []int32
}

// interned gives names that keep no text alive.
func interned(names []lang.Passed) []lang.Passed {
	for i, n := range names {
		names[i] = lang.Passed{From: intern(n.From), As: intern(n.As)}
	}
	return names
}

// linksOf gives what a file does with the names of what it imports. They are
// read when a change comes that way.
func (g *Graph) linksOf(id int32) []resolvedLink {
	if have, ok := g.uses[id]; ok {
		return have
	}
	n := &g.nodes[id]
	l, ok := g.in.Languages[n.language].(lang.Linker)
	src, err := g.in.Tree.ReadFile(n.name)
	if !ok || err != nil {
		return nil
	}
	now, _ := g.resolvers(n.language)
	var out []resolvedLink
	for _, link := range l.Links(n.name, src) {
		res := now.Resolve(n.name, link.Import)
		r := resolvedLink{whole: link.Whole || res.Wide != "", uses: interned(link.Uses), passes: interned(link.Passes)}
		for _, f := range res.Files {
			if to, ok := g.ids[f]; ok {
				r.to = append(r.to, to)
			}
		}
		if len(r.to) > 0 {
			out = append(out, r)
		}
	}
	if g.uses == nil {
		g.uses = map[int32][]resolvedLink{}
	}
	g.uses[id] = out
	return out
}

// importsItself tells whether a module can look at its own names.
func (g *Graph) importsItself(id int32) bool {
	return slices.ContainsFunc(g.linksOf(id), func(l resolvedLink) bool { return slices.Contains(l.to, id) })
}

// linking are the verbs of edges that linksOf knows more of.
var linking = []string{verbs[lang.Static], verbs[lang.TypeOnly], verbs[lang.ReExport], erased}

// maxModules is how many files a walk may take apart: each costs about a
// millisecond when it comes first.
const maxModules = 256

// moduleOf takes a file apart by its names; nil where that cannot be done.
func (g *Graph) moduleOf(id int32) lang.Module {
	m, ok := g.modules[id]
	if ok {
		return m
	}
	n := &g.nodes[id]
	if src, err := g.in.Tree.ReadFile(n.name); err == nil && len(src) <= maxScan {
		if l, ok := g.in.Languages[n.language].(lang.Linker); ok {
			m, _ = l.Module(n.name, src)
		}
	}
	if g.modules == nil || len(g.modules) >= 4*maxModules {
		g.modules = map[int32]lang.Module{}
	}
	g.modules[id] = m
	return m
}

// passed tells by which of its own names a dependent may differ, when a file
// does by some of its own; whole where that is not all, or it is a test.
func (w *walk) passed(at int32, e edge, differ lang.Names) (on lang.Names, whole bool) {
	g := w.g
	n, l := &g.nodes[e.to], &g.labels[e.label]
	if n.virtual || !n.owned || l.note != "" || !slices.Contains(linking, l.verb) {
		return nil, true
	}
	var local lang.Names // nil until there are some: a hub has thousands of dependents
	on, found := lang.Names(nil), false
	for _, link := range g.linksOf(e.to) {
		if !slices.Contains(link.to, at) {
			continue
		}
		found = true
		if link.whole {
			return nil, true
		}
		for _, u := range link.uses {
			class, differs := differ[u.From]
			switch {
			case !differs:
				continue
			case len(n.projects) > 0 || len(w.apart) > maxModules:
				return nil, true
			case local == nil:
				local = lang.Names{}
			}
			local.Add(u.As, class)
		}
		if len(link.passes) > 0 && on == nil {
			on = lang.Names{}
		}
		handOn(on, link.passes, differ)
	}
	if !found {
		return nil, true
	}
	if len(local) == 0 {
		return on, false
	}
	if w.apart[e.to] = true; len(w.apart) > maxModules {
		return nil, true
	}
	m := g.moduleOf(e.to)
	if m == nil {
		return nil, true
	}
	more, ok := m.Spread(local)
	if on == nil {
		on = lang.Names{}
	}
	for name, class := range more {
		on.Add(name, class)
	}
	return on, !ok
}

// handOn adds those of the names that are handed on.
func handOn(on lang.Names, passes []lang.Passed, differ lang.Names) {
	for _, p := range passes {
		switch class, differs := differ[p.From]; {
		case p.From == "*" && p.As == "*":
			for name, class := range differ {
				if name != "default" {
					on.Add(name, class)
				}
			}
		case p.From == "*" && len(differ) > 0:
			on.Add(p.As, false)
		case differs:
			on.Add(p.As, class)
		}
	}
}

// staticDependents are those who depend on a file by what texts say, over any
// number of steps.
func (g *Graph) staticDependents(at int32) map[int32]bool {
	have := map[int32]bool{at: true}
	for queue := []int32{at}; len(queue) > 0; {
		n := &g.nodes[queue[0]]
		queue = queue[1:]
		for _, e := range n.rev {
			if !have[e.to] {
				have[e.to] = true
				queue = append(queue, e.to)
			}
		}
	}
	return have
}

// whySpared explains why no change reaches a file that depends on one: the
// chain, and the step that no name that differs takes.
func (g *Graph) whySpared(id int32) []string {
	full := g.from(g.seeded, g.wholeEffects())
	if full.dist[id] < 0 {
		return nil
	}
	narrow := g.from(g.seeded, g.effects)
	why := full.chain(id, nil)
	at, by := id, id
	for narrow.dist[at] < 0 && full.next[at] >= 0 {
		at, by = full.next[at], at
	}
	seed := at
	for full.next[seed] >= 0 {
		seed = full.next[seed]
	}
	e := g.effects[seed]
	if !e.named {
		return nil
	}
	switch differ := sorted(narrow.part[at]); {
	case len(differ) > 0 && at != by:
		why = append(why, fmt.Sprintf("%s uses nothing of %s that may differ (%s)", g.nodes[by].shown(), g.nodes[at].shown(), some(differ)))
	}
	return append(why, e.note)
}

// wholeEffects are the effects without those by names.
func (g *Graph) wholeEffects() map[int32]effect {
	out := map[int32]effect{}
	for id, e := range g.effects {
		if !e.named {
			out[id] = e
		}
	}
	return out
}
