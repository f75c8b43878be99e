package cycle

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	"regreen/internal/runner"
)

// Unit is one project, ready to run in the sandbox.
type Unit struct {
	Project   runner.Project
	Layout    runner.Layout
	Framework runner.Framework
	Session   runner.Session
}

// Selected is a test file that is to run.
type Selected struct {
	File  string
	Units []int // indexes into the units that run it
	Why   []string
}

// Selection is what a cycle is to run, as affected chose it.
type Selection struct {
	Modified []string
	Tests    []Selected
	All      bool   // every test of every unit
	Reason   string // why all, or why more than surely needed
}

// plan says which files each unit runs; a nil list runs all the unit has.
type plan map[int][]string

func (s Selection) plan(units int) plan {
	p := plan{}
	if s.All {
		for u := range units {
			p[u] = nil
		}
		return p
	}
	for _, t := range s.Tests {
		for _, u := range t.Units {
			p[u] = append(p[u], t.File)
		}
	}
	return p
}

// testKey is a test's identity within one cycle: two projects may hold a
// framework each and share a file.
type testKey struct {
	unit int
	id   string
}

// failure is a failure and the unit that it came from.
type failure struct {
	runner.Failure
	unit int
}

// result is what one run over the units gave.
type result struct {
	counts    runner.Counts
	tests     map[testKey]runner.Test
	failures  []failure
	notLoaded map[int][]string
	// distrust says why the run's green would not be true ("" is sound): a
	// framework whose exit code, report and end mark disagree.
	distrust string
	timedOut bool
	ended    bool
	// foreign are files that the tests loaded from the user's own tree: what
	// ran is then not what would be merged.
	foreign  []string
	warnings []string
	output   string
	took     time.Duration
}

func (r *result) passRate() float64 {
	rate, ok := r.counts.PassRate()
	if !ok {
		return 0
	}
	return rate
}

// green: everything that was to run passed, and the frameworks agree.
func (r *result) green() bool {
	return r.counts.Passed > 0 && len(r.failures) == 0 && r.distrust == "" &&
		r.counts.Failed == 0 && r.counts.Errored == 0 && r.counts.NotRun == 0
}

// nothing: no test was run and nothing failed.
func (r *result) nothing() bool {
	return r.counts.Passed+r.counts.Failed == 0 && r.counts.NotRun == 0 && len(r.failures) == 0 && !r.timedOut
}

// suite runs units and reads files for the tests that they declare.
type suite struct {
	units []Unit
	files func() []string
	read  func(rel string) ([]byte, error)
	emit  func(Event)
}

// runOptions are one run's.
type runOptions struct {
	timeout   time.Duration
	keepGoing bool
	quiet     bool // no test events: a candidate is tried
	tests     map[int][]runner.TestID
	snapshots bool
}

func (s *suite) run(ctx context.Context, p plan, o runOptions) (*result, error) {
	res := &result{tests: map[testKey]runner.Test{}, notLoaded: map[int][]string{}, ended: true}
	start := time.Now()
	for u := range s.units {
		files, ok := p[u]
		if !ok || (files != nil && len(files) == 0) {
			continue
		}
		rep, err := s.runUnit(ctx, u, files, o)
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		s.complete(u, files, rep)
		s.add(res, u, rep)
	}
	res.took = time.Since(start)
	sort.SliceStable(res.failures, func(i, j int) bool {
		a, b := res.failures[i], res.failures[j]
		if a.Test.File != b.Test.File {
			return a.Test.File < b.Test.File
		}
		return a.Place.Line < b.Place.Line
	})
	return res, nil
}

func (s *suite) runUnit(ctx context.Context, u int, files []string, o runOptions) (*runner.Report, error) {
	done, failed := 0, 0
	req := runner.Request{Files: files, KeepGoing: o.keepGoing, Timeout: o.timeout,
		Tests: o.tests[u], UpdateSnapshots: o.snapshots}
	if !o.quiet && s.emit != nil {
		req.Progress = func(p runner.Progress) {
			if !p.Done {
				return
			}
			done++
			if p.Verdict == runner.Failed || p.Verdict == runner.Errored {
				failed++
			}
			s.emit(Event{Kind: EventTest, File: p.Test.File, Test: strings.Join(p.Test.Path, " > "), Done: done, Failed: failed})
		}
	}
	rep, err := s.units[u].Session.Run(ctx, req)
	if err != nil {
		if cause := context.Cause(ctx); ctx.Err() != nil {
			return nil, cause
		}
		return nil, fmt.Errorf("run %s in %s: %w", s.units[u].Project.Framework, s.units[u].Project.Root, err)
	}
	return rep, nil
}

