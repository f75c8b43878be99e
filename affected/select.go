package affected

import (
	"cmp"
	"context"
	"path"
	"slices"
	"sort"
	"strings"
)

// walk is one breadth-first walk from changed files to all that depends on them.
type walk struct {
	g    *Graph
	next []int32 // node to the node it depends on, one step nearer to the change; -1 for none
	via  []int32 // the label of that step
	dist []int32 // -1: not reached
	said []said  // the sentence of that step, once it was made
	text strings.Builder
	seed map[int32]string
	// open are the nodes of computed imports that may load what no run has seen.
	open map[int32]bool
	// effects says more of some seeds; nil asks what might follow.
	effects map[int32]effect
	// whole are seeds with an effect that were reached from another change too:
	// what holds for their own difference says nothing of that one.
	whole map[int32]bool
}

// effect is what is known of a seed's difference, where that is all that
// reaches it.
func (w *walk) effect(at int32) (e effect, judged bool) {
	if len(w.effects) == 0 || w.whole[at] {
		return effect{}, false
	}
	e, judged = w.effects[at]
	return e, judged
}

// from walks backwards from the seeds, each with a word of what happened to it.
func (g *Graph) from(seeds map[int32]string, effects map[int32]effect) *walk {
	w := &walk{g: g, seed: seeds, effects: effects, whole: map[int32]bool{}}
	n := len(g.nodes)
	w.next, w.via, w.dist, w.said = make([]int32, n), make([]int32, n), make([]int32, n), make([]said, n)
	for i := range w.dist {
		w.dist[i], w.next[i] = -1, -1
	}
	queue := make([]int32, 0, n)
	for id := range seeds {
		w.dist[id] = 0
		queue = append(queue, id)
	}
	sort.Slice(queue, func(i, j int) bool { return g.nodes[queue[i]].name < g.nodes[queue[j]].name })
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		visit := func(to, label int32) {
			if w.dist[to] >= 0 {
				if _, judged := w.effect(to); !judged || to == at || w.dist[to] > 0 {
					return
				}
				// Once more, without its effect.
				w.whole[to] = true
				queue = append(queue, to)
				if w.leadsTo(at, to) {
					return
				}
			} else {
				queue = append(queue, to)
			}
			w.dist[to], w.next[to], w.via[to] = w.dist[at]+1, at, label
		}
		w.step(at, visit)
	}
	return w
}

// leadsTo tells whether the steps from a node to its change pass another one.
func (w *walk) leadsTo(at, other int32) bool {
	for ; at >= 0; at = w.next[at] {
		if at == other {
			return true
		}
	}
	return false
}

// step follows the edges from a node that was reached.
func (w *walk) step(at int32, visit func(to, label int32)) {
	g := w.g
	n := &g.nodes[at]
	e, judged := w.effect(at)
	if e.quiet {
		w.quietly(at, visit)
		return
	}
	scope := g.scope[at]
	for _, e := range n.rev {
		if n.pkg && len(scope) > 0 && !g.inside(e.to, scope) || judged && w.narrowed(at, e) || n.virtual && w.traced(at, e.to) {
			continue
		}
		visit(e.to, e.label)
	}
	if n.pkg {
		for _, e := range g.needs[at] {
			visit(e.to, e.label)
		}
	}
	w.expand(at, visit)
}

// narrowed tells whether a change does not follow an edge: a manifest's that
// is told by packages to a whole project, a fixture's to a test that cannot
// use it.
func (w *walk) narrowed(at int32, to edge) bool {
	e, _ := w.effect(at)
	n := &w.g.nodes[to.to]
	if n.isProject() {
		return e.narrow
	}
	return e.only != nil && !e.only[to.to] && w.g.labels[to.label].verb == runWith
}

// inside tells whether a node is in one of the folders.
func (g *Graph) inside(id int32, dirs []string) bool {
	for _, dir := range dirs {
		if within(g.nodes[id].name, dir) {
			return true
		}
	}
	return false
}

