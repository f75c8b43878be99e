package js

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"regreen/internal/lang"
)

// NewResolver makes a resolver for one state of the tree. Node's own modules
// resolve to the Package "node:name". A computed import of which nothing is
// known has neither Files nor Package, only Wide.
func (l Language) NewResolver(t lang.Tree) lang.Resolver { return newResolver(l, t) }

type resolver struct {
	tree       lang.Tree
	aliases    []alias
	manifests  map[string]*manifest // by folder; nil where there is none
	configs    map[string]*tsconfig // by path
	nearest    map[string][]*tsconfig
	workspaces map[string]string // package name to folder; nil until asked
	cache      map[cacheKey]lang.Resolution
	own        map[string]bool // the repository's files; nil until asked
	scans      map[string]*lang.File
	byEnding   map[string][]string // see endings; nil until asked
	extending  map[string][]string // see Configures; nil until asked
}

type cacheKey struct {
	dir, spec string
	kind      lang.ImportKind
	ts        bool
}

// Resolve finds the files that importer loads by imp.
func (r *resolver) Resolve(importer string, imp lang.Import) lang.Resolution {
	key := cacheKey{path.Dir(importer), imp.Specifier, imp.Kind, isTypeScript(importer)}
	if res, ok := r.cache[key]; ok {
		return res
	}
	res := r.resolve(key)
	if res.Missing && ownLooking(key.spec) && strings.ContainsAny(key.spec, "%#") {
		r.asURL(key, &res)
	}
	r.cache[key] = res
	return res
}

// asURL adds what a specifier means to who reads it as a URL.
func (r *resolver) asURL(k cacheKey, res *lang.Resolution) {
	spec, _, _ := strings.Cut(k.spec, "#")
	if plain, err := url.PathUnescape(spec); err == nil {
		spec = plain
	}
	if spec != k.spec && ownLooking(spec) {
		k.spec = spec
		more := r.resolve(k)
		res.Missing = more.Missing
		join(res, more)
	}
}

// isTypeScript tells whether a file's own imports prefer TypeScript files.
func isTypeScript(p string) bool {
	switch path.Ext(p) {
	case ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte":
		return true
	}
	return false
}

func (r *resolver) resolve(k cacheKey) lang.Resolution {
	spec := k.spec
	if k.kind == lang.Wide {
		return r.widened(k.dir, spec)
	}
	if i := strings.IndexByte(spec, '?'); i > 0 {
		spec = spec[:i]
	}
	if (k.kind == lang.Asset || k.kind == lang.TypeOnly && strings.HasSuffix(spec, ".ts")) && !ownLooking(spec) && spec != "" {
		if p := path.Join(k.dir, spec); r.tree.Exists(p) {
			return lang.Resolution{Files: []string{p}}
		}
	}
	k.spec = spec
	paths, modules, besides, aliased := r.aliased(k.dir, spec)
	res := lang.Resolution{Mapped: aliased}
	for _, p := range paths {
		join(&res, r.load(p, k.ts))
	}
	for _, m := range modules {
		if m != spec {
			sub := k
			sub.spec = m
			join(&res, r.unaliased(sub, nil))
		}
	}
	found := len(res.Files) > 0 || res.Package != ""
	switch {
	case !aliased:
		res = r.unaliased(k, besides)
	case ownLooking(spec):
		join(&res, r.unaliased(k, nil))
		res.Missing = res.Missing && !found
	case !found:
		r.unfound(k, true, &res)
	}
	if aliased {
		r.unbuild(paths, &res)
	}
	if k.kind == lang.Mock {
		r.manualMock(k.dir, spec, &res)
	}
	return res
}

// join adds what another way to read a specifier leads to.
func join(res *lang.Resolution, more lang.Resolution) {
	for _, f := range more.Files {
		if !slices.Contains(res.Files, f) {
			res.Files = append(slices.Clip(res.Files), f)
		}
	}
	res.Waiting = append(res.Waiting, more.Waiting...)
	res.Missing = res.Missing || more.Missing
	res.Package, res.Wide = cmp.Or(res.Package, more.Package), cmp.Or(res.Wide, more.Wide)
}

