package cycle

import (
	"context"
	"slices"
	"testing"
)

// TestHalfWrittenIsLeftAlone holds that what somebody is still writing is told
// of and not repaired, and that it is in nobody's way where no failure is of it.
func TestHalfWrittenIsLeftAlone(t *testing.T) {
	for _, tc := range []struct {
		name string
		half []HalfWritten
		want Outcome
	}{
		{"the file that fails", []HalfWritten{{"src", 12}}, Failed},
		{"another file", []HalfWritten{{"other", 3}}, Repaired},
		{"none", nil, Repaired},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(map[string]string{"src": "", "other": "", "t.test": "one: src has a"})
			w.fixes = sayMissing
			w.base = map[string]string{"src": "a"}
			asked := 0
			doc := w.cycle(t, func(_ *Options, _ *Selection, d *Deps) {
				d.HalfWritten = func(context.Context) ([]HalfWritten, error) { asked++; return slices.Clone(tc.half), nil }
			})
			if doc.Outcome != tc.want || asked != 1 {
				t.Errorf("outcome %s after %d questions, want %s after one", doc.Outcome, asked, tc.want)
			}
			if tc.want == Repaired {
				return
			}
			if want := "waiting for you to finish line 12 of src"; doc.Reason != want || !slices.Equal(doc.HalfWritten, tc.half) {
				t.Errorf("reason %q, half-written %v, want %q, %v", doc.Reason, doc.HalfWritten, want, tc.half)
			}
			if w.runs != 1 || doc.Cause != nil || len(doc.Remaining) != 1 {
				t.Errorf("%d runs, cause %v, %d failures; want the verdict of the first run alone", w.runs, doc.Cause, len(doc.Remaining))
			}
		})
	}
}
