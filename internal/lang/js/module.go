package js

import (
	"maps"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// module is a text that esbuild printed, a statement after the other.
type module struct {
	*text
	statements []statement
	// imported are the names that import statements bind, functions those of
	// declared functions, which can be used before their line.
	// classes are those that are bound to a class, and to nothing else later.
	imported, functions, classes map[string]bool
	// bound are the names that the statements before the present one bound, with
	// what is known of the value.
	bound map[string]value
}

// value is what is known of one.
type value uint8

const (
	effect    value = iota // to make it may do anything
	object                 // made without doing anything; of any kind
	aClass                 // made by a class
	primitive              // a string, a number or the like, and will stay so
)

// statement is one of a module's own.
type statement struct {
	text   string
	module bool // import and export … from
	inert  bool
	binds  []string // names of the module; unnamed for a default export without a name
	// heritage are the names of the module that its classes extend; reads are
	// imported names whose value it needs when it runs.
	heritage, reads []string
	exported        map[string]string // by exported name the local one
	mentions        map[string]bool
	// elements: it has some, which are compiled to calls of a function that
	// only configuration may name; so it mentions everything.
	elements bool
}

// unnamed stands for what export default makes of an expression.
const unnamed = "*default*"

func (s *statement) mentionsAny(names lang.Names) bool {
	if s.elements {
		return len(names) > 0
	}
	for name := range names {
		if s.mentions[name] {
			return true
		}
	}
	return false
}

// newModule splits a printed text: each statement begins in the first column,
// where else only closing brackets stand.
func newModule(t *text) *module {
	m := &module{text: t, imported: map[string]bool{}, functions: map[string]bool{}, classes: map[string]bool{}, bound: map[string]value{}}
	var starts []int
	depth := 0
	for i := range t.toks {
		k := &t.toks[i]
		switch {
		case k.kind == kTplMiddle: // closes and opens
			continue
		case k.match >= 0 && int(k.match) < i:
			depth--
			continue
		case depth == 0 && (k.start == 0 || t.src[k.start-1] == '\n'):
			starts = append(starts, i)
		}
		if int(k.match) > i {
			depth++
		}
	}
	starts = append(starts, len(t.toks))
	for n := 0; n+1 < len(starts); n++ {
		m.foresee(starts[n], starts[n+1])
	}
	for n := 0; n+1 < len(starts); n++ {
		m.add(starts[n], starts[n+1])
	}
	return m
}

// foresee notes the names that hold in the whole text.
func (m *module) foresee(from, to int) {
	i := from
	if m.is(i, "import") && !m.is(i+1, "(") && !m.is(i+1, ".") {
		for j := i; j < to; j++ {
			if m.word(j) && !m.is(j+1, "as") {
				m.imported[m.str(j)] = true
			}
		}
		return
	}
	for m.is(i, "export") || m.is(i, "default") || m.is(i, "async") {
		i++
	}
	if m.is(i, "function") {
		if i++; m.is(i, "*") {
			i++
		}
		if m.word(i) {
			m.functions[m.str(i)] = true
		}
	}
}

// add reads the statement of tokens from to to.
func (m *module) add(from, to int) {
	s := statement{text: m.src[m.toks[from].start:m.toks[to-1].end], exported: map[string]string{}, mentions: map[string]bool{}}
	for i := from; i < to; i++ {
		if m.word(i) {
			m.note(&s, i)
		}
		s.elements = s.elements || m.isElement(i)
	}
	j := judge{module: m, s: &s, end: to}
	s.module = j.isModule(from)
	s.inert = !s.module && j.statement(from)
	m.statements = append(m.statements, s)
}

// note notes a name; escapes in it could hide what it is.
func (m *module) note(s *statement, i int) {
	name := m.str(i)
	if strings.Contains(name, `\`) {
		name = unescape(name)
	}
	s.mentions[name] = true
}

// exports are all exported names with the local ones.
func (m *module) exports() map[string]string {
	out := map[string]string{}
	for i := range m.statements {
		for name, local := range m.statements[i].exported {
			out[name] = local
		}
	}
	return out
}

// extends tells whether each of the names is extended by a class here.
func (m *module) extends(names []string) bool {
	for _, name := range names {
		if !slices.ContainsFunc(m.statements, func(s statement) bool { return slices.Contains(s.heritage, name) }) {
			return false
		}
	}
	return true
}

// defines tells whether a statement binds the name.
func (m *module) defines(name string) bool {
	return slices.ContainsFunc(m.statements, func(s statement) bool { return slices.Contains(s.binds, name) })
}

// spread adds to the names that differ those bound by a statement that mentions
// one. It is false where such a statement does more than to bind names, or
// extends what may not be a class in both states.
func (m *module) spread(differ lang.Names) bool {
	for grown := true; grown; {
		grown = false
		for i := range m.statements {
			s := &m.statements[i]
			if s.module || !s.mentionsAny(differ) {
				continue
			}
			if !s.inert {
				return false
			}
			for _, base := range s.heritage {
				if class, differs := differ[base]; differs && !class {
					return false
				}
			}
			for _, name := range s.binds {
				grown = differ.Add(name, m.classes[name]) || grown
			}
		}
	}
	return true
}

// Spread tells the exported names that may differ where imported ones do.
func (m *module) Spread(local lang.Names) (lang.Names, bool) {
	differ := maps.Clone(local)
	for name := range local {
		if !m.imported[name] && m.renamed(name) {
			return nil, false
		}
	}
	if !m.spread(differ) {
		return nil, false
	}
	out := lang.Names{}
	for i := range m.statements {
		for name, of := range m.statements[i].exported {
			if class, differs := differ[of]; differs {
				out.Add(name, class)
			}
		}
	}
	return out, true
}

// renamed tells whether esbuild may have printed another name for an imported
// one: it appends a number where a name is taken.
func (m *module) renamed(name string) bool {
	for have := range m.imported {
		if rest, ok := strings.CutPrefix(have, name); ok && strings.Trim(rest, "0123456789") == "" {
			return true
		}
	}
	return false
}

// shrink drops what Spread does not need, the text itself among it: a module is
// kept longer than a comparison takes.
func (m *module) shrink() {
	ours := map[string]bool{}
	for name := range m.imported {
		ours[strings.Clone(name)] = true
	}
	for i := range m.statements {
		for _, name := range m.statements[i].binds {
			ours[strings.Clone(name)] = true
		}
	}
	for i := range m.statements {
		s := &m.statements[i]
		short := statement{module: s.module, inert: s.inert, elements: s.elements, exported: map[string]string{}, mentions: map[string]bool{}}
		for name := range ours {
			if s.mentions[name] {
				short.mentions[name] = true
			}
		}
		for name, local := range s.exported {
			short.exported[strings.Clone(name)] = strings.Clone(local)
		}
		for _, name := range s.binds {
			short.binds = append(short.binds, strings.Clone(name))
		}
		for _, name := range s.heritage {
			short.heritage = append(short.heritage, strings.Clone(name))
		}
		*s = short
	}
	classes := map[string]bool{}
	for name, is := range m.classes {
		classes[strings.Clone(name)] = is
	}
	imported := map[string]bool{}
	for name := range m.imported {
		imported[strings.Clone(name)] = true
	}
	m.text, m.bound, m.imported, m.functions, m.classes = nil, nil, imported, nil, classes
}
