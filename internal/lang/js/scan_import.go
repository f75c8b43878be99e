package js

import (
	"path"
	"strings"

	"regreen/internal/lang"
)

// importWord handles the keyword import: a statement, a call, or import.meta.
func (s *scanner) importWord(i int) int {
	switch {
	case s.is(i-1, ".") || s.is(i-1, "?."):
		return i
	case s.is(i+1, "("):
		s.importCall(i)
		return i
	case s.is(i+1, "."):
		s.importMeta(i)
		return i
	}
	if s.inNamespace() {
		return i
	}
	if !s.is(i-1, "export") && !s.startsStatement(i) { // export import a = …
		return i
	}
	return s.importStatement(i)
}

// importStatement reads an import statement that begins at token i and gives
// the index behind it, or i where it is none.
func (s *scanner) importStatement(i int) int {
	imp := lang.Import{Kind: lang.Static}
	j := i + 1
	if s.kindAt(j) == kString {
		s.esm = true
		return s.finishImport(i, j, imp)
	}
	if s.is(j, "type") && (s.is(j+1, "{") || s.is(j+1, "*") ||
		s.word(j+1) && !(s.is(j+1, "from") && s.kindAt(j+2) == kString) && !s.is(j+1, "=")) {
		imp.Kind = lang.TypeOnly
		j++
	}
	if (s.is(j, "defer") && s.is(j+1, "*")) || (s.is(j, "source") && s.word(j+1) && !s.is(j+1, "from")) {
		j++
	}
	if s.word(j) {
		sp := s.span(j, j)
		name := lang.Name{Imported: "default", Local: s.str(j), Span: sp, LocalSpan: sp, TypeOnly: imp.Kind == lang.TypeOnly}
		j++
		if s.is(j, "=") {
			return s.importEquals(i, j, imp, name)
		}
		imp.Names = append(imp.Names, name)
		if s.is(j, ",") {
			j++
		}
	}
	switch {
	case s.is(j, "*"):
		j++
		if s.is(j, "as") {
			j++
		}
		if s.word(j) {
			sp := s.span(j, j)
			imp.Names = append(imp.Names, lang.Name{Imported: "*", Local: s.str(j), Span: sp, LocalSpan: sp, TypeOnly: imp.Kind == lang.TypeOnly})
			j++
		}
	case s.is(j, "{"):
		var names []lang.Name
		names, j = s.nameList(j+1, imp.Kind == lang.TypeOnly)
		imp.Names = append(imp.Names, names...)
	}
	if !s.is(j, "from") || s.kindAt(j+1) != kString {
		return i
	}
	s.esm = true
	return s.finishImport(i, j+1, imp)
}

// finishImport completes the import whose specifier is token j.
func (s *scanner) finishImport(i, j int, imp lang.Import) int {
	imp.Specifier, imp.SpecSpan, _ = s.literal(j)
	j++
	if (s.is(j, "with") || s.is(j, "assert") && !s.toks[j].nl) && s.is(j+1, "{") {
		if c := s.closing(j + 1); c > 0 {
			j = c + 1
		}
	}
	if s.is(j, ";") {
		j++
	}
	imp.Span = s.span(i, j-1)
	s.add(imp)
	return j
}

// importEquals handles import x = require("y"); an alias of a namespace is no import.
func (s *scanner) importEquals(i, j int, imp lang.Import, name lang.Name) int {
	if !s.is(j+1, "require") || !s.is(j+2, "(") || !s.is(j+4, ")") {
		if s.is(i-1, "export") {
			s.addExport(lang.Export{Name: name.Local, Local: name.Local, Span: name.LocalSpan})
		}
		return j + 1
	}
	spec, sp, ok := s.literal(j + 3)
	if !ok {
		return j + 1
	}
	end := j + 4
	if s.is(end+1, ";") {
		end++
	}
	s.esm = true
	name.Imported = "*"
	if imp.Kind == lang.Static {
		imp.Kind = lang.Require
	}
	imp.Names = []lang.Name{name}
	imp.Specifier, imp.SpecSpan, imp.Span = spec, sp, s.span(i, end)
	if s.is(i-1, "export") {
		s.f.Exports = append(s.f.Exports, lang.Export{Name: name.Local, Local: name.Local, Span: name.LocalSpan, Kind: "Const"})
	}
	s.add(imp)
	return end + 1
}

// nameList reads { a, b as c, type D, "x y" as e } from behind the brace and
// gives the index behind the closing one. A missing brace ends it at "from".
func (s *scanner) nameList(j int, typeOnly bool) ([]lang.Name, int) {
	var names []lang.Name
	for j < len(s.toks) {
		if s.is(j, "}") {
			return names, j + 1
		}
		if s.is(j, "from") && s.kindAt(j+1) == kString {
			return names, j
		}
		if s.is(j, ",") {
			j++
			continue
		}
		if !s.word(j) && s.kindAt(j) != kString {
			return names, j
		}
		n := lang.Name{TypeOnly: typeOnly}
		// type A, type as B, type as as C; but type, and type as x.
		if s.is(j, "type") && (s.word(j+1) || s.kindAt(j+1) == kString) {
			switch {
			case !s.is(j+1, "as"):
				n.TypeOnly = true
				j++
			case s.is(j+2, "as") && s.word(j+3): // type as as C
				n.TypeOnly = true
				j++
			case !s.word(j + 2): // type as
				n.TypeOnly = true
				j++
			}
		}
		n.Imported, n.Span = s.plainName(j)
		n.Local, n.LocalSpan = n.Imported, n.Span
		j++
		if s.is(j, "as") && (s.word(j+1) || s.kindAt(j+1) == kString) {
			n.Local, n.LocalSpan = s.plainName(j + 1)
			j += 2
		}
		names = append(names, n)
	}
	return names, j
}

// plainName is a name, or a string that stands for one.
func (s *scanner) plainName(j int) (string, lang.Span) {
	if lit, sp, ok := s.literal(j); ok {
		return lit, sp
	}
	return s.str(j), s.span(j, j)
}

// isAsset tells whether a specifier names data and not a module of code.
func isAsset(spec string) bool {
	if i := strings.IndexByte(spec, '?'); i > 0 {
		return true
	}
	return assetExt[path.Ext(spec)]
}

var assetExt = map[string]bool{
	".css": true, ".scss": true, ".sass": true, ".less": true, ".styl": true, ".stylus": true, ".pcss": true,
	".json": true, ".json5": true, ".jsonc": true, ".yaml": true, ".yml": true, ".toml": true, ".csv": true, ".xml": true,
	".svg": true, ".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true, ".avif": true, ".ico": true, ".bmp": true,
	".woff": true, ".woff2": true, ".ttf": true, ".eot": true, ".otf": true,
	".mp3": true, ".mp4": true, ".webm": true, ".wav": true, ".ogg": true, ".pdf": true,
	".txt": true, ".md": true, ".mdx": true, ".html": true, ".htm": true, ".hbs": true, ".ejs": true,
	".glsl": true, ".wgsl": true, ".vert": true, ".frag": true, ".wasm": true, ".graphql": true, ".gql": true, ".sql": true,
}