// expand follows the rules that are no single edges.
func (w *walk) expand(at int32, visit func(to, label int32)) {
	g, n := w.g, &w.g.nodes[at]
	if n.virtual {
		return
	}
	if len(g.wides) > 0 {
		lang := g.language(n.name)
		for _, wd := range g.wides {
			if wd.language == lang && within(n.name, wd.dir) {
				w.wide(at, wd.node, visit)
			}
		}
	}
	if _, changed := w.seed[at]; !changed {
		return
	}
	w.told(at, visit)
	w.blind(visit)
	e, _ := w.effect(at)
	for _, id := range e.packages {
		visit(id, g.label("is installed by", ""))
	}
	if isManifest(n.name) && !e.narrow {
		below := g.label("is below", "everything below its folder depends on it")
		for id := range g.nodes {
			if f := g.nodes[id]; !f.virtual && (f.owned || len(f.projects) > 0) && within(f.name, path.Dir(n.name)) {
				visit(int32(id), below)
			}
		}
	}
	if w.orphan(at) {
		lost := g.label("is in the folder of", "nobody is known to have imported it")
		for _, id := range g.tests {
			if within(g.nodes[id].name, path.Dir(n.name)) {
				visit(id, lost)
			}
		}
	}
}

// language gives the index of the language that owns a file, -1 for none.
func (g *Graph) language(file string) int {
	for i, l := range g.in.Languages {
		if l.Owns(file) {
			return i
		}
	}
	return -1
}

// orphan tells whether a source file was deleted that nothing is known to have
// loaded: it may have been loaded by its name alone, by a framework.
func (w *walk) orphan(at int32) bool {
	n := w.g.nodes[at]
	if w.seed[at] != deleted || len(n.rev) > 0 || w.g.language(n.name) < 0 {
		return false
	}
	for _, p := range w.g.in.Projects {
		if p.IsTest != nil && p.IsTest(n.name) {
			return false
		}
	}
	return true
}

// Words for what happened to a changed file.
const (
	changed = "changed"
	deleted = "deleted"
	created = "new"
)

// seeds are the nodes of the changes. It may add nodes, so it comes before a walk.
func (g *Graph) seeds(ctx context.Context) map[int32]string {
	out := map[int32]string{}
	g.plain = nil
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
	return out
}

// reached lists the tests that the walk came to.
func (w *walk) reached() []Test {
	n, steps := 0, 0
	for _, id := range w.g.tests {
		if w.dist[id] >= 0 {
			n, steps = n+1, steps+max(1, int(w.dist[id]))
		}
	}
	if n == 0 {
		return nil
	}
	out := make([]Test, 0, n)
	all := make([]string, 0, steps) // the sentences of all chains, which are parts of it
	for _, id := range w.g.tests {
		if w.dist[id] < 0 {
			continue
		}
		from := len(all)
		all = w.chain(id, all)
		t := Test{File: w.g.nodes[id].name, Projects: w.g.nodes[id].projects, Why: all[from:len(all):len(all)]}
		if w.dist[id] > 0 {
			t.Distance = len(t.Why)
		}
		out = append(out, t)
	}
	return w.g.sorted(out)
}

// sorted puts tests, which come sorted by name, in the order to run them.
func (g *Graph) sorted(tests []Test) []Test {
	type key struct {
		at       int32
		passed   bool
		distance uint
		took     uint64
	}
	keys := make([]key, len(tests))
	for i, t := range tests {
		// A distance of -1 and a duration of 0 are not known and come last: as
		// unsigned numbers they (less one) are the largest.
		k := key{at: int32(i), passed: true, distance: uint(t.Distance)}
		if g.in.Past != nil {
			failed, took := g.in.Past(t.File)
			k.passed, k.took = !failed, uint64(took)-1
		}
		keys[i] = k
	}
	slices.SortFunc(keys, func(a, b key) int {
		switch {
		case a.passed != b.passed && b.passed:
			return -1
		case a.passed != b.passed:
			return 1
		case a.distance != b.distance:
			return cmp.Compare(a.distance, b.distance)
		case a.took != b.took:
			return cmp.Compare(a.took, b.took)
		}
		return cmp.Compare(a.at, b.at)
	})
	out := make([]Test, len(tests))
	for i, k := range keys {
		out[i] = tests[k.at]
	}
	return out
}

// selected makes the set of the input's changes.
func (g *Graph) selected(ctx context.Context) *Set {
	seeds := g.seeds(ctx)
	w := g.from(seeds, g.effects)
	s := &Set{graph: g, Tests: w.reached()}
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
		if e.narrow || e.only != nil {
			s.Spared = append(s.Spared, e.note)
		}
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
	return slices.ContainsFunc(w.g.tests, func(id int32) bool { return w.dist[id] >= 0 })
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
