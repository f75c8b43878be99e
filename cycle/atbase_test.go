package cycle

import (
	"slices"
	"testing"
)

// A failure that the base has too does not keep a repair from being merged; one
// that the user's changes brought does, and so does one that changed its kind.
func TestOldFailuresThatCanBeReached(t *testing.T) {
	cases := []struct {
		name        string
		base, files map[string]string
		all         bool // the red test is among the affected ones
		want        Outcome
		before      []string
	}{
		{name: "red at the base, in the full suite", base: map[string]string{"src": "a"},
			files: map[string]string{"src": "", "t.test": "one: src has a", "u.test": "old: src has =z"}, want: Repaired, before: []string{"old"}},
		{name: "green at the base, in the full suite", base: map[string]string{"src": "a =z"},
			files: map[string]string{"src": "", "t.test": "one: src has a", "u.test": "old: src has =z"}, want: Failed},
		{name: "red at the base, among the affected", base: map[string]string{"src": "a"}, all: true,
			files: map[string]string{"src": "", "t.test": "one: src has a", "u.test": "old: src has =z"}, want: Repaired, before: []string{"old"}},
		{name: "green at the base, among the affected", base: map[string]string{"src": "a =z"}, all: true,
			files: map[string]string{"src": "", "t.test": "one: src has a", "u.test": "old: src has =z"}, want: Failed},
		{name: "did not load at the base either", base: map[string]string{"src": "a"}, all: true,
			files: map[string]string{"src": "", "t.test": "one: src has a", "u.test": "loads lib has x\nold: src has a"}, want: Repaired, before: []string{""}},
		{name: "loaded at the base", base: map[string]string{"src": "a", "lib": "x"}, all: true,
			files: map[string]string{"src": "", "lib": "", "t.test": "one: src has a", "u.test": "loads lib has x\nold: src has a"}, want: Failed},
		{name: "failed otherwise at the base", base: map[string]string{"src": "a", "u.test": "old: src has =z"}, all: true,
			files: map[string]string{"src": "", "t.test": "one: src has a", "u.test": "loads lib has x\nold: src has =z"}, want: Failed},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(tc.files)
			w.base, w.reach["u.test"] = tc.base, true
			w.fixes = sayMissing
			if tc.name == "loaded at the base" || tc.name == "failed otherwise at the base" || tc.name == "did not load at the base either" {
				w.fixes = sayOnly("a")
			}
			change := only("t.test")
			if tc.all {
				change = nil
			}
			doc := w.cycle(t, change)
			if doc.Outcome != tc.want {
				t.Errorf("outcome %s (%s), want %s", doc.Outcome, doc.Reason, tc.want)
			}
			var got []string
			for _, r := range doc.FailedBefore {
				got = append(got, append(slices.Clone(r.Test.Path), "")[0])
			}
			if !slices.Equal(got, tc.before) {
				t.Errorf("failed before: %q, want %q", got, tc.before)
			}
		})
	}
}
