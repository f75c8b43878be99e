package cycle

import (
	"context"
	"slices"
	"testing"

	"regreen/fixers"
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

// TestWordUnderTheCursor holds that no candidate goes on with the word that
// somebody is writing, and that everything else is repaired.
func TestWordUnderTheCursor(t *testing.T) {
	for _, tc := range []struct {
		name string
		at   Cursor
		want Outcome
	}{
		{"at its end", Cursor{"src", 1, 3}, Failed},
		{"inside of it", Cursor{"src", 1, 2}, Failed},
		{"before it", Cursor{"src", 1, 0}, Repaired},
		{"in another file", Cursor{"other", 1, 3}, Repaired},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(map[string]string{"src": "sub", "other": "sub", "t.test": "one: src has subtotal"})
			w.base = map[string]string{"src": ""}
			w.fixes = func(c fixers.Cause, _ *world) []fixers.Fix {
				f := fixers.Fix{Title: "finish it", Kind: c.Kind, Applicability: fixers.Safe, Edits: []fixers.Edit{{File: "src", Start: 0, End: 3, New: "subtotal"}}}
				f.Seal()
				return []fixers.Fix{f}
			}
			doc := w.cycle(t, func(_ *Options, _ *Selection, d *Deps) {
				d.HalfWritten = func(context.Context) ([]HalfWritten, error) { return nil, nil }
				d.Cursors = func(context.Context) ([]Cursor, error) { return []Cursor{tc.at}, nil }
			})
			if doc.Outcome != tc.want {
				t.Fatalf("outcome %s: %s, want %s", doc.Outcome, doc.Reason, tc.want)
			}
			if want := []HalfWritten{{"src", 1}}; tc.want == Failed && (!slices.Equal(doc.HalfWritten, want) || doc.Reason != "waiting for you to finish line 1 of src" || len(doc.Proposals) > 0) {
				t.Errorf("reason %q, half-written %v, %d proposals", doc.Reason, doc.HalfWritten, len(doc.Proposals))
			}
		})
	}
}
