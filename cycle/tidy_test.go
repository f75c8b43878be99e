package cycle

import (
	"testing"
	"time"

	"regreen/fixers"
)

// Tests write into the tree that they run in. None of it may be merged, and
// no verdict may rest on it.
func TestTestsThatWriteIntoTheTree(t *testing.T) {
	cases := []struct {
		name   string
		files  map[string]string
		litter func(w *world)
		want   Outcome
		merged string // of src, "" for nothing
	}{
		{name: "into a file that is repaired", files: map[string]string{"src": "", "t.test": "one: src has a"},
			litter: func(w *world) { w.files["src"] = append(w.files["src"], "litter\n"...) }, want: Repaired, merged: "a\n"},
		{name: "what another test needs", files: map[string]string{"src": "", "val": "1", "t.test": "one: src has a", "u.test": "two: val has =2"},
			litter: func(w *world) { w.files["val"] = []byte("=2") }, want: Failed},
		{name: "a new file that another test needs", files: map[string]string{"src": "", "t.test": "one: src has a", "u.test": "two: gen has =2"},
			litter: func(w *world) { w.files["gen"] = []byte("=2") }, want: Failed},
		{name: "what another test of the full suite needs", files: map[string]string{"src": "", "val": "1", "t.test": "one: src has a", "u.test": "two: val has b"},
			litter: func(w *world) { w.files["val"] = []byte("b") }, want: Repaired, merged: "a\n"},
		{name: "away with a source file", files: map[string]string{"src": "", "lib": "b", "t.test": "one: src has a\ntwo: lib has b"},
			litter: func(w *world) { delete(w.files, "lib") }, want: Repaired, merged: "a\n"},
		{name: "away with a test", files: map[string]string{"src": "", "t.test": "one: src has a\ntwo: src has a\nred: src has =z"},
			litter: func(w *world) { w.files["t.test"] = []byte("one: src has a\ntwo: src has a") }, want: Failed},
		{name: "all over", files: map[string]string{"src": "", "t.test": "loads src has lib\none: src has a\ntwo: src has z"},
			litter: func(w *world) {
				for f := range w.files {
					w.files[f] = append(w.files[f][:len(w.files[f]):len(w.files[f])], "# litter\n"...)
				}
			}, want: Repaired, merged: "lib\na\nz\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(c.files)
			w.fixes, w.litter = sayMissing, c.litter
			change := func(o *Options, s *Selection, d *Deps) {}
			if c.name == "what another test of the full suite needs" {
				change = only("t.test")
			}
			d := w.cycle(t, change)
			if d.Outcome != c.want {
				t.Errorf("outcome = %s (%s), want %s", d.Outcome, d.Reason, c.want)
			}
			got := ""
			for _, ch := range w.merged {
				if ch.File != "src" {
					t.Errorf("merged %s, which no fix edited", ch.File)
				}
				got = string(ch.After)
			}
			if got != c.merged {
				t.Errorf("merged %q, want %q", got, c.merged)
			}
		})
	}
}

// A proposal holds the fix alone as well.
func TestProposalWithoutLitter(t *testing.T) {
	w := newWorld(map[string]string{"src": "", "t.test": "one: src has a"})
	w.litter = func(w *world) { w.files["src"] = append(w.files["src"], "litter\n"...) }
	w.fixes = func(c fixers.Cause, w *world) []fixers.Fix {
		return []fixers.Fix{w.say(c.Place.File, c.Symbol, 0, fixers.Propose)}
	}
	d := w.cycle(t, func(o *Options, _ *Selection, _ *Deps) { o.Started = time.Now() })
	if len(d.Proposals) != 1 {
		t.Fatalf("%d proposals, want 1", len(d.Proposals))
	}
	for _, ch := range w.kept[d.Proposals[0].ID] {
		if got := string(ch.After); got != "a\n" {
			t.Errorf("the proposal gives src %q, want %q", got, "a\n")
		}
	}
}

// What the user did in the meantime is not claimed as ours.
func TestMergeWithNothingToWrite(t *testing.T) {
	w := newWorld(map[string]string{"src": "", "t.test": "one: src has a"})
	w.fixes, w.already = sayMissing, true
	d := w.cycle(t, nil)
	if d.Outcome != Repaired || d.Reason == "" || len(d.Merged) != 0 || d.Patch != "" || d.Undo != "" {
		t.Errorf("outcome %s (%q), merged %v, patch %q, undo %q; want repaired with nothing merged", d.Outcome, d.Reason, d.Merged, d.Patch, d.Undo)
	}
}
