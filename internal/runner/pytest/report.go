package pytest

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/plain"
	"regreen/internal/runner"
)

// assembly makes a Report of the plugin's records.
type assembly struct {
	tree   tree
	root   string // abs, the tree the run happens in
	report *runner.Report
	notify func(runner.Progress)

	index   map[string]int  // TestID key to its place in report.Tests
	lines   map[string]int  // TestID key to the declaration's line
	begun   []runner.TestID // tests, or the file, begun and not finished; several with workers
	started bool            // the start record was seen
	items   bool            // items were collected
	exit    *int            // the exit status of the end record
	exited  *runner.Failure
	failed  map[string]bool // files with an error of collection
	sources map[string][]byte
}

func newAssembly(t tree, root string, r *runner.Report, notify func(runner.Progress)) *assembly {
	if notify == nil {
		notify = func(runner.Progress) {}
	}
	return &assembly{tree: t, root: root, report: r, notify: notify,
		index: map[string]int{}, lines: map[string]int{}, failed: map[string]bool{}, sources: map[string][]byte{}}
}

// record takes one record in. It is called in order, from one goroutine.
func (a *assembly) record(rec runner.Record) {
	id := runner.TestID{Framework: Name, Path: rec.Path}
	id.File, _ = a.tree.rel(rec.File)
	switch rec.T {
	case "start":
		a.started = true
	case "collected":
		a.items = true
		a.lines[id.Key()] = rec.Line
		a.test(id, runner.None, true)
	case "begin":
		a.begin(id)
	case "test":
		a.finish(id, rec)
	case "hook":
		for _, e := range rec.Errors {
			a.add(a.failure(runner.ScopeHook, id, rec.Line, e))
		}
	case "file":
		a.failed[id.File] = true
		a.notLoaded(id.File)
		for _, e := range rec.Errors {
			a.add(a.failure(runner.ScopeFile, runner.TestID{Framework: Name, File: id.File}, 0, e))
		}
	case "run":
		a.run(rec)
	case "warn":
		a.report.Warnings = append(a.report.Warnings, withoutColour(rec.Text))
	case "end":
		a.end(rec)
	}
}

func (a *assembly) add(f runner.Failure) { a.report.Failures = append(a.report.Failures, f) }

// test gives the test's place in the report, which it makes when it is new.
func (a *assembly) test(id runner.TestID, v runner.Verdict, notRun bool) *runner.Test {
	i, ok := a.index[id.Key()]
	if !ok {
		i = len(a.report.Tests)
		a.index[id.Key()] = i
		a.report.Tests = append(a.report.Tests, runner.Test{ID: id, Verdict: v, NotRun: notRun, Asserts: -1})
	}
	return &a.report.Tests[i]
}

// worse orders verdicts: a test that runs twice under one name (a plugin that
// repeats) is as bad as its worst run.
var worse = map[runner.Verdict]int{runner.None: 0, runner.Skipped: 1, runner.Passed: 2, runner.Errored: 3, runner.Failed: 4}

func (a *assembly) finish(id runner.TestID, rec runner.Record) {
	t := a.test(id, runner.None, true)
	if worse[rec.Verdict] >= worse[t.Verdict] {
		t.Verdict, t.NotRun = rec.Verdict, rec.NotRun
	}
	t.Duration += millis(rec.Ms)
	line := rec.Line
	if line == 0 {
		line = a.lines[id.Key()]
	}
	for _, e := range rec.Errors {
		a.add(a.failure(runner.ScopeTest, id, line, e))
	}
	a.begun = slices.DeleteFunc(a.begun, func(b runner.TestID) bool { return b.Key() == id.Key() })
	a.notify(runner.Progress{Test: id, Done: true, Verdict: rec.Verdict})
}

// run takes an error of the run itself: a conftest that does not load, an
// internal error, an interruption, os._exit.
func (a *assembly) run(rec runner.Record) {
	var data struct {
		Exit bool `json:"exit"`
	}
	_ = json.Unmarshal(rec.Data, &data)
	for _, e := range rec.Errors {
		path := e.Attr["path"]
		f := a.failure(runner.ScopeRun, a.begunTest(), 0, e)
		if f.Place.File == "" || len(f.Frames) == 0 {
			if rel, ok := a.tree.own(path); ok && f.Kind != runner.SyntaxError {
				f.Place = runner.Place{File: rel, Line: a.naming(rel, f.Symbol)}
			}
		}
		if data.Exit {
			a.exited = &f
			continue
		}
		a.add(f)
	}
}

// naming gives the first line of a file that holds a string or name equal to
// the symbol; 0 for none. It finds the entry of pytest_plugins that did not load.
func (a *assembly) naming(rel, symbol string) int {
	if symbol == "" {
		return 0
	}
	for _, s := range scan(a.source(rel)) {
		for _, t := range s.toks {
			if t.kind == tokString && stringText(t.text) == symbol {
				return t.line
			}
		}
	}
	return 0
}

// begin notes what the run is at. A file replaces the file before it; one
// without a name ends the collection.
func (a *assembly) begin(id runner.TestID) {
	if len(id.Path) == 0 {
		a.begun = nil
	}
	if id.File != "" {
		a.begun = append(a.begun, id)
	}
	if len(id.Path) > 0 {
		a.notify(runner.Progress{Test: id})
	}
}

// begunTest is the last test begun that did not finish, empty for none.
func (a *assembly) begunTest() runner.TestID {
	if len(a.begun) == 0 {
		return runner.TestID{}
	}
	return a.begun[len(a.begun)-1]
}

func (a *assembly) end(rec runner.Record) {
	var data struct {
		Exit      *int     `json:"exit"`
		Foreign   []string `json:"foreign"`
		Elsewhere []string `json:"elsewhere"` // "name: file" each
	}
	_ = json.Unmarshal(rec.Data, &data) // without data there is nothing to compare
	a.exit = data.Exit
	for _, f := range data.Foreign {
		if rel, ok := a.tree.rel(f); ok {
			a.report.Foreign = append(a.report.Foreign, rel)
		}
	}
	for _, e := range data.Elsewhere {
		if name, file, ok := strings.Cut(withoutColour(e), ": "); ok {
			a.report.Warnings = append(a.report.Warnings, fmt.Sprintf(
				"the tests loaded %s from %s, not from this repository, so they tell nothing of the code here; pip install -e . in the environment of the tests mends it", name, file))
		}
	}
	a.begun = nil
}

// notLoaded adds a file of which nothing is known.
func (a *assembly) notLoaded(file string) {
	if !slices.Contains(a.report.NotLoaded, file) {
		a.report.NotLoaded = append(a.report.NotLoaded, file)
	}
}

// loaded tells whether tests of the file are known.
func (a *assembly) loaded(file string) bool {
	return slices.ContainsFunc(a.report.Tests, func(t runner.Test) bool { return t.ID.File == file })
}

// unfinished takes every verdict back: the run was cut, and what it said
// before may not be what it would have said. pytest knew the total by then, so
// the tests keep counting in it.
func (a *assembly) unfinished() {
	for i := range a.report.Tests {
		if t := &a.report.Tests[i]; t.Verdict != runner.Skipped {
			t.Verdict, t.NotRun = runner.Errored, true
		}
	}
}

// source is a file's text in the tree of the run; empty when it cannot be read.
func (a *assembly) source(rel string) []byte {
	if rel == "" {
		return nil
	}
	src, ok := a.sources[rel]
	if !ok {
		src, _ = plain.ReadFile(filepath.Join(a.root, filepath.FromSlash(rel)))
		a.sources[rel] = src
	}
	return src
}
