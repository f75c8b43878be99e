package affected

import (
	"path"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// erased is how a file depends on another of which it imports nothing but
// types, so that the import is gone when it runs. Such an edge leads on only
// where somebody may look at types.
const erased = "imports nothing but types of"

// wasErased is the same of a file that is gone. It is asked for at each edge.
var wasErased = was(erased)

// readsTypes tells whether what a file says of types may matter to a test: a
// loader checks them, or a compiler makes code of them. Tests of types count
// apart (walk.test).
func (g *Graph) readsTypes(id int32) bool {
	n := &g.nodes[id]
	if n.language >= len(g.in.Languages) {
		return true
	}
	l, ok := g.in.Languages[n.language].(lang.Linker)
	if !ok || g.checksTypes(l) {
		return true
	}
	// What a component takes is told by types, which its compiler looks for in
	// other files.
	for _, ending := range l.Components() {
		if !g.componentFiles()[ending] {
			continue
		}
		for at := range g.staticDependents(id) {
			if path.Ext(g.nodes[at].name) == ending {
				return true
			}
		}
	}
	return false
}

// componentFiles are the endings of names that files of the tree have.
func (g *Graph) componentFiles() map[string]bool {
	if g.endings == nil {
		g.endings = map[string]bool{}
		for i := range g.nodes {
			g.endings[path.Ext(g.nodes[i].name)] = true
		}
	}
	return g.endings
}

// checksTypes tells whether types may matter wherever they are: a manifest of
// the repository names a program that checks them or makes code of them, or one
// is installed beside it; or what the tests are run with has a compiler.
func (g *Graph) checksTypes(l lang.Linker) bool {
	if g.checked == nil {
		found := g.compiles()
		manifests := append([]string{"package.json"}, g.manifestFiles...)
		for _, f := range manifests {
			src, err := g.in.Tree.ReadFile(f)
			found = found || err == nil && strings.Contains(string(src), "--typecheck")
			for _, p := range l.Checked() {
				found = found || err == nil && strings.Contains(string(src), `"`+p+`"`) ||
					g.in.Tree.Exists(path.Join(path.Dir(f), "node_modules", p, "package.json"))
			}
		}
		g.checked = &found
	}
	return *g.checked
}

// compilers are packages with which a configuration can look at types.
var compilers = []string{"typescript", "ts-morph", "@typescript/native-preview", "@vue/compiler-sfc"}

// compiles tells whether tests are run with code that may look at types: their
// configuration asks for it or loads a compiler.
func (g *Graph) compiles() bool {
	have := map[int32]bool{}
	var queue []int32
	for _, p := range g.in.Projects {
		if slices.Contains(p.Args, "--typecheck") {
			return true
		}
		for _, f := range p.Global {
			src, err := g.in.Tree.ReadFile(path.Clean(f))
			if err == nil && path.Base(f) != "package.json" && strings.Contains(string(src), "typecheck") {
				return true
			}
			if id, ok := g.ids[path.Clean(f)]; ok && !have[id] {
				have[id] = true
				queue = append(queue, id)
			}
		}
	}
	for len(queue) > 0 {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if n := &g.nodes[at]; n.pkg && slices.Contains(compilers, n.shown()) {
			return true
		}
		for _, to := range g.nodes[at].deps {
			if !have[to] {
				have[to] = true
				queue = append(queue, to)
			}
		}
	}
	return false
}

// gone tells whether an edge is of an import that is not there when the tests
// run, and leads to nobody who would look at types.
func (w *walk) gone(at int32, e edge) bool {
	verb := w.g.labels[e.label].verb
	if w.typed || verb != erased && verb != wasErased {
		return false
	}
	reads, known := w.reads[at]
	if !known {
		reads = w.g.readsTypes(at)
		w.reads[at] = reads
	}
	w.erased = w.erased || !reads
	return !reads
}

// declares follows a changed file of declarations to what has its types there:
// the module beside it, or where nobody imports it, and it has none, everything
// in its project. That is only so where types are checked.
func (w *walk) declares(at int32, visit func(to, label int32)) {
	g, name := w.g, w.g.nodes[at].name
	stem, ext, ok := strings.Cut(path.Base(name), ".d.")
	language := g.language(name)
	if !ok || !slices.Contains([]string{"ts", "mts", "cts"}, ext) || language < 0 {
		return
	}
	if l, ok := g.in.Languages[language].(lang.Linker); !ok || !g.checksTypes(l) {
		return
	}
	beside := false
	for _, ending := range []string{".js", ".jsx", ".mjs", ".cjs"} {
		if id, ok := g.ids[path.Join(path.Dir(name), stem+ending)]; ok && g.nodes[id].owned {
			beside = true
			visit(id, g.label("has its types in", ""))
		}
	}
	if beside || len(g.nodes[at].rev) > 0 {
		return
	}
	everywhere := g.label("may use types of", "nobody imports it, so they may hold everywhere")
	for _, id := range g.tests {
		if within(g.nodes[id].name, g.projectDir(name)) {
			visit(id, everywhere)
		}
	}
}