// unaliased resolves without the configurations' aliases; besides are places
// to look in as well.
func (r *resolver) unaliased(k cacheKey, besides []string) lang.Resolution {
	bases, must := r.bases(k.dir, k.spec)
	var res lang.Resolution
	for i, b := range slices.Concat(bases, besides) {
		got := r.load(b, k.ts)
		res.Waiting = append(res.Waiting, got.Waiting...)
		if len(got.Files) == 0 && got.Package == "" {
			continue
		}
		res.Files, res.Package, res.Wide = got.Files, got.Package, got.Wide
		if i >= len(bases) && res.Package == "" && r.installed(k.dir, packageName(k.spec)) {
			res.Package = packageName(k.spec)
		}
		break
	}
	if strings.HasPrefix(k.spec, "#") {
		_, packages := r.importsField(k.dir, k.spec)
		for _, p := range packages {
			sub := k
			sub.spec = p
			join(&res, r.unaliased(sub, nil))
		}
	}
	if len(res.Files) == 0 && res.Package == "" {
		r.unfound(k, must, &res)
	}
	r.unbuild(bases, &res)
	return res
}

// unfound says what a specifier means that leads to no file by its path: must,
// that it can only be the repository's own.
func (r *resolver) unfound(k cacheKey, must bool, res *lang.Resolution) {
	name := packageName(k.spec)
	if must && (ownLooking(k.spec) || k.spec == "" || k.spec[0] == '#' || !r.installed(k.dir, name)) {
		res.Missing = true
	} else if !ownLooking(k.spec) && !r.packageSource(k.dir, k.spec, name, res) {
		res.Package = name
		r.guess(k, res)
	}
}

// unbuild adds the sources of files that are built: of those that are there
// but not the repository's own, and of one that is still to be built, which
// stays Missing.
func (r *resolver) unbuild(bases []string, res *lang.Resolution) {
	paths := res.Files
	if res.Missing {
		paths = bases
	}
	for _, p := range paths {
		p = strings.TrimSuffix(p, "/")
		pkg := r.packageOf(p)
		if r.isOwn(p) || res.Missing && r.ownFolder(pkg, p) {
			continue
		}
		if src := r.sourceOf(pkg, p); src != "" && !slices.Contains(res.Files, src) {
			res.Files = append(slices.Clip(res.Files), src)
			res.Wide = p + " is taken to be built from " + src
		}
	}
}

// ownFolder tells whether the first folder of p inside its package holds files
// of the repository: then nothing is built there.
func (r *resolver) ownFolder(pkg, p string) bool {
	prefix := ""
	if pkg != "." {
		prefix = pkg + "/"
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(p, prefix), "/")
	prefix += first + "/"
	files := r.tree.Files()
	i := sort.SearchStrings(files, prefix)
	return i < len(files) && strings.HasPrefix(files[i], prefix)
}

