package cycle

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"regreen/fixers"
	"regreen/internal/config"
	"regreen/internal/lang"
	"regreen/internal/secret"
)

// Change is one file of a result: its bytes in the snapshot and after the fixes.
type Change struct {
	File          string
	Before, After []byte
	// Created and Deleted say that the snapshot has no such file, or the result.
	Created, Deleted bool
	// BeforeMode and Mode are permission bits where the fixes set them, else 0.
	BeforeMode, Mode fs.FileMode
}

// File is a file of the sandbox as it is to be.
type File struct {
	Data []byte
	Mode fs.FileMode // permission bits; 0 keeps those there are
	Gone bool        // there is no such file
}

// Box is the sandbox as the cycle needs it.
type Box interface {
	// Level is the isolation in force.
	Level() string
	// Write makes a file of the sandbox, and its folders, or removes it.
	Write(rel string, f File) error
	// Reset brings the sandbox back to the snapshot with these files edited:
	// what tests wrote, removed or left behind goes.
	Reset(ctx context.Context, edits map[string]File) error
	// Changed lists files of the sandbox that differ from the snapshot, whoever
	// changed them.
	Changed(ctx context.Context) ([]string, error)
	// Original gives a file's bytes in the snapshot.
	Original(ctx context.Context, rel string) ([]byte, error)
	// Merge writes the changes into the user's files: all or none. A *NotMerged
	// says that nothing was written and why; an empty undo that the files are
	// already so.
	Merge(ctx context.Context, id string, changes []Change) (undo string, err error)
	// Rebase looks at the user's files once more and carries changes over to what
	// was saved since the snapshot: the sandbox then holds both, and is at a new
	// snapshot. A *NotMerged says that it cannot be, and why; nothing of the
	// user's is written.
	Rebase(ctx context.Context, changes []Change) (Rebased, error)
	// Guard says why nothing may be merged now ("" is free): a commit, stash,
	// checkout or rebase since the snapshot.
	Guard(ctx context.Context) (string, error)
}

// NotMerged is a merge that was refused before anything was written.
type NotMerged struct {
	Reason string
	Files  []string
	// Saved: a file changed in the very last moment; Rebase can tell more.
	Saved bool
}

// Error is the reason.
func (e *NotMerged) Error() string { return "not merged: " + e.Reason }

// Options are one cycle's.
type Options struct {
	ID               string
	Config           config.Config
	NoMerge          bool
	NoMergeReason    string // of NoMerge, for people; "" is that it was asked for
	UpdateAssertions bool
	// Distrust says why nothing may be merged automatically ("" is no reason):
	// the identity probe failed.
	Distrust string
	// Jobs is how many sandboxes may be used at the same time.
	Jobs    int
	Started time.Time
	// LastFull is how long the last full suite took (its limit when it was cut
	// there), 0 when that is not known.
	LastFull time.Duration
	// Timings that were spent before the loop.
	Snapshot, Affected time.Duration
}

// Deps are what a cycle works with.
type Deps struct {
	Units     []Unit
	Box       Box
	Workspace fixers.Workspace
	Languages lang.Set
	// Candidates asks the fixers.
	Candidates func(ctx context.Context, c fixers.Cause, w fixers.Workspace) ([]fixers.Fix, error)
	// Programs are the fixers that are programs of their own, asked last and in
	// this order.
	Programs []Program
	// Secrets hides what must not be told; nil knows the shapes of keys only.
	Secrets *secret.Redactor
	// Reaches tells whether the modified files can reach a test file.
	Reaches func(testFile string) bool
	// Lanes gives at most n more sandboxes that hold the snapshot, fewer where
	// they are not to be had. They are the cycle's until it ends, and may be
	// used at the same time as Box. Nil is that there are none.
	Lanes func(ctx context.Context, n int) ([]Lane, error)
	// Share is told how many sandboxes are in use from now on: what runs may use
	// is shared between them.
	Share func(n int)
	// HalfWritten tells which files somebody is writing at this very moment and
	// has not finished. It is asked when tests are red; nil is that nobody does.
	HalfWritten func(ctx context.Context) ([]HalfWritten, error)
	// Cursors tells where somebody writes at this very moment in files that parse.
	// It is asked after HalfWritten would be; nil is that nobody does.
	Cursors func(ctx context.Context) ([]Cursor, error)
	// Sees tells whether a test file can see one of these files; nil is that it
	// may.
	Sees func(files []string, testFile string) bool
	// Keep stores a proposal for `apply` and returns its id.
	Keep func(id string, changes []Change) error
	// Green is the last state in which the tests were seen to pass, nil when none
	// is known or it is the base; the func may be nil.
	Green func(ctx context.Context) (*Reference, error)
	// Known gives the name of the fix that was merged for a cause before, and
	// Learn is told of a merge's; both may be nil.
	Known func(cause string) string
	Learn func([]Learned) error
	// Sink gets the events; may be nil; must not block.
	Sink func(Event)
}

// Lane is a further sandbox, with what works in it.
type Lane struct {
	Units     []Unit // as Deps.Units, in the same order
	Box       Box
	Workspace fixers.Workspace
}

// Reference is an earlier state of the files.
type Reference struct {
	Changed []string // files that may differ from the present
	// Text gives a file of it; false for one that it does not have.
	Text func(rel string) ([]byte, bool)
}

// BudgetError says which budget ran out.
type BudgetError struct {
	Name  string
	Limit time.Duration
}

// Error names the budget.
func (e *BudgetError) Error() string { return fmt.Sprintf("the %s of %s ran out", e.Name, e.Limit) }
