package affected

import (
	"maps"
	"path"
	"slices"
	"strings"

	"regreen/internal/lazyregexp"
)

// styleExt are the endings of style sheets.
var styleExt = map[string]bool{".css": true, ".scss": true, ".sass": true, ".less": true, ".styl": true, ".stylus": true, ".pcss": true, ".postcss": true}

// Style sheets name others in quotes (@import, @use, composes … from), in url()
// and, in two of their languages, bare after @import.
var (
	styleNames = lazyregexp.New(`"([^"\n]+)"|'([^'\n]+)'|url\(\s*([^"'\s)]+)`)
	styleBare  = lazyregexp.New(`(?m)@(?:import|require)\s+([\w./@~ ,-]+)$`)
)

// styled visits the style sheets and components that may load a style sheet. It
// goes by names: a sheet is seldom changed, so they are read when one is.
func (w *walk) styled(at int32, visit func(to, label int32)) {
	g := w.g
	if !g.nodes[at].sheet {
		return
	}
	name := g.nodes[at].name
	if g.sheets == nil {
		g.sheets = g.styleSheets()
	}
	for _, file := range slices.Sorted(maps.Keys(g.sheets)) {
		id, ok := g.ids[file]
		if !ok || id == at {
			continue
		}
		for _, spec := range g.sheets[file] {
			if namesStyle(path.Dir(file), spec, name) {
				visit(id, g.label("imports", ""))
				break
			}
		}
	}
}

// styleSheets are what may name style sheets, with all that they name.
func (g *Graph) styleSheets() map[string][]string {
	out := map[string][]string{}
	for _, f := range g.ours() {
		if ext := path.Ext(f); !styleExt[ext] && ext != ".vue" && ext != ".svelte" && ext != ".astro" {
			continue
		}
		src, err := g.in.Tree.ReadFile(f)
		if err != nil || len(src) > maxScan {
			continue
		}
		var names []string
		for _, m := range styleNames.FindAllStringSubmatch(string(src), -1) {
			names = append(names, m[1]+m[2]+m[3])
		}
		for _, m := range styleBare.FindAllStringSubmatch(string(src), -1) {
			for _, one := range strings.Split(m[1], ",") {
				names = append(names, strings.TrimSpace(one))
			}
		}
		out[f] = names
	}
	return out
}

// namesStyle tells whether a name in a sheet of a folder may mean another sheet:
// the ending, the underscore of a part and index may be left out. A name that
// begins with an alias or a package means whatever ends like it.
func namesStyle(dir, spec, sheet string) bool {
	spec, _, _ = strings.Cut(spec, "?")
	if i := strings.LastIndexByte(spec, '!'); i >= 0 {
		spec = spec[i+1:]
	}
	if spec == "" || strings.Contains(spec, ":") || strings.ContainsAny(spec, "\n{}") {
		return false
	}
	is, plain := bareStyle(sheet), strings.TrimPrefix(spec, "~")
	if like := bareStyle(path.Join(dir, spec)); like == is || like+"/index" == is {
		return true
	}
	if strings.HasPrefix(spec, ".") || plain == "" {
		return false
	}
	_, rest, deep := strings.Cut(strings.TrimPrefix(plain, "/"), "/")
	for _, tail := range []string{plain, rest} {
		if tail = bareStyle(strings.Trim(tail, "/")); tail != "" && tail != "." && (tail != bareStyle(rest) || deep) &&
			(strings.HasSuffix("/"+is, "/"+tail) || strings.HasSuffix("/"+is, "/"+tail+"/index")) {
			return true
		}
	}
	return false
}

// bareStyle is a sheet's path without its ending and the underscore of a part.
func bareStyle(p string) string {
	dir, base := path.Split(p)
	if ext := path.Ext(base); styleExt[ext] {
		base = strings.TrimSuffix(base, ext)
	}
	return path.Clean(dir + strings.TrimPrefix(base, "_"))
}
