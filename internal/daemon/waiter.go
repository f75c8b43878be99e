package daemon

import (
	"slices"

	"regreen/cycle"
)

// waiter waits for the verdict on files it saved. Cycles over other saves may
// run meanwhile and after: what they say is no answer to it.
type waiter struct {
	files   []string
	doc     *cycle.Document      // of the last cycle that said something about files; nil: none did
	verdict chan *cycle.Document // has room for one
}

// hear takes in that a cycle over a job ended with doc.
func (w *waiter) hear(j *job, doc *cycle.Document) {
	about := len(w.files) == 0 || j.modified || j.all || slices.ContainsFunc(w.files, func(f string) bool { return j.files[f] })
	if about || w.doc != nil && ranAgain(w.doc, doc) {
		w.doc = doc
	}
}

// ranAgain tells whether there were failures before, and all of their tests ran
// again since.
func ranAgain(before, since *cycle.Document) bool {
	if len(before.Remaining) == 0 || since.Outcome == cycle.Cancelled || since.Outcome == cycle.Errored {
		return false
	}
	return !slices.ContainsFunc(before.Remaining, func(r cycle.Remaining) bool {
		return !slices.ContainsFunc(since.AffectedTests, func(a cycle.Affected) bool { return a.File == r.Test.File })
	})
}

// answer tells those who wait for a verdict.
func (l *loop) answer() {
	for _, w := range l.waiters {
		if w.doc == nil {
			w.doc = l.last
		}
		w.verdict <- w.doc
	}
	l.waiters = nil
}
