package cycle

import (
	"slices"
	"testing"
	"time"

	"regreen/fixers"
	"regreen/internal/runner"
)

// TestRepairsWhatHangs holds that what failed before a run hung is repaired,
// that only a run that ends proves it, and that the tries do not wait for the
// whole limit.
func TestRepairsWhatHangs(t *testing.T) {
	const failing = "zero: src has base\none: src has word\n"
	for _, tc := range []struct {
		name, test string
		fixes      func(fixers.Cause, *world) []fixers.Fix
		outcome    Outcome
		hung       int // runs that hung
	}{
		{"it hung for what failed", failing + "hang: src has word\ntwo: src has word", sayMissing, Repaired, 1},
		{"it hangs still", failing + "hang: src has never", sayOnly("word"), Failed, 3},
		{"nothing repairs it", failing + "hang: src has word", nil, Failed, 1},
		{"nothing else failed", "zero: src has base\nhang: src has word", sayMissing, Failed, 1},
		{"an assertion that may be flaky", "zero: src has base\none: src has =word\nhang: src has =word",
			func(c fixers.Cause, w *world) []fixers.Fix {
				return []fixers.Fix{w.say("src", c.Symbol, 0, fixers.Safe)}
			}, Proposed, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(map[string]string{"src": "base\n", "t.test": tc.test})
			w.fixes = tc.fixes
			doc := w.cycle(t, nil)
			if doc.Outcome != tc.outcome || (len(w.merged) > 0) != (tc.outcome == Repaired) {
				t.Errorf("%s (%s), merged %d; want %s", doc.Outcome, doc.Reason, len(w.merged), tc.outcome)
			}
			first := doc.Iterations[0]
			if !slices.ContainsFunc(first.Causes, func(c Cause) bool { return c.Kind == string(runner.Timeout) }) {
				t.Errorf("causes of the run that hung: %+v, none is the hang", first.Causes)
			}
			if len(w.limits) > tc.hung {
				t.Errorf("%d runs hung, want %d at most", len(w.limits), tc.hung)
			}
			for i, l := range w.limits[1:] {
				if tc.outcome == Proposed && l != leastPatience {
					t.Errorf("run %d that hung had %s, want %s", i+2, l, leastPatience)
				}
			}
		})
	}
}

// TestGuiltOfHang holds that the cause of a hang is looked for, in short runs.
func TestGuiltOfHang(t *testing.T) {
	w := newWorld(map[string]string{"src": "a\n5\nc\nD\n", "t.test": "zero: src has a\nhang: src has 4\nlast: src has D"})
	w.base = map[string]string{"src": "a\n4\nc\nd\n"}
	doc := w.cycle(t, nil)
	if doc.Outcome != Failed || doc.Cause == nil || doc.Cause.String() != "src:2" || len(doc.Cause.Parts) != 1 {
		t.Errorf("%s, cause = %+v, want src:2 alone", doc.Outcome, doc.Cause)
	}
	if len(w.limits) < 2 || w.limits[1] != leastPatience {
		t.Errorf("limits of the runs that hung: %v, want %s after the first", w.limits, leastPatience)
	}
}

func TestPatience(t *testing.T) {
	r := &result{tests: map[testKey]runner.Test{{0, "a"}: {Duration: 2 * time.Second}, {0, "b"}: {Duration: time.Second}}}
	for limit, want := range map[time.Duration]time.Duration{0: leastPatience + 12*time.Second, time.Minute: leastPatience + 12*time.Second, 20 * time.Second: 20 * time.Second} {
		if got := r.patience(limit); got != want {
			t.Errorf("patience(%s) = %s, want %s", limit, got, want)
		}
	}
}
