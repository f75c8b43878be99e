package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"regreen/internal/plain"
	"regreen/internal/runner"
)

// Collector turns the records of one run into a report. Records are handed to
// Each while the run goes; Report closes the book.
//
// A test that was collected but has no verdict yet stands in the report as not
// run, so that a run that is cut short still knows it.
type Collector struct {
	Context  Context
	Progress func(runner.Progress)
	// Wanted tells which files (rel) count; nil is all. Others are dropped.
	Wanted func(rel string) bool
	// Prepare may change a raw error before it is classified. May be nil.
	Prepare func(e *runner.RawError)

	tests    []runner.Test
	at       map[string][]int // key to indexes without a verdict
	failures []runner.Failure
	files    []string // test files that the run knows of, in order
	told     map[string]bool
	failed   map[string]bool // files that did not load
	open     []runner.TestID // begun and not ended
	warnings []string
	version  string
	begun    bool
	aborted  bool
}

// data is what the reporters of this folder say beside the common fields.
type data struct {
	// Again amends a verdict that was given before (mocha: an error after the
	// test had passed).
	Again bool `json:"again"`
	// Aborted says that the framework gave the whole run up for this error.
	Aborted bool `json:"aborted"`
}

// Each takes one record.
func (c *Collector) Each(r runner.Record) {
	if c.at == nil {
		c.at, c.told, c.failed = map[string][]int{}, map[string]bool{}, map[string]bool{}
	}
	id := runner.TestID{Framework: c.Context.Framework, Path: r.Path}
	if r.File != "" {
		rel, ok := Rel(c.Context, r.File)
		if !ok {
			rel = r.File
		}
		id.File = rel
		if c.Wanted != nil && !c.Wanted(rel) {
			return
		}
	}
	switch r.T {
	case "start":
		c.version, c.begun = r.Version, true
	case "collected":
		c.collected(id)
	case "begin":
		c.open = append(c.open, id)
		c.progress(runner.Progress{Test: id})
	case "test":
		c.test(id, r)
	case "hook":
		c.fail(runner.ScopeHook, id, r)
	case "file":
		c.file(id.File)
		c.failed[id.File] = true
		c.fail(runner.ScopeFile, runner.TestID{Framework: id.Framework, File: id.File}, r)
	case "run":
		var d data
		_ = json.Unmarshal(r.Data, &d)
		c.aborted = c.aborted || d.Aborted
		c.fail(runner.ScopeRun, id, r)
	case "warn":
		c.warn(id, r)
	}
}

func (c *Collector) progress(p runner.Progress) {
	if c.Progress != nil {
		c.Progress(p)
	}
}

func (c *Collector) file(rel string) {
	if rel != "" && !slices.Contains(c.files, rel) {
		c.files = append(c.files, rel)
	}
}

func (c *Collector) collected(id runner.TestID) {
	c.file(id.File)
	if len(id.Path) == 0 {
		return
	}
	c.told[id.File] = true
	k := id.Key()
	c.at[k] = append(c.at[k], len(c.tests))
	c.tests = append(c.tests, runner.Test{ID: id, Verdict: runner.None, NotRun: true, Asserts: -1})
}

func (c *Collector) test(id runner.TestID, r runner.Record) {
	c.told[id.File] = true
	k := id.Key()
	if i := slices.IndexFunc(c.open, func(o runner.TestID) bool { return o.Key() == k }); i >= 0 {
		c.open = slices.Delete(c.open, i, i+1)
	}
	t := runner.Test{ID: id, Verdict: r.Verdict, NotRun: r.NotRun, Asserts: -1,
		Duration: time.Duration(r.Ms * float64(time.Millisecond))}
	var d data
	_ = json.Unmarshal(r.Data, &d)
	if open := c.at[k]; len(open) > 0 && !d.Again {
		c.tests[open[0]] = t
		c.at[k] = open[1:]
	} else if i := c.given(k); i >= 0 && d.Again {
		c.tests[i] = t
	} else {
		c.tests = append(c.tests, t)
	}
	if r.Verdict == runner.Failed {
		c.fail(runner.ScopeTest, id, r)
	}
	c.progress(runner.Progress{Test: id, Done: true, Verdict: r.Verdict})
}

