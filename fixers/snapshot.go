package fixers

import (
	"context"

	"regreen/internal/runner"
)

// snapshot asks the framework to record the victims' snapshots anew, if the
// user asked for that.
type snapshot struct{ update bool }

func (snapshot) Name() string { return "snapshot" }

func (snapshot) Kinds() []runner.Kind { return []runner.Kind{runner.SnapshotMismatch} }

// Fix has no edits of its own: the framework knows its snapshots.
func (s snapshot) Fix(_ context.Context, c Cause, _ Workspace) ([]Fix, error) {
	if !s.update || len(c.Failures) == 0 {
		return nil, nil
	}
	return []Fix{{Title: "record the snapshot anew", Applicability: Likely, Rank: 0, Asserts: true, UpdateSnapshots: true,
		Evidence: "the user asked for updated assertions"}}, nil
}
