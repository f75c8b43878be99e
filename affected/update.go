package affected

import (
	"context"
	"maps"
	"path"
	"slices"

	"regreen/internal/lang"
)

// Update brings the graph to a later state of the same tree and selects. saved
// are the files that may differ from what the graph was last made of; in is as
// for Select, with the projects and languages of that state. A save that
// changes no more than what one file says costs what the file costs; where few
// files came or went, only the imports that may lead there are resolved anew
// (grow.go); where what steers resolution differs, all are, from the scans that
// are still right.
//
// Sets made before must not be asked any more.
func (g *Graph) Update(ctx context.Context, in Input, saved []string) (*Set, error) {
	if err := g.update(ctx, in, saved); err != nil {
		return nil, err
	}
	return g.selected(ctx), nil
}

// UpdateAll is Update for All.
func (g *Graph) UpdateAll(ctx context.Context, in Input, saved []string) (*Set, error) {
	if err := g.update(ctx, in, saved); err != nil {
		return nil, err
	}
	return g.all(ctx), nil
}

func (g *Graph) update(ctx context.Context, in Input, saved []string) error {
	d := g.growth(in)
	if d.needRebuild || slices.ContainsFunc(d.touched, func(f string) bool { return g.special(in, f) }) || g.stale(in, saved) {
		return g.rebuild(ctx, in, saved)
	}
	if !d.none() {
		if err := g.grow(ctx, in, d); err != nil {
			return err
		}
	}
	if !slices.Equal(g.in.BaseFiles, in.BaseFiles) {
		g.base = baseSet(in.BaseFiles)
	}
	g.in = in
	for _, file := range saved {
		if err := ctx.Err(); err != nil {
			return err
		}
		id, ok := g.ids[path.Clean(file)]
		if !ok {
			continue
		}
		delete(g.uses, id)
		delete(g.modules, id)
		if _, is := slices.BinarySearch(g.files, g.nodes[id].name); !is {
			continue // it is gone, and grow has taken its edges away
		}
		old, now := g.nodes[id].scan, g.scanFile(g.nodes[id].name)
		if (old == nil) != (now == nil) {
			return g.rebuild(ctx, in, saved) // a script begins or ends to be one
		}
		if now == nil || old.same(now) {
			continue // the old one also knows where its imports led
		}
		g.unlink(id)
		g.edges(now)
		g.linkTest(id)
	}
	return nil
}

func baseSet(files []string) map[string]bool {
	out := make(map[string]bool, len(files))
	for _, f := range files {
		out[f] = true
	}
	return out
}

// stale tells whether more has to be done than to read the saved files.
func (g *Graph) stale(in Input, saved []string) bool {
	if len(in.Projects) != len(g.in.Projects) || len(in.Languages) != len(g.in.Languages) ||
		!maps.Equal(in.Links, g.in.Links) || g.dead > len(g.data)/2+1000 {
		return true
	}
	seeds := map[int32]string{}
	for _, file := range saved {
		file = path.Clean(file)
		if isManifest(file) || g.steers(file) || len(g.configures(file)) > 0 {
			return true
		}
		id, ok := g.ids[file]
		if !ok {
			continue
		}
		seeds[id] = changed
		if g.otherTest(in, id) {
			return true
		}
		for _, e := range g.nodes[id].rev {
			if g.labels[e.label].verb == runWith && (g.nodes[id].owned || g.nodes[e.to].isProject()) {
				return true // it may name others that tests are run with
			}
		}
	}
	return g.configured(seeds)
}

