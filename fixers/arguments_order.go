package fixers

import (
	"fmt"
	"slices"

	"regreen/internal/lang"
)

// orderBack puts parameters that changed places back where they were.
func (v *view) orderBack(s signatureChange) (Fix, bool) {
	old := namesOf(s.old)
	if !permuted(old, namesOf(s.new)) || !v.editable(s.t.path) {
		return Fix{}, false
	}
	var edits []lang.TextEdit
	for i, p := range s.new {
		if was := s.old[i]; was.name != p.name {
			edits = append(edits, lang.TextEdit{Span: p.span, New: s.b.at(was.span)})
		}
	}
	return Fix{Title: fmt.Sprintf("put the parameters of %s back in their old order", s.called()), Applicability: Likely,
		Edits: inFile(s.t.path, edits), Evidence: "its calls give the arguments in that order"}, true
}

// confirmed tells whether the diff put the arguments of a call into the new
// order of the parameters.
func (v *view) confirmed(s signatureChange) bool {
	old, now := namesOf(s.old), namesOf(s.new)
	for _, c := range v.callsOf(s) {
		b := v.before(c.t.path)
		if !c.edited || b == nil || c.positional() != len(c.args) || len(c.args) != len(now) {
			continue
		}
		was := make([]string, len(now))
		for i, name := range now {
			was[slices.Index(old, name)] = c.text(c.args[i])
		}
		for _, i := range b.idents(c.t.word(c.open-1), 0) {
			if b.word(i+1) != "(" {
				continue
			}
			var args []string
			for _, a := range arguments(b, i+1) {
				args = append(args, callSite{t: b}.text(a))
			}
			if slices.Equal(args, was) {
				return true
			}
		}
	}
	return false
}
