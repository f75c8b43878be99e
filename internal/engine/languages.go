package engine

import (
	"strings"

	"regreen/affected"
	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

// languages are the known languages, told what the projects say of them: to
// add one is to add its folder and its line in newLanguages.
type languages struct {
	set    lang.Set
	python *py.Language
}

func newLanguages(ps []affected.Project) *languages {
	var aliases []lang.Alias
	interpreter := ""
	for _, p := range ps {
		aliases = append(aliases, p.Layout.Aliases...)
		if interpreter == "" && len(p.Command) > 0 && strings.Contains(strings.ToLower(p.Command[0]), "python") {
			interpreter = p.Command[0]
		}
	}
	python := py.New(interpreter)
	return &languages{set: lang.Set{js.Language{Aliases: aliases}, python}, python: python}
}

// Close ends the interpreter that checks syntax, if one was started.
func (l *languages) Close() error { return l.python.Close() }
