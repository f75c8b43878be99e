package pytest

import (
	"path"
	"strings"
)

// plugs tells whether a text has a module in pytest_plugins and its name nowhere
// else, so that it imports nothing of it.
func plugs(src []byte, module string) bool {
	name := strings.TrimSuffix(path.Base(module), ".py")
	if name == "__init__" {
		return false
	}
	named := false
	for _, s := range scan(src) {
		// Nothing but literals may stand behind the name.
		listed := len(s.toks) > 1 && s.indent == 0 && s.is("pytest_plugins") && s.toks[1].text == "="
		for i, t := range s.toks {
			switch {
			case t.kind == tokString && holdsWord([]byte(t.text), name):
				if !listed {
					return false
				}
				named = true
			case t.kind == tokName && (t.text == name || listed && i > 0 || t.text == "import_module" || t.text == "__import__"):
				return false
			}
		}
	}
	return named
}
