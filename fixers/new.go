package fixers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"regreen/internal/runner"
)

// Options chooses fixers.
type Options struct {
	// Disabled are names of fixers to leave out.
	Disabled []string
	// UpdateAssertions allows fixes that change what a test demands.
	UpdateAssertions bool
}

// MaxCandidates bounds what Candidates gives for one cause.
const MaxCandidates = 24

// New gives the built-in fixers in the order in which they are tried.
func New(o Options) []Fixer {
	all := []Fixer{
		syntaxError{}, missingImport{}, missingExport{}, undefinedVariable{}, attributeError{}, missingFixture{}, missingAwait{},
		fakeTimers{}, changedArguments{}, followDiff{},
		timeLimit{}, assertion{update: o.UpdateAssertions}, snapshot{update: o.UpdateAssertions},
	}
	return slices.DeleteFunc(all, func(f Fixer) bool { return slices.Contains(o.Disabled, f.Name()) })
}

// Candidates asks every fixer that knows the cause's kind and gives their
// fixes, sealed, without doubles, best first: by Rank, then Applicability,
// then Title. A fix that edits what must not be edited, or after which a file
// that parsed does not parse any more, is left out. When a fixer fails, the
// others' candidates are given with the error.
func Candidates(ctx context.Context, c Cause, w Workspace, fs []Fixer) ([]Fix, error) {
	v := look(w)
	v.stopped = func() bool { return ctx.Err() != nil }
	defer func() { v.stopped = nil }()
	var all []Fix
	var errs []error
	for _, f := range fs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !slices.Contains(f.Kinds(), c.Kind) {
			continue
		}
		fixes, err := f.Fix(ctx, c, v)
		if ctx.Err() != nil { // it may not have seen all files
			return nil, ctx.Err()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("fixer %s: %w", f.Name(), err))
		}
		for _, x := range fixes {
			x.Kind, x.Rule = c.Kind, f.Name()
			edits := withoutNoOps(v, x.Edits)
			idle := len(edits) == 0 && len(x.Edits) > 0
			x.Edits = edits
			x.Seal()
			if !idle && sound(ctx, v, x) {
				all = append(all, x)
			}
		}
	}
	return firstOfEach(all), errors.Join(errs...)
}

// firstOfEach sorts, drops later fixes with the same edits and cuts.
func firstOfEach(all []Fix) []Fix {
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i], all[j]
		switch {
		case a.Rank != b.Rank:
			return a.Rank < b.Rank
		case a.Applicability != b.Applicability:
			return a.Applicability > b.Applicability
		}
		return a.Title < b.Title
	})
	seen := map[string]bool{}
	var out []Fix
	for _, f := range all {
		if key := f.hash(""); !seen[key] && len(out) < MaxCandidates {
			seen[key] = true
			out = append(out, f)
		}
	}
	return out
}

func withoutNoOps(v *view, edits []Edit) []Edit {
	return slices.DeleteFunc(slices.Clone(edits), func(e Edit) bool {
		t := v.text(e.File)
		return t != nil && e.Start >= 0 && e.Start <= e.End && e.End <= len(t.src) && string(t.src[e.Start:e.End]) == e.New
	})
}

// sound holds what must be true of every fix, whoever made it.
func sound(ctx context.Context, v *view, f Fix) bool {
	if len(f.Edits) == 0 {
		return f.UpdateSnapshots || f.Applicability == Propose
	}
	for _, rel := range f.Files() {
		if !v.editable(rel) {
			return false
		}
	}
	after, err := f.Apply(v.ReadFile)
	if err != nil {
		return false
	}
	for rel, src := range after {
		t := v.text(rel)
		if bytes.Equal(t.src, src) {
			return false
		}
		if f.Kind == runner.SyntaxError {
			continue // judged by its own fixer
		}
		if bad, err := v.check(ctx, t); err != nil || bad != nil {
			continue // it did not parse before, or nobody can tell
		}
		if bad, err := t.lang.Check(ctx, rel, src); err == nil && bad != nil {
			return false
		}
	}
	return true
}
