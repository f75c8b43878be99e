package node

import (
	"bytes"
	"path"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
)

// scan reads a file's imports and exports; nil when it cannot be read.
func (c Context) scan(rel string) (*lang.File, []byte) {
	src, ok := c.read(rel)
	if !ok || c.Language == nil || !c.Language.Owns(rel) {
		return nil, src
	}
	return c.Language.Scan(rel, src), src
}

// FindImport finds where importer (rel) names a module: spec as written
// there, or the absolute path that it was resolved to. written is the
// specifier as it stands in the file.
func FindImport(c Context, importer, spec string) (at runner.Place, written string, ok bool) {
	f, src := c.scan(importer)
	if f == nil {
		return findQuoted(importer, src, spec)
	}
	for _, imp := range f.Imports {
		if imp.Specifier == spec {
			return runner.Place{File: importer, Line: imp.Line, Column: imp.Column}, spec, true
		}
	}
	spec = cleanFile(spec)
	targets := []string{}
	if t, ok := Rel(c, spec); ok {
		targets = append(targets, t)
	}
	if isAbs(spec) { // vite names paths from the project's root
		targets = append(targets, path.Join(c.project(), spec[1:]))
	}
	for _, t := range targets {
		for _, imp := range f.Imports {
			if leadsTo(importer, imp.Specifier, t) {
				return runner.Place{File: importer, Line: imp.Line, Column: imp.Column}, imp.Specifier, true
			}
		}
	}
	// An alias (@/x, #x, ~/x): the same tail, if only one import has it.
	for _, t := range targets {
		var hit []lang.Import
		for _, imp := range f.Imports {
			if !strings.HasPrefix(imp.Specifier, ".") && sameTail(imp.Specifier, t) {
				hit = append(hit, imp)
			}
		}
		if len(hit) == 1 {
			return runner.Place{File: importer, Line: hit[0].Line, Column: hit[0].Column}, hit[0].Specifier, true
		}
	}
	return runner.Place{}, "", false
}

// leadsTo tells whether a relative specifier in importer means target, with or
// without its extension.
func leadsTo(importer, spec, target string) bool {
	if !strings.HasPrefix(spec, ".") {
		return false
	}
	if i := strings.IndexAny(spec, "?#"); i > 0 {
		spec = spec[:i]
	}
	p := path.Join(path.Dir(importer), spec)
	return p == target || strings.TrimSuffix(target, path.Ext(target)) == p ||
		strings.TrimSuffix(target, path.Ext(target)) == strings.TrimSuffix(p, path.Ext(p)) && path.Ext(p) != "" ||
		path.Dir(target) == p && strings.HasPrefix(path.Base(target), "index.")
}

func sameTail(spec, target string) bool {
	i := strings.IndexByte(spec, '/')
	tail := spec
	if i >= 0 {
		tail = spec[i:]
	} else if strings.HasPrefix(spec, "#") || strings.HasPrefix(spec, "~") {
		tail = "/" + spec[1:]
	} else {
		return false
	}
	t := "/" + target
	return strings.HasSuffix(t, tail) || strings.HasSuffix(strings.TrimSuffix(t, path.Ext(t)), tail)
}

var loads = lazyregexp.New(`\b(?:import|require|from|mock|doMock|unmock|requireActual|export)\b`)

// findQuoted is the fallback where nothing can scan the file.
func findQuoted(importer string, src []byte, spec string) (runner.Place, string, bool) {
	n := 0
	for line := range bytes.Lines(src) {
		n++
		for _, q := range []string{"'", `"`, "`"} {
			i := bytes.Index(line, []byte(q+spec+q))
			if i >= 0 && loads.Match(line) {
				return runner.Place{File: importer, Line: n, Column: i + 2}, spec, true
			}
		}
	}
	return runner.Place{}, "", false
}

// lineIsOf tells whether a frame's line belongs to the statement that imports
// the module: a stack points to its first line, the specifier may stand lower.
func lineIsOf(c Context, file string, line int, written string) bool {
	f, src := c.scan(file)
	if f == nil {
		return false
	}
	for _, imp := range f.Imports {
		if imp.Specifier != written {
			continue
		}
		first, _ := lineAt(src, imp.Span.Start)
		last, _ := lineAt(src, imp.Span.End)
		if first <= line && line <= last {
			return true
		}
	}
	return false
}

var extensions = []string{".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", ".mts", ".cts", ".json"}

// resolve finds the project file that a specifier loads, "" when it is none.
func (c Context) resolve(importer string, imp lang.Import) string {
	if strings.HasPrefix(imp.Specifier, ".") {
		spec := imp.Specifier
		if i := strings.IndexAny(spec, "?"); i > 0 {
			spec = spec[:i]
		}
		return c.file(path.Join(path.Dir(importer), spec))
	}
	if c.Language == nil {
		return ""
	}
	res := c.Language.NewResolver(tree{c}).Resolve(importer, imp)
	if len(res.Files) == 1 && !res.Missing {
		return res.Files[0]
	}
	return ""
}

// file completes a path as Node and the bundlers do.
func (c Context) file(p string) string {
	if c.exists(p) {
		return p
	}
	for _, e := range extensions {
		if c.exists(p + e) {
			return p + e
		}
	}
	if ext := path.Ext(p); ext == ".js" || ext == ".jsx" || ext == ".mjs" || ext == ".cjs" {
		ts := strings.TrimSuffix(p, ext) + strings.Replace(ext, "js", "ts", 1)
		for _, t := range []string{ts, ts + "x"} {
			if c.exists(t) {
				return t
			}
		}
	}
	for _, e := range extensions {
		if c.exists(p + "/index" + e) {
			return p + "/index" + e
		}
	}
	return ""
}

// tree shows the run's files to a resolver.
type tree struct{ c Context }

func (t tree) ReadFile(rel string) ([]byte, error) { return t.c.Read(rel) }
func (t tree) Exists(rel string) bool              { return t.c.exists(rel) }
func (t tree) IsDir(rel string) bool               { return t.c.isDir(rel) }
func (t tree) Files() []string                     { return nil }

// offers tells whether a project file exports a name, following re-exports.
// known is false when that cannot be said.
func (c Context) offers(rel, name string, depth int) (has, known bool) {
	f, _ := c.scan(rel)
	if f == nil || depth > 8 {
		return false, false
	}
	known = f.AllKnown
	for _, e := range f.Exports {
		if e.Name == name {
			return true, true
		}
		if e.Name == "*" && e.From != "" {
			to := c.resolve(rel, lang.Import{Kind: lang.ReExport, Specifier: e.From})
			if to == "" {
				known = false
				continue
			}
			h, k := c.offers(to, name, depth+1)
			if h && name != "default" {
				return true, true
			}
			known = known && k
		}
	}
	return false, known
}

// reach walks the project files that start loads, nearest first, until visit
// returns false. It is bounded.
func (c Context) reach(start string, visit func(rel string, f *lang.File, src []byte) bool) {
	const limit = 2000
	seen := map[string]bool{start: true}
	queue := []string{start}
	for n := 0; len(queue) > 0 && n < limit; n++ {
		rel := queue[0]
		queue = queue[1:]
		f, src := c.scan(rel)
		if src == nil {
			continue
		}
		if !visit(rel, f, src) {
			return
		}
		if f == nil {
			continue
		}
		for _, imp := range f.Imports {
			if imp.Kind == lang.TypeOnly {
				continue
			}
			if to := c.resolve(rel, imp); to != "" && own(to) && !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
}
