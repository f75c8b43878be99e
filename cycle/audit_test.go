package cycle

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/runner"
)

// audit audits all tests of the world against the files as they were before.
func (w *world) audit(t *testing.T, before map[string]string) []Suspect {
	t.Helper()
	left := Left{Before: map[string]File{}, Timeout: time.Minute}
	for f, text := range before {
		left.Before[f] = File{Data: []byte(text), Gone: text == ""}
	}
	for _, f := range w.Files() {
		if w.IsTest(f) {
			left.Tests = append(left.Tests, Selected{File: f, Units: []int{0}})
		}
	}
	deps := Deps{Units: []Unit{{Project: runner.Project{Root: ".", Framework: "fake"}, Layout: runner.Layout{IsTest: w.IsTest}, Framework: w, Session: w}},
		Box: box{w}, Workspace: w}
	out, err := Audit(t.Context(), left, deps)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.merged) > 0 {
		t.Errorf("an audit merged %v", w.merged)
	}
	return out
}

func TestAudit(t *testing.T) {
	files := map[string]string{"data": "new", "other": "x", "a.test": "one: data has old\n", "b.test": "two: other has y\n", "c.test": "three: data has new\n"}
	tests := []struct {
		name   string
		before map[string]string
		set    func(*world)
		want   []Suspect
		runs   int
	}{
		{"the change turned it red", map[string]string{"data": "old"}, nil,
			[]Suspect{{Test: TestRef{"fake", "a.test", []string{"one"}}, Message: "no old", Files: []string{"data"}}}, 4},
		{"one of two files did", map[string]string{"data": "old", "other": "z"}, nil,
			[]Suspect{{Test: TestRef{"fake", "a.test", []string{"one"}}, Message: "no old", Files: []string{"data"}}}, 6},
		{"a new file did", map[string]string{"data": ""}, func(w *world) {
			w.orig["a.test"] = []byte("one: none has x\n")
		}, nil, 3},
		{"it was red before", map[string]string{"data": "older", "other": "z"}, func(w *world) {
			w.orig["a.test"] = []byte("one: data has gold\n")
		}, nil, 3},
		{"it passes when it runs again", map[string]string{"data": "old"}, func(w *world) { w.luckyFrom = 2 }, nil, 2},
		{"it does not come back", map[string]string{"data": "old"}, func(w *world) { w.luckyFrom = 4 }, nil, 4},
		{"nothing is red", map[string]string{"data": "old"}, func(w *world) { w.luckyFrom = 1 }, nil, 1},
		{"the run is cut", map[string]string{"data": "old"}, func(w *world) { w.hang = true }, nil, 1},
		{"it does not load", map[string]string{"data": "old"}, func(w *world) {
			w.orig["a.test"], w.orig["b.test"] = []byte("loads data has old\none: data has old\n"), []byte("two: other has x\n")
		}, []Suspect{{Test: TestRef{"fake", "a.test", []string{}}, Message: "no old", Files: []string{"data"}}}, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(files)
			if tt.set != nil {
				tt.set(w)
			}
			if diff := cmp.Diff(tt.want, w.audit(t, tt.before)); diff != "" {
				t.Errorf("suspects (-want +got)\n%s", diff)
			}
			if w.runs != tt.runs {
				t.Errorf("%d runs, want %d", w.runs, tt.runs)
			}
		})
	}
}
