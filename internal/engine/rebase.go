package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"regreen/affected"
	"regreen/cycle"
	"regreen/internal/sandbox"
)

// Rebase takes a new snapshot. Where the user saved a file that the changes are
// in or that tests can see, it brings the sandbox to it with the changes on
// top.
func (b *box) Rebase(ctx context.Context, changes []cycle.Change) (cycle.Rebased, error) {
	next, err := b.s.Snapshot(ctx)
	if errors.Is(err, sandbox.ErrMoving) {
		return cycle.Rebased{}, &cycle.NotMerged{Reason: "the files keep changing"}
	}
	if err != nil {
		return cycle.Rebased{}, fmt.Errorf("look at the files again: %w", err)
	}
	if why := b.moved(next.Guard); why != "" {
		return cycle.Rebased{}, &cycle.NotMerged{Reason: why}
	}
	files := differing(b.snap, next)
	if len(files) == 0 {
		b.snap.Guard = next.Guard // a commit of just what there was
		return cycle.Rebased{}, nil
	}
	if next.Guard.Head != b.snap.Guard.Head {
		return cycle.Rebased{}, &cycle.NotMerged{Reason: "HEAD moved, and files changed with it: " + strings.Join(files, ", "), Files: files}
	}
	onTop, err := b.s.Rebase(ctx, toSandbox(changes, b.snap), next)
	if err != nil {
		return cycle.Rebased{}, inTheSamePlace(err)
	}
	b.edits()
	if err := b.s.Prepare(ctx, next); err != nil {
		return cycle.Rebased{}, fmt.Errorf("bring the sandbox to what was saved: %w", err)
	}
	set, err := b.selects(ctx, next, files)
	if err != nil {
		return cycle.Rebased{}, fmt.Errorf("select the tests of what was saved: %w", err)
	}
	b.snap = next
	touched := slices.ContainsFunc(changes, func(c cycle.Change) bool { return slices.Contains(files, c.File) })
	if !touched && len(set.Tests) == 0 && !set.All {
		return cycle.Rebased{}, nil // no test can see it: the proof stands
	}
	re := cycle.Rebased{Files: files, Changes: fromSandbox(onTop, changes), Tests: selected(set), All: set.All}
	for _, c := range re.Changes {
		if err := b.Write(c.File, cycle.File{Data: c.After, Mode: c.Mode, Gone: c.Deleted}); err != nil {
			return cycle.Rebased{}, fmt.Errorf("carry %s over: %w", c.File, err)
		}
	}
	return re, nil
}

// inTheSamePlace turns a conflict into a refusal.
func inTheSamePlace(err error) error {
	var conflict *sandbox.Conflict
	if !errors.As(err, &conflict) {
		return err
	}
	return &cycle.NotMerged{Reason: "you changed " + strings.Join(conflict.Files, ", ") + " meanwhile, in the same place", Files: conflict.Files}
}

// differing lists the files whose bytes or kind differ between two snapshots.
func differing(a, b *sandbox.Snapshot) []string {
	var out []string
	for rel, now := range b.Files {
		if was, ok := a.Files[rel]; !ok || was != now {
			out = append(out, rel)
		}
	}
	for rel := range a.Files {
		if _, ok := b.Files[rel]; !ok {
			out = append(out, rel)
		}
	}
	slices.Sort(out)
	return out
}

// fromSandbox gives the cycle's changes their new bytes.
func fromSandbox(onTop []sandbox.Change, changes []cycle.Change) []cycle.Change {
	out := slices.Clone(changes)
	for i := range out {
		out[i].Before, out[i].After = onTop[i].Before, onTop[i].After
	}
	return out
}

// reselect makes the workspace one of the next snapshot, and selects the tests
// that can see these files of it.
func (e *Engine) reselect(p *prepared) func(context.Context, *sandbox.Snapshot, []string) (*affected.Set, error) {
	return func(ctx context.Context, next *sandbox.Snapshot, files []string) (*affected.Set, error) {
		changes, err := e.repo.Modified(ctx, e.opts.Config.Affected.Base)
		if err != nil {
			return nil, err
		}
		p.work.Tree = e.box.Tree(next.Names())
		p.snap, p.changes = next, changes
		p.input = e.input(p, Request{Files: files})
		return e.choose(ctx, p, false)
	}
}
