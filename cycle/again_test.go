package cycle

import (
	"slices"
	"strings"
	"testing"
)

// saved is the user's save of src while the tests ran: the sandbox then holds
// it under the repair.
func saved(text string) func(*world) (Rebased, error) {
	return func(w *world) (Rebased, error) {
		before := []byte(text)
		after := append(slices.Clone(before), "a\n"...)
		w.orig["src"], w.files["src"] = before, after
		return Rebased{Files: []string{"src"}, Changes: []Change{{File: "src", Before: before, After: after}}}, nil
	}
}

// TestSavedMeanwhile has the user save between the proof and the merge.
func TestSavedMeanwhile(t *testing.T) {
	files := map[string]string{"src": "ok\n", "t.test": "one: src has a\ntwo: src has ok"}
	conflict := func(*world) (Rebased, error) {
		return Rebased{}, &NotMerged{Reason: "src changed in the same place", Files: []string{"src"}}
	}
	cases := []struct {
		name   string
		saves  []func(*world) (Rebased, error)
		late   error
		want   Outcome
		reason string
		merged string // what src becomes
		runs   int    // at least
	}{
		{"nothing", nil, nil, Repaired, "", "ok\na\n", 2},
		{"elsewhere in the file", []func(*world) (Rebased, error){saved("ok\nmine\n")}, nil, Repaired, "", "ok\nmine\na\n", 3},
		{"twice", []func(*world) (Rebased, error){saved("ok\nm\n"), saved("ok\nmi\n")}, nil, Repaired, "", "ok\nmi\na\n", 4},
		{"without end", []func(*world) (Rebased, error){saved("ok\n1\n"), saved("ok\n2\n"), saved("ok\n3\n"), saved("ok\n4\n"), saved("ok\n5\n")}, nil,
			Proposed, "you save oftener than the tests run: src", "", 5},
		{"in the same place", []func(*world) (Rebased, error){conflict}, nil, Proposed, "changed in the same place", "", 2},
		{"what another test does not bear", []func(*world) (Rebased, error){saved("bad\n")}, nil, Proposed, "you saved src meanwhile, and with that: ", "", 3},
		{"in the last moment", []func(*world) (Rebased, error){func(*world) (Rebased, error) { return Rebased{}, nil }, saved("ok\nlast\n")},
			&NotMerged{Reason: "src changed since the tests ran", Saved: true}, Repaired, "", "ok\nlast\na\n", 3},
		{"a refusal in the last moment", nil, &NotMerged{Reason: "it is a link"}, Proposed, "it is a link", "", 2},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(files)
			w.fixes, w.saves, w.late = sayMissing, tc.saves, tc.late
			doc := w.cycle(t, nil)
			if doc.Outcome != tc.want || !strings.Contains(doc.Reason, tc.reason) || w.runs < tc.runs {
				t.Errorf("outcome %s (%q) after %d runs, want %s (%q) after at least %d", doc.Outcome, doc.Reason, w.runs, tc.want, tc.reason, tc.runs)
			}
			if tc.want == Proposed {
				if len(w.merged) > 0 || doc.ExitCode() != 4 || len(w.kept) != 1 {
					t.Errorf("merged %v, exit %d, kept %v; want a proposal", w.merged, doc.ExitCode(), w.kept)
				}
				for _, ch := range w.kept {
					if string(ch[0].Before) != "ok\n" || string(ch[0].After) != "ok\na\n" {
						t.Errorf("kept %q to %q, want what was proved", ch[0].Before, ch[0].After)
					}
				}
				return
			}
			if len(w.merged) != 1 || string(w.merged[0].After) != tc.merged || !strings.Contains(doc.Patch, "+a") {
				t.Errorf("merged %+v, patch %q, want %q", w.merged, doc.Patch, tc.merged)
			}
		})
	}
}

// TestSavedFileBringsTests: a file saved meanwhile that other tests see.
func TestSavedFileBringsTests(t *testing.T) {
	for _, good := range []bool{true, false} {
		w := newWorld(map[string]string{"src": "", "lib": "fine", "t.test": "one: src has a", "u.test": "lib: lib has fine"})
		w.fixes = sayMissing
		w.saves = []func(*world) (Rebased, error){func(w *world) (Rebased, error) {
			text := "fine too"
			if !good {
				text = "bad"
			}
			w.orig["lib"], w.files["lib"] = []byte(text), []byte(text)
			return Rebased{Files: []string{"lib"}, Tests: []Selected{{File: "u.test", Units: []int{0}}},
				Changes: []Change{{File: "src", Before: []byte{}, After: []byte("a\n")}}}, nil
		}}
		doc := w.cycle(t, func(o *Options, s *Selection, d *Deps) {
			only("t.test")(o, s, d)
			o.Config.Cycle.FullSuite = "never"
		})
		if want := map[bool]Outcome{true: Repaired, false: Proposed}[good]; doc.Outcome != want {
			t.Errorf("good %v: outcome %s (%s), want %s", good, doc.Outcome, doc.Reason, want)
		}
	}
}

// TestGuardMovesAtEachPhase has the repository move at every look that a cycle
// takes at it, and at every run.
func TestGuardMovesAtEachPhase(t *testing.T) {
	files := map[string]string{"src": "", "t.test": "one: src has a\ntwo: src has b", "u.test": "three: src has a"}
	for at := 0; ; at++ {
		w := newWorld(files)
		w.fixes = sayMissing
		looks := 0
		w.moves = func() string {
			looks++
			if looks > at {
				return "HEAD moved"
			}
			return ""
		}
		doc := w.cycle(t, only("t.test"))
		if at >= looks {
			if at < 3 || doc.Outcome != Repaired {
				t.Errorf("%d looks, outcome %s", looks, doc.Outcome)
			}
			return
		}
		if len(w.merged) > 0 || len(w.kept) != 1 || doc.ExitCode() == 0 {
			t.Errorf("moved at look %d: merged %v, kept %d, exit %d (%s)", at, w.merged, len(w.kept), doc.ExitCode(), doc.Outcome)
		}
		if doc.Outcome == Proposed && doc.Reason != "HEAD moved" {
			t.Errorf("moved at look %d: reason %q", at, doc.Reason)
		}
	}
}

// TestGuardMovedDuringARun: the repair is found all the same and proposed, and
// the full suite is not run for it.
func TestGuardMovedDuringARun(t *testing.T) {
	w := newWorld(map[string]string{"src": "", "t.test": "one: src has a", "u.test": "three: src has a"})
	w.fixes = sayMissing
	w.moves = func() string { return "the stash changed" }
	doc := w.cycle(t, only("t.test"))
	if doc.Outcome != Proposed || doc.Reason != "the stash changed" || doc.FullSuiteRun || w.runs != 2 {
		t.Errorf("outcome %s (%s), full suite %v, %d runs", doc.Outcome, doc.Reason, doc.FullSuiteRun, w.runs)
	}
}
