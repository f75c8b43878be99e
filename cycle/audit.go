package cycle

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"regreen/internal/runner"
)

// An audit runs tests that a selection left out. One that is red now, red
// again, green with the changed files as they were before, and red once more
// with them back, was turned red by the change: the selection missed it.

// maxApart is how many changed files an audit asks for one by one, a run each.
const maxApart = 8

// Left is what an audit looks at.
type Left struct {
	Tests []Selected // that the selection left out
	// Before are the files of the change as they were before it.
	Before  map[string]File
	Timeout time.Duration // of a run; 0 is none
}

// Suspect is a test file that a change turned red.
type Suspect struct {
	Test    TestRef // its first test that failed
	Message string
	// Files are those that turned it red, sorted: each by itself, or all that
	// changed where that could not be told.
	Files []string
}

// Miss is a test that a selection left out although the change turned it red.
type Miss struct {
	Time    time.Time `json:"time"`
	Cycle   string    `json:"cycle"` // whose selection it was
	Test    TestRef   `json:"test"`
	Message string    `json:"message"`
	Files   []string  `json:"files"` // that turned it red
	// Why is the shortest chain that leads from the test to one of the files, a
	// sentence a step, or that there is none.
	Why []string `json:"why"`
	// Known says that the audit's own run showed what connects them: from then on
	// the selection has the test. As long as it is false all tests run.
	Known bool `json:"known"`
}

// Audit runs the tests in the sandbox, which holds the snapshot that they were
// left out for, and gives those that the change turned red, a test file each.
// It writes nothing outside the sandbox. Of deps it uses Units, Box and
// Workspace. What a run that was cut or that contradicts itself says counts for
// nothing.
func Audit(ctx context.Context, left Left, deps Deps) ([]Suspect, error) {
	a := &audit{left: left, deps: deps, suite: &suite{units: deps.Units, files: deps.Workspace.Files, read: deps.Workspace.ReadFile}}
	red, err := a.red(ctx, Selection{Tests: left.Tests}.plan(len(deps.Units)), nil)
	if err != nil {
		return nil, err
	}
	if red, err = a.again(ctx, red); err != nil || len(red) == 0 {
		return nil, err
	}
	if red, err = a.cured(ctx, red, left.Before); err != nil || len(red) == 0 {
		return nil, err
	}
	if red, err = a.again(ctx, red); err != nil || len(red) == 0 {
		return nil, err
	}
	return a.suspects(ctx, red)
}

type audit struct {
	left  Left
	deps  Deps
	suite *suite
}

// run runs a plan on the snapshot with some files edited; nil for a run that
// proves nothing.
func (a *audit) run(ctx context.Context, p plan, edits map[string]File) (*result, error) {
	if err := a.deps.Box.Reset(ctx, edits); err != nil {
		return nil, err
	}
	res, err := a.suite.run(ctx, p, runOptions{timeout: a.left.Timeout, keepGoing: true, quiet: true})
	if err != nil || res.timedOut || !res.ended || res.distrust != "" {
		return nil, err
	}
	return res, nil
}

// red gives what fails in files of the plan.
func (a *audit) red(ctx context.Context, p plan, edits map[string]File) ([]failure, error) {
	res, err := a.run(ctx, p, edits)
	if err != nil || res == nil {
		return nil, err
	}
	var out []failure
	for _, f := range res.failures {
		if f.Test.File != "" && f.Kind != runner.UnhandledRejection && p.has(f.unit, f.Test.File) {
			out = append(out, f)
		}
	}
	return out, nil
}

// again gives those failures that come back in the same way when their files
// alone run.
func (a *audit) again(ctx context.Context, red []failure) ([]failure, error) {
	if len(red) == 0 {
		return nil, nil
	}
	now, err := a.red(ctx, planOf(red), nil)
	same := map[string]bool{}
	for _, f := range now {
		same[baseKey(f)] = true
	}
	return slices.DeleteFunc(slices.Clone(red), func(f failure) bool { return !same[baseKey(f)] }), err
}

// cured gives those failures that are gone with some files edited.
func (a *audit) cured(ctx context.Context, red []failure, edits map[string]File) ([]failure, error) {
	res, err := a.run(ctx, planOf(red), edits)
	if err != nil || res == nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(red), func(f failure) bool { return !gone(res, f) }), nil
}

// planOf runs the files of some failures.
func planOf(fs []failure) plan {
	p := plan{}
	for _, f := range fs {
		p[f.unit] = appendNew(p[f.unit], f.Test.File)
	}
	return p
}

// suspects makes one of each test file, and asks which file turned it red.
func (a *audit) suspects(ctx context.Context, red []failure) ([]Suspect, error) {
	guilty := map[string][]string{} // test file to changed files
	files := slices.Sorted(maps.Keys(a.left.Before))
	if len(files) > 1 && len(files) <= maxApart {
		for _, file := range files {
			cured, err := a.cured(ctx, red, map[string]File{file: a.left.Before[file]})
			if err != nil {
				return nil, err
			}
			for _, f := range cured {
				guilty[f.Test.File] = appendNew(guilty[f.Test.File], file)
			}
		}
	}
	var out []Suspect
	for _, f := range red {
		if slices.ContainsFunc(out, func(s Suspect) bool { return s.Test.File == f.Test.File }) {
			continue
		}
		s := Suspect{Test: TestRef{Framework: a.deps.Units[f.unit].Project.Framework, File: f.Test.File, Path: append([]string{}, f.Test.Path...)},
			Message: firstLine(f.Message), Files: guilty[f.Test.File]}
		if len(s.Files) == 0 {
			s.Files = files
		}
		out = append(out, s)
	}
	return out, nil
}

// String tells of a miss in one line.
func (m Miss) String() string {
	return "the selection missed " + m.Test.File + ": " + strings.Join(m.Files, ", ") + " turned it red (" + strings.Join(m.Why, "; ") + ")"
}
