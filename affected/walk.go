package affected

import (
	"cmp"
	"maps"
	"path"
	"sort"
	"strings"

	"regreen/internal/lang"
)

// walk is one breadth-first walk from changed files to all that depends on them.
type walk struct {
	g    *Graph
	next []int32 // node to the node it depends on, one step nearer to the change; -1 for none
	via  []int32 // the label of that step
	dist []int32 // -1: not reached
	said []said  // the sentence of that step, once it was made; nil before the first
	text strings.Builder
	seed map[int32]string
	// queue are the nodes to go on from.
	queue []int32
	// open are the nodes of computed imports that may load what no run has seen.
	open map[int32]bool
	// effects says more of some seeds; nil asks what might follow.
	effects map[int32]effect
	// whole are seeds with an effect that were reached from another change too:
	// what holds for their own difference says nothing of that one.
	whole map[int32]bool
	// part are the nodes of which no more may differ than some exported names.
	part map[int32]lang.Names
	// apart are the files that were taken apart for their names.
	apart map[int32]bool
	// spared: some edge was not followed, for no such name is used there; named:
	// some change goes by names.
	spared, named bool
	// typed: imports of types count too. erased: some was passed over; reads
	// tells of files whether their types may matter.
	typed, erased bool
	reads         map[int32]bool
	full          *walk // one with no effects, where test needed it
	// anyLoad: a computed import may load all that it could, whatever runs have
	// seen. trusted: some edge was not followed for what runs have seen.
	anyLoad, trusted bool
}

// hit tells whether the walk came to a node otherwise than by names that it
// does not use.
func (w *walk) hit(at int32) bool {
	_, part := w.part[at]
	return w.dist[at] >= 0 && !part
}

// test gives the walk that explains why a test is reached, nil where it is not.
// Tests of types see what goes by no name: types, in every file that they load.
func (w *walk) test(at int32) *walk {
	switch {
	case w.hit(at):
		return w
	case !w.named && !w.erased || !w.g.nodes[at].types:
		return nil
	case w.full == nil:
		w.full = w.g.walk(w.seed, nil, true, w.anyLoad)
	}
	if w.full.hit(at) {
		return w.full
	}
	return nil
}

// testsTypes tells whether a test is one of types, as vitest names them.
func testsTypes(test string) bool { return strings.Contains(path.Base(test), "-d.") }

// effect is what is known of a seed's difference, where that is all that
// reaches it.
func (w *walk) effect(at int32) (e effect, judged bool) {
	if len(w.effects) == 0 || w.whole[at] {
		return effect{}, false
	}
	e, judged = w.effects[at]
	return e, judged && !e.named
}

// from walks backwards from the seeds, each with a word of what happened to it.
func (g *Graph) from(seeds map[int32]string, effects map[int32]effect) *walk {
	return g.walk(seeds, effects, false, false)
}

func (g *Graph) walk(seeds map[int32]string, effects map[int32]effect, typed, anyLoad bool) *walk {
	w := &walk{g: g, seed: seeds, effects: effects, whole: map[int32]bool{}, part: map[int32]lang.Names{}, apart: map[int32]bool{}, typed: typed, anyLoad: anyLoad, reads: map[int32]bool{}}
	n := len(g.nodes)
	w.next, w.via, w.dist = make([]int32, n), make([]int32, n), make([]int32, n)
	for i := range w.dist {
		w.dist[i], w.next[i] = -1, -1
	}
	w.queue = make([]int32, 0, n)
	for id := range seeds {
		w.dist[id] = 0
		w.queue = append(w.queue, id)
		if e := effects[id]; e.named {
			w.part[id], w.named = maps.Clone(e.names), true
		}
	}
	sort.Slice(w.queue, func(i, j int) bool { return g.nodes[w.queue[i]].name < g.nodes[w.queue[j]].name })
	for len(w.queue) > 0 {
		at := w.queue[0]
		w.queue = w.queue[1:]
		visit := func(to, label int32) { w.visit(at, to, label) }
		if differ, part := w.part[at]; part {
			w.byNames(at, differ)
			w.expand(at, visit)
		} else {
			w.step(at, visit)
		}
	}
	return w
}

