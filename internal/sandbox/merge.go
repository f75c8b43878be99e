package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"regreen/internal/git"
)

// MergeRequest is a set of changes to write into the user's tree.
type MergeRequest struct {
	ID      string // the cycle's; the undo record is kept under it
	Snap    *Snapshot
	Changes []Change
	// Guard is the repository's state that must still hold; the zero value
	// takes the snapshot's.
	Guard git.Guard
}

// MergedFile is one file that was written.
type MergedFile struct {
	Path   string
	Before string // SHA-256 in hex, "" for a new file
	After  string // "" for a deleted file
}

// Merged is what a merge wrote.
type Merged struct {
	// ID is for Undo; "" when all files already were as the changes want them.
	ID    string
	Files []MergedFile
}

// lockWait is how long a merge waits for a git command that holds the index.
const lockWait = 3 * time.Second

// Merge writes changes into the user's tree: all files or none. A file whose
// bytes are not those that the change started from gives *Conflict; a file
// that cannot be replaced without harm, a repository that moved or is busy,
// and a path outside it give *Refusal; a full disk ErrNoSpace. In all these
// cases nothing was changed. Mode, owner, attributes and index stay.
func (s *Sandbox) Merge(ctx context.Context, req MergeRequest) (*Merged, error) {
	s.last = nil // nobody is told of what we write
	guard := req.Guard
	if guard == (git.Guard{}) && req.Snap != nil {
		guard = req.Snap.Guard
	}
	p, err := s.plan(ctx, "merge", req.ID, req.Changes, req.Snap)
	if err != nil {
		return nil, err
	}
	var nested []string
	if req.Snap != nil {
		nested = req.Snap.Nested
	} else {
		guard.Nested = "" // nobody says of which folders
	}
	return s.carryOut(ctx, p, func(ctx context.Context) error { return s.checkGuard(ctx, &guard, nested...) })
}

// carryOut runs a plan.
func (s *Sandbox) carryOut(ctx context.Context, p *plan, look func(context.Context) error) (*Merged, error) {
	s.Settle()
	if err := s.heal(); err != nil {
		return nil, fmt.Errorf("%s %s: %w", p.Kind, p.ID, err)
	}
	if err := look(ctx); err != nil {
		return nil, err
	}
	p.Seq = nextSeq(s.dir)
	t, err := s.newTx(p)
	if err != nil {
		return nil, err
	}
	t.look = look
	err = t.run(ctx)
	if herr := s.heal(); herr != nil {
		s.log.Warn("a merge is not cleaned up", "id", p.ID, "err", herr)
	}
	if err != nil {
		var c *Conflict
		if errors.Is(err, ErrUnsettled) && !s.takenBack(p.ID) {
			return nil, fmt.Errorf("%s %s: %w", p.Kind, p.ID, err)
		}
		var r *Refusal
		if errors.As(err, &c) {
			return nil, c
		}
		if errors.As(err, &r) {
			return nil, r
		}
		return nil, fmt.Errorf("%s %s: %w", p.Kind, p.ID, err)
	}
	m := &Merged{}
	for _, st := range p.Steps {
		m.Files = append(m.Files, MergedFile{st.Path, st.Before, st.After})
	}
	if len(p.Steps) > 0 {
		m.ID = p.ID
	}
	return m, nil
}

// heal ends what an earlier merge had to leave half done.
func (s *Sandbox) heal() error {
	if !s.unsettled {
		return nil
	}
	if err := s.recover(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnsettled, err)
	}
	return nil
}

// takenBack tells whether a plan was ended after all, with nothing written.
func (s *Sandbox) takenBack(id string) bool {
	for _, r := range s.healed {
		if r.ID == id && !r.Finished && r.Kept == "" {
			return true
		}
	}
	return false
}

// plan turns changes into steps. An id that is taken gets a number.
func (s *Sandbox) plan(ctx context.Context, kind, id string, changes []Change, snap *Snapshot) (*plan, error) {
	if err := checkID(id); err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	p := newPlan(kind, s.freeID(id), s.repo.Root())
	var created []string
	for _, c := range changes {
		if err := checkPath(c.Path); err != nil {
			return nil, err
		}
		if (c.Mode|c.BeforeMode)&fs.ModeSymlink != 0 {
			return nil, &Refusal{Code: RefuseSymlink, File: c.Path, Reason: "it is a link"}
		}
		st := &step{Path: c.Path, Op: c.Op, before: c.Before, after: c.After}
		if c.Op != Create {
			st.Before = sumOf(c.Before).String()
		}
		if c.Op != Delete {
			st.After = sumOf(c.After).String()
		}
		switch {
		case c.Op == Create:
			st.AfterMode = c.Mode.Perm() | 0o600
			created = append(created, c.Path)
		case c.Op == Modify && (st.Before == st.After || c.Mode.Perm() != c.BeforeMode.Perm()):
			st.AfterMode = c.Mode.Perm() | 0o600
		}
		p.add(st)
	}
	if len(created) > 0 {
		var nested []string
		if snap != nil {
			nested = snap.Nested
		}
		ignored, err := s.repo.Ignored(ctx, nested, created)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		for _, rel := range created {
			if ignored[rel] {
				return nil, &Refusal{Code: RefuseIgnored, File: rel, Reason: "git ignores it"}
			}
		}
	}
	return p, nil
}

// freeID gives id, or id-2, id-3, … while a record of that name exists.
func (s *Sandbox) freeID(id string) string {
	name := id
	for n := 2; ; n++ {
		_, jerr := os.Lstat(filepath.Join(s.dir, "journal", name))
		_, uerr := os.Lstat(filepath.Join(s.dir, "undo", name))
		if jerr != nil && uerr != nil {
			return name
		}
		name = id + "-" + strconv.Itoa(n)
	}
}

// checkGuard refuses while the repository is busy, and when it is not in the
// state that want tells (nil: any). A lock is waited for: every status line
// takes it for a moment.
func (s *Sandbox) checkGuard(ctx context.Context, want *git.Guard, nested ...string) error {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		now, err := s.repo.Guard(context.WithoutCancel(ctx), nested...)
		if err != nil {
			return err
		}
		if want != nil {
			if moved := want.Diff(now); moved != "" {
				return &Refusal{Code: RefuseRepoMoved, Reason: moved}
			}
		}
		busy := now.Busy()
		if busy == "" {
			return nil
		}
		if now.Lock == "" {
			return &Refusal{Code: RefuseRepoBusy, Reason: busy}
		}
		select {
		case <-ctx.Done():
			return &Refusal{Code: RefuseRepoBusy, Reason: busy}
		case <-tick.C:
		}
	}
}
