package affected

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"regreen/internal/lang"
)

// Graph is who depends on whom. It is built once for a tree and used by one
// goroutine at a time.
type Graph struct {
	in      Input
	ids     map[string]int32
	nodes   []node
	labels  []label
	labelID map[label]int32
	tests   []int32 // sorted by path
	wides   []wide
	data    []dataRef
	byBase  map[string][]int32 // base name of a data path to indices into data
	nested  map[string]bool    // folder to: in another working tree
	base    map[string]bool    // BaseFiles

	files    []string        // of the tree, as it gave them
	tree     lang.Tree       // the present one as the resolvers see it
	now, old []lang.Resolver // by language; old: before the deletions
	before   *beforeTree

	dead int // data without a file

	packages      map[string]bool // names of the repository's own packages; nil until asked
	manifestFiles []string        // package.json and pyproject.toml files, sorted
	configTexts   []config        // read when first asked for

	plain map[string]bool // files with a computed import: has none by import()
	whole map[int32]bool  // the same: every test that may load it was seen as a whole

	uses    map[int32][]resolvedLink // what files do with names, as far as asked for
	modules map[int32]lang.Module    // files taken apart by their names; nil ones cannot be
	judged  map[judgementKey]judgement
	checked *bool               // checksTypes; nil until asked
	endings map[string]bool     // of all names; nil until asked
	sheets  map[string][]string // styleSheets of the present tree; nil until asked

	// Of the present changes, made by seeds.
	lasting map[string]bool // folders that hold files now and at the base; nil until asked
	seeded  map[int32]string
	effects map[int32]effect
	needs   map[int32][]edge   // a package's node to those of packages that need it
	scope   map[int32][]string // a package's node to the folders in which it changed
	traced  map[string]string  // tests that execute nothing that differs, with why
}

// node is a file, or a virtual one that stands for many edges.
type node struct {
	name     string
	virtual  bool
	pkg      bool // a package's
	owned    bool // scanned by a language
	sheet    bool // a style sheet by its name
	types    bool // a test of types by its name
	language int
	projects []int    // of a test: who runs it
	rev      []edge   // who depends on it
	deps     []int32  // whom an owned file or a test depends on
	scan     *scanned // of an owned file
}

// edge leads to a dependent; label says how it depends.
type edge struct{ to, label int32 }

// label is the verb of a sentence, and why it is unsure ("" for sure).
type label struct{ verb, note string }

// wide is a node on which the files of a language below a folder are: a
// computed import may load any of them.
type wide struct {
	language int
	dir      string
	node     int32
}

// dataRef is a path that a file reads.
type dataRef struct {
	file   int32
	path   string
	folder bool
}

// maxScan is the size of a file above which it is not scanned: bundles and
// generated tables.
const maxScan = 4 << 20

// Build scans and resolves all files of the input's tree.
func Build(ctx context.Context, in Input) (*Graph, error) {
	g := newGraph(in)
	g.files = in.Tree.Files()
	files := g.ours()
	scans, err := g.scan(ctx, files)
	if err != nil {
		return nil, fmt.Errorf("scan the repository: %w", err)
	}
	if err := g.build(ctx, files, scans); err != nil {
		return nil, err
	}
	return g, nil
}

func newGraph(in Input) *Graph {
	return &Graph{in: in, ids: map[string]int32{}, labelID: map[label]int32{}, byBase: map[string][]int32{},
		nested: map[string]bool{}, base: baseSet(in.BaseFiles)}
}

// ours are the tree's files that are the repository's own.
func (g *Graph) ours() []string {
	var files []string
	for _, f := range g.files {
		if !g.foreign(f) {
			files = append(files, f)
		}
	}
	return files
}

// build makes nodes and edges of what the files say.
func (g *Graph) build(ctx context.Context, files []string, scans []*scanned) error {
	for i, f := range files {
		if base := path.Base(f); base == "package.json" || base == "pyproject.toml" {
			g.manifestFiles = append(g.manifestFiles, f)
		}
		id := g.id(f)
		if scans[i] != nil {
			g.nodes[id].owned, g.nodes[id].language = true, scans[i].language
		}
	}
	if err := g.resolve(ctx, scans); err != nil {
		return fmt.Errorf("resolve the imports: %w", err)
	}
	g.layouts(files)
	g.links(files)
	return nil
}

// isLink is how a link's path depends on what it leads to.
const isLink = "is a link to"

// links makes what is reached through a link depend on what it is: a file
// that was linked, or each file of a folder that was.
func (g *Graph) links(files []string) {
	is := g.label(isLink, "")
	for link, to := range g.in.Links {
		if g.foreign(link) {
			continue
		}
		g.always(g.id(link), g.id(to), is)
		for _, f := range files {
			if rest, ok := strings.CutPrefix(f, to+"/"); ok {
				g.always(g.id(link+"/"+rest), g.id(f), is)
			}
		}
	}
}

