package node

import (
	"path"
	"strings"

	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
)

// unresolved is one grammar of "this module cannot be found".
type unresolved struct {
	re *lazyregexp.Regexp
	// groups by meaning; 0 is absent
	spec, importer, line, pkg int
}

var unresolvedGrammars = []unresolved{
	// jest-resolve
	{re: lazyregexp.New(`Cannot find module '([^'\n]+)' from '([^'\n]+)'`), spec: 1, importer: 2},
	// node's ES modules, vite's module runner
	{re: lazyregexp.New(`Cannot find (?:module|package) '([^'\n]+)' imported from '?([^'\n]+?)'?(?:\n|$)`), spec: 1, importer: 2},
	// node's CommonJS
	{re: lazyregexp.New(`Cannot find module '([^'\n]+)'\nRequire stack:\n- ([^\n]+)`), spec: 1, importer: 2},
	// vite:import-analysis, vite-node
	{re: lazyregexp.New(`Failed to resolve import "([^"\n]+)" from "([^"\n]+)"`), spec: 1, importer: 2},
	{re: lazyregexp.New(`Failed to load url (\S+) \(resolved id: [^)\n]+\) in ([^\n]+?)\. Does the file exist\?`), spec: 1, importer: 2},
	{re: lazyregexp.New(`Failed to load url (\S+)`), spec: 1},
	// esbuild, rolldown
	{re: lazyregexp.New(`(?m)^\s*([^\s:][^:\n]*):(\d+):\d+: (?:ERROR|error): Could not resolve "([^"\n]+)"`), spec: 3, importer: 1, line: 2},
	{re: lazyregexp.New(`Could not resolve ["']([^"'\n]+)["'] (?:in|from) ["']?([^"'\n]+?)["']?(?:\n|$)`), spec: 1, importer: 2},
	{re: lazyregexp.New(`Directory import '([^'\n]+)' is not supported resolving ES modules imported from ([^\n]+)`), spec: 1, importer: 2},
	{re: lazyregexp.New(`Package subpath '\.([^'\n]*)' is not defined by "exports" in \S*node_modules[/\\]((?:@[^/\\\s]+[/\\])?[^/\\\s]+)[/\\]package\.json(?: imported from ([^\n]+))?`), spec: 1, importer: 3, pkg: 2},
	{re: lazyregexp.New(`Package import specifier "([^"\n]+)" is not defined(?: in package \S+)?(?: imported from ([^\n]+))?`), spec: 1, importer: 2},
	{re: lazyregexp.New(`Missing "\.([^"\n]*)" specifier in "([^"\n]+)" package`), spec: 1, pkg: 2},
	// TypeScript's diagnostics (ts-jest, ts-node)
	{re: lazyregexp.New(`(?m)^\s*(\S[^:(\n]*)[:(](\d+)[:,]\d+\)?(?: - |: )error TS(?:2307|7016|6053)[^']*'([^'\n]+)'`), spec: 3, importer: 1, line: 2},
	{re: lazyregexp.New(`Could not locate module (\S+) mapped as:`), spec: 1},
	{re: lazyregexp.New(`^Cannot find (?:module|package) '([^'\n]+)'`), spec: 1},
}

var missingCodes = map[string]bool{
	"MODULE_NOT_FOUND": true, "ERR_MODULE_NOT_FOUND": true, "ERR_UNSUPPORTED_DIR_IMPORT": true,
	"ERR_PACKAGE_PATH_NOT_EXPORTED": true, "ERR_PACKAGE_IMPORT_NOT_DEFINED": true,
}

func missingImport(c Context, r raw, f *runner.Failure) bool {
	text := r.message
	for _, g := range unresolvedGrammars {
		m := g.re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		at := func(i int) string {
			if i == 0 {
				return ""
			}
			return m[i]
		}
		spec := at(g.spec)
		if g.pkg > 0 {
			spec = strings.ReplaceAll(m[g.pkg], `\`, "/") + spec
		}
		place, written, ok := importPlace(c, r, text, spec, at(g.importer))
		// Anybody can throw an error with such a text: it is an import that
		// fails where the importer really names the module.
		if !ok && !missingCodes[r.Code] && r.scope == runner.ScopeTest {
			return false
		}
		f.Kind, f.Symbol, f.Specifier = runner.MissingImport, written, written
		if place.File != "" {
			f.Place = place
		}
		return true
	}
	return false
}

// importPlace finds the import behind a module that was not found: the place
// in the importer and the specifier as it is written there.
func importPlace(c Context, r raw, text, spec, importer string) (runner.Place, string, bool) {
	for _, file := range importers(c, r, text, importer) {
		if p, written, ok := FindImport(c, file, spec); ok {
			// The stack knows which of several lines it was.
			for _, fr := range r.frames {
				if fr.File == file && fr.Line <= p.Line && lineIsOf(c, file, fr.Line, written) {
					p.Line, p.Column = fr.Line, fr.Column
					break
				}
			}
			return p, written, true
		}
	}
	if rel, ok := Rel(c, importer); ok {
		p := runner.Place{File: rel}
		for _, fr := range r.frames {
			if fr.File == rel {
				p = fr.Place
				break
			}
		}
		return p, relSpecifier(c, rel, spec), false
	}
	return runner.Place{}, spec, false
}

// importers lists the files that may hold the import, likeliest first.
func importers(c Context, r raw, text, importer string) []string {
	var out []string
	add := func(file string) {
		rel, ok := Rel(c, file)
		if !ok {
			return
		}
		for _, o := range out {
			if o == rel {
				return
			}
		}
		out = append(out, rel)
	}
	if importer != "" {
		add(importer)
	}
	for line := range strings.Lines(text) { // node's and jest's require stacks
		line = strings.TrimSpace(line)
		add(strings.TrimPrefix(line, "- "))
	}
	for _, fr := range r.frames {
		add(fr.File)
	}
	if id := r.Attr["id"]; id != "" {
		add(id)
	}
	if r.test.File != "" {
		add(r.test.File)
	}
	return out
}

// relSpecifier writes an absolute path as the importer would.
func relSpecifier(c Context, importer, spec string) string {
	if !isAbs(cleanFile(spec)) {
		return spec
	}
	target, ok := Rel(c, spec)
	if !ok {
		return spec
	}
	return relPath(path.Dir(importer), target)
}

// relPath is target as seen from dir, with its leading ./ or ../.
func relPath(dir, target string) string {
	d, t := strings.Split(path.Clean(dir), "/"), strings.Split(path.Clean(target), "/")
	if dir == "." {
		d = nil
	}
	for len(d) > 0 && len(t) > 1 && d[0] == t[0] {
		d, t = d[1:], t[1:]
	}
	s := strings.Repeat("../", len(d)) + strings.Join(t, "/")
	if !strings.HasPrefix(s, "../") {
		s = "./" + s
	}
	return s
}
