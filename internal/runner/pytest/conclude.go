package pytest

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"regreen/internal/runner"
)

// conclude completes the report when the process has ended: the hang, the
// crash, and the files of which nothing is known.
func (s *session) conclude(a *assembly, run *prepared, req runner.Request) {
	r := a.report
	switch {
	case r.TimedOut:
		s.hung(a, run, req)
	case !r.Ended:
		s.crashed(a)
	case a.exit != nil && *a.exit != r.Exit.Code:
		r.Truncated = fmt.Sprintf("pytest ended with status %d, its process with %s", *a.exit, exitText(r))
		if len(r.Failures) == 0 {
			a.add(runner.Failure{Scope: runner.ScopeRun, Kind: runner.Crash, Message: r.Truncated, Stack: r.Output})
		}
	case r.Exit.Code != 0 && r.Exit.Code != 5 && len(r.Failures) == 0:
		a.add(runner.Failure{Scope: runner.ScopeRun, Kind: runner.Unknown, Message: s.complaint(r), Stack: r.Output})
	}
	if !r.Ended || r.TimedOut {
		a.unfinished()
	}
	if !a.items && len(r.Failures) > 0 {
		for _, f := range s.unknown(run) {
			a.notLoaded(f)
		}
	}
}

func exitText(r *runner.Report) string {
	if r.Exit.Signal != "" {
		return "signal " + r.Exit.Signal
	}
	return fmt.Sprintf("exit code %d", r.Exit.Code)
}

// hung names the test that was running at the time limit, and where it stood.
func (s *session) hung(a *assembly, run *prepared, req runner.Request) {
	f := runner.Failure{Scope: runner.ScopeRun, Kind: runner.Timeout, Test: a.begunTest()}
	f.Message = fmt.Sprintf("the run passed its time limit of %s", req.Timeout)
	if f.Test.File != "" {
		f.Message += " in " + f.Test.File
		if n := len(f.Test.Path); n > 0 {
			f.Message += ": " + strings.Join(f.Test.Path, " > ")
		}
	}
	f.Place, f.Frames = a.hungAt(a.readDumps(run.dump))
	if f.Place.File == "" {
		f.Place = runner.Place{File: f.Test.File, Line: a.lines[f.Test.Key()]}
	}
	a.add(f)
}

// crashed says how a process ended that did not reach its end record.
func (s *session) crashed(a *assembly) {
	r := a.report
	if a.exited != nil {
		a.exited.Stack = r.Output
		a.add(*a.exited)
		return
	}
	f := runner.Failure{Scope: runner.ScopeRun, Kind: runner.Crash, Test: a.begunTest(), Stack: r.Output}
	if !a.started || a.begun.File == "" && !a.items {
		if len(r.Failures) > 0 {
			return
		}
		f.Kind = runner.Unknown
		f.Message = s.complaint(r)
		a.add(f)
		return
	}
	f.Message = "the process ended with " + exitText(r) + " before pytest did"
	f.Place = runner.Place{File: f.Test.File, Line: a.lines[f.Test.Key()]}
	if r.Exit.Signal != "" {
		// the interpreter's own fault handler prints the stack; only the place is taken from it
		for _, st := range parseDump(r.Output) {
			if frames := a.frames(st); len(frames) > 0 && underPytest(st) {
				f.Place, f.Frames = frames[0].Place, frames
				break
			}
		}
	}
	a.add(f)
}

var complaints = regexp.MustCompile(`(?m)^(?:ERROR: |[\w.]+Error: |__main__\.py: error: |FAIL )(.*)$`)

// complaint is what pytest said when it would not run, for people.
func (s *session) complaint(r *runner.Report) string {
	if m := complaints.FindAllString(plain(r.Output), -1); len(m) > 0 {
		return m[len(m)-1]
	}
	return "pytest ended with " + exitText(r) + " although no test failed"
}

// unknown are the files of the run of which nothing is known when nothing was
// collected: those asked for, else all that the project would run.
func (s *session) unknown(run *prepared) []string {
	if len(run.files) > 0 {
		return run.files
	}
	layout, err := readLayout(s.env.Root, s.project)
	if err != nil {
		return nil
	}
	var out []string
	top := s.abs(s.project.Root)
	_ = filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		if d.IsDir() {
			if p != top && (d.Name() == ".git" || d.Name() == "node_modules" || isVenv(p)) {
				return fs.SkipDir
			}
			return nil
		}
		if rel, err := filepath.Rel(s.env.Root, p); err == nil && layout.IsTest(filepath.ToSlash(rel)) {
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	return out
}
