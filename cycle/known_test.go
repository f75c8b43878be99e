package cycle

import (
	"testing"

	"regreen/fixers"
)

func TestKnownFixComesFirst(t *testing.T) {
	rank := func(title string, n int, a fixers.Applicability) fixers.Fix {
		return fixers.Fix{Title: title, Rule: "r", Rank: n, Applicability: a}
	}
	cases := []struct {
		name  string
		fixes []fixers.Fix
		first string
	}{
		{"alone at its rank", []fixers.Fix{rank("a", 0, fixers.Safe), rank("b", 3, fixers.Likely), rank("c", 4, fixers.Likely)}, "b"},
		{"one of two of its rank", []fixers.Fix{rank("a", 0, fixers.Safe), rank("b", 3, fixers.Likely), rank("c", 3, fixers.Likely)}, "a"},
		{"only a proposal now", []fixers.Fix{rank("a", 0, fixers.Safe), rank("b", 3, fixers.Propose)}, "a"},
		{"not offered any more", []fixers.Fix{rank("a", 0, fixers.Safe), rank("c", 3, fixers.Likely)}, "a"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			c := &run{deps: Deps{Known: func(string) string { return fixName(rank("b", 9, fixers.Safe)) }}}
			got := c.knownFirst(cause{}, tc.fixes)
			if got[0].Title != tc.first || len(got) != len(tc.fixes) {
				t.Errorf("first is %q of %d, want %q of %d", got[0].Title, len(got), tc.first, len(tc.fixes))
			}
		})
	}
}

func TestMergedFixesAreLearned(t *testing.T) {
	w := newWorld(map[string]string{"src": "", "t.test": "one: src has a"})
	w.fixes = sayMissing
	var told []Learned
	w.cycle(t, func(_ *Options, _ *Selection, d *Deps) {
		d.Learn = func(l []Learned) error { told = append(told, l...); return nil }
	})
	if len(told) != 1 {
		t.Errorf("learned %v, want the one fix that was merged", told)
	}
}
