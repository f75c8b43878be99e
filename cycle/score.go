package cycle

import (
	"fmt"

	"regreen/internal/runner"
)

// score says how much a candidate helped.
type score int

const (
	worse    score = iota // it broke something, or changed nothing
	deeper                // the cause is gone, another mechanical one shows behind it
	better                // the cause is gone and more tests pass
	resolved              // every victim passes
)

// score judges a candidate by its cause's victims.
func (c *run) score(x cause, before, after *result) score {
	if after.distrust != "" && !after.ended {
		return worse
	}
	p := x.victimPlan()
	if x.stays(after) {
		return worse
	}
	victims := c.victimsPass(x, after)
	gained := 0
	was := before.passedIn(p)
	for k := range after.passedIn(p) {
		if !was[k] {
			gained++
		}
	}
	if gained == 0 && c.loadedAsAtBase(x, after) {
		gained = c.seenGains(x, before, after)
	}
	switch {
	case victims && gained > 0:
		return resolved
	case gained > 0:
		return better
	}
	for _, f := range after.failures {
		if !mechanical(f.Kind) {
			return worse
		}
	}
	if len(after.failures) == 0 && after.counts.Passed == 0 {
		return worse
	}
	return deeper
}

// stays tells whether the cause's own failure is among those of a run.
func (x cause) stays(after *result) bool {
	for _, f := range after.failures {
		if sameKey(f.Failure) == x.same && f.unit == x.unit && !elsewhere(x, f.Failure) {
			return true
		}
	}
	return false
}

// useless says, for a person, why a repair did not help that broke nothing.
func (x cause) useless(after *result) string {
	if after.ended && !x.stays(after) {
		for _, f := range after.failures {
			if f.unit == x.unit && !elsewhere(x, f.Failure) {
				return fmt.Sprintf("its tests fail for another reason then: %s", f.Kind)
			}
		}
	}
	return "the failure stayed"
}

// elsewhere: the same kind and symbol, but in a test that the cause did not touch.
func elsewhere(x cause, f runner.Failure) bool {
	for _, v := range x.Failures {
		if v.Test.File == f.Test.File && (v.Scope != runner.ScopeTest || f.Scope != runner.ScopeTest || v.Test.Key() == f.Test.Key()) {
			return false
		}
	}
	return true
}

// victimsPass: every victim of the cause passes, or, for files and hooks, no
// failure is left in their files.
func (c *run) victimsPass(x cause, after *result) bool {
	for _, v := range x.Failures {
		if v.Scope == runner.ScopeTest {
			if !after.passed(testKey{x.unit, v.Test.Key()}) {
				return false
			}
			continue
		}
		for _, f := range after.failures {
			if f.Test.File == v.Test.File {
				return false
			}
		}
	}
	return true
}

// mechanical kinds can stand behind another one: repairing the first shows the second.
func mechanical(k runner.Kind) bool {
	switch k {
	case runner.MissingImport, runner.MissingExport, runner.UndefinedVariable, runner.SyntaxError, runner.AttributeError:
		return true
	}
	return false
}
