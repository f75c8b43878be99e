package cycle

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"regreen/fixers"
	"regreen/internal/config"
	"regreen/internal/runner"
)

func TestOutcomes(t *testing.T) {
	amb := func(c fixers.Cause, w *world) []fixers.Fix {
		return []fixers.Fix{w.say(c.Place.File, c.Symbol+" one", 0, fixers.Likely), w.say(c.Place.File, c.Symbol+" two", 0, fixers.Likely)}
	}
	breaking := func(c fixers.Cause, w *world) []fixers.Fix {
		return []fixers.Fix{{ID: "x", Title: "replace all", Applicability: fixers.Safe, Edits: []fixers.Edit{
			{File: c.Place.File, Start: 0, End: len(w.files[c.Place.File]), New: c.Symbol}}}}
	}
	cases := []struct {
		name    string
		files   map[string]string
		fixes   func(fixers.Cause, *world) []fixers.Fix
		change  func(*Options, *Selection, *Deps)
		prepare func(*world)
		want    Outcome
		exit    int
		reason  string
	}{
		{name: "green", files: map[string]string{"src": "a", "t.test": "one: src has a"}, want: Passed},
		{name: "repaired", files: map[string]string{"src": "", "t.test": "one: src has a"}, fixes: sayMissing, want: Repaired},
		{name: "no candidate", files: map[string]string{"src": "", "t.test": "one: src has a"}, want: Failed, exit: 1, reason: "no repair was found"},
		{name: "what only the user can decide", files: map[string]string{"src": "", "t.test": "one: src has a"}, fixes: func(c fixers.Cause, w *world) []fixers.Fix {
			return []fixers.Fix{w.say(c.Place.File, c.Symbol, 0, fixers.Propose)}
		}, want: Failed, exit: 1, reason: "a repair was found that only you can decide on"},
		{name: "two causes behind each other", files: map[string]string{"src": "", "t.test": "loads src has lib\none: src has a"}, fixes: sayMissing, want: Repaired},
		{name: "a repair that shows the next cause alone", files: map[string]string{"src": "", "t.test": "loads src has lib\none: src has a"},
			fixes: func(c fixers.Cause, w *world) []fixers.Fix {
				if c.Symbol != "lib" {
					return nil
				}
				return sayMissing(c, w)
			}, want: Failed, exit: 1, reason: "taken back, since no more tests pass with it: "},
		{name: "an assertion is never touched", files: map[string]string{"src": "", "t.test": "one: src has =4"}, fixes: sayMissing, want: Failed, exit: 1},
		{name: "ambiguous", files: map[string]string{"src": "", "t.test": "one: src has a"}, fixes: amb, want: Failed, exit: 1, reason: "2 repairs were found that only you can decide on"},
		{name: "breaks another in the same file", files: map[string]string{"src": "b", "t.test": "one: src has a\ntwo: src has b"}, fixes: breaking, want: Failed, exit: 1},
		{name: "breaks another in the selection", files: map[string]string{"src": "b", "t.test": "one: src has a", "u.test": "two: src has b"}, fixes: breaking, want: Failed, exit: 1},
		{name: "breaks another in the full suite", files: map[string]string{"src": "b", "t.test": "one: src has a", "u.test": "two: src has b"},
			fixes: breaking, change: only("t.test"), want: Failed, exit: 1, reason: "with the fix another test fails"},
		{name: "an old red test does not block", files: map[string]string{"src": "", "t.test": "one: src has a", "u.test": "old: src has =z\nold2: src has =y"},
			fixes: sayMissing, change: only("t.test"), want: Repaired},
		{name: "an old red test that can be reached does", files: map[string]string{"src": "", "t.test": "one: src has a", "u.test": "old: src has =z"},
			fixes: sayMissing, change: only("t.test"), prepare: func(w *world) { w.reach["u.test"] = true }, want: Failed, exit: 1, reason: "full suite's pass rate"},
		{name: "no merge", files: map[string]string{"src": "", "t.test": "one: src has a"}, fixes: sayMissing,
			change: func(o *Options, _ *Selection, _ *Deps) { o.NoMerge = true }, want: Proposed, exit: 4, reason: "switched off"},
		{name: "no merge after an undo", files: map[string]string{"src": "", "t.test": "one: src has a"}, fixes: sayMissing,
			change: func(o *Options, _ *Selection, _ *Deps) { o.NoMerge, o.NoMergeReason = true, "an undo came just before" }, want: Proposed, exit: 4, reason: "an undo came"},
		{name: "config says propose", files: map[string]string{"src": "", "t.test": "one: src has a"}, fixes: sayMissing,
			change: func(o *Options, _ *Selection, _ *Deps) { o.Config.Cycle.Merge = "propose" }, want: Proposed, exit: 4},
		{name: "identity probe failed", files: map[string]string{"src": "", "t.test": "one: src has a"}, fixes: sayMissing,
			change: func(o *Options, _ *Selection, _ *Deps) { o.Distrust = "the tests import the original" }, want: Proposed, exit: 4, reason: "the original"},
		{name: "the user changed the file", files: map[string]string{"src": "", "t.test": "one: src has a"}, fixes: sayMissing,
			prepare: func(w *world) { w.mergeErr = &NotMerged{Reason: "src changed meanwhile"} }, want: Proposed, exit: 4, reason: "meanwhile"},
		{name: "the guard tuple moved", files: map[string]string{"src": "", "t.test": "one: src has a"}, fixes: sayMissing,
			prepare: func(w *world) { w.guard = "HEAD moved" }, want: Proposed, exit: 4, reason: "HEAD moved"},
		{name: "a full suite that took too long last time is left out", files: map[string]string{"src": "b", "t.test": "one: src has a", "u.test": "two: src has b"},
			fixes: breaking, change: func(o *Options, s *Selection, d *Deps) { only("t.test")(o, s, d); o.LastFull = time.Hour }, want: Repaired},
		{name: "hang", files: map[string]string{"src": "", "t.test": "one: src has a"}, prepare: func(w *world) { w.hang = true }, want: Failed, exit: 124},
		{name: "nothing selected", files: map[string]string{"src": "a"}, want: NoTests, reason: "no test can see"},
		{name: "nothing modified", files: map[string]string{"src": "a"},
			change: func(_ *Options, s *Selection, _ *Deps) { s.Modified = nil }, want: NoTests, reason: NothingModified},
		{name: "no test in the file", files: map[string]string{"src": "a", "t.test": ""}, want: NoTests, exit: 1},
		{name: "only a part repaired", files: map[string]string{"src": "", "t.test": "one: src has a", "u.test": "two: src has =b"}, fixes: sayMissing,
			want: Failed, exit: 1, reason: "pass rate"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(tc.files)
			w.fixes = tc.fixes
			if tc.prepare != nil {
				tc.prepare(w)
			}
			doc := w.cycle(t, tc.change)
			if doc.Outcome != tc.want || doc.ExitCode() != tc.exit || !strings.Contains(doc.Reason, tc.reason) {
				t.Errorf("outcome %s (exit %d, reason %q), want %s (exit %d, %q)", doc.Outcome, doc.ExitCode(), doc.Reason, tc.want, tc.exit, tc.reason)
			}
			if doc.Outcome != Repaired && len(w.merged) > 0 {
				t.Errorf("merged %v with outcome %s", w.merged, doc.Outcome)
			}
			if doc.Outcome == Proposed && len(w.kept) == 0 {
				t.Errorf("proposed, but nothing is kept for apply")
			}
			if doc.Outcome == Failed && len(doc.Remaining) == 0 && !w.hang {
				t.Errorf("failed, but nothing remains")
			}
		})
	}
}

