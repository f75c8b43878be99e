package runner

// Counts are the numbers of a run. Total to Skipped are the framework's own
// columns; Errored counts failures that no test body owns; NotRun counts tests
// known from the source that got no chance to run.
type Counts struct {
	Total, Passed, Failed, Errored, Skipped, NotRun int
}

// Add sums two runs' counts.
func (c Counts) Add(o Counts) Counts {
	return Counts{c.Total + o.Total, c.Passed + o.Passed, c.Failed + o.Failed,
		c.Errored + o.Errored, c.Skipped + o.Skipped, c.NotRun + o.NotRun}
}

// PassRate is passed / (passed + failed + errored + not run) in percent
// (DESIGN.md section 4). ok is false when nothing was to run: that is
// no_tests, never 100 %.
func (c Counts) PassRate() (rate float64, ok bool) {
	d := c.Passed + c.Failed + c.Errored + c.NotRun
	if d == 0 {
		return 0, false
	}
	return 100 * float64(c.Passed) / float64(d), true
}

// Counts counts the report. known gives how many tests a file declares; it is
// asked for the files that did not load. A run that did not end proves nothing:
// all its tests count as not run.
func (r *Report) Counts(known func(file string) int) Counts {
	var c Counts
	failed := map[string]bool{}
	for _, t := range r.Tests {
		if t.Verdict != None {
			c.Total++
		}
		switch t.Verdict {
		case Passed:
			c.Passed++
		case Failed:
			c.Failed++
			failed[t.ID.Key()] = true
		case Skipped, Todo:
			c.Skipped++
		}
		if t.NotRun {
			c.NotRun++
		}
	}
	for _, f := range r.Failures {
		if f.Scope != ScopeTest && !failed[f.Test.Key()] {
			c.Errored++
		}
	}
	if r.RunnerErrored && c.Errored == 0 {
		c.Errored = 1
	}
	for _, f := range r.NotLoaded {
		c.NotRun += known(f)
	}
	return c
}

// Void takes back every verdict of a run that did not end: what it said
// before it was cut may not be what it would have said. The tests that it
// knew of stay, as not run.
func (r *Report) Void() {
	for i := range r.Tests {
		if v := r.Tests[i].Verdict; v != Skipped && v != Todo {
			r.Tests[i].Verdict = None
			r.Tests[i].NotRun = true
		}
	}
}

// Red says why the report is not green; "" when it is. Green needs exit code
// 0, the end record, no failure and at least one test that passed.
func (r *Report) Red() string {
	switch {
	case r.TimedOut:
		return "the run passed its time limit"
	case r.Truncated != "":
		return r.Truncated
	case !r.Ended:
		return "the run ended without its end record"
	case len(r.Failures) > 0:
		return "tests failed"
	case len(r.NotLoaded) > 0:
		return "a test file did not load"
	case r.Exit.Code != 0:
		return "the framework's exit code is not 0"
	}
	for _, t := range r.Tests {
		if t.Verdict == Failed || t.Verdict == Errored || t.NotRun {
			return "tests failed"
		}
	}
	for _, t := range r.Tests {
		if t.Verdict == Passed {
			return ""
		}
	}
	return "no test ran"
}
