package affected

import (
	"path"
	"slices"
	"strings"
)

// Dependents gives the test files that depend on a file, sorted by distance
// and name, each with the chain that leads to it.
func (g *Graph) Dependents(file string) []Test {
	id, ok := g.ids[path.Clean(file)]
	if !ok {
		// No import leads to it; the rules for folders and data may.
		id = g.id(path.Clean(file))
	}
	return g.from(map[int32]string{id: changed}, nil).reached()
}

// Reaches tells whether a test depends on a file.
func (g *Graph) Reaches(test, file string) bool {
	for _, t := range g.Dependents(file) {
		if t.File == test {
			return true
		}
	}
	return false
}

// Sees tells whether what is in one of the files can matter to one of the
// tests. A file that is not in the tree may be what an import looks for.
func (g *Graph) Sees(tests, files []string) bool {
	seeds := map[int32]string{}
	for _, file := range files {
		file = path.Clean(file)
		if g.foreign(file) {
			continue
		}
		id, known := g.ids[file]
		if !known {
			if g.language(file) >= 0 {
				return len(tests) > 0
			}
			id = g.id(file)
		}
		seeds[id] = changed
	}
	w := g.walk(seeds, nil, true, true)
	for _, test := range tests {
		if id, ok := g.ids[path.Clean(test)]; ok && w.dist[id] >= 0 {
			return true
		}
	}
	return false
}

// Tests are all test files, sorted.
func (g *Graph) Tests() []string {
	out := make([]string, len(g.tests))
	for i, id := range g.tests {
		out[i] = g.nodes[id].name
	}
	return out
}

// Include adds a test file to the selection, for a reason of the caller's. It is
// false when no project runs the file, or it is selected already.
func (s *Set) Include(test, why string) bool {
	test = path.Clean(test)
	id, ok := s.graph.ids[test]
	if !ok || len(s.graph.nodes[id].projects) == 0 || slices.ContainsFunc(s.Tests, func(t Test) bool { return t.File == test }) {
		return false
	}
	s.Tests = append(s.Tests, Test{File: test, Projects: s.graph.nodes[id].projects, Why: []string{why}, Distance: -1})
	return true
}

// Unselected are the test files that are not in the selection, sorted.
func (s *Set) Unselected() []Test {
	in := make(map[string]bool, len(s.Tests))
	for _, t := range s.Tests {
		in[t.File] = true
	}
	var out []Test
	for _, id := range s.graph.tests {
		if n := &s.graph.nodes[id]; !in[n.name] {
			out = append(out, Test{File: n.name, Projects: n.projects, Distance: -1})
		}
	}
	return out
}

// WhyTest explains why a test is selected or is not.
func (s *Set) WhyTest(test string) []string {
	test = path.Clean(test)
	for _, t := range s.Tests {
		if t.File == test {
			return t.Why
		}
	}
	id, ok := s.graph.ids[test]
	switch {
	case !ok:
		return []string{test + " is not a file of the repository"}
	case len(s.graph.nodes[id].projects) == 0:
		return []string{test + " is not a test file of any project"}
	case len(s.Modified) == 0:
		return []string{"nothing is modified"}
	}
	if why := s.graph.traced[test]; why != "" {
		return strings.Split(why, "; ")
	}
	if why := s.graph.whySpared(id); why != nil {
		return why
	}
	return []string{"no import, setup file or data file leads from " + test + " to a modified file"}
}

// WhyFile gives the tests that a file selects, each with its chain; none when
// no test depends on it.
func (s *Set) WhyFile(file string) []Test { return s.graph.Dependents(file) }

// Explanation answers why a path is selected, or what it selects.
type Explanation struct {
	Path string
	// Test: the path is a test file, and Why tells why it is Selected or not.
	Test, Selected bool
	// Unknown: no such file is in the tree or was at the base.
	Unknown bool
	Why     []string
	// Tests are those that depend on the path when it is no test.
	Tests []Test
}

// Explain answers for one path.
func (s *Set) Explain(file string) Explanation {
	file = path.Clean(file)
	e := Explanation{Path: file}
	id, ok := s.graph.ids[file]
	switch {
	case ok && len(s.graph.nodes[id].projects) > 0:
		e.Test, e.Why = true, s.WhyTest(file)
		for _, t := range s.Tests {
			e.Selected = e.Selected || t.File == file
		}
	default:
		e.Tests = s.WhyFile(file)
		if len(e.Tests) == 0 {
			e.Why = []string{"no import, setup file or data file leads from a test to " + file}
			if !s.graph.in.Tree.Exists(file) && !s.graph.base[file] {
				e.Unknown = true
				e.Why = []string{file + " is not a file of the repository"}
			}
		}
	}
	return e
}
