package fixers

import (
	"fmt"

	"regreen/internal/lang"
)

// offerSplit offers again from a package what the module had that it was: its
// parts are in the package now, and members of the whole are read as before.
func (v *view) offerSplit(l lack) []Fix {
	t, b := v.text(l.module), v.before(l.module)
	if l.name != nil || t == nil || b == nil || b.path == t.path || t.lang.Name() != "python" || !v.editable(l.module) || dirOf(l.module) != stem(l.module) {
		return nil
	}
	if _, had := v.offered(b.path).names[l.symbol]; !had {
		return nil
	}
	var parts []string
	for _, rel := range v.exporters(t.lang, l.symbol, l.module) {
		if dirOf(rel) == dirOf(l.module) {
			parts = append(parts, rel)
		}
	}
	if len(parts) != 1 || v.reaches(parts[0], l.module) {
		return nil
	}
	like := "." + baseName(parts[0])
	edits, err := t.lang.AddImport(t.path, t.src, like, []lang.Name{{Imported: l.symbol, Local: l.symbol}})
	if err != nil || len(edits) == 0 {
		return nil
	}
	return []Fix{{Title: fmt.Sprintf("offer %s of %s from %s again", l.symbol, parts[0], l.module), Applicability: Likely, Rank: 8,
		Edits: inFile(t.path, edits), Evidence: fmt.Sprintf("%s had %s, and is the package %s now", b.path, l.symbol, dirOf(l.module))}}
}
