package js

import (
	"path"
	"strings"
)

// programExt are the endings of files that a test may start by their path.
var programExt = wordSet(".js .mjs .cjs .ts .mts .cts .jsx .tsx")

// literalPath takes a text such as "bin/cli.js" or "fixtures/a.csv" for a file
// that may be started or read, unless it is a specifier.
func (s *scanner) literalPath(i int) {
	k := &s.toks[i]
	if k.end-k.start > 200 {
		return
	}
	text := s.src[k.start+1 : max(k.end-1, k.start+1)]
	if strings.Contains(text, "*") {
		s.globbed(i, text)
		return
	}
	if strings.Contains(text, " ") { // a command line: node bin/cli.js --fast
		for _, word := range strings.Fields(text) {
			if isProgram(word) || isData(word) {
				s.addPath(word)
			}
		}
		return
	}
	if rest, ok := strings.CutPrefix(text, "/"); ok && s.is(i-1, "+") && isFile(rest) { // folder + "/a.csv"
		s.addPath(rest)
		return
	}
	if !isProgram(text) && !isData(text) {
		return
	}
	switch {
	case s.is(i-1, "from") || s.is(i-1, "import"):
		return
	case s.is(i-1, "("):
		switch s.str(max(i-2, 0)) {
		case "require", "import", "mock", "doMock", "unmock", "dontMock", "unstable_mockModule", "importActual", "importMock", "requireActual", "requireMock", "URL", "resolve", "createRequire":
			return
		}
	}
	s.addPath(text)
}

func isProgram(text string) bool {
	return programExt[path.Ext(text)] && strings.Contains(text, "/") && !strings.ContainsAny(text, " *?:\\{}$<>|!\"'`(),;") && text[0] != '/'
}

// isData tells whether a text is a path to a name with an extension.
func isData(text string) bool {
	return strings.IndexByte(text, '/') > 0 && isFile(text)
}

// isFile tells whether a text looks like a file's name, with folders or
// without.
func isFile(text string) bool {
	ext := path.Ext(text)
	if len(ext) < 2 || len(ext) > 9 || len(ext) == len(text) || strings.ContainsAny(text, " *?:\\{}$<>|!\"'`(),;=&\n\t") {
		return false
	}
	letter := false
	for _, c := range ext[1:] {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letter = true
		case c < '0' || c > '9':
			return false
		}
	}
	return letter
}

// templatePath reads a part of a template with holes: `data/${name}.csv` reads
// files of a folder, `${root}/data/a.csv` a file.
func (s *scanner) templatePath(i int) {
	k := &s.toks[i]
	end := k.end - 2 // before ${
	if k.kind == kTplTail {
		end = k.end - 1
	}
	if end <= k.start+1 || end-k.start > 200 {
		return
	}
	text := s.src[k.start+1 : end]
	if k.kind != kTplHead {
		rest, ok := strings.CutPrefix(text, "/")
		if !ok {
			return
		}
		text, _, _ = strings.Cut(rest, " ")
	} else if s.is(i-1, "(") && (s.is(i-2, "import") || s.is(i-2, "require")) {
		return // a computed import
	}
	switch {
	case k.kind != kTplTail && len(text) < len(s.src[k.start+1:end])-1: // it ended before the hole
		fallthrough
	case k.kind == kTplTail:
		if isFile(text) {
			s.addPath(text)
		}
	case strings.Contains(text, "/"):
		s.addFolder(text)
	}
}

// joinCall reads path.join(dir, "a", "b.js"), path.resolve("a/b.js") and the
// same without path: the folder is not known.
func (s *scanner) joinCall(i int) {
	if !s.is(i+1, "(") || s.is(i-1, ".") && !s.is(i-2, "path") && !s.is(i-2, "posix") || s.is(i+2, "__dirname") || s.is(i+2, "import") {
		return
	}
	end := s.closing(i + 1)
	var parts []string
	for j := i + 2; j < end; {
		if lit, _, ok := s.literal(j); ok {
			parts = append(parts, lit)
		} else if len(parts) > 0 {
			return
		}
		next := s.nextComma(j, end)
		j = next + 1
	}
	rel := path.Join(parts...)
	if len(parts) > 0 && path.Ext(rel) != "" && !strings.HasPrefix(rel, "/") && !strings.ContainsAny(rel, " *?:\\{}$<>|,") && path.Ext(rel) != rel {
		s.addPath(rel)
	}
}

// maxPaths bounds the paths of one file: a table of thousands is data itself.
const maxPaths = 5000

func (s *scanner) addPath(rel string) {
	if len(s.f.DataPaths) >= maxPaths || s.paths[rel] {
		return
	}
	if s.paths == nil {
		s.paths = map[string]bool{}
	}
	s.paths[rel] = true
	s.f.DataPaths = append(s.f.DataPaths, rel)
}
