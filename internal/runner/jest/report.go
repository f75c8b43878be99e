package jest

import (
	"fmt"
	"slices"

	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
	"regreen/internal/runner/node"
)

func (b *book) report(p runner.Project, l node.Landing) *runner.Report {
	return &runner.Report{
		Framework: "jest", Project: p.Root, Tests: b.tests, Failures: b.failures, NotLoaded: b.unloaded,
		Ended: l.Ended, Exit: l.Exit, TimedOut: l.TimedOut, Truncated: l.Problem,
		Warnings: b.warnings, Output: l.Output, Duration: l.Duration, Opened: l.Opened,
	}
}

// ended is the report of a run that came to its end.
func (b *book) ended(p runner.Project, l node.Landing) *runner.Report {
	r := b.report(p, l)
	if r.Truncated == "" {
		r.Truncated = b.adds()
	}
	if l.Exit.Code > 0 && r.Truncated == "" && len(r.Failures) == 0 && len(r.Tests) > 0 {
		// All passed and yet it is red: the project's globalTeardown, perhaps.
		if f := b.printed(l.Output); f.Place.Line > 0 {
			r.Failures = append(r.Failures, f)
		}
	}
	if l.TimedOut { // it was done and did not go away
		r.Warnings = append(r.Warnings, "jest had to be killed after its last test")
	}
	return r
}

// cut is the report of a run that was killed or died. known are the files
// that were to run.
func (b *book) cut(p runner.Project, l node.Landing, known []string, frames []runner.Frame) *runner.Report {
	r := b.report(p, l)
	if l.TimedOut {
		r.Truncated = "" // the end of the process may have cut a record in two
		r.Failures = append(r.Failures, b.hung(frames))
	} else {
		r.Failures = append(r.Failures, b.crashed(l))
	}
	for _, files := range [][]string{known, b.openFiles} {
		for _, f := range files {
			if !b.finished[f] && !slices.Contains(r.NotLoaded, f) {
				r.NotLoaded = append(r.NotLoaded, f)
			}
		}
	}
	r.Void()
	return r
}

// running is the test that was at work when the run ended: that of the frames
// if they name one, else the last begun.
func (b *book) running(frames []runner.Frame) runner.TestID {
	for _, fr := range frames {
		for _, id := range slices.Backward(b.openTests) {
			if id.File == fr.File {
				return id
			}
		}
		if slices.Contains(b.openFiles, fr.File) {
			return runner.TestID{Framework: "jest", File: fr.File}
		}
	}
	if n := len(b.openTests); n > 0 {
		return b.openTests[n-1]
	}
	if n := len(b.openFiles); n > 0 {
		return runner.TestID{Framework: "jest", File: b.openFiles[n-1]}
	}
	return runner.TestID{Framework: "jest"}
}

func (b *book) hung(frames []runner.Frame) runner.Failure {
	f := runner.Failure{
		Scope: runner.ScopeRun, Kind: runner.Timeout, Test: b.running(frames), Frames: frames,
		Message: "the run passed its time limit and was killed",
	}
	if len(f.Test.Path) > 0 {
		f.Message += " while this test ran"
	}
	f.Place.File = f.Test.File
	if len(frames) > 0 {
		f.Place = frames[0].Place
	} else if at, ok := node.Declaration(b.context, f.Test); ok {
		f.Place = at
	}
	return f
}

func (b *book) crashed(l node.Landing) runner.Failure {
	how := fmt.Sprintf("with exit code %d", l.Exit.Code)
	if l.Exit.Signal != "" {
		how = "by the signal " + l.Exit.Signal
	}
	if l.Exit.Limit != "" {
		how = "(" + l.Exit.How() + ")"
	}
	f := runner.Failure{
		Scope: runner.ScopeRun, Kind: runner.Crash, Test: b.running(nil),
		Message: "jest ended " + how + " without saying how the tests went",
	}
	if b.blame(&f) {
		f.Test = b.running(f.Frames)
		return f
	}
	f.Place.File = f.Test.File
	// What a process prints as it dies of an error may say where that was.
	if died := b.printed(l.Output); died.Kind == runner.SyntaxError || died.Kind == runner.MissingImport || died.Kind == runner.UndefinedVariable {
		died.Test, died.Message = f.Test, f.Message+"\n"+died.Message
		return died
	}
	return f
}

var wrapper = lazyregexp.New(`Jest: Got error running global(?:Setup|Teardown) - .*?, reason: `)

// printed reads the error that jest ended with from what it printed.
func (b *book) printed(output string) runner.Failure {
	text := wrapper.ReplaceAllString(node.Plain(output), "")
	return node.Failure(b.context, runner.ScopeRun, runner.TestID{Framework: "jest"}, runner.RawError{Stack: text})
}

// nothing is the report where jest finds no test to run: it says so and exits
// before it calls a reporter. Its own list of tests was asked and is empty.
func nothing(p runner.Project, l node.Landing) *runner.Report {
	return &runner.Report{
		Framework: "jest", Project: p.Root, Ended: true, Exit: l.Exit, RunnerErrored: l.Exit.Code != 0,
		Output: l.Output, Duration: l.Duration,
	}
}

// unstarted is the report where jest did not come as far as its reporters
// because of the project's own code (its configuration, globalSetup); nil
// where no file of the project is to blame.
func (b *book) unstarted(p runner.Project, l node.Landing, known []string) *runner.Report {
	f := b.printed(l.Output)
	if f.Place.File == "" {
		return nil
	}
	r := b.report(p, l)
	r.Failures = append(r.Failures, f)
	r.NotLoaded = known
	return r
}
