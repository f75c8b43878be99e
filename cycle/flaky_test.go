package cycle

import (
	"bytes"
	"fmt"
	"testing"

	"regreen/fixers"
	"regreen/internal/runner"
)

func TestFlaky(t *testing.T) {
	fix := func(c fixers.Cause, w *world) []fixers.Fix {
		return []fixers.Fix{w.say(c.Place.File, c.Symbol, 0, fixers.Likely)}
	}
	cases := []struct {
		name  string
		test  string
		flips int // the run from which on the test passes by itself; 0: never
		want  Outcome
		flaky int
	}{
		{"a failure that stays", "one: src has =4", 0, Repaired, 0},
		{"a failure that goes away by itself", "one: src has =4", 2, Failed, 1},
		{"a kind that cannot come and go is not run again", "one: src has a", 2, Repaired, 0},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(map[string]string{"src": "x\n", "t.test": tc.test})
			w.fixes, w.luckyFrom = fix, tc.flips
			doc := w.cycle(t, nil)
			if doc.Outcome != tc.want || len(doc.Flaky) != tc.flaky {
				t.Errorf("outcome %s (%s) with %d flaky tests, want %s with %d", doc.Outcome, doc.Reason, len(doc.Flaky), tc.want, tc.flaky)
			}
			if tc.want == Failed && len(w.merged) > 0 {
				t.Error("a fix was merged for a test that passes without it")
			}
		})
	}
}

// With more candidates of one rank than are tried, none is known to be alone.
func TestUntriedRivalsAreAmbiguous(t *testing.T) {
	w := newWorld(map[string]string{"src": "x\n", "t.test": "one: src has a"})
	w.fixes = func(c fixers.Cause, w *world) []fixers.Fix {
		if c.Kind != runner.UndefinedVariable {
			return nil
		}
		var out []fixers.Fix
		for i := range maxTries + 2 {
			text := fmt.Sprintf("b%d", i)
			if i == 3 || i == maxTries+1 {
				text = fmt.Sprintf("a%d", i)
			}
			out = append(out, w.say("src", text, 0, fixers.Likely))
		}
		return out
	}
	doc := w.cycle(t, nil)
	if doc.Outcome != Failed || len(w.merged) > 0 || len(doc.Proposals) != 1 {
		t.Errorf("outcome %s, %d merged, %d proposals: want a proposal alone", doc.Outcome, len(w.merged), len(doc.Proposals))
	}
}

// TestFlakyElsewhere holds that a test that fails once while a repair is proved
// does not keep it from being merged where it can see nothing of it, and makes
// a proposal of it where it can.
func TestFlakyElsewhere(t *testing.T) {
	for _, tc := range []struct {
		name  string
		all   bool // the selection has both tests
		run   int  // in which "two" fails
		sees  bool
		stays bool // it fails from then on with the repair
		want  Outcome
		flaky int
	}{
		{"in the full suite, out of reach", false, 3, false, false, Repaired, 1},
		{"in the full suite, within reach", false, 3, true, false, Proposed, 1},
		{"in the selection, out of reach", true, 3, false, false, Repaired, 1},
		{"in the full suite, out of reach and again", false, 3, false, true, Failed, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(map[string]string{"src": "", "lib": "b", "t.test": "one: src has a", "u.test": "two: lib has b"})
			w.fixes = sayMissing
			w.unlucky = map[string]int{"two": tc.run}
			if tc.stays {
				w.unlucky = nil
				w.litter = func(w *world) { // what the run after reads
					if bytes.Contains(w.files["src"], []byte("a")) {
						w.files["lib"] = nil
					}
				}
			}
			doc := w.cycle(t, func(o *Options, s *Selection, d *Deps) {
				if !tc.all {
					only("t.test")(o, s, d)
				}
				d.Sees = func(files []string, test string) bool { return tc.sees }
				if tc.stays {
					d.Units[0].Session = reading{w}
				}
			})
			if doc.Outcome != tc.want || len(doc.Flaky) != tc.flaky {
				t.Errorf("outcome %s (%s) with %d flaky tests, want %s with %d", doc.Outcome, doc.Reason, len(doc.Flaky), tc.want, tc.flaky)
			}
		})
	}
}