func TestOneRedAmongManyIsRepaired(t *testing.T) {
	var b strings.Builder
	for i := range 199 {
		fmt.Fprintf(&b, "t%d: src has ok\n", i)
	}
	w := newWorld(map[string]string{"src": "ok", "t.test": b.String() + "last: src has a\n"})
	w.fixes = sayMissing
	doc := w.cycle(t, nil)
	if doc.Outcome != Repaired || doc.BestPassRate != 100 {
		t.Errorf("outcome %s at %.1f %%, want repaired at 100 %%", doc.Outcome, doc.BestPassRate)
	}
}

func TestUnprovedFixIsNotMerged(t *testing.T) {
	// 40 tests pass; "b" is repaired; the fix for "x" changes a file but its
	// test goes on failing for another reason, so it must not ride along
	// although the target is reached.
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "t%d: src has ok\n", i)
	}
	w := newWorld(map[string]string{"src": "ok", "lib": "", "t.test": b.String() + "b: src has b\n",
		"u.test": "loads lib has x\nloads lib has never\nx: lib has x"})
	w.fixes = func(c fixers.Cause, w *world) []fixers.Fix {
		if c.Symbol == "never" {
			return nil
		}
		return sayMissing(c, w)
	}
	doc := w.cycle(t, nil)
	for _, ch := range w.merged {
		if ch.File == "lib" {
			t.Errorf("an unproved fix was merged: %+v (outcome %s)", ch, doc.Outcome)
		}
	}
}

