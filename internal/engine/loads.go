package engine

import (
	"crypto/sha256"
	"slices"

	"regreen/affected"
	"regreen/internal/runner"
	"regreen/internal/sandbox"
)

// ranLoads is where a test file was seen to load all that it loads.
type ranLoads struct {
	Tree    int
	Project string
}

// loaded notes the test files that a run, in the present tree, watched as a whole
// and in which nothing failed.
func (s *executedStore) loaded(project string, req runner.Request, r *runner.Report) {
	if !r.Ended || len(req.Tests) > 0 || len(r.Opened) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for file, ok := range greens(r) {
		if ok {
			s.known.Loads[file] = ranLoads{s.tree(), project}
			s.fresh = true
		}
	}
}

// apart gives the files that were in a tree neither what they are now nor what
// they were before the changes. The caller holds the lock.
func (s *executedStore) apart(tree int, before func(rel string) (string, bool)) (out []string) {
	for file, sum := range s.since(tree) {
		if s.known.Head[file] == sum {
			continue
		}
		if base, changed := before(file); !changed || base != sum {
			out = append(out, file)
		}
	}
	slices.Sort(out)
	return out
}

// wholeAndPassed gives the test files that a run ran and watched as a whole, and
// whether they passed.
func wholeAndPassed(req runner.Request, r *runner.Report) map[string]bool {
	if !r.Ended || len(req.Tests) > 0 || len(r.Opened) == 0 {
		return nil
	}
	whole := map[string]bool{}
	for _, t := range r.Tests {
		was, known := whole[t.ID.File]
		whole[t.ID.File] = (was || !known) && t.Verdict == runner.Passed
	}
	for _, f := range r.NotLoaded {
		whole[f] = false
	}
	return whole
}

// before gives the sums that changed files had before the changes.
func before(in affected.Input) func(rel string) (string, bool) {
	is := map[string]bool{}
	for _, c := range in.Changes {
		is[c.Path] = true
		is[c.From] = true
	}
	return func(rel string) (string, bool) {
		if !is[rel] || in.Base == nil {
			return "", false
		}
		text, ok := in.Base(rel)
		if !ok {
			return "", true
		}
		return sumText(sandbox.Entry{Sum: sha256.Sum256(text)}), true
	}
}
