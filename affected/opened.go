package affected

import (
	"bytes"
	"path"
	"slices"

	"regreen/internal/lang"
)

// Opened is what runs of tests were seen to open, by what was opened: evidence
// that adds to what the texts say. Each map leads from a file or folder to the
// test files (or the sources that were being loaded) that opened it.
type Opened struct {
	Read, Listed, Loaded map[string][]string
	// Whole are the test files of which all that they open is here: they passed when
	// they last ran, as wholes.
	Whole map[string]bool
	// Requires are the sources of which whatever they require is in Loaded,
	// Imports those of which import() is seen too.
	Requires, Imports map[string]bool
}

// opened gives those who were seen to open a changed file, or to list the
// folder that a file came to or went from.
func (w *walk) opened(at int32) []edge {
	g, o := w.g, w.g.in.Opened
	if o == nil {
		return nil
	}
	n := &g.nodes[at]
	if isManifest(n.name) && !g.unread(n.name) && w.effects[at].verb == "" {
		return nil // everyone reads these, and rules tell what for
	}
	// Who loads a source reads it, so a change that loading cannot see counts
	// only where nobody is known to load it.
	loaded := g.language(n.name) >= 0 && len(n.rev) > 0
	if e, _ := w.effect(at); loaded && (e.quiet || e.only != nil) {
		return nil
	}
	var out []edge
	var explained map[int32]bool // whoever depends on it anyway need not have read its bytes
	if loaded && w.effects[at].named && len(o.Read[n.name])+len(o.Loaded[n.name]) > 0 {
		explained = g.staticDependents(at)
	}
	add := func(by []string, verb string) {
		for _, f := range by {
			if id, ok := g.ids[f]; ok && id != at && !explained[id] {
				out = append(out, edge{id, g.label(verb, "")})
			}
		}
	}
	add(o.Read[n.name], "was seen to read")
	add(o.Loaded[n.name], "was seen to load")
	if word := w.seed[at]; word != changed && len(o.Listed) > 0 {
		// A folder that comes or goes with its files is a name in the one above.
		for dir := path.Dir(n.name); ; dir = path.Dir(dir) {
			add(o.Listed[dir], "was seen to list the folder of")
			if dir == "." || g.stays(dir) {
				break
			}
		}
	}
	return out
}

// stays tells whether a folder holds files now and did at the base.
func (g *Graph) stays(dir string) bool {
	if g.lasting == nil {
		now, base := foldersWith(g.in.Tree.Files()), foldersWith(g.in.BaseFiles)
		g.lasting = map[string]bool{}
		for dir := range now {
			if base[dir] || g.in.BaseFiles == nil {
				g.lasting[dir] = true
			}
		}
	}
	return g.lasting[dir]
}

// foldersWith are all folders that hold some of the files, at any depth.
func foldersWith(files []string) map[string]bool {
	out := map[string]bool{}
	for _, f := range files {
		for dir := path.Dir(f); !out[dir]; dir = path.Dir(dir) {
			out[dir] = true
			if dir == "." {
				break
			}
		}
	}
	return out
}

// wide follows a computed import that may load a file: all of the kind, or with
// Traced those that were seen to load it and those of which nothing was seen. A
// test file is loaded by its framework, or by a test that loads others.
func (w *walk) wide(at, node int32, visit func(to, label int32)) {
	g := w.g
	if len(g.nodes[at].projects) > 0 {
		for _, e := range g.nodes[node].rev {
			if len(g.nodes[e.to].projects) > 0 {
				visit(e.to, e.label)
			}
		}
		return
	}
	if g.in.Traced && g.in.Opened != nil && !w.anyLoad {
		if word, ok := w.seed[at]; ok && word != changed {
			if w.open == nil {
				w.open = map[int32]bool{}
			}
			w.open[node] = true // no run can have seen what is new
		}
		for _, by := range g.in.Opened.Loaded[g.nodes[at].name] {
			if id, ok := g.ids[by]; ok {
				visit(id, g.label("was seen to load", ""))
			}
		}
		if !w.open[node] && !slices.ContainsFunc(g.nodes[node].rev, func(e edge) bool { return !w.traced(node, e.to) }) {
			w.trusted = true
			return
		}
	}
	visit(node, g.label("", ""))
}

// traced tells whether what a file's computed imports load is known from runs.
func (w *walk) traced(node, file int32) bool {
	sees := !w.anyLoad && !w.open[node] && w.g.seesAll(file) && slices.ContainsFunc(w.g.wides, func(wd wide) bool { return wd.node == node })
	w.trusted = w.trusted || sees
	return sees
}

// unseen tells whether an edge is of an import that computes a part of its
// name, by a file that was never seen to load this one though all that it loads
// is seen. No run can have seen what is new.
func (w *walk) unseen(at int32, e edge) bool {
	g := w.g
	if w.anyLoad || !g.in.Traced || g.labels[e.label].verb != verbs[lang.Wide] || g.nodes[at].virtual {
		return false
	}
	if word, ok := w.seed[at]; ok && word != changed {
		return false
	}
	unseen := g.seesAll(e.to) && !slices.Contains(g.in.Opened.Loaded[g.nodes[at].name], g.nodes[e.to].name)
	w.trusted = w.trusted || unseen
	return unseen
}

// seesAll tells whether all is known from runs that a file's computed imports
// load.
func (g *Graph) seesAll(file int32) bool {
	name := g.nodes[file].name
	switch {
	case !g.in.Traced || g.in.Opened == nil:
		return false
	case !g.in.Opened.Imports[name] && !g.in.Opened.Requires[name] || !g.wholly(file):
		return false
	case g.in.Opened.Imports[name]:
		return true
	}
	known, ok := g.plain[name]
	if !ok {
		// import() went past what was watched.
		src, err := g.in.Tree.ReadFile(name)
		known = err == nil && !bytes.Contains(src, []byte("import("))
		if g.plain == nil {
			g.plain = map[string]bool{}
		}
		g.plain[name] = known
	}
	return known
}

// wholly tells whether every test that may load a file was seen as a whole: what
// one of them has it load tells nothing of what another one does.
func (g *Graph) wholly(file int32) bool {
	known, ok := g.whole[file]
	if !ok {
		w := g.walk(map[int32]string{file: changed}, nil, true, true)
		known = !slices.ContainsFunc(g.tests, func(id int32) bool {
			return w.dist[id] >= 0 && !g.in.Opened.Whole[g.nodes[id].name]
		})
		if g.whole == nil {
			g.whole = map[int32]bool{}
		}
		g.whole[file] = known
	}
	return known
}
