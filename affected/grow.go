package affected

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"sort"
	"strings"

	"regreen/internal/lang"
)

// maxGrown is how many files may come and go at once before the graph is made
// anew instead: each costs a look at every import.
const maxGrown = 64

// growth is how the set of files differs from what the graph was made of.
type growth struct {
	files       []string // as they are now
	came, gone  []string // sorted
	before      *beforeTree
	touched     []string // came, gone, and what entered or left the tree before the deletions
	needRebuild bool
}

func (d *growth) none() bool { return len(d.touched) == 0 }

// growth compares the files, and the deletions and renames, with what they were.
func (g *Graph) growth(in Input) growth {
	d := growth{files: in.Tree.Files()}
	d.came, d.gone = apart(g.files, d.files)
	next := &Graph{in: in}
	d.before = next.beforeTree()
	seen := map[string]bool{}
	for _, f := range slices.Concat(d.came, d.gone) {
		seen[f] = true
	}
	for _, m := range [][2]map[string]bool{{goneOf(g.before), goneOf(d.before)}, {addedOf(g.before), addedOf(d.before)}} {
		for _, pair := range [][2]map[string]bool{m, {m[1], m[0]}} {
			for f := range pair[0] {
				if !pair[1][f] {
					seen[f] = true
				}
			}
		}
	}
	for f := range seen {
		d.touched = append(d.touched, f)
	}
	sort.Strings(d.touched)
	// What is linked, and whose file it is, may hold for whole folders.
	d.needRebuild = len(d.touched) > maxGrown || len(d.touched) > 0 && len(in.Links) > 0
	return d
}

func goneOf(b *beforeTree) map[string]bool {
	if b == nil {
		return nil
	}
	return b.gone
}

func addedOf(b *beforeTree) map[string]bool {
	if b == nil {
		return nil
	}
	return b.added
}

