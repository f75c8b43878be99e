package py

// imported is one name of an import statement, by the indices of its tokens.
type imported struct {
	spec     [2]int // import: the dotted module
	imported int    // from: the name, "*" too; -1 for import
	local    int    // the token that names the binding
}

// importNames reads "import a.b as c, d".
func (t *text) importNames(s *stmt) []imported {
	var out []imported
	for _, p := range t.split(s.from+1, s.to, ",") {
		i := p[0]
		for i < p[1] && (t.ident(i) || t.is(i, ".")) {
			i++
		}
		if i == p[0] || !t.ident(p[0]) {
			continue
		}
		m := imported{spec: [2]int{p[0], i}, imported: -1, local: p[0]}
		if t.is(i, "as") && i+1 < p[1] && t.ident(i+1) {
			m.local = i + 1
		}
		out = append(out, m)
	}
	return out
}

// fromNames reads "from .m import (a as b, c)"; spec bounds the module's
// tokens and is empty where the statement is broken.
func (t *text) fromNames(s *stmt) (spec [2]int, names []imported) {
	i := s.from + 1
	for i < s.to && (t.ident(i) || t.is(i, ".") || t.is(i, "...")) {
		i++
	}
	spec = [2]int{s.from + 1, i}
	if !t.is(i, "import") || i >= s.to {
		return spec, nil
	}
	from, to := i+1, s.to
	if t.is(from, "(") && from < to {
		end := t.skip(from)
		from++
		if end > from && end <= to && t.is(end-1, ")") {
			to = end - 1
		}
	}
	for _, p := range t.split(from, to, ",") {
		if p[0] >= p[1] || !t.ident(p[0]) && !t.is(p[0], "*") {
			continue
		}
		m := imported{imported: p[0], local: p[0]}
		if t.is(p[0]+1, "as") && p[0]+2 < p[1] && t.ident(p[0]+2) {
			m.local = p[0] + 2
		}
		names = append(names, m)
	}
	return spec, names
}
