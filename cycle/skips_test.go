package cycle

import (
	"maps"
	"slices"
	"testing"

	"regreen/fixers"
)

// TestRepairsAFileOfSkips holds that a file which loads again is repaired though
// all its tests are skipped, where they are at the base too and where passing
// tests see what the repair edits; and that nothing else becomes green by skips.
func TestRepairsAFileOfSkips(t *testing.T) {
	const rest = "one: src has base\ntwo: src has base"
	loads := func(skips string) string { return "loads src has word\n" + skips }
	for _, tc := range []struct {
		name    string
		test    string // the file that does not load
		rest    string
		base    map[string]string // beside src with the word
		blind   bool              // no other test sees what is edited
		alone   bool              // files that load run, whatever others do
		outcome Outcome
	}{
		{name: "skipped at the base too", test: loads("a: skipped\nb: skipped"), outcome: Repaired},
		{name: "without a test, at the base too", test: loads(""), outcome: Repaired},
		{name: "without a test, and the base has one", test: loads(""), base: map[string]string{"t.test": "a: src has word"}, outcome: Failed},
		{name: "without a test, and no other test sees the edit", test: loads(""), blind: true, outcome: Failed},
		{name: "they ran at the base", test: loads("a: skipped src has word"),
			base: map[string]string{"t.test": "a: skipped src has never"}, outcome: Failed},
		{name: "one of them ran at the base", test: loads("a: skipped\nb: skipped src has word"),
			base: map[string]string{"t.test": "a: skipped\nb: skipped src has never"}, outcome: Failed},
		{name: "the base has one more", test: loads("a: skipped"),
			base: map[string]string{"t.test": "a: skipped\nb: skipped"}, outcome: Failed},
		{name: "the base has one less", test: loads("a: skipped\nb: skipped"),
			base: map[string]string{"t.test": "a: skipped"}, outcome: Failed},
		{name: "the base does not load either", test: loads("a: skipped"),
			base: map[string]string{"src": "base\n"}, outcome: Failed},
		{name: "no other test sees the edit", test: loads("a: skipped"), blind: true, outcome: Failed},
		{name: "the others passed before", test: loads("a: skipped"), alone: true, outcome: Failed},
		{name: "another test breaks", test: loads("a: skipped"), rest: "three: src has =z", outcome: Failed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(map[string]string{"src": "base\n", "t.test": tc.test, "u.test": rest})
			if tc.rest != "" {
				w.files["u.test"], w.orig["u.test"] = []byte(tc.rest), []byte(tc.rest)
			}
			w.base = map[string]string{"src": "base word\n"}
			maps.Copy(w.base, tc.base)
			w.collects, w.fixes = !tc.alone, sayMissing
			doc := w.cycle(t, func(_ *Options, _ *Selection, d *Deps) {
				d.Sees = func(files []string, test string) bool {
					return test == "t.test" || !tc.blind && slices.Contains(files, "src")
				}
			})
			if doc.Outcome != tc.outcome || (len(w.merged) > 0) != (tc.outcome == Repaired) {
				t.Errorf("%s (%s), merged %d; want %s", doc.Outcome, doc.Reason, len(w.merged), tc.outcome)
			}
		})
	}
}

// TestSkipsProveNoRival holds that of two repairs which both make such a file
// load none is merged.
func TestSkipsProveNoRival(t *testing.T) {
	w := newWorld(map[string]string{"src": "base\n", "t.test": "loads src has word\na: skipped", "u.test": "one: src has base"})
	w.base, w.collects = map[string]string{"src": "base word\n"}, true
	w.fixes = func(c fixers.Cause, w *world) []fixers.Fix {
		return []fixers.Fix{w.say("src", "word", 0, fixers.Safe), w.say("src", "words", 0, fixers.Safe)}
	}
	doc := w.cycle(t, func(_ *Options, _ *Selection, d *Deps) {
		d.Sees = func([]string, string) bool { return true }
	})
	if doc.Outcome == Repaired || len(doc.Proposals) != 2 {
		t.Errorf("%s (%s) with %d proposals, want two proposals and nothing merged", doc.Outcome, doc.Reason, len(doc.Proposals))
	}
}