// given is the index of the last verdict for a test, -1 when there is none.
func (c *Collector) given(key string) int {
	for i, t := range slices.Backward(c.tests) {
		if t.Verdict != runner.None && t.ID.Key() == key {
			return i
		}
	}
	return -1
}

// fail adds the record's errors; one without any still failed.
func (c *Collector) fail(scope runner.Scope, id runner.TestID, r runner.Record) {
	errs := r.Errors
	if len(errs) == 0 {
		errs = []runner.RawError{{}}
	}
	for _, e := range errs {
		if r.Hook != "" {
			if e.Attr == nil {
				e.Attr = map[string]string{}
			}
			e.Attr["hook"] = r.Hook
		}
		if c.Prepare != nil {
			c.Prepare(&e)
		}
		f := Failure(c.Context, scope, id, e)
		if f.Test.File == "" {
			if i := slices.IndexFunc(f.Frames, func(fr runner.Frame) bool { return slices.Contains(c.files, fr.File) }); i >= 0 {
				f.Test.File = f.Frames[i].File
			}
		}
		if scope == runner.ScopeTest || !slices.ContainsFunc(c.failures, func(o runner.Failure) bool { return same(o, f) }) {
			c.failures = append(c.failures, f)
		}
	}
}

// same tells two reports of one event, which frameworks repeat.
func same(a, b runner.Failure) bool {
	return a.Scope == b.Scope && a.Test.Key() == b.Test.Key() && a.Place == b.Place && a.Name == b.Name &&
		a.Message == b.Message && a.Stack == b.Stack
}

func (c *Collector) warn(id runner.TestID, r runner.Record) {
	text := r.Text
	for _, e := range r.Errors {
		f := Failure(c.Context, runner.ScopeRun, id, e)
		text = strings.TrimSpace(fmt.Sprintf("%s: %s", text, f.Message))
		if f.Place.Line > 0 {
			text = fmt.Sprintf("%s:%d:%d: %s", f.Place.File, f.Place.Line, f.Place.Column, text)
		}
	}
	c.warnings = append(c.warnings, text)
}

// Noted takes begin records that workers wrote beside the channel, for tests
// that it never told of. A file that is not there or cut short says less.
func (c *Collector) Noted(file string) {
	src, err := plain.ReadFile(file)
	if err != nil {
		return
	}
	ended := map[string]bool{}
	for _, t := range c.tests {
		if t.Verdict != runner.None {
			ended[t.ID.Key()] = true
			if n := len(t.ID.Path); n > 1 && strings.HasPrefix(t.ID.Path[0], "[") {
				// A worker does not know the mark of a file that several projects run.
				id := t.ID
				id.Path = id.Path[1:]
				ended[id.Key()] = true
			}
		}
	}
	for _, line := range bytes.Split(src, []byte("\n")) {
		var r runner.Record
		if json.Unmarshal(line, &r) != nil || r.T != "begin" {
			continue
		}
		rel, ok := Rel(c.Context, r.File)
		id := runner.TestID{Framework: c.Context.Framework, File: rel, Path: r.Path}
		if k := id.Key(); ok && !ended[k] {
			c.open = slices.DeleteFunc(c.open, func(o runner.TestID) bool { return o.Key() == k })
			c.open = append(c.open, id)
		}
	}
}

// Begun tells whether the framework's reporter came up at all.
func (c *Collector) Begun() bool { return c.begun }

// Crashed tells whether the framework told of a crash that has no place.
func (c *Collector) Crashed() bool {
	return slices.ContainsFunc(c.failures, func(f runner.Failure) bool {
		return f.Scope == runner.ScopeRun && f.Kind == runner.Crash && f.Place.File == ""
	})
}

// Aborted tells whether the framework gave up before it ran any test.
func (c *Collector) Aborted() bool { return c.aborted }

// Files are the test files that the run knows of.
func (c *Collector) Files() []string { return c.files }

