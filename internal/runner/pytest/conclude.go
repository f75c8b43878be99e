package pytest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/lazyregexp"
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
	s.folders(a)
	s.plugins(a)
}

// plugins finds the conftest that names a module which is not there: pytest
// does not say which one it was.
func (s *session) plugins(a *assembly) {
	for i := range a.report.Failures {
		f := &a.report.Failures[i]
		if f.Scope != runner.ScopeRun || f.Kind != runner.MissingImport || f.Place.File != "" {
			continue
		}
		for _, rel := range s.walk(s.project.Root, func(rel string) bool { return base(rel) == "conftest.py" }) {
			if line := a.naming(rel, f.Symbol); line > 0 {
				f.Place = runner.Place{File: rel, Line: line}
				break
			}
		}
	}
}

// folders puts a folder's test files in the place of a folder that did not
// load, which is the fault of its conftest.
func (s *session) folders(a *assembly) {
	r := a.report
	var files []string
	for _, dir := range r.NotLoaded {
		if fi, err := os.Stat(s.abs(dir)); err != nil || !fi.IsDir() {
			continue
		}
		for _, f := range s.testFiles(dir) {
			if !a.loaded(f) {
				files = append(files, f)
			}
		}
		r.NotLoaded = slices.DeleteFunc(slices.Clone(r.NotLoaded), func(f string) bool { return f == dir })
		for i := range r.Failures {
			if f := &r.Failures[i]; f.Test.File == dir && f.Place.File != dir {
				f.Test.File = f.Place.File
			}
		}
	}
	for _, f := range files {
		a.notLoaded(f)
	}
}

func exitText(r *runner.Report) string {
	if r.Exit.Limit != "" {
		return r.Exit.How()
	}
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
	if !a.started || len(a.begun) == 0 && !a.items {
		if len(r.Failures) > 0 {
			return
		}
		if e, ok := a.printedError(r.Output); ok {
			e.Stack = r.Output
			a.add(a.failure(runner.ScopeRun, f.Test, 0, e))
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

// complaints are how pytest says that it will not run, the clearest first.
var complaints = []*lazyregexp.Regexp{
	lazyregexp.New(`(?m)^[\w. -]+: error: (.*)$`),
	lazyregexp.New(`(?m)^ERROR: (.*)$`),
	lazyregexp.New(`(?m)^(?:E +)?((?:\w+\.)*\w*Error: .*)$`),
}

// complaint is what pytest said when it would not run, for people.
func (s *session) complaint(r *runner.Report) string {
	for _, c := range complaints {
		if m := c.FindStringSubmatch(withoutColour(r.Output)); m != nil {
			return s.tree.shorten(m[1])
		}
	}
	return "pytest ended with " + exitText(r) + " although no test failed"
}

// unknown are the files of the run of which nothing is known when nothing was
// collected: those asked for, else all that the project would run.
func (s *session) unknown(run *prepared) []string {
	if len(run.files) > 0 {
		return run.files
	}
	return s.testFiles(s.project.Root)
}

// testFiles are the files below a folder (rel) that the project would run.
func (s *session) testFiles(dir string) []string {
	layout, err := readLayout(s.env.OnDisk(), s.project)
	if err != nil {
		return nil
	}
	return s.walk(dir, layout.IsTest)
}

// walk lists the files below a folder (rel) for which keep holds.
func (s *session) walk(dir string, keep func(rel string) bool) []string {
	var out []string
	disk := s.env.OnDisk()
	top := filepath.Join(disk, filepath.FromSlash(dir))
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
		if rel, err := filepath.Rel(disk, p); err == nil && keep(filepath.ToSlash(rel)) {
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	return out
}