// complete fills in the test files of which the run says nothing: when the
// whole run was aborted or cut, every requested file without a record did not
// run (DESIGN.md section 4, "not run").
func (s *suite) complete(u int, files []string, rep *runner.Report) {
	aborted := !rep.Ended || rep.TimedOut
	for _, f := range rep.Failures {
		if f.Scope == runner.ScopeRun && f.Kind != runner.UnhandledRejection && f.Kind != runner.Unknown {
			aborted = aborted || len(rep.Tests) == 0
		}
	}
	seen := map[string]bool{}
	for _, t := range rep.Tests {
		seen[t.ID.File] = true
	}
	for _, f := range rep.NotLoaded {
		seen[f] = true
	}
	if !aborted {
		s.unheard(u, files, rep, seen)
		return
	}
	if files == nil {
		files = s.testFiles(u)
	}
	for _, f := range files {
		if !seen[f] {
			rep.NotLoaded = append(rep.NotLoaded, f)
		}
	}
}

// unheard warns of files that were asked for and of which the framework says
// nothing although they declare tests: its own settings leave them out.
func (s *suite) unheard(u int, files []string, rep *runner.Report, seen map[string]bool) {
	for _, f := range rep.Failures {
		seen[f.Test.File] = true
	}
	for _, f := range files {
		if !seen[f] && s.known(u)(f) > 0 {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf("%s ran no test of %s, though it declares some", rep.Framework, f))
		}
	}
}

// testFiles lists the unit's test files as its layout tells them.
func (s *suite) testFiles(u int) []string {
	var out []string
	if s.units[u].Layout.IsTest == nil {
		return nil
	}
	for _, f := range s.files() {
		if s.units[u].Layout.IsTest(f) {
			out = append(out, f)
		}
	}
	return out
}

// known counts the tests that a file declares, skipped ones aside.
func (s *suite) known(u int) func(file string) int {
	return func(file string) int {
		src, err := s.read(file)
		if err != nil {
			return 0
		}
		n := 0
		for _, d := range s.units[u].Framework.Discover(file, src) {
			if !d.Skipped {
				n += max(1, d.Count)
			}
		}
		return n
	}
}

func (s *suite) add(res *result, u int, rep *runner.Report) {
	for _, t := range rep.Tests {
		res.tests[testKey{u, t.ID.Key()}] = t
	}
	for _, f := range rep.Failures {
		res.failures = append(res.failures, failure{f, u})
	}
	res.notLoaded[u] = append(res.notLoaded[u], rep.NotLoaded...)
	res.counts = res.counts.Add(rep.Counts(s.known(u)))
	res.timedOut = res.timedOut || rep.TimedOut
	res.ended = res.ended && rep.Ended
	res.warnings = append(res.warnings, rep.Warnings...)
	res.foreign = append(res.foreign, rep.Foreign...)
	red := rep.Red()
	if red == "" || len(rep.Failures) > 0 {
		return
	}
	ran := false
	for _, t := range rep.Tests {
		ran = ran || t.Verdict == runner.Passed || t.Verdict == runner.Failed || t.Verdict == runner.Errored
	}
	// "No tests" is an outcome of its own; any other red without a failure
	// behind it is a disagreement.
	if rep.TimedOut || rep.Truncated != "" || !rep.Ended || ran {
		res.distrust = fmt.Sprintf("%s in %s: %s (exit code %d)", rep.Framework, rep.Project, red, rep.Exit.Code)
		res.output = rep.Output
	}
}

// passedIDs are the tests with a passing verdict.
func (r *result) passed(k testKey) bool { return r.tests[k].Verdict == runner.Passed }

// in restricts to the given test files of a unit: the tests that passed there.
func (r *result) passedIn(p plan) map[testKey]bool {
	out := map[testKey]bool{}
	for k, t := range r.tests {
		if t.Verdict == runner.Passed && p.has(k.unit, t.ID.File) {
			out[k] = true
		}
	}
	return out
}

func (p plan) has(u int, file string) bool {
	files, ok := p[u]
	if !ok {
		return false
	}
	if files == nil {
		return true
	}
	for _, f := range files {
		if f == file {
			return true
		}
	}
	return false
}

// lost are the tests that passed in before and do not in after, looking only
// at those that p ran.
func lost(before, after *result, p plan) []runner.TestID {
	var out []runner.TestID
	for k, t := range before.tests {
		if t.Verdict == runner.Passed && p.has(k.unit, t.ID.File) && !after.passed(k) {
			out = append(out, t.ID)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Key() < out[j].Key() })
	return out
}
