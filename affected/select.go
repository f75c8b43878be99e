package affected

import (
	"cmp"
	"context"
	"math"
	"path"
	"slices"
	"sort"
	"strings"
)

// Words for what happened to a changed file.
const (
	changed = "changed"
	deleted = "deleted"
	created = "new"
)

// seeds are the nodes of the changes. It may add nodes, so it comes before a walk.
func (g *Graph) seeds(ctx context.Context) map[int32]string {
	out := map[int32]string{}
	g.plain, g.whole, g.sheets, g.lasting = nil, nil, nil, nil
	g.effects, g.needs, g.scope = map[int32]effect{}, map[int32][]edge{}, map[int32][]string{}
	for _, c := range g.in.Changes {
		p := path.Clean(c.Path)
		if g.foreign(p) {
			continue
		}
		if e := g.judge(ctx, c); e.narrow || e.note != "" {
			g.effects[g.id(p)] = e
		}
		switch {
		case c.Deleted:
			out[g.id(p)] = deleted
		case g.in.BaseFiles != nil && !g.base[p]:
			out[g.id(p)] = created
		default:
			out[g.id(p)] = changed
		}
		if c.From != "" && !g.in.Tree.Exists(c.From) {
			out[g.id(path.Clean(c.From))] = "renamed to " + p
		}
	}
	g.seeded = out
	return out
}

// reached lists the tests that the walk came to.
func (w *walk) reached() []Test {
	n, steps := 0, 0
	for _, id := range w.g.tests {
		if by := w.test(id); by != nil {
			n, steps = n+1, steps+max(1, int(by.dist[id]))
		}
	}
	if n == 0 {
		return nil
	}
	out := make([]Test, 0, n)
	all := make([]string, 0, steps) // the sentences of all chains, which are parts of it
	for _, id := range w.g.tests {
		by := w.test(id)
		if by == nil {
			continue
		}
		from := len(all)
		all = by.chain(id, all)
		t := Test{File: w.g.nodes[id].name, Projects: w.g.nodes[id].projects, Why: all[from:len(all):len(all)]}
		if by.dist[id] > 0 {
			t.Distance = len(t.Why)
		}
		out = append(out, t)
	}
	return w.g.sorted(out)
}

// sorted puts tests, which come sorted by name, in the order to run them.
func (g *Graph) sorted(tests []Test) []Test {
	// A distance of -1 and a duration of 0 are not known and come last: as
	// unsigned numbers they (less one) are the largest.
	type key struct {
		near uint64 // 1 in the highest bit: it passed; the distance; the place in tests
		took uint64
	}
	keys := make([]key, len(tests))
	for i, t := range tests {
		k := key{near: 1<<63 | uint64(uint32(t.Distance)&math.MaxInt32)<<32 | uint64(i)}
		if g.in.Past != nil {
			failed, took := g.in.Past(t.File)
			if k.took = uint64(took) - 1; failed {
				k.near &^= 1 << 63
			}
		}
		keys[i] = k
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.near>>32 == b.near>>32 && a.took != b.took {
			return cmp.Compare(a.took, b.took)
		}
		return cmp.Compare(a.near, b.near)
	})
	out := make([]Test, len(tests))
	for i, k := range keys {
		out[i] = tests[uint32(k.near)]
	}
	return out
}

// selected makes the set of the input's changes.
func (g *Graph) selected(ctx context.Context) *Set {
	seeds := g.seeds(ctx)
	w := g.from(seeds, g.effects)
	s := &Set{graph: g}
	tests, w := g.doubted(w)
	s.Tests, g.traced = g.trace(ctx, tests, seeds, g.effects)
	whole := false
	s.Widened, whole = w.notes()
	sort.Strings(s.Widened)
	s.All = whole && len(s.Tests) == len(g.tests)
	if len(s.Widened) > 0 {
		s.Reason = s.Widened[0]
		for _, note := range s.Widened { // the reason that holds for most
			if strings.HasPrefix(note, "every test of ") || strings.Contains(note, ": everything below ") {
				s.Reason = note
				break
			}
		}
	}
	for _, e := range g.effects {
		if e.narrow || e.only != nil || e.named && w.spared {
			s.Spared = append(s.Spared, e.note)
		}
	}
	if n := len(g.traced); n > 0 {
		s.Spared = append(s.Spared, spareNote(n))
	}
	sort.Strings(s.Spared)
	useful := g.useful(w, seeds)
	for id := range seeds {
		s.Modified = append(s.Modified, g.nodes[id].name)
		if !useful(id) {
			s.Unreached = append(s.Unreached, g.nodes[id].name)
		}
	}
	sort.Strings(s.Modified)
	sort.Strings(s.Unreached)
	return s
}

// depended marks what some test depends on, the tests included.
func (g *Graph) depended() []bool {
	needs := make([][]int32, len(g.nodes)) // the edges the other way round
	for at := range g.nodes {
		for _, e := range g.nodes[at].rev {
			needs[e.to] = append(needs[e.to], int32(at))
		}
	}
	for _, wd := range g.wides {
		for at := range g.nodes {
			if n := g.nodes[at]; !n.virtual && within(n.name, wd.dir) && g.language(n.name) == wd.language {
				needs[wd.node] = append(needs[wd.node], int32(at))
			}
		}
	}
	marked := make([]bool, len(g.nodes))
	queue := append([]int32(nil), g.tests...)
	for len(queue) > 0 {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if !marked[at] {
			marked[at] = true
			queue = append(queue, needs[at]...)
		}
	}
	return marked
}

// fewSeeds is how many walks cost less than to mark all that tests depend on.
const fewSeeds = 16

// useful gives a function that tells whether a changed file reaches a test by
// itself.
func (g *Graph) useful(w *walk, seeds map[int32]string) func(id int32) bool {
	switch {
	case len(seeds) == 1:
		return func(int32) bool { return w.any() }
	case len(seeds) <= fewSeeds:
		return func(id int32) bool { return g.from(map[int32]string{id: seeds[id]}, w.effects).any() }
	}
	depended := g.depended()
	return func(id int32) bool {
		if e := w.effects[id]; e.quiet || e.narrow || e.only != nil {
			useful := len(g.nodes[id].projects) > 0
			w.step(id, func(to, _ int32) { useful = useful || depended[to] })
			return useful
		}
		useful := depended[id]
		w.expand(id, func(to, _ int32) { useful = useful || depended[to] })
		return useful
	}
}

// any tells whether the walk came to a test.
func (w *walk) any() bool {
	return slices.ContainsFunc(w.g.tests, func(id int32) bool { return w.test(id) != nil })
}

// all makes the set of every test.
func (g *Graph) all(ctx context.Context) *Set {
	s := g.selected(ctx)
	reached := make(map[string]bool, len(s.Tests))
	for _, t := range s.Tests {
		reached[t.File] = true
	}
	for _, id := range g.tests {
		if f := g.nodes[id].name; !reached[f] {
			s.Tests = append(s.Tests, Test{File: f, Projects: g.nodes[id].projects, Why: []string{"all tests were asked for"}, Distance: -1})
		}
	}
	slices.SortFunc(s.Tests, func(a, b Test) int { return strings.Compare(a.File, b.File) })
	s.Tests = g.sorted(s.Tests)
	s.All, s.Reason = true, "all tests were asked for"
	return s
}