// visit takes a step to a node. One that was reached with less than all it
// could do is gone through once more.
func (w *walk) visit(at, to, label int32) {
	if w.dist[to] < 0 {
		w.queue = append(w.queue, to)
		w.lead(at, to, label)
		return
	}
	_, part := w.part[to]
	_, judged := w.effect(to)
	switch {
	case to == at:
	case part:
		delete(w.part, to)
		w.queue = append(w.queue, to)
		if w.dist[to] > 0 && !w.leadsTo(at, to) {
			w.lead(at, to, label)
		}
	case judged && w.dist[to] == 0:
		w.whole[to] = true
		w.queue = append(w.queue, to)
		if !w.leadsTo(at, to) {
			w.lead(at, to, label)
		}
	}
}

// lead makes a step the one by which a node is explained.
func (w *walk) lead(at, to, label int32) {
	w.dist[to], w.next[to], w.via[to] = w.dist[at]+1, at, label
}

// byNames follows the edges from a node of which no more than some names may
// differ.
func (w *walk) byNames(at int32, differ lang.Names) {
	for _, e := range w.g.nodes[at].rev {
		if w.hit(e.to) && w.seed[e.to] == "" {
			continue // all of it is reached already
		}
		if w.unseen(at, e) || w.gone(at, e) {
			continue
		}
		on, whole := w.passed(at, e, differ)
		have, part := w.part[e.to]
		switch {
		case whole:
			w.visit(at, e.to, e.label)
		case len(on) == 0:
			w.spared = true
		case w.dist[e.to] < 0:
			w.part[e.to] = on
			w.queue = append(w.queue, e.to)
			w.lead(at, e.to, e.label)
		case !part:
			w.visit(at, e.to, e.label)
		default:
			grown := false
			for name, class := range on {
				grown = have.Add(name, class) || grown
			}
			if grown {
				w.queue = append(w.queue, e.to)
			}
		}
	}
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
		if n.pkg && len(scope) > 0 && !g.inside(e.to, scope) || judged && w.narrowed(at, e) || n.virtual && w.traced(at, e.to) || w.unseen(at, e) || w.gone(at, e) {
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
	if e.plugs[to.to] && w.g.labels[to.label] == (label{verb: verbs[lang.Dynamic]}) {
		return true // its tests are run with both
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

// goesBy is how a file depends on a configuration that lies elsewhere.
const goesBy = "goes by"

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
	w.styled(at, visit)
	if _, changed := w.seed[at]; !changed {
		return
	}
	w.declares(at, visit)
	w.told(at, visit)
	w.blind(visit)
	e, _ := w.effect(at)
	for _, id := range e.packages {
		visit(id, g.label(cmp.Or(e.verb, "is installed by"), ""))
	}
	if isManifest(n.name) && !e.narrow && !g.unread(n.name) {
		below := g.label("is below", "everything below its folder depends on it")
		for id := range g.nodes {
			if f := g.nodes[id]; !f.virtual && (f.owned || len(f.projects) > 0) && within(f.name, path.Dir(n.name)) {
				visit(int32(id), below)
			}
		}
	}
	if dirs := g.configures(n.name); len(dirs) > 0 && !e.narrow {
		by := g.label(goesBy, "a tsconfig above it extends that")
		for id := range g.nodes {
			if f := g.nodes[id]; !f.virtual && (f.owned || len(f.projects) > 0) && g.inside(int32(id), dirs) {
				visit(int32(id), by)
			}
		}
	}
	if w.orphan(at) && !e.narrow {
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
	if w.seed[at] != deleted || len(n.rev) > 0 || w.g.language(n.name) < 0 || neverLoaded(n.name) {
		return false
	}
	for _, p := range w.g.in.Projects {
		if p.IsTest != nil && p.IsTest(n.name) {
			return false
		}
	}
	return true
}
