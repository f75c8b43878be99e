package affected

import (
	"strings"
	"testing"

	"regreen/internal/lang"
)

func TestSees(t *testing.T) {
	s, err := Select(t.Context(), Input{Tree: parse(append(basic, "d/x.json:", "t/d_test.x: data d/x.json")...), Languages: lang.Set{fake{}},
		Projects: []Project{project(".", "*_test.x")}, Changes: change("M s/a.x")})
	if err != nil {
		t.Fatal(err)
	}
	g := s.Graph()
	for _, c := range []struct {
		name, tests, files string
		want               bool
	}{
		{"an import", "t/a_test.x", "s/a.x", true},
		{"an import's import", "t/a_test.x", "README.md s/c.x", true},
		{"the test itself", "t/a_test.x", "t/a_test.x", true},
		{"another test's import", "t/b_test.x t/c_test.x", "s/a.x", false},
		{"another test", "t/a_test.x", "t/b_test.x", false},
		{"data", "t/d_test.x", "d/x.json", true},
		{"prose", "t/a_test.x t/d_test.x", "README.md", false},
		{"a new source file", "t/c_test.x", "s/new.x", true},
		{"new prose", "t/a_test.x", "docs/new.md", false},
		{"an installed package's file", "t/a_test.x", "node_modules/p/index.x", false},
		{"no tests", "", "s/new.x", false},
		{"no files", "t/a_test.x", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := g.Sees(strings.Fields(c.tests), strings.Fields(c.files)); got != c.want {
				t.Errorf("Sees(%q, %q) = %v, want %v", c.tests, c.files, got, c.want)
			}
		})
	}
}

func TestInclude(t *testing.T) {
	s, err := Select(t.Context(), Input{Tree: parse(basic...), Languages: lang.Set{fake{}}, Projects: []Project{project(".", "*_test.x")},
		Changes: change("M s/a.x")})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		test string
		want bool
	}{{"t/a_test.x", false}, {"t/c_test.x", true}, {"t/c_test.x", false}, {"s/a.x", false}, {"t/gone_test.x", false}} {
		if got := s.Include(c.test, "it failed"); got != c.want {
			t.Errorf("Include(%s) = %v, want %v", c.test, got, c.want)
		}
	}
	last := s.Tests[len(s.Tests)-1]
	if len(s.Tests) != 2 || last.File != "t/c_test.x" || len(last.Projects) != 1 || last.Why[0] != "it failed" {
		t.Errorf("tests = %+v", s.Tests)
	}
}
