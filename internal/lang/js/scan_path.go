package js

import (
	"path"
	"slices"
	"strings"
)

// programExt are the endings of files that a test may start by their path.
var programExt = wordSet(".js .mjs .cjs .ts .mts .cts .jsx .tsx")

// programPath takes a text such as "bin/cli.js" for a file that may be started
// as a program, unless it is a specifier.
func (s *scanner) programPath(i int) {
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
			if isProgram(word) {
				s.addPath(word)
			}
		}
		return
	}
	if !isProgram(text) {
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

func (s *scanner) addPath(rel string) {
	if len(s.f.DataPaths) < 500 && !slices.Contains(s.f.DataPaths, rel) {
		s.f.DataPaths = append(s.f.DataPaths, rel)
	}
}
