package engine

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"regreen/affected"
	"regreen/cycle"
	"regreen/internal/sandbox"
)

// auditTests is how many test files an audit runs, drawn by chance: in a day of
// some hundred saves that is more than most suites have, and takes no longer
// than an ordinary cycle.
const auditTests = 10

// What differs from before by more than this is a checkout and no save: nothing
// is audited.
const (
	maxAudited      = 100
	maxAuditedBytes = 16 << 20
)

// settled is what the last cycle left behind for an audit.
type settled struct {
	snap *sandbox.Snapshot // the tree of its verdict; nil where that is not known
	// left is nil where there is nothing to audit.
	left *leftOut
}

// leftOut is a selection with what it was made for.
type leftOut struct {
	p      *prepared
	cycle  string
	before map[string]cycle.File // the changed files as they were
}

// settle notes what a cycle ended with. The change that its selection was made
// for is the difference from the base, or from the tree of the verdict before
// where only what was saved since was asked about.
func (e *Engine) settle(ctx context.Context, p *prepared, req Request, doc *cycle.Document) {
	last := e.settled.snap
	switch {
	case !e.opts.Config.Affected.Audit:
		return
	case doc.Outcome == cycle.Cancelled || doc.Outcome == cycle.Errored || len(doc.HalfWritten) > 0:
		return // the next cycle is about the same saves
	case len(doc.Merged) > 0:
		e.settled = settled{} // the tree is another one now
		return
	}
	e.settled = settled{snap: p.snap}
	if p.set.All || doc.FullSuiteRun {
		return
	}
	var before map[string]cycle.File
	var err error
	switch {
	case len(req.Files) == 0:
		before, err = atBase(p)
	case last != nil:
		before, err = atLast(ctx, last, p.snap)
	}
	if err != nil {
		e.opts.Log.Debug("nothing is audited", "err", err)
		return
	}
	if len(before) > 0 {
		e.settled.left = &leftOut{p, doc.ID, before}
	}
}

// atBase gives the files that differ from the base as they are there.
func atBase(p *prepared) (map[string]cycle.File, error) {
	out := map[string]cycle.File{}
	size := 0
	for _, c := range p.changes {
		src, ok := p.work.Base(c.Path)
		if size += len(src); len(out) == maxAudited || size > maxAuditedBytes || strings.HasSuffix(c.Path, "/") {
			return nil, fmt.Errorf("too much differs from the base")
		}
		out[c.Path] = cycle.File{Data: src, Gone: !ok}
	}
	return out, nil
}

// atLast gives the files that differ between two snapshots as they are in the
// first.
func atLast(ctx context.Context, last, now *sandbox.Snapshot) (map[string]cycle.File, error) {
	out := map[string]cycle.File{}
	size := int64(0)
	for _, rel := range differing(last, now) {
		was, had := last.Files[rel]
		if size += was.Size; len(out) == maxAudited || size > maxAuditedBytes || (was.Mode|now.Files[rel].Mode)&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("too much differs from the tree before")
		}
		f := cycle.File{Gone: !had}
		if had {
			var err error
			if f.Data, err = last.Bytes(ctx, rel); err != nil {
				return nil, err
			}
			f.Mode = was.Mode.Perm()
		}
		out[rel] = f
	}
	return out, nil
}

// Audit runs a few tests that the last cycle's selection left out, in the
// sandbox, and tells of those that it should not have. It merges nothing. It is
// to be called between cycles, can be cancelled at any moment, and does nothing
// where there is nothing to audit.
func (e *Engine) Audit(ctx context.Context, sink func(cycle.Event)) (err error) {
	left := e.settled.left
	if left == nil {
		return nil
	}
	p := left.p
	p.work.ctx = ctx
	sample, of := e.sample(p.set)
	if len(sample) == 0 {
		return nil
	}
	say := func(ev cycle.Event) {
		ev.Cycle, ev.Time = left.cycle, time.Now()
		sink(ev)
	}
	say(cycle.Event{Kind: cycle.EventAudit, Total: len(sample), Text: fmt.Sprintf("audit: %d of %d test files that the last save did not select run", len(sample), of)})
	if err := e.box.Prepare(ctx, p.snap); err != nil { // a result that is proposed may be in it
		return err
	}
	units, closeUnits, err := e.units(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := closeUnits(); err == nil {
			err = cerr
		}
	}()
	deps := cycle.Deps{Units: units, Box: e.cycleBox(p), Workspace: p.work}
	suspects, err := cycle.Audit(ctx, cycle.Left{Tests: selectedTests(sample), Before: left.before, Timeout: e.opts.Config.Run.AffectedTimeout.Std()}, deps)
	if err != nil {
		return err
	}
	missed, err := e.judge(ctx, left, suspects)
	if err != nil {
		return err
	}
	if err := e.seen().save(p.work.Exists); err != nil {
		return err
	}
	e.settled.left = nil // once for a tree
	for i := range missed {
		say(cycle.Event{Kind: cycle.EventMissed, Miss: &missed[i], Text: missed[i].String()})
	}
	say(cycle.Event{Kind: cycle.EventAudit, Done: len(sample), Total: len(sample),
		Text: fmt.Sprintf("audit: %d of %d test files ran, %d missed", len(sample), of, len(missed))})
	return nil
}

// sample draws tests that were left out and are not known to fail, in the order
// of their names, and tells of how many.
func (e *Engine) sample(set *affected.Set) (tests []affected.Test, of int) {
	tests = slices.DeleteFunc(set.Unselected(), func(t affected.Test) bool {
		failed, _ := e.past().of(t.File)
		return failed
	})
	of = len(tests)
	rand.Shuffle(len(tests), func(i, j int) { tests[i], tests[j] = tests[j], tests[i] })
	tests = tests[:min(len(tests), auditTests)]
	slices.SortFunc(tests, func(a, b affected.Test) int { return strings.Compare(a.File, b.File) })
	return tests, of
}

// judge makes misses of what an audit found, with what the graph that selected
// says of them, and keeps those that are not explained by what the audit's runs
// were seen to open.
func (e *Engine) judge(ctx context.Context, left *leftOut, suspects []cycle.Suspect) ([]cycle.Miss, error) {
	if len(suspects) == 0 {
		return nil, nil
	}
	var missed, open []cycle.Miss
	for _, s := range suspects {
		missed = append(missed, cycle.Miss{Time: time.Now(), Cycle: left.cycle, Test: s.Test, Message: s.Message, Files: s.Files, Why: chainTo(left.p.set, s)})
	}
	now, err := e.choose(ctx, left.p, false)
	if err != nil {
		return nil, err
	}
	for i, m := range missed {
		missed[i].Known = slices.ContainsFunc(now.Tests, func(t affected.Test) bool { return t.File == m.Test.File })
		if !missed[i].Known {
			open = append(open, missed[i])
		}
	}
	if len(open) == 0 {
		return missed, nil
	}
	return missed, keepMisses(e.box.Dir(), open)
}

// chainTo is how a test depends on the files that turned it red, as far as the
// selection knew.
func chainTo(set *affected.Set, s cycle.Suspect) []string {
	for _, file := range s.Files {
		for _, t := range set.Graph().Dependents(file) {
			if t.File != s.Test.File {
				continue
			}
			why := slices.Clone(t.Why)
			for _, note := range set.Spared {
				if strings.HasPrefix(note, file+" ") {
					why = append(why, note)
				}
			}
			return why
		}
	}
	return []string{"no chain: nothing leads from " + s.Test.File + " to " + strings.Join(s.Files, ", ")}
}
