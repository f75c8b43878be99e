package affected

import (
	"strings"
	"testing"

	"regreen/internal/lang"
)

// TestLinks holds that what is used by the name of a link is known to depend
// on what the link leads to.
func TestLinks(t *testing.T) {
	tests := []struct {
		name, changed, want, why string
		links                    map[string]string
		files                    []string
	}{
		{"a file", "s/a.x", "a_test.x", "a_test.x imports s/alias.x | s/alias.x is a link to s/a.x (changed)", map[string]string{"s/alias.x": "s/a.x"},
			[]string{"a_test.x: use s/alias", "b_test.x: use s/b", "s/alias.x:", "s/a.x:", "s/b.x:"}},
		{"a folder", "s/d/a.x", "a_test.x", "a_test.x imports l/d/a.x | l/d/a.x is a link to s/d/a.x (changed)", map[string]string{"l": "s"},
			[]string{"a_test.x: use l/d/a", "b_test.x: use s/b", "s/d/a.x:", "s/b.x:", "l:"}},
		{"what is gone", "s/a.x", "a_test.x", "a_test.x imports s/alias.x | s/alias.x is a link to s/a.x (changed)", map[string]string{"s/alias.x": "s/a.x"},
			[]string{"a_test.x: use s/alias", "s/alias.x:"}},
		{"below a module", "s/c.x", "a_test.x", "", map[string]string{"s/alias.x": "s/a.x"},
			[]string{"a_test.x: use s/alias", "s/alias.x: use s/c", "s/a.x: use s/c", "s/c.x:"}},
		{"elsewhere", "s/a.x", "", "", map[string]string{"s/alias.x": "s/b.x"},
			[]string{"a_test.x: use s/alias", "s/alias.x:", "s/a.x:", "s/b.x:"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Tree: linked{parse(tt.files...)}, Languages: lang.Set{fake{}}, Projects: []Project{project(".", "*_test.x")},
				Changes: change("M " + tt.changed), Links: tt.links}
			fresh, err := Select(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			// A graph of the time before the link says the same.
			without := in
			without.Links = nil
			g, err := Build(t.Context(), without)
			if err != nil {
				t.Fatal(err)
			}
			updated, err := g.Update(t.Context(), in, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range []*Set{fresh, updated} {
				if got := strings.Join(picked(s), " "); got != tt.want {
					t.Errorf("selected %q, want %q", got, tt.want)
				}
				if tt.why != "" && len(s.Tests) > 0 {
					if got := strings.Join(s.Tests[0].Why, " | "); got != tt.why {
						t.Errorf("why %q, want %q", got, tt.why)
					}
				}
			}
		})
	}
}

// linked is a tree in which the folder l is a link to s.
type linked struct{ mem }

func through(rel string) string {
	if rest, ok := strings.CutPrefix(rel, "l/"); ok {
		return "s/" + rest
	}
	return rel
}

func (l linked) ReadFile(rel string) ([]byte, error) { return l.mem.ReadFile(through(rel)) }
func (l linked) Exists(rel string) bool              { return l.mem.Exists(through(rel)) }
func (l linked) IsDir(rel string) bool               { return l.mem.IsDir(through(rel)) }
func (linked) List(string) map[string]bool           { return nil }
