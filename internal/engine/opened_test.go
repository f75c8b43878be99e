package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/runner"
)

// TestOpenedStore: what a whole green run opened replaces what was known of the
// file, anything less adds to it, and it lasts.
func TestOpenedStore(t *testing.T) {
	dir := t.TempDir()
	run := func(s *openedStore, verdict runner.Verdict, req runner.Request, read ...string) {
		r := &runner.Report{Ended: true, Tests: []runner.Test{{ID: runner.TestID{File: "a.test.js"}, Verdict: verdict}}}
		for _, f := range read {
			r.Opened = append(r.Opened, runner.Opened{By: "a.test.js", File: f, Kind: runner.OpenedRead})
		}
		s.ran(req, r)
	}
	readers := func(s *openedStore) map[string][]string { return s.known().Read }
	s := openOpened(dir)
	run(s, runner.Passed, runner.Request{}, "one", "two")
	run(s, runner.Failed, runner.Request{}, "three")
	run(s, runner.Passed, runner.Request{Tests: []runner.TestID{{File: "a.test.js"}}}, "four")
	by := []string{"a.test.js"}
	if diff := cmp.Diff(map[string][]string{"one": by, "two": by, "three": by, "four": by}, readers(s)); diff != "" {
		t.Errorf("less than a green run adds (-want +got)\n%s", diff)
	}
	run(s, runner.Passed, runner.Request{}, "two")
	if err := s.save(func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]string{"two": by}, readers(openOpened(dir))); diff != "" {
		t.Errorf("a green run replaces, and lasts (-want +got)\n%s", diff)
	}
	if err := s.save(func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if got := readers(openOpened(dir)); len(got) > 0 {
		t.Errorf("a file that is gone still reads: %v", got)
	}
}

// TestOpenedWhole: a test file is known as a whole from a run of all of it that
// ended, in which nothing failed, until something fails.
func TestOpenedWhole(t *testing.T) {
	one := []runner.TestID{{File: "a.test.js", Path: []string{"x"}}}
	s := openOpened(t.TempDir())
	for i, step := range []struct {
		request  runner.Request
		ended    bool
		verdicts []runner.Verdict
		want     bool
	}{
		{runner.Request{Tests: one}, true, []runner.Verdict{runner.Passed}, false},
		{runner.Request{}, false, []runner.Verdict{runner.Passed}, false},
		{runner.Request{}, true, []runner.Verdict{runner.Passed, runner.Skipped, runner.Todo}, true},
		{runner.Request{Tests: one}, true, []runner.Verdict{runner.Passed}, true},
		{runner.Request{Tests: one}, true, []runner.Verdict{runner.Failed}, false},
		{runner.Request{Files: []string{"a.test.js"}}, true, []runner.Verdict{runner.Passed}, true},
		{runner.Request{}, true, []runner.Verdict{runner.Passed, runner.Failed}, false},
	} {
		r := &runner.Report{Ended: step.ended}
		for _, v := range step.verdicts {
			r.Tests = append(r.Tests, runner.Test{ID: runner.TestID{File: "a.test.js"}, Verdict: v})
		}
		s.ran(step.request, r)
		if got := s.known().Whole["a.test.js"]; got != step.want {
			t.Errorf("after run %d it is known as a whole: %v, want %v", i, got, step.want)
		}
	}
	s.ran(runner.Request{}, &runner.Report{Ended: true, Tests: []runner.Test{{ID: runner.TestID{File: "a.test.js"}, Verdict: runner.Passed}}})
	s.ran(runner.Request{}, &runner.Report{NotLoaded: []string{"a.test.js"}})
	if s.known().Whole["a.test.js"] {
		t.Error("one that did not load is known as a whole")
	}
}

// TestOpenedMarks: a source of which all that it loads was seen is known as one,
// until a run tells less than it opened.
func TestOpenedMarks(t *testing.T) {
	s := openOpened(t.TempDir())
	mark := func(file, kind string) runner.Opened { return runner.Opened{By: file, File: file, Kind: kind} }
	s.ran(runner.Request{}, &runner.Report{Ended: true, Opened: []runner.Opened{mark("a.js", runner.OpenedImports), mark("b.js", runner.OpenedRequires),
		{By: "a.js", File: "c.js", Kind: runner.OpenedLoad}}})
	load := map[string][]string{"c.js": {"a.js"}}
	got := s.known()
	if !got.Imports["a.js"] || !got.Requires["b.js"] || len(got.Imports)+len(got.Requires) != 2 || !cmp.Equal(load, got.Loaded) {
		t.Errorf("known = %+v", got)
	}
	s.ran(runner.Request{}, &runner.Report{Ended: true, Opened: []runner.Opened{{Kind: runner.OpenedCut}}})
	if got := s.known(); len(got.Imports)+len(got.Requires) != 0 || !cmp.Equal(load, got.Loaded) {
		t.Errorf("known after a run that told less = %+v", got)
	}
}
