package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"regreen/cycle"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares with testdata/golden/name; go test -update rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		write(t, path, got)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

const patch = `--- a/src/b.ts
+++ b/src/b.ts
@@ -1,2 +1,2 @@
-import { old } from "./old";
+import { old } from "./lib/old";
 export const b = old;
`

func repaired() cycle.Document {
	return cycle.Document{
		ID: "c1", Outcome: cycle.Repaired, Isolation: "copy", BestPassRate: 100, FullSuiteRun: true, Undo: "c1", Patch: patch,
		Iterations: []cycle.Iteration{
			{N: 1, Strategy: "conservative", Scope: "affected", PassRate: 50, Total: 3, Passed: 2, NotRun: 2, Errored: 1, Skipped: 1,
				Causes: []cycle.Cause{{Kind: "missing_import", Severity: "critical", File: "src/b.ts", Line: 1, Column: 20, Symbol: "./old", Victims: 2,
					Message: "Cannot find module './old' from 'src/b.ts'\n\nRequire stack:\n  …"}},
				Fixes: []cycle.Fix{
					{Title: "import ./older", Why: "still fails"},
					{Title: "import ./lib/old instead of ./old", Kept: true, Why: "git says src/old.ts was renamed to src/lib/old.ts"}}},
		},
		Merged:  []cycle.Merged{{File: "src/b.ts", Before: "aa", After: "bb"}},
		Timings: cycle.Timings{Total: 3421},
	}
}

func failedDocument() cycle.Document {
	left := cycle.Remaining{Test: cycle.TestRef{Framework: "vitest", File: "test/a.test.ts", Path: []string{"calc", "adds \x1b[31mred\x1b[0m"}},
		Scope: "test", Kind: "assertion_mismatch", File: "src/a.ts", Line: 5, Column: 12, Message: "expected 4 to be 5", Expected: "5", Received: "4"}
	return cycle.Document{
		Outcome: cycle.Failed, Reason: "no fixer has an idea for what is left",
		Iterations: []cycle.Iteration{{N: 1, Scope: "affected", Passed: 1, Failed: 1, PassRate: 50,
			Causes: []cycle.Cause{{Kind: "assertion_mismatch", File: "src/a.ts", Line: 5, Column: 12, Victims: 1, Message: "expected 4 to be 5"}}}},
		Remaining: []cycle.Remaining{left, {Test: cycle.TestRef{File: "test/b.test.ts"}, Scope: "file", Kind: "syntax_error", File: "test/b.test.ts", Line: 2,
			Message: "Unexpected token"}},
		FailedBefore: []cycle.Remaining{{Test: cycle.TestRef{File: "test/old.test.ts", Path: []string{"was red"}}, Kind: "thrown_error", Message: "boom",
			Expected: strings.Repeat("line\n", 20)}},
		Proposals: []cycle.Proposal{{ID: "p7", Title: "raise the limit to 10 s", Reason: "limits are never raised by themselves", Patch: patch}},
		Refused:   []cycle.Refused{{Rule: "a test was deleted", File: "test/c.test.ts"}, {Rule: "the run has no end record"}},
		Warnings:  []string{"package.json has\ntwo test scripts"},
	}
}

// halfRepaired is a cycle whose repair does not reach the target: the files
// are as they were, and a second cause showed only with the repair in place.
func halfRepaired() cycle.Document {
	d := repaired()
	left := cycle.Remaining{Test: cycle.TestRef{File: "test/b.test.ts"}, Scope: "file", Kind: "missing_import", File: "src/b.ts", Line: 1, Column: 20,
		Message: "Cannot find module './old' from 'src/b.ts'"}
	d.Outcome, d.Reason, d.BestPassRate, d.Undo, d.Merged, d.Patch = cycle.Failed, "the pass rate with the repair is 75.0 %, the target 95.0 %", 75, "", nil, ""
	d.FullSuiteRun = false
	d.Proposals = []cycle.Proposal{{ID: "c1", Title: "what could be repaired", Reason: d.Reason, Patch: patch}}
	d.Remaining = []cycle.Remaining{left}
	d.Iterations = append(d.Iterations, cycle.Iteration{N: 2, Scope: "affected", PassRate: 75, Total: 4, Passed: 3, Failed: 1,
		Causes: []cycle.Cause{{Kind: "syntax_error", File: "src/c.ts", Line: 9, Column: 3, Victims: 1,
			Message: "Transform failed with 1 error:\nsrc/c.ts:9:2: ERROR: Expected \")\" but found \";\""}}})
	return d
}

