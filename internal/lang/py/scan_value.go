package py

import (
	"bytes"
	"path"
	"strings"

	"regreen/internal/lang"
)

// values reads what the text names outside import statements: calls that
// import, patched paths, packages' attributes, dotted strings, data files.
func (s *scanner) values() {
	lazy := s.functionRanges()
	if path.Base(s.f.Path) == "__init__.py" {
		s.lazyPackage = bytes.Contains(s.src, []byte("__getattr__")) || bytes.Contains(s.src, []byte("sys.modules[__name__]"))
	}
	for i := 0; i < len(s.toks); i++ {
		switch s.kind(i) {
		case lang.Newline:
			s.plugins = false
		case lang.Ident:
			if s.is(i, "pytest_plugins") {
				s.plugins = true
			}
			s.identifier(i, lazy)
		case lang.String:
			s.stringValue(i, lazy)
		}
	}
}

// functionRanges marks the tokens that stand in a function.
func (s *scanner) functionRanges() func(i int) bool {
	depth, inDef, n := 0, []int{}, len(s.toks)
	marks := make([]bool, n)
	for i := 0; i < n; i++ {
		switch s.kind(i) {
		case lang.Indent:
			depth++
			if header := s.lineBefore(i); s.is(header, "def") || s.is(header, "async") && s.is(header+1, "def") {
				inDef = append(inDef, depth)
			}
		case lang.Dedent:
			if k := len(inDef); k > 0 && inDef[k-1] == depth {
				inDef = inDef[:k-1]
			}
			depth--
		}
		marks[i] = len(inDef) > 0
	}
	return func(i int) bool { return marks[i] }
}

// lineBefore gives the first token of the logical line that ends before i.
func (s *scanner) lineBefore(i int) int {
	i -= 2 // i-1 is the Newline
	for i > 0 && !structural(s.kind(i-1)) {
		i--
	}
	return i
}

// identifier looks at a call by its name, and at attributes of what was imported.
func (s *scanner) identifier(i int, lazy func(int) bool) {
	name := s.str(i)
	switch {
	case s.is(i+1, "("):
		switch name {
		case "import_module", "__import__", "importorskip":
			s.importCall(i, lazy(i))
			return
		case "exec", "globals":
			if !s.is(i-1, ".") && !lazy(i) {
				s.f.AllKnown = false
			}
		case "dirname", "Path":
			if name == "Path" {
				s.pathChain(i)
			}
		case "join", "joinpath":
			s.joinCall(i)
		case "attach_stub": // of lazy_loader: the stub tells what is loaded
			s.data(strings.TrimSuffix(path.Base(s.f.Path), ".py") + ".pyi")
		}
	case name == "__file__":
		s.pathChain(i)
	}
	if s.is(i+1, ".") && !s.is(i-1, ".") {
		s.attribute(i, lazy(i))
	}
}

// importCall reads import_module(…), __import__(…) and pytest.importorskip(…).
func (s *scanner) importCall(i int, lazy bool) {
	arg := i + 2
	if s.is(i-1, "def") || s.is(arg, ")") {
		return
	}
	end := s.skip(i+1) - 1
	stop := s.find(arg, end, func(k int) bool { return s.is(k, ",") })
	if stop < 0 {
		stop = end
	}
	lazy = lazy || s.is(i, "importorskip")
	if v, sp, ok := s.content(arg); ok && stop == arg+1 {
		if base := s.packageArg(stop, end); base != "" && strings.HasPrefix(v, ".") {
			v = base + v
		}
		s.call(lang.Dynamic, v, sp, i, end, lazy)
		return
	}
	prefix, sp := s.prefix(arg, stop)
	s.uncertain(i, "import of a computed name")
	s.call(lang.Wide, prefix, sp, i, end, lazy)
}

// packageArg gives the literal package= argument of import_module.
func (s *scanner) packageArg(from, end int) string {
	for k := from; k < end; k++ {
		if v, ok := s.literal(k); ok {
			return v
		}
	}
	return ""
}

// prefix gives the literal text that a computed string starts with.
func (s *scanner) prefix(from, stop int) (string, lang.Span) {
	none := lang.Span{Start: s.toks[from].Start, End: s.toks[from].Start}
	if s.kind(from) != lang.String {
		return "", none
	}
	v, sp, ok := s.content(from)
	if !ok { // the first part of an f-string
		start, end := s.toks[from].Start, s.toks[from].End
		for start < end && s.src[start] != '"' && s.src[start] != '\'' {
			start++
		}
		for start < end && (s.src[start] == '"' || s.src[start] == '\'') {
			start++
		}
		sp = lang.Span{Start: start, End: end}
		v = string(s.src[start:end])
	}
	if cut := strings.IndexAny(v, "{%\\'\""); cut >= 0 {
		v = v[:cut]
		sp.End = sp.Start + cut
	}
	return v, sp
}

func (s *scanner) call(kind lang.ImportKind, spec string, sp lang.Span, i, end int, lazy bool) {
	start := i
	for s.is(start-1, ".") && s.ident(start-2) {
		start -= 2
	}
	imp := lang.Import{Kind: kind, Specifier: spec, SpecSpan: sp, Span: s.span(start, max(end+1, i+1)), Lazy: lazy}
	imp.Line, imp.Column = s.position(sp.Start)
	s.f.Imports = append(s.f.Imports, imp)
}

