package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"regreen/cycle"
	"regreen/internal/daemon"
)

func begins(files ...string) []daemon.Event {
	return []daemon.Event{{Event: cycle.Event{Kind: daemon.EventBatch}, Files: files},
		{Event: cycle.Event{Kind: cycle.EventPhase, Text: "snapshot"}}}
}

func ends(d *cycle.Document) daemon.Event {
	return daemon.Event{Event: cycle.Event{Kind: cycle.EventVerdict, Document: d}}
}

func failure(file string, line int) cycle.Remaining {
	return cycle.Remaining{Test: cycle.TestRef{File: "test/" + file}, File: "src/" + file, Line: line, Column: 3,
		Kind: "assertion_mismatch", Message: "expected 1\x1b[31m\nmore"}
}

// TestView holds the lines that problem matchers and people read.
func TestView(t *testing.T) {
	good := &cycle.Document{Outcome: cycle.Passed, AffectedTests: []cycle.Affected{{File: "test/b.ts"}},
		Iterations: []cycle.Iteration{{Total: 2, Passed: 2}}}
	bad := &cycle.Document{Outcome: cycle.Failed, Reason: "no repair was found", AffectedTests: []cycle.Affected{{File: "test/a.ts"}},
		Iterations: []cycle.Iteration{{Total: 2, Passed: 1, Failed: 1}}, Remaining: []cycle.Remaining{failure("a.ts", 4)}}
	repaired := &cycle.Document{Outcome: cycle.Repaired, BestPassRate: 100, Undo: "u1", Patch: "--- a/x\n+++ b/x\n-a\n+b\n",
		Merged: []cycle.Merged{{File: "x"}}, Iterations: []cycle.Iteration{{Passed: 0, Failed: 1, Fixes: []cycle.Fix{{Title: "import it", Kept: true}}}}}
	proposed := &cycle.Document{Outcome: cycle.Proposed, BestPassRate: 100, Reason: "vim holds unsaved changes to x",
		Proposals: []cycle.Proposal{{ID: "p1", Title: "the repair", Reason: "vim holds unsaved changes to x", Patch: strings.Repeat("+x\n", 50)}}}
	cut := strings.Repeat("  +x\n", maxPatch)
	for _, c := range []struct {
		name   string
		quiet  bool
		events []daemon.Event
		want   string
	}{
		{"passed", false, append(begins("b.ts"), ends(good)), "regreen: begin: b.ts\nregreen: end: passed: 2 of 2 tests passed\n"},
		{"quiet and passed", true, append(begins("b.ts"), ends(good)), ""},
		{"failed, and then another passes", false, append(append(append(begins("a.ts", "c.ts"), ends(bad)), begins("b.ts")...), ends(good)),
			"regreen: begin: a.ts and 1 more\nsrc/a.ts:4:3: error: expected 1 [assertion_mismatch]\n" +
				"regreen: end: failed: no repair was found; 1 of 2 tests passed, 1 failed\n" +
				"regreen: begin: b.ts\nsrc/a.ts:4:3: error: expected 1 [assertion_mismatch]\nregreen: end: passed: 2 of 2 tests passed; 1 failure from before\n"},
		{"failed, and then a cycle is cancelled, and one ends in an error", false,
			append(append(append(append(begins("a.ts"), ends(bad)), begins("b.ts")...), ends(&cycle.Document{Outcome: cycle.Cancelled, Reason: "cancelled"})),
				append(begins("b.ts"), daemon.Event{Event: cycle.Event{Kind: daemon.EventError, Text: "no node"}})...),
			"regreen: begin: a.ts\nsrc/a.ts:4:3: error: expected 1 [assertion_mismatch]\n" +
				"regreen: end: failed: no repair was found; 1 of 2 tests passed, 1 failed\n" +
				"regreen: begin: b.ts\nsrc/a.ts:4:3: error: expected 1 [assertion_mismatch]\nregreen: end: cancelled\n" +
				"regreen: begin: b.ts\nregreen: error: no node\nsrc/a.ts:4:3: error: expected 1 [assertion_mismatch]\nregreen: end: error\n"},
		{"quiet and failed, and then another is repaired", true, append(append(append(begins("a.ts"), ends(bad)), begins("b.ts")...),
			ends(&cycle.Document{Outcome: cycle.Repaired, BestPassRate: 100, AffectedTests: good.AffectedTests, Iterations: repaired.Iterations, Merged: repaired.Merged})),
			"regreen: begin: a.ts\nsrc/a.ts:4:3: error: expected 1 [assertion_mismatch]\nregreen: end: failed: no repair was found; 1 of 2 tests passed, 1 failed\n" +
				"regreen: begin: b.ts\nsrc/a.ts:4:3: error: expected 1 [assertion_mismatch]\n  repaired: import it\n" +
				"regreen: end: repaired: 100 % of the tests pass (before: 0 of 1), 1 file changed; 1 failure from before\n"},
		{"quiet and failed", true, append(begins("a.ts"), ends(bad)),
			"regreen: begin: a.ts\nsrc/a.ts:4:3: error: expected 1 [assertion_mismatch]\nregreen: end: failed: no repair was found; 1 of 2 tests passed, 1 failed\n"},
		{"repaired", false, append(begins("x"), ends(repaired)),
			"regreen: begin: x\n  repaired: import it\n  --- a/x\n  +++ b/x\n  -a\n  +b\n  undo: regreen undo u1\n" +
				"regreen: end: repaired: 100 % of the tests pass (before: 0 of 1), 1 file changed\n"},
		{"proposed", false, append(begins("x"), ends(proposed)),
			"regreen: begin: x\n  proposed: the repair (vim holds unsaved changes to x)\n" + cut + "  … 10 more lines\n  apply: regreen apply p1\n" +
				"regreen: end: proposed: vim holds unsaved changes to x\n"},
		{"cancelled", false, append(append(begins("x"), ends(&cycle.Document{Outcome: cycle.Cancelled, Reason: "cancelled"})), append(begins("x"), ends(good))...),
			"regreen: begin: x\nregreen: end: cancelled\nregreen: begin: x\nregreen: end: passed: 2 of 2 tests passed\n"},
		{"an error in a cycle", false, append(begins("x"), daemon.Event{Event: cycle.Event{Kind: daemon.EventError, Text: "no node"}, Hint: "install it"}),
			"regreen: begin: x\nregreen: error: no node\nregreen: hint: install it\nregreen: end: error\n"},
		{"a command's verdict", false, []daemon.Event{ends(good)},
			"regreen: begin: what differs from the last commit\nregreen: end: passed: 2 of 2 tests passed\n"},
		{"waiting", false, []daemon.Event{{Event: cycle.Event{Kind: daemon.EventState, Text: "a rebase is in progress"}, State: daemon.Waiting}},
			"regreen: waiting: a rebase is in progress\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			v := newView(screen{w: &out, width: 80}, c.quiet)
			for _, e := range c.events {
				v.event(e)
			}
			if diff := cmp.Diff(c.want, out.String()); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}

// TestViewOnATerminal holds that a cycle in which all is well leaves no line.
func TestViewOnATerminal(t *testing.T) {
	var out bytes.Buffer
	v := newView(screen{w: &out, width: 80, tty: true}, false)
	for _, e := range append(begins("b.ts"), ends(&cycle.Document{Outcome: cycle.Passed})) {
		v.event(e)
	}
	v.end()
	if s := out.String(); strings.Contains(s, "\n") || !strings.Contains(s, "watching, ? helps; passed") {
		t.Errorf("output = %q", s)
	}
}

func TestProblemLine(t *testing.T) {
	same := func(s string) string { return s }
	for want, r := range map[string]cycle.Remaining{
		"src/a.ts:4:3: error: expected 1 [assertion_mismatch]": failure("a.ts", 4),
		"test/b.ts:1:1: error: it hung [timeout]":              {Test: cycle.TestRef{File: "test/b.ts"}, Kind: "timeout", Message: "\n it hung"},
		"regreen:1:1: error: odd [unknown]":                    {Kind: "unknown", Message: "odd"},
	} {
		if got := problemLine(r, same); got != want {
			t.Errorf("problemLine = %q, want %q", got, want)
		}
	}
}

// TestWithoutADaemon holds what status, stop and save do when nobody watches.
func TestWithoutADaemon(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	deps := Deps{
		Log: func(context.Context, Repo) ([]LogEntry, error) {
			return []LogEntry{{ID: "c1", Outcome: cycle.Failed, Started: time.Unix(0, 0), Undo: "c1"}}, nil // its proposal is applied
		},
		Show: func(context.Context, Repo, string) (*cycle.Document, error) {
			return &cycle.Document{Remaining: []cycle.Remaining{failure("a.ts", 4)}, Proposals: []cycle.Proposal{{ID: "c1"}, {ID: "c1-2"}}}, nil
		},
		Misses: func(context.Context, Repo) ([]cycle.Miss, error) {
			return []cycle.Miss{{Test: cycle.TestRef{File: "m.test.ts"}, Files: []string{"data"}, Why: []string{"no chain"}}}, nil
		},
		RunCycle: func(_ context.Context, _ Repo, o RunOptions, _ func(cycle.Event)) (*cycle.Document, error) {
			return &cycle.Document{Outcome: cycle.Failed, Remaining: []cycle.Remaining{failure(strings.Join(o.Files, ","), 4)}}, nil
		},
	}
	if r := call(t, deps, dir, "status"); r.exit != ExitEnvironment || !strings.Contains(r.stderr, "not in a git repository") {
		t.Errorf("status outside a repository: %+v", r)
	}
	must(os.Mkdir(filepath.Join(dir, ".git"), 0o755))
	var s daemon.Status
	r := call(t, deps, dir, "status", "--json")
	must(json.Unmarshal([]byte(r.stdout), &s))
	if s.State != stopped || s.Outcome != cycle.Failed || len(s.Failing) != 1 || s.Undo != "c1" || !slices.Equal(s.Proposals, []string{"c1-2"}) {
		t.Errorf("status = %+v", s)
	}
	if r := call(t, deps, dir, "status"); len(s.Misses) != 1 || !strings.Contains(r.stdout, "the selection missed m.test.ts: data turned it red (no chain)") || !strings.Contains(r.stdout, "regreen affected --understood") {
		t.Errorf("status of a miss: %+v", r)
	}
	if r := call(t, deps, dir, "stop"); r.exit != 0 || !strings.Contains(r.stderr, "nobody watches") {
		t.Errorf("stop: %+v", r)
	}
	if r := call(t, deps, dir, "save", "a.ts"); r.exit != 0 || r.stdout+r.stderr != "" {
		t.Errorf("save: %+v", r)
	}
	if r := call(t, deps, dir, "save", "--wait", "a.ts"); r.exit != ExitFailed || r.stdout != "src/a.ts:4:3: error: expected 1 [assertion_mismatch]\n" {
		t.Errorf("save --wait: %+v", r)
	}
	if r := call(t, deps, dir, "save", "/elsewhere/a.ts"); r.exit != ExitUsage {
		t.Errorf("save of a file outside: %+v", r)
	}
	if r := call(t, deps, dir, "save"); r.exit != ExitUsage {
		t.Errorf("save of nothing: %+v", r)
	}
}
