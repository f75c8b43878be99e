package py

import (
	"path"
	"slices"
	"sort"
	"strings"

	"regreen/internal/lang"
)

// NewResolver prepares the search for modules in a tree.
//
// What an import finds depends on sys.path, and that on how the tests are
// started. So a name is looked for in the importer's own folder (the one that
// pytest inserts) first and then in all roots, and where several of them have
// it, all are given: an import never leads to fewer files than it may load.
func (l *Language) NewResolver(t lang.Tree) lang.Resolver {
	r := &resolver{lang: l, roots: findRoots(t), tree: t, found: map[string]lang.Resolution{},
		firsts: map[inRoot]bool{}, files: map[string]bool{}, dirs: map[string][]string{}, scans: map[string]*offered{}, stats: map[string]bool{}}
	for _, f := range t.Files() {
		r.files[f] = true
		if l.Owns(f) {
			for dir := path.Dir(f); dir != "."; dir = path.Dir(dir) {
				r.dirs[dir] = append(r.dirs[dir], f)
			}
			r.first(f)
		} else if ext := path.Ext(f); ext == ".pyx" || ext == "" { // or a link to a package
			r.first(f)
		}
	}
	return r
}

type resolver struct {
	lang  *Language
	roots *roots
	tree  lang.Tree
	found map[string]lang.Resolution
	files map[string]bool
	dirs  map[string][]string // folder to the language's files below it
	scans map[string]*offered
	stats map[string]bool
	// firsts are the modules and packages that stand in a root: there are many
	// roots, and an import is looked for only where its first part is.
	firsts map[inRoot]bool
	tops   map[string][]string // module to the folders outside of the roots that hold it; nil until asked
}

// inRoot is a name in a folder of sys.path.
type inRoot struct{ root, name string }

// first notes a file below the roots that it is in.
func (r *resolver) first(f string) {
	name := strings.TrimSuffix(path.Base(f), path.Ext(f))
	for dir := path.Dir(f); ; dir = path.Dir(dir) {
		if r.roots.set[dir] {
			r.firsts[inRoot{dir, name}] = true
		}
		if dir == "." {
			return
		}
		name = path.Base(dir)
	}
}

// offered is what a module's text binds at its top level.
type offered struct {
	names map[string]bool
	all   []string // __all__
	known bool
}

// find is a walk along a dotted name.
type find struct {
	lang.Resolution
	dir     string   // of the last package, "" when the walk ended in a module
	matched int      // parts that were found
	module  string   // the file of the last module or package, "" for a namespace
	absent  []string // names that a from-import wants and that are not there
}

func (f *find) file(p string)    { f.Files = append(f.Files, p) }
func (f *find) waiting(p string) { f.Waiting = append(f.Waiting, p) }

// walk follows parts from a folder on; every package's __init__ is loaded.
func (r *resolver) walk(dir string, parts []string) find {
	f := find{dir: dir}
	for n, part := range parts {
		p := path.Join(f.dir, part)
		init, mod := path.Join(p, "__init__.py"), p+".py"
		switch {
		case r.exists(init):
			f.file(init)
			f.dir, f.module = p, init
		case r.exists(mod):
			f.waiting(init)
			f.file(mod)
			f.matched++
			f.dir, f.module = "", mod
			return f
		case r.exists(p + ".pyx"):
			f.file(p + ".pyx")
			f.matched++
			f.dir, f.module = "", p+".pyx"
			return f
		case r.isDir(p):
			f.waiting(init)
			f.waiting(mod)
			f.dir, f.module = p, ""
		case r.exists(p + ".pyi"):
			f.file(p + ".pyi")
			f.waiting(mod)
			f.matched++
			f.dir, f.module = "", p+".pyi"
			return f
		default:
			f.waiting(init)
			f.waiting(mod)
			if rest := path.Join(parts[n+1:]...); rest != "" {
				f.waiting(path.Join(p, rest) + ".py")
				f.waiting(path.Join(p, rest, "__init__.py"))
			}
			return f
		}
		f.matched++
	}
	return f
}

// Resolve finds the files that an import loads.
func (r *resolver) Resolve(importer string, imp lang.Import) lang.Resolution {
	dir := path.Dir(importer)
	key := string(imp.Kind) + "\x00" + imp.Specifier + "\x00"
	if strings.HasPrefix(imp.Specifier, ".") {
		key += dir
	} else {
		key += r.roots.base(dir)
	}
	for _, n := range imp.Names {
		if n.Imported != "*" || n.Local == "*" {
			key += "\x00" + n.Imported
		}
	}
	if res, ok := r.found[key]; ok {
		return res
	}
	res := r.resolve(importer, imp)
	res.Files, res.Waiting = unique(res.Files), unique(res.Waiting)
	r.found[key] = res
	return res
}

