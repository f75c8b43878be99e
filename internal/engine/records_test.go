package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/history"
	"regreen/internal/sandbox"
)

func TestMarkUndo(t *testing.T) {
	tests := []struct {
		name  string
		recs  []history.Record
		undos []string // newest first
		want  []string
	}{
		{"a merge", []history.Record{{ID: "b", Undo: "b"}, {ID: "a"}}, []string{"b"}, []string{"b", ""}},
		{"undone", []history.Record{{ID: "b", Undo: "b"}}, nil, []string{""}},
		{"an applied proposal", []history.Record{{ID: "b"}, {ID: "a", Proposals: []string{"a"}}}, []string{"a"}, []string{"", "a"}},
		{"the second proposal", []history.Record{{ID: "a", Proposals: []string{"a", "a-2"}}}, []string{"a-2"}, []string{"a-2"}},
		{"a merge and a proposal", []history.Record{{ID: "a", Undo: "a", Proposals: []string{"a-2"}}}, []string{"a-2", "a"}, []string{"a-2"}},
		{"of a forgotten cycle", []history.Record{{ID: "b"}}, []string{"a"}, []string{""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var undos []sandbox.UndoRecord
			for _, id := range tt.undos {
				undos = append(undos, sandbox.UndoRecord{ID: id})
			}
			markUndo(tt.recs, undos)
			var got []string
			for _, r := range tt.recs {
				got = append(got, r.Undo)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("undo of each cycle (-want +got):\n%s", d)
			}
		})
	}
}
