package affected

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// reads notes a literal path that a file may read.
func (g *Graph) reads(id int32, p string) {
	folder := strings.HasSuffix(p, "/")
	p = path.Clean(strings.TrimPrefix(p, "./"))
	if p == "." || p == ".." || path.IsAbs(p) {
		return
	}
	for dir := range g.anchors(id) {
		if !folder && g.in.Tree.IsDir(path.Join(dir, p)) {
			folder = true
		}
	}
	n := int32(len(g.data))
	g.data = append(g.data, dataRef{id, p, folder})
	if base := path.Base(p); !folder {
		g.byBase[base] = append(g.byBase[base], n)
	}
	if folder {
		return
	}
	if isToolConfig(path.Base(g.nodes[id].name)) {
		return // what it names is an entry or an exception, seldom a program
	}
	// A source that is named by its path may be started as a program: what it
	// imports counts too.
	for dir := range g.anchors(id) {
		if to, ok := g.ids[path.Join(dir, p)]; ok && g.nodes[to].owned {
			g.depends(id, to, g.label("names", ""))
		}
	}
}

// inputs are the names of folders whose sources are data to tests.
var inputs = []string{"fixtures", "__fixtures__", "fixture", "testdata", "test-data", "test_data", "samples", "cases", "snapshots", "examples", "templates", "inputs", "outputs", "expected"}

// isInput tells whether a source below a folder that is read is data rather
// than code: the folder is one of inputs, or nobody imports the source.
func (g *Graph) isInput(file, folder string) bool {
	if id, ok := g.ids[file]; ok && len(g.nodes[id].rev) == 0 {
		return true
	}
	for _, part := range strings.Split(folder, "/") {
		if slices.Contains(inputs, part) {
			return true
		}
	}
	return false
}

// anchors are the folders that a relative path may start from: the file's
// own, its project's and the repository's.
func (g *Graph) anchors(id int32) map[string]bool {
	file := g.nodes[id].name
	return map[string]bool{path.Dir(file): true, g.projectDir(file): true, ".": true}
}

// readers gives the files that read a changed file, with a verb.
func (g *Graph) readers(file string) []edge {
	var out []edge
	owned := g.in.Languages.For(file) != nil
	for _, n := range g.byBase[path.Base(file)] {
		ref := g.data[n]
		switch {
		case ref.file < 0:
		case g.exactly(ref, file):
			out = append(out, edge{ref.file, g.label("reads", "")})
		case owned:
		case g.somewhere(ref, file):
			out = append(out, edge{ref.file, g.label("may read", "the folder of "+ref.path+" is computed")})
		}
	}
	for _, ref := range g.data {
		if !ref.folder || ref.file < 0 || owned && isToolConfig(path.Base(g.nodes[ref.file].name)) {
			continue
		}
		for dir := range g.anchors(ref.file) {
			if folder := path.Join(dir, ref.path); folder != "." && within(file, folder) && (!owned || g.isInput(file, folder)) {
				out = append(out, edge{ref.file, g.label("may read", "it reads files of "+folder)})
				break
			}
		}
	}
	return out
}

func (g *Graph) exactly(ref dataRef, file string) bool {
	for dir := range g.anchors(ref.file) {
		if path.Join(dir, ref.path) == file {
			return true
		}
	}
	return false
}

// somewhere tells whether a path whose folder is not known can mean the file:
// it ends so, and the path leads nowhere from the known folders. A bare name
// must be the only one of its kind.
func (g *Graph) somewhere(ref dataRef, file string) bool {
	p := ref.path
	for strings.HasPrefix(p, "../") {
		p = p[3:]
	}
	if !strings.HasSuffix(file, "/"+p) {
		return false
	}
	for dir := range g.anchors(ref.file) {
		if g.in.Tree.Exists(path.Join(dir, ref.path)) {
			return false
		}
	}
	if strings.Contains(p, "/") {
		return true
	}
	for _, f := range g.in.Tree.Files() {
		if f != file && path.Base(f) == p {
			return false
		}
	}
	return true
}

// declared gives the tests that the configuration binds to a changed file.
func (g *Graph) declared(file string) []edge {
	var out []edge
	for pattern, tests := range g.in.Data {
		if ok, err := doublestar.Match(pattern, file); err != nil || !ok {
			continue
		}
		l := g.label("reads (so says the configuration)", "")
		for _, id := range g.tests {
			for _, t := range tests {
				if ok, err := doublestar.Match(t, g.nodes[id].name); err == nil && ok {
					out = append(out, edge{id, l})
					break
				}
			}
		}
	}
	return out
}

// folderOf gives the test that has a folder of its own name beside it, in which
// pytest-datadir and pytest-regressions keep its data: dir/test_a/x.json belongs
// to dir/test_a.py.
func (g *Graph) folderOf(file string) []edge {
	if g.in.Languages.For(file) != nil {
		return nil
	}
	var out []edge
	for _, id := range g.tests {
		test := g.nodes[id].name
		if strings.HasPrefix(file, strings.TrimSuffix(test, path.Ext(test))+"/") {
			out = append(out, edge{id, g.label("may read", "the folder has the name of the test")})
		}
	}
	return out
}

// snapshotOf gives the tests whose stored snapshots a file holds:
// dir/__snapshots__/name.test.ts.snap belongs to dir/name.test.ts.
func (g *Graph) snapshotOf(file string) []edge {
	dir, rest, ok := strings.Cut("/"+file, "/__snapshots__/")
	if !ok {
		return nil
	}
	dir = strings.TrimPrefix(dir, "/")
	name, _, _ := strings.Cut(rest, "/")
	stem := strings.TrimSuffix(name, path.Ext(name))
	var out []edge
	for _, id := range g.tests {
		test := g.nodes[id].name
		base := path.Base(test)
		if strings.TrimSuffix(path.Dir(test), ".") == dir && (strings.HasPrefix(name, base+".") || stem == base || strings.TrimSuffix(base, path.Ext(base)) == stem) {
			out = append(out, edge{id, g.label("has the snapshots", "")})
		}
	}
	return out
}
