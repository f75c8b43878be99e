package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"regreen/affected"
	"regreen/internal/plain"
	"regreen/internal/runner"
)

// maxOpened is how many things that runs opened are kept. What comes after is
// not known, and the imports alone tell of it.
const maxOpened = 200_000

// openedStore is what runs were seen to open, by who opened it. It is read from
// one file of the state folder. What a damaged one held nobody can tell: until all
// tests ran once more, and were seen, a selection would miss some of them.
type openedStore struct {
	file string

	mu    sync.Mutex                     // guards the fields below
	by    map[string]map[string][]string // who to kind to files
	n     int
	fresh bool // something differs from the file
	// lost: there is a file, and it cannot be read.
	lost bool
}

func openOpened(dir string) *openedStore {
	s := &openedStore{file: filepath.Join(dir, "opened.json"), by: map[string]map[string][]string{}}
	text, err := plain.ReadFile(s.file)
	var by map[string]map[string][]string
	switch {
	case err == nil && json.Unmarshal(text, &by) == nil && by != nil:
		s.by = by
	case !errors.Is(err, fs.ErrNotExist):
		s.lost = true
	}
	for _, kinds := range s.by {
		for _, files := range kinds {
			s.n += len(files)
		}
	}
	return s
}

// ran takes in what a run opened. A test file that ran as a whole, and passed,
// opened all that it opens: what is known of it from before is forgotten.
func (s *openedStore) ran(req runner.Request, r *runner.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for file, ok := range wholeAndPassed(req, r) {
		if ok {
			s.forget(file)
		}
	}
	s.wholes(req, r)
	for _, o := range r.Opened {
		if o.Kind == runner.OpenedCut {
			s.doubt()
			continue
		}
		kinds := s.by[o.By]
		if s.n >= maxOpened || slices.Contains(kinds[o.Kind], o.File) {
			continue
		}
		if kinds == nil {
			kinds = map[string][]string{}
			s.by[o.By] = kinds
		}
		kinds[o.Kind] = append(kinds[o.Kind], o.File)
		s.n++
		s.fresh = true
	}
}

// markWhole is the kind under which a test file is known to have opened all that
// it opens.
const markWhole = "whole"

// wholes marks the test files of which a run saw all, and takes the mark from
// those in which something failed: they may have ended before they loaded what
// they load now. The caller holds the lock.
func (s *openedStore) wholes(req runner.Request, r *runner.Report) {
	for file, ok := range greens(r) {
		switch marked := len(s.by[file][markWhole]) > 0; {
		case !ok && marked:
			s.n--
			delete(s.by[file], markWhole)
			s.fresh = true
		case ok && !marked && r.Ended && len(req.Tests) == 0 && s.n < maxOpened:
			if s.by[file] == nil {
				s.by[file] = map[string][]string{}
			}
			s.by[file][markWhole] = []string{file}
			s.n++
			s.fresh = true
		}
	}
}

// greens gives the test files of a run, and whether nothing failed in them.
func greens(r *runner.Report) map[string]bool {
	green := map[string]bool{}
	for _, t := range r.Tests {
		was, known := green[t.ID.File]
		green[t.ID.File] = (was || !known) && !t.NotRun && slices.Contains([]runner.Verdict{runner.Passed, runner.Skipped, runner.Todo}, t.Verdict)
	}
	for _, f := range r.NotLoaded {
		green[f] = false
	}
	return green
}

// doubt drops that all is known of what any source loads. The caller holds the
// lock.
func (s *openedStore) doubt() {
	for _, kinds := range s.by {
		for _, mark := range []string{runner.OpenedRequires, runner.OpenedImports} {
			s.n -= len(kinds[mark])
			delete(kinds, mark)
		}
	}
	s.fresh = true
}

// forget drops what one file opened. The caller holds the lock.
func (s *openedStore) forget(by string) {
	for _, files := range s.by[by] {
		s.n -= len(files)
		s.fresh = true
	}
	delete(s.by, by)
}

// unreadable says why all tests are to run, "" where what they open is known.
func (s *openedStore) unreadable() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.lost {
		return ""
	}
	return "what the tests were seen to open cannot be read from " + s.file + ": all tests run once"
}

// regained notes that all tests ran: nothing is lost any more.
func (s *openedStore) regained() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh, s.lost = s.fresh || s.lost, false
}

// save writes what files of the tree opened.
func (s *openedStore) save(exists func(rel string) bool) error {
	s.mu.Lock()
	for by := range s.by {
		if !exists(by) {
			s.forget(by)
		}
	}
	fresh := s.fresh && !s.lost
	s.fresh = s.fresh && s.lost
	text, err := json.Marshal(s.by)
	s.mu.Unlock()
	if err == nil && fresh {
		err = keepWhole(s.file, text)
	}
	if err != nil {
		return fmt.Errorf("keep what the tests opened: %w", err)
	}
	return nil
}

// known gives it the other way round, for a selection. Where not all was kept
// nothing is known of what a source does not load.
func (s *openedStore) known() *affected.Opened {
	o := &affected.Opened{Read: map[string][]string{}, Listed: map[string][]string{}, Loaded: map[string][]string{}, Requires: map[string]bool{}, Imports: map[string]bool{}, Whole: map[string]bool{}}
	to := map[string]map[string][]string{runner.OpenedRead: o.Read, runner.OpenedList: o.Listed, runner.OpenedLoad: o.Loaded}
	s.mu.Lock()
	defer s.mu.Unlock()
	whole := s.n < maxOpened
	for by, kinds := range s.by {
		for kind, files := range kinds {
			switch {
			case kind == markWhole:
				o.Whole[by] = true
			case kind == runner.OpenedRequires && whole:
				o.Requires[by] = true
			case kind == runner.OpenedImports && whole:
				o.Imports[by] = true
			case to[kind] != nil:
				for _, f := range files {
					to[kind][f] = append(to[kind][f], by)
				}
			}
		}
	}
	for _, m := range to {
		for f := range m {
			slices.Sort(m[f])
		}
	}
	return o
}
