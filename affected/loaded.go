package affected

import (
	"path"
	"slices"
	"strings"
)

// Loaded is how far what a test file was seen to load holds today.
type Loaded struct {
	// Apart are the files (rel) that were in the tree of its run neither what they
	// are now nor what they were before the changes: what they say may lead a
	// computed import to another file today, and no change tells of it.
	Apart []string
}

// doubted gives the tests that a walk came to, with those that it would have come
// to had nobody been seen to load anything and of which it is not sure that they
// still load what they did. by is the walk that explains them.
//
// A test loads what it did in the tree of its last run as long as nothing differs
// from there in what it loads. What differs since is a change, which then leads to
// the test itself, or it is Apart.
func (g *Graph) doubted(w *walk) (tests []Test, by *walk) {
	tests = w.reached()
	if !w.trusted {
		return tests, w
	}
	in := make(map[string]bool, len(tests))
	for _, t := range tests {
		in[t.File] = true
	}
	walks := map[string]*walk{}
	n := len(tests)
	by = g.walk(w.seed, w.effects, w.typed, true)
	for _, t := range by.reached() {
		if !in[t.File] && !g.loadsAsSeen(t.File, walks) {
			tests = append(tests, t)
		}
	}
	if len(tests) == n {
		return tests, w
	}
	slices.SortFunc(tests, func(a, b Test) int { return strings.Compare(a.File, b.File) })
	return g.sorted(tests), by
}

// loadsAsSeen tells whether a test file loads what it was seen to load. walks are
// those from files that are apart.
func (g *Graph) loadsAsSeen(test string, walks map[string]*walk) bool {
	if g.in.Executed == nil || g.in.Executed.Loaded[test] == nil {
		return false
	}
	apart := g.in.Executed.Loaded[test].Apart
	if len(apart) > maxTraced {
		return false
	}
	for _, file := range apart {
		w := walks[file]
		if w == nil {
			id, ok := g.ids[path.Clean(file)]
			if !ok || len(walks) >= 2*maxTraced {
				return false
			}
			w = g.walk(map[int32]string{id: created}, nil, true, true)
			walks[file] = w
		}
		if w.dist[g.ids[test]] >= 0 {
			return false
		}
	}
	return true
}