func unique(list []string) []string {
	seen := map[string]bool{}
	out := list[:0]
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

func (r *resolver) resolve(importer string, imp lang.Import) lang.Resolution {
	switch imp.Kind {
	case lang.Wide:
		return r.wide(importer, imp.Specifier)
	case lang.Asset:
		return lang.Resolution{}
	}
	if strings.HasPrefix(imp.Specifier, ".") {
		return r.relative(importer, imp)
	}
	parts := strings.Split(imp.Specifier, ".")
	own := r.roots.base(path.Dir(importer))
	best := r.walk(own, parts)
	candidates := []find{best}
	if best.matched < len(parts) || best.module == "" {
		for _, root := range r.roots.list {
			if root != own && (root == "." || root == "src" || r.firsts[inRoot{root, parts[0]}] || r.linked(root)) {
				candidates = append(candidates, r.walk(root, parts))
			}
		}
	}
	return r.choose(importer, imp, parts, candidates)
}

// choose joins what the walks from the roots found.
func (r *resolver) choose(importer string, imp lang.Import, parts []string, walks []find) lang.Resolution {
	most := 0
	for _, f := range walks {
		most = max(most, f.matched)
	}
	res := lang.Resolution{}
	if most == 0 {
		for _, f := range walks {
			res.Waiting = append(res.Waiting, f.Waiting...)
		}
		if imp.Kind != lang.Mention {
			res.Package = parts[0]
			r.elsewhere(&res, imp, parts)
		}
		return res
	}
	// A name is missing where no folder has it: a namespace package may be
	// spread over several.
	ends, missing, whole, absent := 0, true, 0, map[string]int{}
	for _, f := range walks {
		if f.matched < most {
			res.Waiting = append(res.Waiting, f.Waiting...)
			continue
		}
		r.finish(&f, imp, parts)
		res.Files = append(res.Files, f.Files...)
		res.Waiting = append(res.Waiting, f.Waiting...)
		missing = missing && f.Missing
		whole++
		for _, name := range f.absent {
			absent[name]++
		}
		if len(f.Files) > 0 {
			ends++
		}
	}
	if imp.Kind == lang.Mention {
		// Only what is surely meant: the text may be about something else.
		if most < len(parts)-1 || most == 0 {
			return lang.Resolution{Waiting: res.Waiting}
		}
		return res
	}
	res.Missing = missing
	for _, n := range absent {
		res.Missing = res.Missing || n == whole
	}
	if IsStdlib(parts[0]) {
		res.Package, res.Missing = parts[0], false
		res.Wide = parts[0] + " is a module of the standard library too"
	} else if ends > 1 {
		res.Wide = imp.Specifier + " is found in more than one folder of sys.path"
	}
	return res
}

// elsewhere adds what an import means if a folder that no configuration names
// is put on sys.path by code: the modules of that name in folders that are no
// packages. It stays a package's import as well.
func (r *resolver) elsewhere(res *lang.Resolution, imp lang.Import, parts []string) {
	if IsStdlib(parts[0]) {
		return
	}
	if r.tops == nil {
		r.findTops()
	}
	for _, root := range r.tops[parts[0]] {
		f := r.walk(root, parts)
		r.finish(&f, imp, parts)
		res.Files = append(res.Files, f.Files...)
		res.Wide = "sys.path may hold " + root
	}
}

// findTops lists the folders that could be on sys.path by the modules and
// packages in them.
func (r *resolver) findTops() {
	r.tops = map[string][]string{}
	for f := range r.files {
		if !r.lang.Owns(f) {
			continue
		}
		dir, name := path.Dir(f), strings.TrimSuffix(strings.TrimSuffix(path.Base(f), ".pyi"), ".py")
		if name == "__init__" {
			dir, name = path.Dir(dir), path.Base(dir)
		}
		if name == "conftest" || name == "." || r.files[path.Join(dir, "__init__.py")] || r.roots.set[dir] {
			continue
		}
		if !slices.Contains(r.tops[name], dir) {
			r.tops[name] = append(r.tops[name], dir)
		}
	}
	for name, dirs := range r.tops {
		if len(dirs) > maxTops {
			delete(r.tops, name) // a name of everywhere (main, utils) tells nothing
			continue
		}
		sort.Strings(dirs)
	}
}

// maxTops bounds in how many folders a module is looked for that no
// configuration leads to.
const maxTops = 8

// finish adds the submodules that the names of an import load, and judges
// whether something is missing.
func (r *resolver) finish(f *find, imp lang.Import, parts []string) {
	rest := parts[f.matched:]
	if len(rest) > 0 {
		switch imp.Kind {
		case lang.Mock, lang.Mention:
			f.Missing = f.dir != "" && !r.offers(f, rest[0])
		default:
			f.Missing = true
		}
		return
	}
	if imp.Kind == lang.Mock || imp.Kind == lang.Mention || imp.Kind == lang.Dynamic {
		return
	}
	r.names(f, imp)
}

// names handles "from package import name": name is a submodule or an
// attribute, and where it could be both, both are loaded.
func (r *resolver) names(f *find, imp lang.Import) {
	if f.dir == "" {
		return
	}
	for _, n := range imp.Names {
		switch {
		case n.Imported == "*" && n.Local == "*":
			for _, sub := range r.offered(f.module).all {
				r.submodule(f, sub)
			}
		case n.Imported != "*":
			if !r.submodule(f, n.Imported) && !r.offers(f, n.Imported) {
				f.absent = append(f.absent, n.Imported)
			}
		}
	}
}

// submodule adds package.name if there is such a module.
func (r *resolver) submodule(f *find, name string) bool {
	sub := r.walk(f.dir, []string{name})
	f.Files = append(f.Files, sub.Files...)
	f.Waiting = append(f.Waiting, sub.Waiting...)
	return sub.matched == 1
}

// offers tells whether a package's __init__ binds the name, as far as can be
// seen; a namespace package binds nothing.
func (r *resolver) offers(f *find, name string) bool {
	if f.module == "" {
		return false
	}
	o := r.offered(f.module)
	return !o.known || o.names[name] || strings.HasPrefix(name, "__")
}

func (r *resolver) offered(file string) *offered {
	if o, ok := r.scans[file]; ok {
		return o
	}
	o := &offered{names: map[string]bool{}}
	if src, err := r.tree.ReadFile(file); err == nil {
		t := newText(src)
		stmts := t.parse()
		s := &scanner{text: t, f: &lang.File{AllKnown: true}, locals: map[string]string{}, mentions: map[string]bool{}}
		s.block(stmts, place{})
		a := analyse(t, stmts, true)
		s.offers(a)
		for _, b := range a.module.binds {
			o.names[b.name] = true
		}
		for name := range s.all {
			o.all = append(o.all, name)
		}
		sort.Strings(o.all)
		o.known = s.f.AllKnown
	}
	r.scans[file] = o
	return o
}

// relative resolves "from ..m import n".
func (r *resolver) relative(importer string, imp lang.Import) lang.Resolution {
	rest := strings.TrimLeft(imp.Specifier, ".")
	dir := path.Dir(importer)
	for n := len(imp.Specifier) - len(rest); n > 1; n-- {
		if dir == "." {
			return lang.Resolution{Missing: imp.Kind != lang.Mention}
		}
		dir = path.Dir(dir)
	}
	var parts []string
	if rest != "" {
		parts = strings.Split(rest, ".")
	}
	f := r.walk(dir, parts)
	if len(parts) == 0 {
		if init := path.Join(dir, "__init__.py"); r.exists(init) {
			f.file(init)
			f.module = init
		} else {
			f.waiting(init)
		}
	}
	r.finish(&f, imp, parts)
	f.Missing = f.Missing || len(f.absent) > 0
	f.Files = append(f.Files, r.Implicit(path.Join(dir, "x.py"))...)
	if imp.Kind == lang.Mention {
		if f.matched < len(parts)-1 || f.matched == 0 {
			return lang.Resolution{}
		}
		f.Missing = false
	}
	return f.Resolution
}

// wide resolves an import of which only a literal prefix is known.
func (r *resolver) wide(importer, prefix string) lang.Resolution {
	cut := strings.LastIndexByte(prefix, '.')
	if cut < 0 {
		return lang.Resolution{Wide: "a computed import may load any module"}
	}
	stem := prefix[cut+1:]
	spec := prefix[:cut]
	if strings.Trim(spec, ".") == "" {
		spec = prefix[:cut+1]
	}
	pkg := r.resolve(importer, lang.Import{Kind: lang.Dynamic, Specifier: spec})
	res := lang.Resolution{Files: pkg.Files, Waiting: pkg.Waiting, Wide: "a computed import may load any module " + prefix + "*"}
	for _, root := range r.packageDirs(importer, spec) {
		for _, f := range r.dirs[root] {
			if strings.HasPrefix(f, path.Join(root, stem)) || stem == "" {
				res.Files = append(res.Files, f)
			}
		}
	}
	return res
}

// packageDirs gives the folders of a package.
func (r *resolver) packageDirs(importer, spec string) []string {
	if strings.HasPrefix(spec, ".") {
		rest := strings.TrimLeft(spec, ".")
		dir := path.Dir(importer)
		for n := len(spec) - len(rest); n > 1; n-- {
			dir = path.Dir(dir)
		}
		return []string{path.Join(dir, strings.ReplaceAll(rest, ".", "/"))}
	}
	var out []string
	for _, root := range append([]string{r.roots.base(path.Dir(importer))}, r.roots.list...) {
		if dir := path.Join(root, strings.ReplaceAll(spec, ".", "/")); r.isDir(dir) {
			out = append(out, dir)
		}
	}
	return unique(out)
}

// Implicit gives the __init__.py files of the packages that a file is in:
// they are loaded before it.
func (r *resolver) Implicit(file string) []string {
	var out []string
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		init := path.Join(dir, "__init__.py")
		if !r.exists(init) {
			return out
		}
		if init != file {
			out = append(out, init)
		}
		if dir == "." {
			return out
		}
	}
}