// bases are the paths, without extension, that a specifier may mean among the
// repository's files; must says that it can mean nothing else.
func (r *resolver) bases(dir, spec string) (bases []string, must bool) {
	switch {
	case spec == "":
		return nil, true
	case spec[0] == '.' && (spec == "." || spec == ".." || strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../")):
		p := path.Join(dir, spec)
		if outside(p) {
			return nil, false
		}
		if strings.HasSuffix(spec, "/") || spec == "." || spec == ".." || strings.HasSuffix(spec, "/.") || strings.HasSuffix(spec, "/..") {
			p += "/"
		}
		return []string{p}, true
	case spec[0] == '/':
		p := strings.TrimLeft(spec, "/")
		for _, d := range r.packageDirs(dir) {
			bases = append(bases, path.Join(d, p))
			if assetExt[path.Ext(p)] {
				bases = append(bases, path.Join(d, "public", p))
			}
		}
		return bases, true
	case strings.Contains(spec, ":"):
		return nil, false
	}
	if spec[0] == '#' {
		if bases, _ := r.importsField(dir, spec); len(bases) > 0 {
			return bases, true
		}
	}
	bases, must = r.configPaths(dir, spec)
	if !must && (strings.HasPrefix(spec, "@/") || strings.HasPrefix(spec, "~/") || strings.HasPrefix(spec, "~~/") || strings.HasPrefix(spec, "@@/")) {
		// The usual alias of the source folder, set where we do not see it.
		_, rest, _ := strings.Cut(spec, "/")
		for _, d := range r.packageDirs(dir) {
			bases = append(bases, path.Join(d, "src", rest), path.Join(d, rest), path.Join(d, "app", rest))
		}
		return bases, true
	}
	return bases, must || spec[0] == '#'
}

// outside tells whether a rel path leaves the repository.
func outside(p string) bool { return p == ".." || strings.HasPrefix(p, "../") }

// packageDirs are the folders with a package.json from dir upwards, and the
// repository's root.
func (r *resolver) packageDirs(dir string) []string {
	var out []string
	for d := dir; ; d = path.Dir(d) {
		if d == "." || r.manifest(d) != nil {
			out = append(out, d)
		}
		if d == "." || d == "/" {
			return out
		}
	}
}

// widened gives every file that a literal prefix or a glob may mean.
func (r *resolver) widened(dir, spec string) lang.Resolution {
	if spec == "" {
		return lang.Resolution{Wide: "the path is computed"}
	}
	bases, _, besides, aliased := r.aliased(dir, spec)
	if !aliased {
		bases, _ = r.bases(dir, spec)
		bases = append(bases, besides...)
	}
	res := lang.Resolution{Wide: "every file that matches " + spec, Mapped: aliased}
	glob := strings.ContainsAny(spec, "*?{[(")
	for _, b := range bases {
		folder := b
		if i := strings.Index(b, "("); i >= 0 { // @(a|b): all below the folder
			folder = b[:strings.LastIndexByte(b[:i], '/')+1]
		}
		for _, f := range r.tree.Files() {
			hit := false
			if glob {
				hit, _ = doublestar.Match(b, f)
				hit = hit || folder != b && strings.HasPrefix(f, folder)
			}
			if !hit { // what stands before a hole may hold such signs itself
				hit = b == "./" || strings.HasPrefix(f, b) && !strings.HasSuffix(b, "/") || strings.HasPrefix(f, strings.TrimSuffix(b, "/")+"/")
			}
			if hit {
				res.Files = append(res.Files, f)
			}
		}
	}
	if len(bases) == 0 {
		res.Package, res.Files = packageName(spec), r.startingWith(dir, spec)
	}
	return res
}

// startingWith gives the files of the repository's packages that a bare
// specifier may mean of which the beginning is known.
func (r *resolver) startingWith(dir, spec string) []string {
	if spec == "." || spec == ".." || strings.Contains(spec, ":") {
		return nil
	}
	r.workspace(spec)
	folders := map[string]bool{}
	may := func(name, folder string) {
		if name != "" && (strings.HasPrefix(name, spec) || strings.HasPrefix(spec, name+"/")) {
			folders[folder] = true
		}
	}
	for name, folder := range r.workspaces {
		may(name, folder)
	}
	for _, d := range r.packageDirs(dir) {
		if m := r.manifest(d); m != nil {
			may(m.Name, d)
		}
	}
	var out []string
	for _, f := range r.tree.Files() {
		for folder := range folders {
			if folder == "." || strings.HasPrefix(f, folder+"/") {
				out = append(out, f)
				break
			}
		}
	}
	return out
}

// manualMock adds the __mocks__ file that jest and vitest use in its place.
func (r *resolver) manualMock(dir, spec string, res *lang.Resolution) {
	var bases []string
	if res.Package == "" {
		for _, f := range res.Files {
			stem := strings.TrimSuffix(path.Base(f), path.Ext(f))
			bases = append(bases, path.Join(path.Dir(f), "__mocks__", stem))
		}
		if len(res.Files) == 0 && ownLooking(spec) {
			p := path.Join(dir, spec)
			bases = append(bases, path.Join(path.Dir(p), "__mocks__", path.Base(p)))
		}
	} else {
		for _, d := range r.packageDirs(dir) {
			bases = append(bases, path.Join(d, "__mocks__", spec), path.Join(d, "src/__mocks__", spec))
		}
	}
	for _, b := range bases {
		got := r.load(b, true)
		res.Files = append(res.Files, got.Files...)
		if len(got.Files) == 0 {
			res.Waiting = append(res.Waiting, b+".js", b+".ts")
		}
	}
}

// packageName is the package that a bare specifier names.
func packageName(spec string) string {
	if nodeBuiltin(spec) {
		return "node:" + strings.TrimPrefix(spec, "node:")
	}
	if strings.Contains(spec, ":") {
		return spec
	}
	parts := strings.SplitN(spec, "/", 3)
	if strings.HasPrefix(spec, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}
