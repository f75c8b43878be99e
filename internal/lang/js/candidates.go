package js

import (
	"path"
	"strings"

	"regreen/internal/lang"
)

var (
	tsFirst = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"}
	jsFirst = []string{".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"}
	// lastTried come after every file of code.
	lastTried = []string{".json", ".vue", ".svelte", ".node", ".d.ts", ".d.mts", ".d.cts"}
)

// sources are the extensions that an extension written in an import may stand
// for in TypeScript.
var sources = map[string][]string{
	".js":  {".ts", ".tsx", ".d.ts", ".jsx"},
	".jsx": {".tsx", ".d.ts"},
	".mjs": {".mts", ".d.mts"},
	".cjs": {".cts", ".d.cts"},
}

// load finds the file that a path without a sure extension means: itself, the
// TypeScript file that it stands for, the path with an extension, or the
// folder's entry. A path that ends in a slash is a folder.
func (r *resolver) load(base string, ts bool) lang.Resolution {
	var res lang.Resolution
	if outside(base) {
		return res
	}
	if i := strings.LastIndex("/"+base, "/node_modules/"); i >= 0 {
		return lang.Resolution{Package: packageName(base[i+len("node_modules/"):])}
	}
	dir := strings.HasSuffix(base, "/") || base == "."
	base = strings.TrimSuffix(base, "/")
	if !dir {
		if r.loadFile(base, ts, &res) {
			return res
		}
	}
	r.loadDir(base, ts, &res)
	return res
}

func (r *resolver) try(p string, res *lang.Resolution) bool {
	if r.tree.Exists(p) {
		res.Files = append(res.Files, p)
		return true
	}
	res.Waiting = append(res.Waiting, p)
	return false
}

// loadFile tries base as a file.
func (r *resolver) loadFile(base string, ts bool, res *lang.Resolution) bool {
	exact := r.try(base, res)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	for _, e := range sources[ext] {
		if !r.tree.Exists(stem + e) {
			if !exact {
				res.Waiting = append(res.Waiting, stem+e)
			}
			continue
		}
		if strings.HasPrefix(e, ".d.") && len(res.Files) > 0 {
			continue
		}
		res.Files = append(res.Files, stem+e)
	}
	if len(res.Files) > 0 {
		return r.chosen(res)
	}
	return r.loadExt(base, ts, res)
}

// loadExt tries base with each extension.
func (r *resolver) loadExt(base string, ts bool, res *lang.Resolution) bool {
	exts := jsFirst
	if ts {
		exts = tsFirst
	}
	for _, e := range exts {
		if r.tree.Exists(base + e) {
			res.Files = append(res.Files, base+e)
		} else if len(res.Files) == 0 {
			res.Waiting = append(res.Waiting, base+e)
		}
	}
	if len(res.Files) > 0 {
		return r.chosen(res)
	}
	for _, e := range lastTried {
		if r.tree.Exists(base + e) {
			res.Files = append(res.Files, base+e)
			return true
		}
	}
	return false
}

// chosen says so where more than one file stands for the same path: which one
// is loaded depends on the framework.
func (r *resolver) chosen(res *lang.Resolution) bool {
	if len(res.Files) > 1 {
		res.Wide = "both " + res.Files[0] + " and " + res.Files[1] + " exist"
	}
	return true
}

// loadDir tries base as a folder: its package.json's entry, then its index.
func (r *resolver) loadDir(base string, ts bool, res *lang.Resolution) {
	if base == "" {
		base = "."
	}
	if !r.tree.IsDir(base) && base != "." {
		res.Waiting = append(res.Waiting, path.Join(base, "index.js"), path.Join(base, "index.ts"), path.Join(base, "index.tsx"))
		return
	}
	if m := r.manifest(base); m != nil {
		for _, e := range m.entries() {
			p := path.Join(base, e)
			if p == base || outside(p) {
				continue
			}
			if r.entry(base, p, ts, res) {
				return
			}
		}
	}
	r.loadExt(path.Join(base, "index"), ts, res)
}

// entry tries a file that a manifest names: as it is, or, where it is built,
// the source that it is built from.
func (r *resolver) entry(pkg, p string, ts bool, res *lang.Resolution) bool {
	var got lang.Resolution
	found := r.loadFile(p, ts, &got)
	if !found && r.tree.IsDir(p) {
		found = r.loadExt(path.Join(p, "index"), ts, &got)
	}
	if found && r.isOwn(got.Files[0]) {
		res.Files, res.Wide = append(res.Files, got.Files...), got.Wide
		return true
	}
	if src := r.sourceOf(pkg, p); src != "" {
		res.Files = append(res.Files, src)
		res.Wide = p + " is taken to be built from " + src
		return true
	}
	if found {
		res.Files, res.Wide = append(res.Files, got.Files...), got.Wide
		return true
	}
	res.Waiting = append(res.Waiting, got.Waiting...)
	return false
}

// isOwn tells whether the file is one of the repository's own.
func (r *resolver) isOwn(p string) bool {
	if r.own == nil {
		files := r.tree.Files()
		r.own = make(map[string]bool, len(files))
		for _, f := range files {
			r.own[f] = true
		}
	}
	return r.own[p]
}

// built are the folders that hold what is built from src.
var built = map[string]bool{
	"dist": true, "build": true, "lib": true, "out": true, "esm": true, "cjs": true, "es": true,
	"output": true, "umd": true, "types": true, "module": true, "commonjs": true, "compiled": true,
}

// sourceOf finds the source that a built file of a package comes from: by
// outDir and rootDir of its tsconfig, else by the same name under src.
func (r *resolver) sourceOf(pkg, p string) string {
	stem := p
	for _, e := range []string{".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs", ".jsx", ".json"} {
		if s, ok := strings.CutSuffix(stem, e); ok {
			stem = s
			break
		}
	}
	stem = strings.TrimSuffix(stem, ".min")
	rel := strings.TrimPrefix(strings.TrimPrefix(stem, pkg), "/")
	if pkg == "." {
		rel = stem
	}
	var stems []string
	for _, c := range r.tsconfigs(pkg) {
		if c.outDir == "" {
			continue
		}
		if rest, ok := strings.CutPrefix(stem, c.outDir+"/"); ok {
			if c.rootDir != "" {
				stems = append(stems, path.Join(c.rootDir, rest))
			}
			stems = append(stems, path.Join(pkg, "src", rest), path.Join(pkg, rest))
		}
	}
	rest, isBuilt := rel, false
	for {
		first, tail, ok := strings.Cut(rest, "/")
		if !ok || !built[first] {
			break
		}
		rest, isBuilt = tail, true
	}
	if !isBuilt && len(stems) == 0 {
		return ""
	}
	stems = append(stems, path.Join(pkg, "src", rest), path.Join(pkg, strings.TrimPrefix(rest, "src/")), path.Join(pkg, rest))
	if base := path.Base(rest); strings.Contains(rest, "/") {
		stems = append(stems, path.Join(pkg, "src", base))
	}
	for _, s := range append(stems, path.Join(stems[0], "index")) {
		for _, e := range tsFirst {
			if r.isOwn(s+e) && s+e != p {
				return s + e
			}
		}
	}
	return ""
}
