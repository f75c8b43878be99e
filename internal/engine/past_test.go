package engine

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"regreen/affected"
	"regreen/cycle"
	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/runner"
)

// tree is a lang.Tree of empty files.
type tree []string

func (t tree) ReadFile(string) ([]byte, error) { return nil, nil }
func (t tree) Exists(rel string) bool {
	for _, f := range t {
		if f == rel {
			return true
		}
	}
	return false
}
func (t tree) IsDir(rel string) bool { return rel == "." }
func (t tree) Files() []string       { return t }

// TestPasts: what failed comes first, then the fastest, also after a new start
// and after cycles that did not run the failing test again.
func TestPasts(t *testing.T) {
	dir := t.TempDir()
	files := tree{"a.test.js", "b.test.js", "c.test.js"}
	choose := func(p *pasts, changed ...string) *affected.Set {
		in := affected.Input{Tree: files, Languages: lang.Set{js.Language{}}, Past: p.of, Projects: []affected.Project{{Project: runner.Project{Root: "."},
			Layout: runner.Layout{IsTest: func(f string) bool { return filepath.Ext(f) == ".js" }}}}}
		for _, f := range changed {
			in.Changes = append(in.Changes, affected.Change{Path: f})
		}
		set, err := affected.Select(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	order := func(p *pasts) (out []string) {
		for _, t := range choose(p, files...).Tests {
			out = append(out, t.File)
		}
		return out
	}
	check := func(when string, p *pasts, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, order(p)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", when, diff)
		}
	}
	p := openPasts(dir)
	check("at first", p, "a.test.js", "b.test.js", "c.test.js")
	report := &runner.Report{Ended: true}
	for i, f := range files {
		report.Tests = append(report.Tests, runner.Test{ID: runner.TestID{File: f}, Duration: time.Duration(9-i) * time.Second})
	}
	p.ran(runner.Request{}, report)
	p.ran(runner.Request{Tests: []runner.TestID{{File: "a.test.js"}}}, &runner.Report{Ended: true, Tests: []runner.Test{{ID: runner.TestID{File: "a.test.js"}}}})
	p.ran(runner.Request{}, &runner.Report{Tests: []runner.Test{{ID: runner.TestID{File: "a.test.js"}}}})
	check("the fastest first, by whole runs alone", p, "c.test.js", "b.test.js", "a.test.js")
	red := &cycle.Document{Outcome: cycle.Failed, Remaining: []cycle.Remaining{{Test: cycle.TestRef{File: "b.test.js"}}}}
	if err := p.ended(choose(p, files...), red); err != nil {
		t.Fatal(err)
	}
	check("the failed first", p, "b.test.js", "c.test.js", "a.test.js")
	for _, doc := range []*cycle.Document{{Outcome: cycle.Passed}, {Outcome: cycle.Cancelled}} {
		if err := p.ended(choose(p, "a.test.js"), doc); err != nil {
			t.Fatal(err)
		}
	}
	check("still failed, for it did not run", openPasts(dir), "b.test.js", "c.test.js", "a.test.js")
	if err := p.ended(choose(p, "b.test.js"), &cycle.Document{Outcome: cycle.Passed}); err != nil {
		t.Fatal(err)
	}
	check("failed no more", openPasts(dir), "c.test.js", "b.test.js", "a.test.js")
	if err := os.WriteFile(filepath.Join(dir, "tests.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("a broken file is none", openPasts(dir), "a.test.js", "b.test.js", "c.test.js")
}