// Report closes the book on a run of p that went as l says. frames is where it
// hung, if it did; expected are the files that it was to run, as far as the
// caller knows.
func (c *Collector) Report(p runner.Project, l Landing, frames []runner.Frame, expected []string) *runner.Report {
	r := &runner.Report{
		Framework: p.Framework, Project: p.Root, Tests: c.tests, Failures: c.failures, Ended: l.Ended, Exit: l.Exit,
		TimedOut: l.TimedOut, Truncated: l.Problem, Warnings: c.warnings, Output: l.Output, Duration: l.Duration, Opened: l.Opened,
	}
	for _, f := range expected {
		c.file(f)
	}
	if l.TimedOut {
		// A record that the end of the process cut in two says nothing new.
		r.Truncated = ""
		r.Failures = append(r.Failures, c.hung(frames))
		r.Void()
	} else if l.Ended {
		c.blame(r.Failures)
	} else {
		if !slices.ContainsFunc(r.Failures, func(f runner.Failure) bool { return f.Scope == runner.ScopeRun }) {
			r.Failures = append(r.Failures, c.crashed(p, l))
		}
		r.Void()
	}
	for _, f := range c.files {
		if c.failed[f] || !c.told[f] && (l.TimedOut || !l.Ended) {
			r.NotLoaded = append(r.NotLoaded, f)
		}
	}
	ran := slices.ContainsFunc(r.Tests, func(t runner.Test) bool { return t.Verdict != runner.None })
	r.RunnerErrored = l.Ended && l.Exit.Code != 0 && len(r.Failures) == 0 && !ran
	return r
}

// blame names the test for a worker's crash that the framework survived and
// tells of without a place: the last that began and did not end.
func (c *Collector) blame(failures []runner.Failure) {
	if len(c.open) == 0 {
		return
	}
	for i := range failures {
		f := &failures[i]
		if f.Scope != runner.ScopeRun || f.Kind != runner.Crash || f.Place.File != "" || f.Test.File != "" {
			continue
		}
		f.Test = c.open[len(c.open)-1]
		f.Place = c.declared(f.Test)
	}
}

// last is the test that was running when the run ended: of several, the one
// that the frames name.
func (c *Collector) last(frames []runner.Frame) runner.TestID {
	named := func(file string) bool {
		return slices.ContainsFunc(frames, func(f runner.Frame) bool { return f.File == file })
	}
	for _, id := range slices.Backward(c.open) {
		if named(id.File) {
			return id
		}
	}
	id := runner.TestID{Framework: c.Context.Framework}
	if i := slices.IndexFunc(c.files, named); i >= 0 {
		id.File = c.files[i]
		return id
	}
	if n := len(c.open); n > 0 {
		return c.open[n-1]
	}
	for _, f := range c.files {
		if !c.told[f] && id.File == "" {
			id.File = f // it was still loading
		}
	}
	return id
}

func (c *Collector) hung(frames []runner.Frame) runner.Failure {
	f := runner.Failure{Scope: runner.ScopeRun, Test: c.last(frames), Kind: runner.Timeout, Frames: frames,
		Message: "the run passed its time limit and was killed"}
	if len(f.Test.Path) > 0 {
		f.Message += " while this test ran"
	}
	if len(frames) > 0 {
		f.Place = frames[0].Place
	} else {
		f.Place = c.declared(f.Test)
	}
	return f
}

func (c *Collector) crashed(p runner.Project, l Landing) runner.Failure {
	f := runner.Failure{Scope: runner.ScopeRun, Test: c.last(nil), Kind: runner.Crash}
	how := l.Exit.How()
	f.Message = fmt.Sprintf("%s ended (%s) without saying how the tests went", p.Framework, how)
	if !c.begun {
		f.Message = fmt.Sprintf("%s did not start (%s): %s", p.Framework, how, printed(l.Output))
		f.Test = runner.TestID{Framework: p.Framework}
	}
	f.Place = c.declared(f.Test)
	return f
}

// declared is where a test stands, its file alone where that cannot be told.
func (c *Collector) declared(id runner.TestID) runner.Place {
	if at, ok := Declaration(c.Context, id); ok {
		return at
	}
	return runner.Place{File: id.File}
}

// printed is the end of what a program printed, for people.
func printed(output string) string {
	if s := LastLines(output, 12); s != "" {
		return s
	}
	return "it printed nothing"
}