// apart gives what only the second and what only the first of two sorted lists has.
func apart(a, b []string) (came, gone []string) {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(a) == 0 || len(b) > 0 && b[0] < a[0]:
			came, b = append(came, b[0]), b[1:]
		case len(b) == 0 || a[0] < b[0]:
			gone, a = append(gone, a[0]), a[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
	return came, gone
}

// special tells whether a file's coming or going may change more than what the
// imports of its name resolve to.
func (g *Graph) special(in Input, file string) bool {
	base := path.Base(file)
	if isManifest(file) || g.steers(file) || len(g.configures(file)) > 0 || base == ".git" || base == "package.json" || base == "pyproject.toml" || strings.HasPrefix(base, "lerna.") {
		return true
	}
	for _, p := range slices.Concat(g.in.Projects, in.Projects) {
		if slices.Contains(p.Global, file) {
			return true
		}
		if p.Implicit == nil {
			continue
		}
		// What one test near it is run with tells for all of them.
		if t, ok := g.testBelow(path.Dir(file)); ok && slices.Contains(p.Implicit(t), file) {
			return true
		}
	}
	if id, ok := g.ids[file]; ok {
		for _, e := range g.nodes[id].rev {
			if g.labels[e.label].verb == runWith {
				return true
			}
		}
	}
	return len(g.snapshotOf(file)) > 0
}

// testBelow gives some test below a folder.
func (g *Graph) testBelow(dir string) (string, bool) {
	if dir == "." {
		dir = ""
	} else {
		dir += "/"
	}
	i := sort.Search(len(g.tests), func(i int) bool { return g.nodes[g.tests[i]].name >= dir })
	if i == len(g.tests) || !strings.HasPrefix(g.nodes[g.tests[i]].name, dir) {
		return "", false
	}
	return g.nodes[g.tests[i]].name, true
}

// first is what a specifier of the file must hold as a part of its own: the
// name up to the first dot.
func first(base string) string {
	if i := strings.IndexByte(base[1:], '.'); i >= 0 {
		return base[:i+1]
	}
	return base
}

// keys are the words of which an import must hold one if it may lead to one of
// the touched files, or may have led there: their names, those of the folders
// that came or went with them, and that of the folder for which a file stands.
// A folder that holds others of a kind before and after is there in the tree
// before the deletions too, so it is nothing that an import can tell them by.
//
// others are the languages whose imports may all lead elsewhere.
func (g *Graph) keys(d growth) (out map[string]bool, others map[int]bool) {
	out, others = map[string]bool{}, map[int]bool{}
	reroot := func(moves func(l lang.Rooted) bool) {
		for n, l := range g.in.Languages {
			if r, ok := l.(lang.Rooted); ok && moves(r) {
				others[n] = true
			}
		}
	}
	for _, f := range d.touched {
		reroot(func(l lang.Rooted) bool { return l.Roots(f) })
		name := first(path.Base(f))
		out[name] = true
		for dir := path.Dir(f); dir != "."; dir = path.Dir(dir) {
			came := !holdsKind(g.files, dir, f) || !holdsKind(d.files, dir, f)
			if came {
				reroot(func(lang.Rooted) bool { return true })
			}
			if came || dir == path.Dir(f) && !ordinary(name) {
				out[first(path.Base(dir))] = true
			}
		}
	}
	return out, others
}

// ordinary tells whether a file of that name is only found by it. Of a folder
// index, main and __init__ are found by the folder's name, or by its parent's
// where a package.json says so; so is whatever is named like a usual entry.
func ordinary(name string) bool {
	return !slices.Contains([]string{"index", "main", "__init__", "__main__", "mod", "lib"}, name)
}

// holdsKind tells whether one of a sorted list is below a folder and has the
// ending of another file: for Python a folder without its own files is none.
func holdsKind(files []string, dir, like string) bool {
	ext := path.Ext(like)
	for i := sort.SearchStrings(files, dir+"/"); i < len(files) && within(files[i], dir); i++ {
		if path.Ext(files[i]) == ext {
			return true
		}
	}
	return false
}

// ownPackage tells whether a specifier names one of the repository's packages.
func (g *Graph) ownPackage(spec string) bool {
	if g.packages == nil {
		g.packages = map[string]bool{}
		for _, f := range g.manifestFiles {
			var m struct{ Name string }
			if src, err := g.in.Tree.ReadFile(f); err == nil && path.Base(f) == "package.json" && json.Unmarshal(src, &m) == nil {
				g.packages[m.Name] = true
			}
		}
	}
	name, rest, _ := strings.Cut(spec, "/")
	if second, _, _ := strings.Cut(rest, "/"); strings.HasPrefix(name, "@") {
		name += "/" + second
	}
	return g.packages[name]
}

// concerned tells whether a file's edges may differ with the touched files. An
// import that names its target by another word (an alias, a package of the
// workspace) is known by what it led to.
func (s *scanned) concerned(keys map[string]bool) bool {
	for i := range s.imports {
		imp := &s.imports[i]
		if imp.always() || imp.mapped || holds(imp.spec, keys) {
			return true
		}
		for _, n := range imp.names {
			if keys[n] {
				return true
			}
		}
	}
	for _, p := range s.data {
		if holds(p, keys) {
			return true
		}
	}
	return false
}

// always tells whether an import may lead to any file, whatever it is called.
func (i *imported) always() bool {
	return i.kind == lang.Wide && i.spec != "" || slices.Contains(i.names, "*")
}

// holds tells whether one of the words between slashes and dots is a key. Where
// the last part is no word (".", ".."), the name is the folder's.
func holds(spec string, keys map[string]bool) bool {
	for start, end := range words(spec) {
		if keys[spec[start:end]] || start > 0 && keys[spec[start-1:end]] {
			return true
		}
	}
	return endsInFolder(spec)
}

func endsInFolder(spec string) bool {
	return strings.Trim(spec[strings.LastIndexByte(spec, '/')+1:], ".") == ""
}

// grow takes in that files came and went: they are scanned, and the imports
// that may have to do with them are resolved anew.
func (g *Graph) grow(ctx context.Context, in Input, d growth) error {
	var unlinked []int32
	for _, f := range d.gone {
		if id, ok := g.ids[f]; ok {
			unlinked = append(unlinked, id)
		}
	}
	g.unlink(unlinked...)
	for _, id := range unlinked {
		n := &g.nodes[id]
		n.scan, n.owned, n.projects = nil, false, nil
	}
	keys, others := g.keys(d)
	words := setOf(keys)
	var again []*scanned
	unlinked = unlinked[:0]
	for i := range g.nodes {
		if s := g.nodes[i].scan; s != nil && (others[s.language] || s.words.meets(words) && s.concerned(keys)) {
			again, unlinked = append(again, s), append(unlinked, int32(i))
		}
	}
	g.unlink(unlinked...)
	g.in, g.files, g.before, g.uses, g.endings = in, d.files, d.before, nil, nil
	g.renew()
	for _, f := range d.came {
		if g.foreign(f) {
			continue
		}
		id := g.id(f)
		if s := g.scanFile(f); s != nil {
			g.nodes[id].owned, g.nodes[id].language = true, s.language
			again = append(again, s)
		}
		for n, p := range in.Projects {
			if p.IsTest != nil && p.IsTest(f) {
				g.nodes[id].projects = append(g.nodes[id].projects, n)
			}
		}
		if len(g.nodes[id].projects) > 0 {
			g.tests = append(g.tests, id)
		}
	}
	g.tests = slices.DeleteFunc(g.tests, func(id int32) bool { return len(g.nodes[id].projects) == 0 })
	slices.SortFunc(g.tests, func(a, b int32) int { return strings.Compare(g.nodes[a].name, g.nodes[b].name) })
	for _, s := range again {
		if err := ctx.Err(); err != nil {
			return err
		}
		g.edges(s)
		g.linkTest(g.ids[s.name])
	}
	return nil
}
