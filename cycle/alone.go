package cycle

import (
	"time"

	"regreen/internal/runner"
)

const (
	// worthAlone is what the tests beside the failed ones have to take before
	// a search leaves them out; half of the run it has to be as well, since a
	// test on its own has to be confirmed before anything is told.
	worthAlone = time.Second
	// maxAlone bounds the tests that are run by their names.
	maxAlone = 20
)

// aloneSaves tells whether a search is quicker with the failed tests alone than
// with whole files: only tests failed, few of them, and those beside them took
// long in r.
func aloneSaves(r *result, failed []failure) bool {
	if len(failed) > maxAlone {
		return false
	}
	type place struct {
		unit int
		file string
	}
	files, mine := map[place]bool{}, map[testKey]bool{}
	for _, f := range failed {
		if f.Scope != runner.ScopeTest {
			return false
		}
		files[place{f.unit, f.Test.File}], mine[testKey{f.unit, f.Test.Key()}] = true, true
	}
	var others time.Duration
	for k, t := range r.tests {
		if files[place{k.unit, t.ID.File}] && !mine[k] {
			others += t.Duration
		}
	}
	return others >= max(worthAlone, r.took/2)
}

// idsOf are the tests that failed, by unit.
func idsOf(failed []failure) map[int][]runner.TestID {
	out := map[int][]runner.TestID{}
	for _, f := range failed {
		out[f.unit] = append(out[f.unit], f.Test)
	}
	return out
}

// together goes back to whole files: a test on its own told something else.
func (d *delta) together(target []failure) {
	d.alone, d.tried = false, map[string]*result{}
	d.aim(target)
}