// many is a cycle in which one lost name took down many tests, each with a
// failure of its own.
func many(o cycle.Outcome) cycle.Document {
	d := repaired()
	d.Outcome = o
	for i := range 30 {
		d.Iterations[0].Causes = append(d.Iterations[0].Causes, cycle.Cause{Kind: "thrown_error", File: "test/b.test.ts", Line: i + 1, Victims: 2, Message: "expected 200, got 500"})
	}
	if o == cycle.Repaired {
		return d
	}
	d.Reason, d.Undo, d.Merged, d.Patch = "merging was switched off for this run", "", nil, ""
	d.Proposals = []cycle.Proposal{{ID: "c1", Title: "import ./lib/old instead of ./old", Reason: d.Reason, Patch: patch}}
	for i := range 60 {
		d.Remaining = append(d.Remaining, cycle.Remaining{Kind: "thrown_error", File: "test/b.test.ts", Line: i/2 + 1, Message: "expected 200, got 500",
			Test: cycle.TestRef{File: "test/b.test.ts", Path: []string{fmt.Sprint("case ", i)}}, Expected: "200", Received: "500"})
	}
	d.Remaining = append(d.Remaining, cycle.Remaining{Kind: "missing_import", Severity: "critical", File: "src/b.ts", Line: 1, Message: "Cannot find module './old'"})
	for i := range d.Remaining[:60] {
		d.Remaining[i].Severity = "medium"
	}
	return d
}

func TestPrintResult(t *testing.T) {
	proposed := repaired()
	proposed.Outcome, proposed.Reason, proposed.Undo, proposed.Merged, proposed.Patch = cycle.Proposed, "src/b.ts changed meanwhile", "", nil, ""
	proposed.Proposals = []cycle.Proposal{{ID: "c1", Title: "import ./lib/old instead of ./old", Reason: "src/b.ts changed meanwhile", Patch: patch}}
	tests := []struct {
		name   string
		doc    cycle.Document
		colour bool
	}{
		{"repaired.txt", repaired(), false},
		{"repaired_colour.txt", repaired(), true},
		{"failed.txt", failedDocument(), false},
		{"proposed.txt", proposed, false},
		{"half_repaired.txt", halfRepaired(), false},
		{"passed.txt", cycle.Document{Outcome: cycle.Passed, Iterations: []cycle.Iteration{{N: 1, Scope: "affected", Passed: 200}}, Timings: cycle.Timings{Total: 61000}}, false},
		{"many_causes.txt", many(cycle.Repaired), false},
		{"many_proposed.txt", many(cycle.Proposed), false},
		{"cancelled.txt", cycle.Document{Outcome: cycle.Cancelled, Reason: "cancelled", Timings: cycle.Timings{Total: 1200}}, false},
		{"no_tests.txt", cycle.Document{Outcome: cycle.NoTests, Reason: cycle.NoTestSees}, false},
		{"nothing_modified.txt", cycle.Document{Outcome: cycle.NoTests, Reason: cycle.NothingModified}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			printResult(screen{w: &b, colour: tt.colour, width: 80}, &tt.doc)
			golden(t, tt.name, b.String())
		})
	}
}

func events() []cycle.Event {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	it := repaired().Iterations[0]
	return []cycle.Event{
		{Kind: cycle.EventPhase, Text: "snapshot", Time: at},
		{Kind: cycle.EventSelected, Total: 3},
		{Kind: cycle.EventPhase, Text: "first run", Time: at},
		{Kind: cycle.EventTest, File: "test/a.test.ts", Test: "calc › adds", Done: 1, Total: 5, Time: at.Add(10 * time.Millisecond)},
		{Kind: cycle.EventTest, File: "test/a.test.ts", Test: "calc › takes away", Done: 2, Total: 5, Failed: 1, Time: at.Add(100 * time.Millisecond)},
		{Kind: cycle.EventIteration, Iteration: &it},
		{Kind: cycle.EventTry, Fix: &it.Fixes[0], Time: at},
		{Kind: cycle.EventFix, Fix: &it.Fixes[0]},
		{Kind: cycle.EventFix, Fix: &it.Fixes[1]},
		{Kind: cycle.EventRefused, Text: "a test was deleted", File: "test/c.test.ts"},
		{Kind: cycle.EventProgress, Done: 6, PassRate: 83.3, Passed: 5, Failed: 1},
		{Kind: cycle.EventWarning, Text: "two test scripts"},
		{Kind: cycle.EventProposed, Text: "src/b.ts changed meanwhile"},
		{Kind: cycle.EventMerged, Text: "c1"},
		{Kind: cycle.EventVerdict},
	}
}

// TestPrintAlike holds that failures of one place that differ in nothing but
// the test are one block, however many they are, and that a snapshot's has its
// next step.
func TestPrintAlike(t *testing.T) {
	r := cycle.Remaining{Kind: "undefined_variable", File: "src/a.ts", Line: 5, Message: "cuont is not defined"}
	d := cycle.Document{Outcome: cycle.Failed, Reason: "no fixer has an idea for what is left"}
	for i := range 14 {
		r.Test = cycle.TestRef{File: "test/a.test.ts", Path: []string{"calc", fmt.Sprint("case ", i)}}
		d.Remaining = append(d.Remaining, r)
	}
	other := r
	other.Line, other.Kind, other.Message = 6, "snapshot_mismatch", "Snapshot does not match"
	placeless := r
	placeless.Line = 0
	d.Remaining = append(d.Remaining, other, placeless, placeless)
	var out bytes.Buffer
	printResult(screen{w: &out}, &d)
	golden(t, "alike.txt", out.String())
}