func (g *Graph) id(name string) int32 {
	if id, ok := g.ids[name]; ok {
		return id
	}
	id := int32(len(g.nodes))
	g.ids[name] = id
	g.nodes = append(g.nodes, node{name: name, sheet: styleExt[path.Ext(name)], types: testsTypes(name)})
	return id
}

// virtual gives the node of that key, which no path can equal.
func (g *Graph) virtual(key string) int32 {
	id := g.id("\x00" + key)
	g.nodes[id].virtual = true
	return id
}

func (g *Graph) label(verb, note string) int32 {
	l := label{verb, note}
	id, ok := g.labelID[l]
	if !ok {
		id = int32(len(g.labels))
		g.labels = append(g.labels, l)
		g.labelID[l] = id
	}
	return id
}

// depends notes that from depends on to.
func (g *Graph) depends(from, to, label int32) {
	if from == to {
		return
	}
	rev := g.nodes[to].rev
	for k := len(rev) - 1; k >= 0 && k >= len(rev)-4; k-- { // a file's edges come together
		if rev[k] == (edge{from, label}) {
			return
		}
	}
	g.nodes[to].rev = append(rev, edge{from, label})
	if g.nodes[from].owned || len(g.nodes[from].projects) > 0 {
		g.nodes[from].deps = append(g.nodes[from].deps, to)
	}
}

// always notes what stays true whatever from says.
func (g *Graph) always(from, to, label int32) {
	if from != to {
		g.nodes[to].rev = append(g.nodes[to].rev, edge{from, label})
	}
}

// foreign tells whether a file is not the repository's own: below
// node_modules or .git, or in another working tree inside this one.
func (g *Graph) foreign(file string) bool {
	for _, part := range strings.Split(path.Dir(file), "/") {
		if part == "node_modules" || part == ".git" {
			return true
		}
	}
	return g.inNested(path.Dir(file))
}

func (g *Graph) inNested(dir string) bool {
	if dir == "." || dir == "/" {
		return false
	}
	if v, ok := g.nested[dir]; ok {
		return v
	}
	git := dir + "/.git"
	v := g.in.Tree.Exists(git) || g.in.Tree.IsDir(git) || g.inNested(path.Dir(dir))
	g.nested[dir] = v
	return v
}

// resolve turns imports into edges. A resolver is used by one goroutine.
func (g *Graph) resolve(ctx context.Context, scans []*scanned) error {
	g.before = g.beforeTree()
	g.renew()
	for _, s := range scans {
		if s == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		g.edges(s)
	}
	return nil
}

// renew makes the resolvers for the present tree, each when it is first needed.
func (g *Graph) renew() {
	g.tree = seen(g.in.Tree)
	g.now, g.old = make([]lang.Resolver, len(g.in.Languages)), make([]lang.Resolver, len(g.in.Languages))
}

// resolvers gives those of a language, old being nil where nothing was deleted.
func (g *Graph) resolvers(language int) (now, old lang.Resolver) {
	l := g.in.Languages[language]
	if g.now[language] == nil {
		g.now[language] = l.NewResolver(g.tree)
	}
	if g.before != nil && g.old[language] == nil {
		g.old[language] = l.NewResolver(g.before)
	}
	return g.now[language], g.old[language]
}

// verbs of the sentences that explain a chain.
var verbs = map[lang.ImportKind]string{
	lang.Static: "imports", lang.From: "imports", lang.TypeOnly: "imports types of", lang.ReExport: "re-exports from",
	lang.Require: "requires", lang.Dynamic: "imports", lang.Mock: "mocks", lang.Asset: "reads",
	lang.Wide: "may import", lang.Mention: "names",
}

func (g *Graph) edges(s *scanned) {
	id := g.id(s.name)
	g.nodes[id].scan = s
	now, old := g.resolvers(s.language)
	for k, i := range s.imports {
		imp := i.language()
		verb := verbs[imp.Kind]
		if verb == "" {
			verb = "imports"
		}
		if imp.Erased {
			verb = erased
		}
		if imp.Kind == lang.Wide && imp.Specifier == "" {
			g.anything(id, s.language, imp.Line)
			continue
		}
		res := now.Resolve(s.name, imp)
		if res.Mapped || !g.rooted(s.language) && imp.Specifier != "" && imp.Specifier[0] != '.' && (len(res.Files) > 0 || res.Missing || len(res.Waiting) > 0 || g.ownPackage(imp.Specifier)) {
			s.imports[k].mapped, s.words = true, everyWord
		}
		l := g.label(verb, res.Wide)
		for _, f := range res.Files {
			g.depends(id, g.id(f), l)
		}
		g.imports(id, s.language, res.Package, l)
		if old == nil {
			continue
		}
		// What is gone satisfied the import, or stood before what does now.
		for _, f := range slices.Concat(old.Resolve(s.name, imp).Files, res.Waiting) {
			if g.before.gone[f] {
				g.depends(id, g.id(f), g.label(was(verb), ""))
			}
		}
	}
	for _, r := range []lang.Resolver{now, old} {
		if r, ok := r.(lang.Implicit); ok {
			for _, f := range r.Implicit(s.name) {
				g.depends(id, g.id(f), g.label("is loaded with", ""))
			}
		}
	}
	if l, ok := g.in.Languages[s.language].(lang.Ambient); ok {
		for _, name := range l.Ambient(s.name) {
			g.imports(id, s.language, name, g.label("may be compiled to import", ""))
		}
	}
	for _, p := range s.data {
		g.reads(id, p)
	}
	if s.tooLarge {
		g.anything(id, s.language, 0)
	}
}