// attribute notes pkg.sub where pkg was imported: sub may be a module.
func (s *scanner) attribute(i int, lazy bool) {
	path, ok := s.locals[s.str(i)]
	if !ok || !strings.HasPrefix(path, ".") && IsStdlib(head(path)) {
		return
	}
	last := i
	for n := 0; n < 3 && s.is(last+1, ".") && s.ident(last+2); n++ {
		path = join(path, s.str(last+2))
		last += 2
	}
	if last > i {
		s.mention(path, s.span(i, last+1), lazy)
	}
}

func (s *scanner) mention(path string, sp lang.Span, lazy bool) {
	if s.mentions[path] {
		return
	}
	s.mentions[path] = true
	imp := lang.Import{Kind: lang.Mention, Specifier: path, SpecSpan: sp, Span: sp, Lazy: lazy}
	imp.Line, imp.Column = s.position(sp.Start)
	s.f.Imports = append(s.f.Imports, imp)
}

// stringValue looks at a literal string: a patched path, a plugin, a dotted
// module, a data file.
func (s *scanner) stringValue(i int, lazy func(int) bool) {
	s.formattedPath(i)
	s.formattedFolder(i)
	v, sp, ok := s.content(i)
	if text := v; !s.docstring(i) {
		if !ok { // a part of an f-string
			sp = lang.Span{Start: s.toks[i].Start, End: s.toks[i].End}
			text = string(s.src[sp.Start:sp.End])
		}
		s.commandLine(text, sp, lazy(i))
	}
	if ok && strings.Contains(v, "import ") {
		s.code(v, sp, s.docstring(i))
	}
	if !ok || v == "" || len(v) > 250 || strings.ContainsAny(v, "\n\r") || s.docstring(i) {
		return
	}
	switch {
	case isDotted(v):
		if s.is(i-1, "(") && s.patches(i-2) && strings.Contains(v, ".") {
			s.call(lang.Mock, v, sp, i-2, i, lazy(i))
			return
		}
		if s.plugins {
			s.call(lang.Dynamic, v, sp, i, i, false)
			return
		}
		if s.importing(i) {
			return
		}
		switch {
		case s.dashM(i):
			s.program(v, sp, lazy(i))
		case strings.Contains(v, "."):
			s.mention(v, sp, lazy(i))
		}
		if s.lazyPackage {
			s.mention("."+v, sp, true)
		}
	case s.is(i-1, "(") && s.is(i-2, "filterwarnings") && strings.Contains(v, ":"):
		s.warningFilter(v, sp, i, lazy(i))
	case strings.Contains(v, ":"):
		if module, attr, _ := strings.Cut(v, ":"); isDotted(module) && isDotted(attr) && strings.Contains(module, ".") {
			s.mention(module, lang.Span{Start: sp.Start, End: sp.Start + len(module)}, lazy(i))
		}
	}
	s.dataString(i, v)
}

// warningFilter knows pytest's "action:message:category": a category with a dot
// is loaded from its module.
func (s *scanner) warningFilter(v string, sp lang.Span, i int, lazy bool) {
	parts := strings.Split(v, ":")
	if len(parts) < 3 || !isDotted(parts[2]) || !strings.Contains(parts[2], ".") {
		return
	}
	start := sp.Start + len(parts[0]) + len(parts[1]) + 2
	s.call(lang.Mock, parts[2], lang.Span{Start: start, End: start + len(parts[2])}, i-2, i, lazy)
}

func (s *scanner) docstring(i int) bool {
	return structural(s.kind(i-1)) && structural(s.kind(i+1)) || i == 0
}

// importing tells whether the string is an import call's own argument.
func (s *scanner) importing(i int) bool {
	if !s.is(i-1, "(") {
		return false
	}
	switch s.str(i - 2) {
	case "import_module", "__import__", "importorskip":
		return true
	}
	return false
}

// dashM knows ["python", "-m", "pkg"] and run_module("pkg").
func (s *scanner) dashM(i int) bool {
	if s.is(i-1, "(") && s.is(i-2, "run_module") {
		return true
	}
	v, ok := s.literal(i - 2)
	return ok && v == "-m" && s.is(i-1, ",")
}

// patches knows patch(…), mock.patch(…), mocker.patch.dict(…) and
// monkeypatch.setattr(…).
func (s *scanner) patches(i int) bool {
	switch s.str(i) {
	case "patch":
		return true
	case "dict", "multiple":
		return s.is(i-1, ".") && s.is(i-2, "patch")
	case "setattr", "delattr":
		return s.is(i-1, ".") && s.ident(i-2)
	}
	return false
}

func head(dotted string) string {
	h, _, _ := strings.Cut(dotted, ".")
	return h
}

// isDotted tells whether the string is names with dots between them.
func isDotted(v string) bool {
	for _, part := range strings.Split(v, ".") {
		if part == "" || !isWordStart(part[0]) {
			return false
		}
		for k := 1; k < len(part); k++ {
			if !isWordStart(part[k]) && !isDigit(part[k]) {
				return false
			}
		}
	}
	return true
}
