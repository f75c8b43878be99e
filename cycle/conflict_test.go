package cycle

import (
	"slices"
	"strings"
	"testing"
)

const conflicted = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> 8621452 (m)\n"

// TestConflictWaits holds that a file with a merge's marks in it is told as that,
// that nothing is tried or searched for it, and that other failures are repaired.
func TestConflictWaits(t *testing.T) {
	const reason = "src:2 is a conflict of a merge, which only you can resolve"
	for _, tc := range []struct {
		name, src, test string
		runs            int
		want            Outcome
		reason          string
	}{
		{"alone", conflicted, "one: src has ;\ntwo: src has ;\nfour: src has a", 1, Failed, reason},
		{"beside another failure", conflicted, "one: src has ;\ntwo: other has word\nfour: src has a", 0, Failed, "the pass rate with the repair is 66.7 %, the target 95.0 %"},
		{"no conflict", "a\n=======\n", "one: src has ;", 0, Repaired, ""},
		{"failed for another reason", conflicted, "one: src has word", 0, Repaired, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(map[string]string{"src": tc.src, "other": "", "t.test": tc.test})
			w.fixes = sayMissing
			w.base = map[string]string{"src": "a;"}
			doc := w.cycle(t, nil)
			if doc.Outcome != tc.want || doc.Reason != tc.reason && tc.reason != "" {
				t.Errorf("%s: %q, want %s: %q", doc.Outcome, doc.Reason, tc.want, tc.reason)
			}
			if tc.runs > 0 && (w.runs != tc.runs || doc.Cause != nil || len(doc.Remaining) == 0) {
				t.Errorf("%d runs, cause %v, %d failures; want the verdict of the first run alone", w.runs, doc.Cause, len(doc.Remaining))
			}
			for _, f := range doc.Iterations[0].Fixes {
				if tc.want == Failed && slices.Contains(f.Files, "src") {
					t.Errorf("%s was tried on the file with the conflict", f.Title)
				}
			}
		})
	}
}

func TestConflictLine(t *testing.T) {
	for src, want := range map[string]int{
		conflicted:                         2,
		"":                                 0,
		"<<<<<<< a\n=======\n":             0,
		">>>>>>> a\n=======\n<<<<<<< a\n":  0,
		" <<<<<<< a\n=======\n>>>>>>> b\n": 0,
		"<<<<<<< a\nx\n<<<<<<< a\n||||||| c\n=======\n>>>>>>> b\n": 3,
		strings.ReplaceAll(conflicted, "\n", "\r\n"):               2,
	} {
		if got := conflictLine([]byte(src)); got != want {
			t.Errorf("conflictLine(%q) = %d, want %d", src, got, want)
		}
	}
}
