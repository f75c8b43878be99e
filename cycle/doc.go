// Package cycle is the bounded loop: run the affected tests, group what fails
// into causes, pick a strategy, try candidate fixes in the sandbox, keep the
// best state seen, and decide at the gate whether it may be merged.
//
// Its invariant: nothing is merged that the tests did not prove on the very
// tree that is merged, and the state it ends with is never worse than the one
// it found.
package cycle
