package affected

import (
	"context"
	"path"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// runWith is how a test depends on what its framework loads for it.
const runWith = "is run with"

// fixtureEffect narrows a change of a file that tests are run with (a
// conftest.py) to those that can use what differs, where the framework knows.
// A text that does not parse stops every test, so both versions must.
func (g *Graph) fixtureEffect(ctx context.Context, file string, l lang.Language, before, now []byte) effect {
	id, ok := g.ids[file]
	if !ok {
		return effect{}
	}
	tests := map[int][]string{} // by project
	for _, e := range g.nodes[id].rev {
		n := &g.nodes[e.to]
		if n.virtual || g.labels[e.label].verb != runWith {
			continue
		}
		for _, p := range n.projects {
			tests[p] = append(tests[p], n.name)
		}
	}
	for p := range tests {
		if g.in.Projects[p].Narrow == nil {
			return effect{}
		}
	}
	if len(tests) == 0 || !parses(ctx, l, file, before) || !parses(ctx, l, file, now) {
		return effect{}
	}
	out := effect{only: map[int32]bool{}, plugs: map[int32]bool{}}
	var used []string
	for p, of := range tests {
		others := g.loadedWith(g.in.Projects[p], of)
		n, ok := g.in.Projects[p].Narrow(file, before, now, others)
		if !ok {
			return effect{}
		}
		used = append(used, n.Names...)
		for _, e := range g.nodes[id].rev {
			by := g.nodes[e.to].name
			src, with := others[by]
			if !with && slices.Contains(of, by) {
				var err error
				src, err = g.in.Tree.ReadFile(by)
				with = err == nil
			}
			if with && n.Plugs != nil && n.Plugs(src) {
				out.plugs[e.to] = true
			}
		}
		seeds := map[int32]string{}
		for id := range g.nodes {
			f := &g.nodes[id]
			if _, loaded := others[f.name]; loaded || f.virtual || f.name == file || !f.owned && len(f.projects) == 0 {
				continue
			}
			if src, err := g.in.Tree.ReadFile(f.name); err == nil && len(n.Names) > 0 && n.Mentions(f.name, src, len(f.projects) > 0) {
				seeds[int32(id)] = changed
			}
		}
		w := g.from(seeds, nil)
		for _, id := range g.tests {
			if w.dist[id] >= 0 {
				out.only[id] = true
			}
		}
	}
	out.note = file + " differs in what no test uses"
	if len(used) > 0 {
		out.note = file + " differs inside " + some(used) + " alone: only the tests that can use it"
	}
	return out
}

func parses(ctx context.Context, l lang.Language, file string, src []byte) bool {
	bad, err := l.Check(ctx, file, src)
	return bad == nil && err == nil
}

// loadedWith reads the files that tests of a project are run with.
func (g *Graph) loadedWith(p Project, tests []string) map[string][]byte {
	out := map[string][]byte{}
	add := func(file string) {
		file = path.Clean(file)
		if _, have := out[file]; have || strings.HasSuffix(file, ".snap") {
			return
		}
		if src, err := g.in.Tree.ReadFile(file); err == nil {
			out[file] = src
		}
	}
	for _, f := range p.Global {
		add(f)
	}
	for _, t := range tests {
		for _, f := range p.Implicit(t) {
			add(f)
		}
	}
	return out
}
