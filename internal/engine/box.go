package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"regreen/affected"
	"regreen/cycle"
	"regreen/internal/git"
	"regreen/internal/sandbox"
)

// box is the sandbox as a cycle needs it, at one snapshot.
type box struct {
	s    *sandbox.Sandbox
	repo *git.Repo
	snap *sandbox.Snapshot
	// commits: a commit alone is no reason to keep a result back.
	commits bool
	// selects names the tests that can see files of a new snapshot, which the
	// sandbox holds.
	selects func(ctx context.Context, next *sandbox.Snapshot, files []string) (*affected.Set, error)
	// edited is called before the sandbox comes to hold anything but the snapshot;
	// may be nil.
	edited func()
}

var _ cycle.Box = (*box)(nil)

func (b *box) Level() string { return b.s.Level() }

func (b *box) Write(rel string, f cycle.File) error {
	b.edits()
	return b.s.Put(rel, sandbox.Edit(f))
}

func (b *box) edits() {
	if b.edited != nil {
		b.edited()
	}
}

func (b *box) Reset(ctx context.Context, edits map[string]cycle.File) error {
	if len(edits) > 0 {
		b.edits()
	}
	es := make(map[string]sandbox.Edit, len(edits))
	for rel, f := range edits {
		es[rel] = sandbox.Edit(f)
	}
	return b.s.Reset(ctx, es)
}

func (b *box) Changed(ctx context.Context) ([]string, error) {
	cs, err := b.s.Changes(ctx, b.snap)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, c := range cs {
		out = append(out, c.Path)
	}
	return out, nil
}

func (b *box) Original(ctx context.Context, rel string) ([]byte, error) {
	return b.snap.Bytes(ctx, rel)
}

// Guard compares the repository with what it was at the snapshot. A lock alone
// is no answer: every status line of a shell takes it for a moment, and the
// merge waits for that.
func (b *box) Guard(ctx context.Context) (string, error) {
	now, err := b.repo.Guard(ctx, b.snap.Nested...)
	if err != nil {
		return "", err
	}
	if why := b.moved(now); why != "" {
		return why, nil
	}
	now.Lock = ""
	return now.Busy(), nil
}

// moved says what moved since the snapshot and forbids a merge.
func (b *box) moved(now git.Guard) string {
	if b.commits && b.snap.Guard.Committed(now) {
		return "" // Rebase sees whether the files are the same
	}
	return b.snap.Guard.Diff(now)
}

func (b *box) Merge(ctx context.Context, id string, changes []cycle.Change) (string, error) {
	req := sandbox.MergeRequest{ID: id, Snap: b.snap, Changes: toSandbox(changes, b.snap), Guard: b.snap.Guard}
	m, err := b.s.Merge(ctx, req)
	if err != nil {
		return "", notMerged(err)
	}
	return m.ID, nil
}

// toSandbox gives the cycle's changes with the modes of the snapshot where the
// fixes leave them.
func toSandbox(changes []cycle.Change, snap *sandbox.Snapshot) []sandbox.Change {
	var out []sandbox.Change
	for _, c := range changes {
		mode := snap.Files[c.File].Mode
		ch := sandbox.Change{Path: c.File, Op: sandbox.Modify, Mode: mode, BeforeMode: mode, Before: c.Before, After: c.After}
		switch {
		case c.Created:
			ch.Op, ch.Mode, ch.BeforeMode = sandbox.Create, c.Mode, 0
		case c.Deleted:
			ch.Op, ch.Mode = sandbox.Delete, 0
		case c.Mode != c.BeforeMode:
			ch.Mode = c.Mode
		}
		out = append(out, ch)
	}
	return out
}

// notMerged tells a refusal, after which the result is kept as a proposal,
// from an error.
func notMerged(err error) error {
	var conflict *sandbox.Conflict
	var refusal *sandbox.Refusal
	switch {
	case errors.As(err, &conflict):
		return &cycle.NotMerged{Reason: fmt.Sprintf("%s changed since the tests ran", strings.Join(conflict.Files, ", ")), Files: conflict.Files,
			Saved: len(conflict.Rescued) == 0}
	case errors.As(err, &refusal):
		return &cycle.NotMerged{Reason: refusal.Error(), Files: []string{refusal.File}}
	}
	return err
}