func TestSelectStrategy(t *testing.T) {
	cfg := config.Default().Cycle
	crit := func(n int) []cause {
		out := make([]cause, n)
		for i := range out {
			out[i].severity = Critical
		}
		return out
	}
	cases := []struct {
		name   string
		iter   int
		rate   float64
		causes []cause
		broke  bool
		want   Strategy
	}{
		{"early", 3, 10, crit(2), false, Conservative},
		{"high rate", 9, 80, crit(2), false, Conservative},
		{"few critical", 4, 60, crit(4), false, Surgical},
		{"five critical, low rate", 4, 49.9, crit(5), false, Aggressive},
		{"five critical, middling rate", 4, 50, crit(5), false, Conservative},
		{"late", 8, 60, crit(5), false, Aggressive},
		{"no critical, low rate", 4, 20, make([]cause, 3), false, Aggressive},
		{"after a round that broke a test", 2, 90, nil, true, Surgical},
	}
	for _, tc := range cases {
		if got := selectStrategy(cfg, tc.iter, tc.rate, tc.causes, tc.broke); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestSurgicalTakesAllOfOneKind(t *testing.T) {
	files := map[string]string{"src": ""}
	for i := range 5 {
		files[fmt.Sprintf("lib%d", i)] = ""
		files[fmt.Sprintf("t%d.test", i)] = fmt.Sprintf("loads lib%d has w%d\none: lib%d has w%d", i, i, i, i)
	}
	w := newWorld(files)
	w.fixes = sayMissing
	doc := w.cycle(t, func(o *Options, _ *Selection, _ *Deps) {
		o.Config.Cycle.ConservativeUntil = 0
		o.Config.Cycle.SurgicalMaxCritical = 5
	})
	if doc.Outcome != Repaired || len(doc.Iterations) != 1 || doc.Iterations[0].Strategy != string(Surgical) || len(doc.Iterations[0].Fixes) != 5 {
		t.Errorf("outcome %s after %d iterations: %+v", doc.Outcome, len(doc.Iterations), doc.Iterations)
	}
}

func TestCausesCountFingerprintsNotMessages(t *testing.T) {
	w := newWorld(map[string]string{"src": "", "a.test": "loads src has lib\n1: src has lib\n2: src has lib", "b.test": "loads src has lib\n3: src has lib"})
	doc := w.cycle(t, nil)
	cs := doc.Iterations[0].Causes
	if len(cs) != 1 || cs[0].Victims != 3 || cs[0].Severity != "critical" {
		t.Errorf("causes = %+v, want one critical cause with 3 victims", cs)
	}
	if it := doc.Iterations[0]; it.NotRun != 3 || it.Errored != 2 || it.PassRate != 0 {
		t.Errorf("iteration = %+v, want 2 errored and 3 not run", it)
	}
}

func TestLedgerDropMovesLaterEdits(t *testing.T) {
	w := newWorld(map[string]string{"f": "aaa bbb ccc"})
	l := newLedger(w.ReadFile, w.Write)
	first, err := l.apply(fixers.Fix{Edits: []fixers.Edit{{File: "f", Start: 0, End: 3, New: "AAAAAA"}}}, cause{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.apply(fixers.Fix{Edits: []fixers.Edit{{File: "f", Start: 11, End: 14, New: "C"}}}, cause{}); err != nil {
		t.Fatal(err)
	}
	if got := string(w.files["f"]); got != "AAAAAA bbb C" {
		t.Fatalf("after both: %q", got)
	}
	gone, err := l.drop(first)
	if err != nil || len(gone) != 1 {
		t.Fatalf("drop: %d gone, %v", len(gone), err)
	}
	if got := string(w.files["f"]); got != "aaa bbb C" {
		t.Errorf("after the drop: %q, want %q", got, "aaa bbb C")
	}
}

func TestSeverity(t *testing.T) {
	cases := []struct {
		f    runner.Failure
		want Severity
	}{
		{runner.Failure{Scope: runner.ScopeFile, Kind: runner.ThrownError}, Critical},
		{runner.Failure{Scope: runner.ScopeTest, Kind: runner.MissingExport}, Critical},
		{runner.Failure{Scope: runner.ScopeRun, Kind: runner.Timeout}, Critical},
		{runner.Failure{Scope: runner.ScopeHook, Kind: runner.HookError}, High},
		{runner.Failure{Scope: runner.ScopeTest, Kind: runner.UndefinedVariable}, High},
		{runner.Failure{Scope: runner.ScopeTest, Kind: runner.AssertionMismatch}, Medium},
		{runner.Failure{Scope: runner.ScopeTest, Kind: runner.Timeout}, Low},
		{runner.Failure{Scope: runner.ScopeTest, Kind: runner.SnapshotMismatch}, Low},
		{runner.Failure{Scope: runner.ScopeTest, Kind: runner.Timeout, Test: runner.TestID{Path: []string{"Auth", "logs in"}}}, Critical},
	}
	for _, tc := range cases {
		if got := severityOf(tc.f, config.Severity{Critical: []string{"auth"}}); got != tc.want {
			t.Errorf("%s %s: %s, want %s", tc.f.Scope, tc.f.Kind, got, tc.want)
		}
	}
}

func TestSelectionOfAllIsTheFullSuite(t *testing.T) {
	w := newWorld(map[string]string{"src": "", "t.test": "one: src has a"})
	w.fixes = sayMissing
	doc := w.cycle(t, nil)
	if !doc.FullSuiteRun || doc.Timings.FullSuite != 0 || w.runs != 2 {
		t.Errorf("full suite run %v in %d ms after %d runs, want the two runs of the selection to be it", doc.FullSuiteRun, doc.Timings.FullSuite, w.runs)
	}
}
