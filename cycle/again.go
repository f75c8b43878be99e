package cycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// maxAgain is how often a result is carried over to what the user saved
// meanwhile. Who saves oftener than tests run gets a proposal.
const maxAgain = 3

// Rebased is a result on top of what the user saved since the snapshot.
type Rebased struct {
	// Files are those the user changed, that the tests can see or the result
	// changes. None: nothing of account changed, and the other fields are empty.
	Files []string
	// Changes are the result's on top of them; the sandbox holds both.
	Changes []Change
	// Tests can see Files, beside those that were selected before. All says that
	// every test can.
	Tests []Selected
	All   bool
}

// putBack writes the changes into the user's files. Where the user saved
// meanwhile, the result is carried over and proved again first. why says why
// nothing was written, "" when it was, or was found done (an empty undo).
func (c *run) putBack(ctx context.Context, changes []Change) (undo string, merged []Change, why string, err error) {
	merged = changes
	for n := 0; ; n++ {
		re, err := c.deps.Box.Rebase(ctx, merged)
		if why := refusal(err); why != "" || err != nil {
			return "", nil, why, hard(err)
		}
		if len(re.Files) > 0 {
			if n == maxAgain {
				return "", nil, "you save oftener than the tests run: " + strings.Join(re.Files, ", "), nil
			}
			if why, err := c.proveAgain(ctx, re); why != "" || err != nil {
				return "", nil, why, err
			}
			merged = re.Changes
			continue // the user may have saved again while they ran
		}
		c.emit(Event{Kind: EventPhase, Text: "merge"})
		start := time.Now()
		undo, err := c.deps.Box.Merge(ctx, c.opts.ID, merged)
		c.doc.Timings.Merge += time.Since(start).Milliseconds()
		var not *NotMerged
		if errors.As(err, &not) && not.Saved && n < maxAgain {
			continue // in the last moment
		}
		return undo, merged, refusal(err), hard(err)
	}
}

// refusal is why a merge was refused, "" for another error or none.
func refusal(err error) string {
	var not *NotMerged
	if errors.As(err, &not) {
		return not.Reason
	}
	return ""
}

// hard is an error that is no refusal.
func hard(err error) error {
	if refusal(err) != "" {
		return nil
	}
	return err
}

// proveAgain runs the tests on the result on top of the user's newest files,
// and holds it to the same gate.
func (c *run) proveAgain(ctx context.Context, re Rebased) (why string, err error) {
	c.emit(Event{Kind: EventPhase, Text: "testing again with what you saved meanwhile"})
	c.ledger.rebase(re.Changes)
	c.plan = c.plan.with(re, len(c.deps.Units))
	c.sel.All = c.sel.All || re.All
	c.view, c.littered = nil, true
	if c.now, err = c.runTests(ctx, c.plan, c.runOptions()); err != nil {
		return "", err
	}
	v, err := c.gate(ctx, c.now)
	if err != nil {
		return "", err
	}
	if v.ok {
		for _, a := range c.ledger.list {
			if !c.proved(a) {
				v.ok, v.reason = false, "the tests of a repair fail: "+a.fix.Title
			}
		}
	}
	c.doc.FullSuiteRun, c.doc.FailedBefore = v.full, c.doc.FailedBefore[:0]
	for _, f := range v.before {
		c.doc.FailedBefore = append(c.doc.FailedBefore, c.remaining(f))
	}
	if !v.ok {
		return fmt.Sprintf("you saved %s meanwhile, and with that: %s", strings.Join(re.Files, ", "), v.reason), nil
	}
	c.doc.BestPassRate, c.doc.Final = round1(c.now.passRate()), totalsOf(c.now)
	return "", nil
}

// with is the plan with more tests.
func (p plan) with(re Rebased, units int) plan {
	if re.All {
		return Selection{All: true}.plan(units)
	}
	out := plan{}
	for u, files := range p {
		out[u] = slices.Clone(files)
	}
	for _, t := range re.Tests {
		for _, u := range t.Units {
			if !out.has(u, t.File) {
				out[u] = append(out[u], t.File)
			}
		}
	}
	return out
}

// rebase puts the ledger on top of other bytes of the same files.
func (l *ledger) rebase(changes []Change) {
	l.orig, l.now = map[string]File{}, map[string]File{}
	for _, ch := range changes {
		l.orig[ch.File] = File{Data: ch.Before, Mode: ch.BeforeMode, Gone: ch.Created}
		l.now[ch.File] = File{Data: ch.After, Mode: ch.Mode, Gone: ch.Deleted}
	}
}
