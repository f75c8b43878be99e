package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"regreen/affected"
	"regreen/cycle"
	"regreen/internal/runner"
)

// pastFile is the last run of a test file.
type pastFile struct {
	// Ms is how long its tests took, 0 where that is not known.
	Ms int64 `json:"ms,omitempty"`
	// Failed: something in it still failed when the last cycle that ran it ended.
	Failed bool `json:"failed,omitempty"`
}

// pasts are the last runs of all test files, for the order of the next. They
// are read from one file of the state folder; a file that cannot be read is as
// none, since nothing but the order depends on it.
type pasts struct {
	file string

	mu    sync.Mutex // guards the fields below
	tests map[string]pastFile
}

func openPasts(dir string) *pasts {
	p := &pasts{file: filepath.Join(dir, "tests.json"), tests: map[string]pastFile{}}
	if text, err := os.ReadFile(p.file); err == nil {
		var tests map[string]pastFile
		if json.Unmarshal(text, &tests) == nil && tests != nil {
			p.tests = tests
		}
	}
	return p
}

// of tells about one test file, as affected.Input.Past does.
func (p *pasts) of(test string) (failed bool, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tests[test]
	return t.Failed, time.Duration(t.Ms) * time.Millisecond
}

// ran notes how long the files of a run took. A run that was cut short, or a
// file of which some tests were left out, tells nothing of it.
func (p *pasts) ran(req runner.Request, r *runner.Report) {
	if !r.Ended || len(req.Tests) > 0 {
		return
	}
	took := map[string]time.Duration{}
	for _, t := range r.Tests {
		took[t.ID.File] += t.Duration
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for file, d := range took {
		t := p.tests[file]
		t.Ms = max(d.Milliseconds(), 1)
		p.tests[file] = t
	}
}

// ended notes what a cycle left red of the files that it was to run, forgets
// files that are no tests any more, and writes.
func (p *pasts) ended(set *affected.Set, doc *cycle.Document) error {
	failed := map[string]bool{}
	for _, r := range doc.Remaining {
		failed[r.Test.File] = true
	}
	is := map[string]bool{}
	for _, t := range set.Graph().Tests() {
		is[t] = true
	}
	p.mu.Lock()
	switch doc.Outcome {
	case cycle.Passed, cycle.Repaired, cycle.Failed: // of the others the user's files are not what was run last
		for _, t := range set.Tests {
			f := p.tests[t.File]
			f.Failed = false
			p.tests[t.File] = f
		}
		if doc.FullSuiteRun {
			for file, f := range p.tests {
				f.Failed = false
				p.tests[file] = f
			}
		}
	}
	for file := range failed {
		f := p.tests[file]
		f.Failed = true
		p.tests[file] = f
	}
	for file := range p.tests {
		if !is[file] {
			delete(p.tests, file)
		}
	}
	text, err := json.Marshal(p.tests)
	p.mu.Unlock()
	if err == nil {
		err = keepWhole(p.file, text)
	}
	if err != nil {
		return fmt.Errorf("keep the order of the tests: %w", err)
	}
	return nil
}

// note gives what takes in what a project's runs tell for later selections. What
// they executed, or loaded, counts in the tree of the snapshot alone, if it is
// traced.
func (e *Engine) note(p runner.Project, traced bool) func(runner.Request, *runner.Report) {
	key := ""
	if traced {
		key = e.projectKey(p)
	}
	return func(req runner.Request, r *runner.Report) {
		e.past().ran(req, r)
		e.seen().ran(req, r)
		if !traced || e.edited.Load() {
			return
		}
		e.executed().loaded(key, req, r)
		if r.Executed != nil {
			e.executed().ran(key, r.Executed)
		}
	}
}

// noted is a session whose runs are noted.
type noted struct {
	runner.Session
	note func(runner.Request, *runner.Report)
}

// Run runs tests.
func (n noted) Run(ctx context.Context, req runner.Request) (*runner.Report, error) {
	r, err := n.Session.Run(ctx, req)
	if r != nil && err == nil {
		n.note(req, r)
	}
	return r, err
}
