package py

import (
	"strings"

	"regreen/internal/lang"
)

// maxCode is the length in bytes up to which a string is read for code.
const maxCode = 64 << 10

// code notes what a string imports that is run as a program: exec("import x"),
// python -c, the files that a test writes, and of a docstring its examples.
func (s *scanner) code(text string, sp lang.Span, docstring bool) {
	if len(text) > maxCode {
		return
	}
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		line = strings.TrimSpace(line)
		example, is := strings.CutPrefix(line, ">>> ")
		if docstring && !is {
			continue
		}
		s.imported(strings.Fields(strings.ReplaceAll(example, ",", " , ")), sp)
	}
}

// imported notes the modules that a line of code imports.
func (s *scanner) imported(words []string, sp lang.Span) {
	if len(words) < 2 {
		return
	}
	note := func(path string) {
		if isDotted(path) && !IsStdlib(head(path)) {
			s.mention(path, sp, true)
		}
	}
	switch {
	case words[0] == "import":
		for k, w := range words[1:] {
			if k == 0 || words[k] == "," {
				note(w)
			}
		}
	case words[0] == "from" && len(words) > 3 && words[2] == "import":
		note(words[1])
		for k, w := range words[3:] {
			if w = strings.Trim(w, "()"); k == 0 || words[k+2] == "," {
				note(words[1] + "." + w)
			}
		}
	}
}