// rooted tells whether all but mapped imports of a language lead to paths of their
// own words (lang.Rooted).
func (g *Graph) rooted(language int) bool {
	_, ok := g.in.Languages[language].(lang.Rooted)
	return ok
}

// was puts a verb into the past: the file is gone.
func was(verb string) string {
	if first, rest, ok := strings.Cut(verb, " "); ok && first == "imports" {
		return "imported " + rest
	}
	switch verb {
	case "imports":
		return "imported"
	case "requires":
		return "required"
	case "mocks":
		return "mocked"
	case "names":
		return "named"
	case "re-exports from":
		return "re-exported from"
	}
	return verb
}

// anything makes a file depend on every file of its language in its project: it
// loads what a variable names. Such a name may be an absolute path that was put
// together, or a package of the workspace, and then leads out of the file's own
// folder and the test's. In conventional-changelog `import(preset)` loads a
// sibling package whose name is made of two parts; less than the project would
// miss a test there, which bench/truth shows that vitest does. What runs were
// seen to load is what may narrow it (see Input.Traced).
func (g *Graph) anything(id int32, language, line int) {
	dir := g.projectDir(g.nodes[id].name)
	note := fmt.Sprintf("it imports a computed path, so any file below %s", show(dir))
	if line > 0 {
		note = fmt.Sprintf("line %d imports a computed path, so any file below %s", line, show(dir))
	}
	w := g.virtual(fmt.Sprintf("wide %d %s", language, dir))
	if !slices.ContainsFunc(g.wides, func(have wide) bool { return have.node == w }) {
		g.wides = append(g.wides, wide{language, dir, w})
	}
	g.depends(id, w, g.label("may import", note))
}

// projectDir is the root of the innermost project around a file.
func (g *Graph) projectDir(file string) string {
	best := "."
	for _, p := range g.in.Projects {
		if root := path.Clean(p.Root); within(file, root) && root != "." && (best == "." || len(root) > len(best)) {
			best = root
		}
	}
	return best
}

// within tells whether a file is below a folder.
func within(file, dir string) bool { return dir == "." || strings.HasPrefix(file, dir+"/") }

// show names a folder for a person.
func show(dir string) string {
	if dir == "." {
		return "the repository"
	}
	return dir
}

func projectKey(n int) string { return fmt.Sprintf("\x00project %d", n) }

// layouts finds the tests and what each project's configuration adds.
func (g *Graph) layouts(files []string) {
	for n, p := range g.in.Projects {
		project := g.virtual(strings.TrimPrefix(projectKey(n), "\x00"))
		for _, f := range p.Global {
			if f = path.Clean(f); !g.foreign(f) {
				g.depends(project, g.id(f), g.label(runWith, ""))
				g.presets(g.id(f))
			}
		}
		if p.IsTest == nil {
			continue
		}
		for _, f := range files {
			if !p.IsTest(f) {
				continue
			}
			id := g.id(f)
			if len(g.nodes[id].projects) == 0 {
				g.tests = append(g.tests, id)
			}
			g.nodes[id].projects = append(g.nodes[id].projects, n)
		}
	}
	for _, id := range g.tests {
		g.linkTest(id)
	}
	sort.Slice(g.tests, func(i, j int) bool { return g.nodes[g.tests[i]].name < g.nodes[g.tests[j]].name })
}

// linkTest makes a test depend on its projects and on what it is run with.
func (g *Graph) linkTest(id int32) {
	with := g.label(runWith, "")
	name := g.nodes[id].name
	for _, n := range g.nodes[id].projects {
		g.depends(id, g.ids[projectKey(n)], with)
		if g.in.Projects[n].Implicit == nil {
			continue
		}
		for _, dep := range g.in.Projects[n].Implicit(name) {
			if !g.foreign(dep) {
				g.depends(id, g.id(path.Clean(dep)), with)
			}
		}
	}
}
