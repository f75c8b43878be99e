package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"regreen/cycle"
)

// What was written into the user's files is told, also when something fails
// after it.
func TestWrittenIsTold(t *testing.T) {
	late := errors.New("no space left on device")
	merged := []cycle.Merged{{File: "src/a.js", Before: "1", After: "2"}}
	deps := Deps{
		RunCycle: func(context.Context, Repo, RunOptions, func(cycle.Event)) (*cycle.Document, error) {
			return &cycle.Document{Outcome: cycle.Repaired, Merged: merged, Undo: "u1"}, late
		},
		Undo: func(context.Context, Repo, string) (*Change, error) {
			return &Change{ID: "u1", Status: Done, Files: merged}, late
		},
	}
	for _, c := range []struct {
		args []string
		list string
	}{{[]string{"run", "--json"}, "merged"}, {[]string{"undo", "--json"}, "files"}} {
		got := call(t, deps, t.TempDir(), c.args...)
		var doc map[string]any
		if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil {
			t.Fatalf("regreen %q: %v in %q", c.args, err, got.stdout)
		}
		if files, _ := doc[c.list].([]any); got.exit != ExitOK || len(files) != 1 {
			t.Errorf("regreen %q: exit %d, %s = %v, want 0 and one file", c.args, got.exit, c.list, doc[c.list])
		}
		if !strings.Contains(got.stdout+got.stderr, late.Error()) {
			t.Errorf("regreen %q does not tell what failed: %q %q", c.args, got.stdout, got.stderr)
		}
	}
	deps.RunCycle = func(context.Context, Repo, RunOptions, func(cycle.Event)) (*cycle.Document, error) {
		return &cycle.Document{Outcome: cycle.Errored}, late
	}
	if got := call(t, deps, t.TempDir(), "run"); got.exit != ExitEnvironment {
		t.Errorf("with nothing merged: exit %d, want %d", got.exit, ExitEnvironment)
	}
	deps.RunCycle = func(context.Context, Repo, RunOptions, func(cycle.Event)) (*cycle.Document, error) {
		return &cycle.Document{Outcome: cycle.Errored, Proposals: []cycle.Proposal{{ID: "p1"}}}, late
	}
	got := call(t, deps, t.TempDir(), "run", "--json")
	var doc cycle.Document
	if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil {
		t.Fatalf("%v in %q", err, got.stdout)
	}
	if got.exit != ExitEnvironment || len(doc.Proposals) != 1 || doc.Error == nil || !strings.Contains(got.stderr, "regreen: error: ") {
		t.Errorf("with a proposal kept: exit %d, proposals %v, error %v, stderr %q", got.exit, doc.Proposals, doc.Error, got.stderr)
	}
}