func TestHeadline(t *testing.T) {
	for message, want := range map[string]string{
		"\n  boom  \nmore": "boom",
		"Transform failed with 1 error:\nsrc/c.ts:9:2: ERROR: x": "Transform failed with 1 error: src/c.ts:9:2: ERROR: x",
		// node:assert of Node 20 and 22
		"Expected values to be strictly deep-equal:\n+ actual - expected\n\n  {": "Expected values to be strictly deep-equal",
		"Expected values to be strictly equal:\n\n1553 !== 1900\n":               "Expected values to be strictly equal: 1553 !== 1900",
		"nothing follows:": "nothing follows",
		"":                 "the symbol",
	} {
		if got := headline(message, "the symbol"); got != want {
			t.Errorf("headline(%q) = %q, want %q", message, got, want)
		}
	}
}

func TestLive(t *testing.T) {
	for name, s := range map[string]screen{"live_piped.txt": {width: 80}, "live_tty.txt": {tty: true, width: 40}} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			s.w = &b
			l := newLive(s, false, false)
			for _, e := range events() {
				l.event(e)
			}
			l.end()
			golden(t, name, strings.NewReplacer("\x1b", "<esc>", "\r", "<cr>").Replace(b.String()))
		})
	}
	var b bytes.Buffer
	l := newLive(screen{w: &b, tty: true, width: 40}, true, false)
	for _, e := range events() {
		l.event(e)
	}
	l.end()
	if b.Len() > 0 {
		t.Errorf("quiet printed %q", b.String())
	}
}

func TestPrintOthers(t *testing.T) {
	reason := "vitest.config.ts changed"
	d := &AffectedDocument{ModifiedFiles: []string{"vitest.config.ts", "src/a.ts"}, All: true, Reason: &reason,
		AffectedTests: []cycle.Affected{{File: "test/a.test.ts", Why: []string{"test/a.test.ts imports src/a.ts", "src/a.ts is modified"}}}}
	deps := Deps{
		Affected: func(context.Context, Repo, AffectedOptions) (*AffectedDocument, error) { return d, nil },
		Show:     func(context.Context, Repo, string) (*cycle.Document, error) { doc := repaired(); return &doc, nil },
		Undo: func(context.Context, Repo, string) (*Change, error) {
			return &Change{ID: "c1", Status: Done, Files: []cycle.Merged{{File: "src/b.ts"}}}, nil
		},
		Apply: func(context.Context, Repo, string) (*Change, error) {
			return &Change{ID: "p7", Status: Refused, Reason: "src/b.ts was edited at the same place", Patch: patch}, nil
		},
	}
	for name, args := range map[string][]string{
		"affected.txt": {"affected"}, "affected_why.txt": {"affected", "--why"}, "affected_list.txt": {"affected", "--list"},
		"undo.txt": {"undo"}, "apply_refused.txt": {"apply", "p7"},
	} {
		golden(t, name, call(t, deps, t.TempDir(), args...).stdout)
	}
	// show tells how it came about, and then what run printed.
	want, err := os.ReadFile(filepath.Join("testdata", "golden", "repaired.txt"))
	got := call(t, deps, t.TempDir(), "show", "c1").stdout
	if err != nil || !strings.HasSuffix(got, "\n\n"+string(want)) {
		t.Errorf("show c1 = %q, want what run printed at its end", got)
	}
	golden(t, "show.txt", got)
}

func TestWantsColour(t *testing.T) {
	tests := []struct {
		flag    string
		environ []string
		tty     bool
		want    bool
	}{
		{"auto", nil, true, true},
		{"auto", nil, false, false},
		{"auto", []string{"NO_COLOR=1"}, true, false},
		{"auto", []string{"NO_COLOR="}, true, true},
		{"auto", []string{"TERM=dumb"}, true, false},
		{"auto", []string{"CLICOLOR_FORCE=1"}, false, true},
		{"auto", []string{"CLICOLOR_FORCE=0"}, false, false},
		{"auto", []string{"CLICOLOR_FORCE=1", "NO_COLOR=1"}, false, false},
		{"always", []string{"NO_COLOR=1", "TERM=dumb"}, false, true},
		{"never", []string{"CLICOLOR_FORCE=1"}, true, false},
	}
	for _, tt := range tests {
		if got := wantsColour(tt.flag, tt.environ, tt.tty); got != tt.want {
			t.Errorf("wantsColour(%q, %q, %v) = %v, want %v", tt.flag, tt.environ, tt.tty, got, tt.want)
		}
	}
}
