package cycle

import (
	"strings"
	"testing"

	"regreen/fixers"
)

// TestDroppedSaysWhatFailsThen: a repair whose tests fail for another reason did
// end the failure that it is for, and is not said to have left it.
func TestDroppedSaysWhatFailsThen(t *testing.T) {
	for _, tc := range []struct{ name, file, why string }{
		{"the failure is gone, another came", "loads src has a\none: src has =b", "its tests fail for another reason then: assertion_mismatch"},
		{"the failure stayed", "loads src has other", "the failure stayed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(map[string]string{"src": "", "t.test": tc.file})
			w.fixes = sayMissing
			if strings.Contains(tc.why, "stayed") {
				w.fixes = func(c fixers.Cause, w *world) []fixers.Fix {
					return []fixers.Fix{w.say(c.Place.File, "useless", 0, fixers.Safe)}
				}
			}
			doc := w.cycle(t, nil)
			var whys []string
			for _, it := range doc.Iterations {
				for _, f := range it.Fixes {
					whys = append(whys, f.Why)
				}
			}
			if len(whys) != 1 || whys[0] != tc.why || doc.Outcome != Failed {
				t.Errorf("outcome %v, fixes %q, want one dropped: %q", doc.Outcome, whys, tc.why)
			}
		})
	}
}
