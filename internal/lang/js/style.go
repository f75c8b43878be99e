package js

import (
	"path"
	"strings"

	"regreen/internal/lang"
)

// style is how specifiers are written.
type style struct {
	ext   extMode
	index bool // x/index is written out
	dot   bool // "." and ".." are written for an index
	slash bool // folders end in a slash
	alias bool // aliases come before relative paths
}

// extMode is what stands for a file's extension.
type extMode int

const (
	extOmit    extMode = iota
	extRuntime         // that of the file which runs: .js for .ts
	extReal            // the file's own
)

// style reads it off the specifier that is replaced, else off the imports of
// the importer, else of its neighbours, else off the module system.
func (r *resolver) style(importer, like string) style {
	if like != "" {
		st := style{alias: !ownLooking(like), dot: like == "." || like == ".." || strings.HasSuffix(like, "/..")}
		st.slash = strings.HasSuffix(like, "/")
		own := strings.TrimSuffix(path.Base(like), path.Ext(like))
		st.index = own == "index"
		ext, ok := r.writtenExt(like)
		if !ok || ext == extOmit && (own == "." || own == ".." || own == "") {
			st.ext = r.usualStyle(importer).ext
		} else {
			st.ext = ext
		}
		return st
	}
	return r.usualStyle(importer)
}

// writtenExt tells how a specifier writes the extension; ok is false where it
// says nothing (a style sheet, a package).
func (r *resolver) writtenExt(spec string) (mode extMode, ok bool) {
	if i := strings.IndexByte(spec, '?'); i > 0 {
		spec = spec[:i]
	}
	switch path.Ext(spec) {
	case ".js", ".mjs", ".cjs", ".jsx":
		return extRuntime, true
	case ".ts", ".tsx", ".mts", ".cts":
		return extReal, true
	}
	return extOmit, !assetExt[path.Ext(spec)] && path.Ext(spec) != ".vue" && path.Ext(spec) != ".svelte"
}

// usualStyle is the style of the importer's other imports.
func (r *resolver) usualStyle(importer string) style {
	var v votes
	r.vote(importer, &v)
	if v.known() {
		return v.style()
	}
	dir, n := path.Dir(importer), 0
	for _, f := range r.tree.Files() {
		if path.Dir(f) == dir && f != importer && (Language{}).Owns(f) && n < 8 {
			n++
			r.vote(f, &v)
		}
	}
	if v.known() {
		return v.style()
	}
	st := v.style()
	st.ext = r.requiredExt(importer)
	st.index = st.ext != extOmit
	return st
}

// requiredExt is what the module system asks for where nothing is written yet.
func (r *resolver) requiredExt(importer string) extMode {
	switch path.Ext(importer) {
	case ".mjs":
		return extReal
	case ".mts":
		return extRuntime
	case ".cjs", ".cts", ".vue", ".svelte":
		return extOmit
	}
	if isTypeScript(importer) {
		for _, c := range r.tsconfigs(path.Dir(importer)) {
			switch c.moduleMode {
			case "node16", "nodenext", "node18", "node20":
				if m := r.nearestManifest(path.Dir(importer)); m != nil && m.Type == "module" {
					return extRuntime
				}
			}
			if c.tsExtensions {
				return extReal
			}
			if c.moduleMode != "" {
				break
			}
		}
		return extOmit
	}
	if m := r.nearestManifest(path.Dir(importer)); m != nil && m.Type == "module" {
		return extReal
	}
	return extOmit
}

// votes counts how imports are written.
type votes struct {
	omit, runtime, real   int
	relative, alias       int
	indexWritten, indexed int
}

func (v *votes) known() bool { return v.omit+v.runtime+v.real > 0 }

func (v *votes) style() style {
	st := style{alias: v.alias > v.relative, index: v.indexWritten > 0 && v.indexWritten >= v.indexed}
	switch {
	case v.runtime > v.omit && v.runtime >= v.real:
		st.ext = extRuntime
	case v.real > v.omit:
		st.ext = extReal
	}
	if st.ext != extOmit {
		st.index = true
	}
	return st
}

func (r *resolver) vote(file string, v *votes) {
	f, ok := r.scans[file]
	if !ok {
		if src, err := r.tree.ReadFile(file); err == nil {
			f = Language{}.Scan(file, src)
		}
		r.scans[file] = f
	}
	if f == nil {
		return
	}
	for _, imp := range f.Imports {
		switch imp.Kind {
		case lang.Static, lang.Require, lang.ReExport, lang.TypeOnly, lang.Dynamic:
		default:
			continue
		}
		if !ownLooking(imp.Specifier) {
			if res := r.Resolve(file, imp); res.Package == "" && len(res.Files) > 0 {
				v.alias++
			} else {
				continue
			}
		} else {
			v.relative++
		}
		mode, ok := r.writtenExt(imp.Specifier)
		if !ok || strings.HasSuffix(imp.Specifier, ".") {
			continue
		}
		switch mode {
		case extOmit:
			v.omit++
		case extRuntime:
			v.runtime++
		case extReal:
			v.real++
		}
		base := path.Base(imp.Specifier)
		if strings.TrimSuffix(base, path.Ext(base)) == "index" {
			v.indexWritten++
		} else if res := r.Resolve(file, imp); len(res.Files) > 0 && strings.HasPrefix(path.Base(res.Files[0]), "index.") {
			v.indexed++
		}
	}
}

// runtimeExt is what a TypeScript file is called when it runs.
var runtimeExt = map[string]string{".ts": ".js", ".tsx": ".js", ".mts": ".mjs", ".cts": ".cjs"}

// spell writes a path that ends in a file's real name, best first.
func (st style) spell(p string) []string {
	ext := path.Ext(p)
	for _, d := range []string{".d.ts", ".d.mts", ".d.cts"} {
		if strings.HasSuffix(p, d) {
			ext = d
		}
	}
	stem := strings.TrimSuffix(p, ext)
	run := stem + ext
	if e, ok := runtimeExt[strings.TrimPrefix(ext, ".d")]; ok {
		run = stem + e
	}
	short := []string{stem}
	if path.Base(stem) == "index" {
		folder := strings.TrimSuffix(strings.TrimSuffix(stem, "index"), "/")
		if st.slash && folder != "" {
			return []string{folder + "/", folder, stem, p}
		}
		switch {
		case folder == ".": // the importer's own folder
			short = []string{stem, "."}
			if st.dot {
				short = []string{".", stem}
			}
		case folder == "..", strings.HasSuffix(folder, "/.."):
			short = []string{folder, stem}
			if st.index && !st.dot {
				short = []string{stem, folder}
			}
		case folder == "":
		case st.index:
			short = []string{stem, folder}
		default:
			short = []string{folder, stem}
		}
	}
	switch ext {
	case ".ts", ".tsx", ".js", ".jsx", ".d.ts":
	case ".mts", ".cts", ".mjs", ".cjs", ".d.mts", ".d.cts": // node never adds these
		if st.ext == extReal {
			return append([]string{p, run}, short...)
		}
		return append([]string{run, p}, short...)
	default:
		return append([]string{p}, short...)
	}
	switch st.ext {
	case extRuntime:
		return append(append([]string{run}, short...), p)
	case extReal:
		return append(append([]string{p}, short...), run)
	}
	return append(short, run, p)
}
