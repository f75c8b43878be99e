package pytest

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"regreen/internal/plain"
	"regreen/internal/runner"
)

// maxExecuted bounds how much is read of what one process executed.
const maxExecuted = 64 << 20

// watched is what one process of a run wrote: absolute paths lead to lines.
type watched struct {
	Shared map[string][]int `json:"shared"`
	Tests  map[string]struct {
		Ran   map[string][]int `json:"ran"`
		Items int              `json:"items"`
		Doubt string           `json:"doubt"`
	} `json:"tests"`
	Lost string `json:"lost"`
}

// executed gathers what the processes of a run executed. Of a test file that did
// not pass as a whole, or of which a process told nothing, not all is known.
func (s *session) executed(run *prepared, req runner.Request, r *runner.Report) *runner.Executed {
	files, err := filepath.Glob(run.executed() + ".*")
	if err != nil || len(files) == 0 || !r.Ended || r.TimedOut || r.Truncated != "" || len(r.Foreign) > 0 || len(req.Tests) > 0 {
		return nil
	}
	out := &runner.Executed{Shared: map[string][]int{}, Tests: map[string]runner.ExecutedTest{}}
	items := map[string]int{}
	for _, file := range files {
		text, err := plain.ReadFile(file)
		var w watched
		if err != nil || len(text) > maxExecuted || json.Unmarshal(text, &w) != nil {
			return nil // one of several workers: whose tests it ran is not known
		}
		if !s.gather(out.Shared, w.Shared) {
			return nil
		}
		for test, t := range w.Tests {
			rel, ok := s.tree.rel(test)
			if !ok {
				continue
			}
			have := out.Tests[rel]
			if have.Ran == nil {
				have.Ran = map[string][]int{}
			}
			for _, doubt := range []string{w.Lost, t.Doubt} {
				if have.Doubt == "" {
					have.Doubt = doubt
				}
			}
			if !s.gather(have.Ran, t.Ran) {
				have.Doubt = "runs code outside the repository"
			}
			items[rel] += t.Items
			out.Tests[rel] = have
		}
	}
	tests, bad := map[string]int{}, map[string]bool{}
	for _, t := range r.Tests {
		tests[t.ID.File]++
		bad[t.ID.File] = bad[t.ID.File] || t.Verdict != runner.Passed && t.Verdict != runner.Skipped
	}
	for _, f := range r.Failures {
		bad[f.Test.File] = true
	}
	for file, t := range out.Tests {
		switch {
		case bad[file] || bad[""] || slices.Contains(r.NotLoaded, file):
			t.Doubt = "did not pass"
		case items[file] != tests[file]:
			t.Doubt = "was not watched as a whole"
		}
		out.Tests[file] = t
	}
	return out
}

// gather adds lines to those that are known, by rel path; false where a file is
// none of the tree's.
func (s *session) gather(to, from map[string][]int) bool {
	for abs, lines := range from {
		rel, ok := s.tree.rel(abs)
		if !ok {
			return false
		}
		all := append(to[rel], lines...)
		slices.Sort(all)
		to[rel] = slices.Compact(all)
	}
	return true
}