// configured tells whether a project's configuration is made of a file: that
// decides about aliases, tests and setup.
func (g *Graph) configured(seeds map[int32]string) bool {
	w := &walk{g: g, seed: seeds}
	told := map[int32]bool{}
	for id := range seeds {
		told[id] = true
		w.told(id, func(to, _ int32) { told[to] = true })
		for _, e := range g.nodes[id].rev {
			if g.labels[e.label].verb == isLink {
				told[e.to] = true
			}
		}
	}
	have := map[int32]bool{}
	var queue []int32
	add := func(id int32) {
		if !have[id] {
			have[id] = true
			queue = append(queue, id)
		}
	}
	for _, p := range g.in.Projects {
		for _, f := range p.Global {
			if id, ok := g.ids[path.Clean(f)]; ok {
				add(id)
			}
		}
	}
	for len(queue) > 0 {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if told[at] {
			return true
		}
		for _, to := range g.nodes[at].deps {
			add(to)
		}
		for _, wd := range g.wides {
			for id := range told {
				if wd.node == at && g.language(g.nodes[id].name) == wd.language && within(g.nodes[id].name, wd.dir) {
					return true
				}
			}
		}
	}
	return false
}

// configures gives the folders below which everything goes by a file that may lie
// elsewhere, now or before the deletions.
func (g *Graph) configures(file string) []string {
	if path.Ext(file) != ".json" {
		return nil
	}
	var out []string
	for i := range g.in.Languages {
		now, old := g.resolvers(i)
		for _, r := range []lang.Resolver{now, old} {
			if c, ok := r.(lang.Configured); ok {
				out = append(out, c.Configures(file)...)
			}
		}
	}
	return out
}

func (g *Graph) steers(file string) bool {
	l, ok := g.in.Languages.For(file).(lang.Steering)
	return ok && l.Steers(file)
}

// otherTest tells whether a file became or ceased to be a test, or is run with
// other files than before.
func (g *Graph) otherTest(in Input, id int32) bool {
	name := g.nodes[id].name
	for n, p := range in.Projects {
		is := p.IsTest != nil && p.IsTest(name)
		if is != slices.Contains(g.nodes[id].projects, n) {
			return true
		}
		if !is || p.Implicit == nil {
			continue
		}
		for _, dep := range p.Implicit(name) {
			to, ok := g.ids[path.Clean(dep)]
			if !g.foreign(dep) && (!ok || !slices.ContainsFunc(g.nodes[to].rev, func(e edge) bool { return e.to == id })) {
				return true
			}
		}
	}
	return false
}

// unlink takes away all edges from files, and what they read. What many of them
// depend on is gone through once.
func (g *Graph) unlink(files ...int32) {
	out, reads := make(map[int32]bool, len(files)), false
	from := map[int32]bool{}
	for _, id := range files {
		n := &g.nodes[id]
		out[id], reads = true, reads || n.scan != nil && len(n.scan.data) > 0
		for _, to := range n.deps {
			from[to] = true
		}
		n.deps = nil
	}
	for to := range from {
		g.nodes[to].rev = slices.DeleteFunc(g.nodes[to].rev, func(e edge) bool { return out[e.to] })
	}
	if !reads {
		return
	}
	for n := range g.data {
		if out[g.data[n].file] {
			g.data[n].file = -1
			g.dead++
		}
	}
}

// rebuild makes the graph anew and keeps the scans of files that were not saved.
func (g *Graph) rebuild(ctx context.Context, in Input, saved []string) error {
	next := newGraph(in)
	next.files = in.Tree.Files()
	files := next.ours()
	dirty := map[string]bool{}
	for _, f := range saved {
		dirty[path.Clean(f)] = true
	}
	scans := make([]*scanned, len(files))
	var read []string
	var at []int
	for i, f := range files {
		id, ok := g.ids[f]
		if ok && !dirty[f] && g.nodes[id].scan != nil {
			scans[i] = g.nodes[id].scan
		} else if in.Languages.For(f) != nil || path.Ext(f) == "" {
			read, at = append(read, f), append(at, i)
		}
	}
	more, err := next.scan(ctx, read)
	if err != nil {
		return err
	}
	for k, i := range at {
		scans[i] = more[k]
	}
	if err := next.build(ctx, files, scans); err != nil {
		return err
	}
	next.judged = g.judged
	*g = *next
	return nil
}
