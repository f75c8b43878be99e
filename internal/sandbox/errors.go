package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"regreen/internal/plain"
)

// Error is a state of the machine that a person must mend.
type Error struct {
	Code    string
	Message string
	Hint    string // one line, what to do next
}

// Error is the message without the hint.
func (e *Error) Error() string { return e.Message }

// The codes of Error.
const (
	CodeStateInside  = "state_inside_repository"
	CodeStatePath    = "state_path"
	CodeNoIsolation  = "isolation_unavailable"
	CodeUnknownLevel = "isolation_unknown"
	// CodeDamaged: an undo record is not as it was written.
	CodeDamaged = "undo_record_damaged"
)

// BusyError says that another process holds the repository's sandbox.
type BusyError struct{ PID int } // 0 when it is not known

// Error names the process.
func (e *BusyError) Error() string {
	if e.PID == 0 {
		return "regreen is already at work in this repository"
	}
	return fmt.Sprintf("regreen is already at work in this repository (pid %d)", e.PID)
}

// The codes of Refusal.
const (
	RefuseHardLink  = "hard_link"
	RefuseOwner     = "foreign_owner"
	RefuseSymlink   = "symlink"
	RefuseParent    = "symlinked_folder"
	RefuseMount     = "mount"
	RefuseReadOnly  = "read_only"
	RefuseKind      = "not_a_file"
	RefuseOutside   = "outside_repository"
	RefuseIgnored   = "ignored"
	RefuseGit       = "git_folder"
	RefuseRepoMoved = "repository_moved"
	RefuseRepoBusy  = "repository_busy"
	RefuseChanged   = "changed_since"
	// RefuseAttributes: a new file cannot be given the old one's attributes.
	RefuseAttributes = "attributes"
	// RefuseFileSystem: nothing can be replaced there without a risk.
	RefuseFileSystem = "file_system"
)

// Refusal says why a merge or an undo will not touch the user's tree: nothing
// was changed, and trying again will not help by itself.
type Refusal struct {
	Code   string
	File   string // rel, "" when it is not about one file
	Reason string // for a person
}

// Error is the file and the reason.
func (e *Refusal) Error() string {
	if e.File == "" {
		return e.Reason
	}
	return e.File + ": " + e.Reason
}

// Conflict says that the user's files are not what the changes started from,
// or became so while they were merged. Nothing of the changes is left.
type Conflict struct {
	Files []string
	// Rescued are files in the state folder (abs) that hold an older save of
	// the user's which a newer one overtook during the merge, and names (abs) in
	// the tree of what is no file (a link, a folder) and was overtaken so.
	Rescued []string
}

// Error names the files.
func (e *Conflict) Error() string {
	return "changed by you meanwhile: " + strings.Join(e.Files, ", ")
}

// ErrShadowAnew is in the chain when a snapshot could not be used because the
// shadow repository was damaged. It is made anew: another snapshot can be used.
var ErrShadowAnew = errors.New("regreen's own repository was damaged and is made anew")

// ErrNoSpace is in the chain when the disk is full or a quota is reached.
// Nothing was changed.
var ErrNoSpace = errors.New("no space left on the disk")

// ErrNothingToUndo is in the chain when there is no such merge.
var ErrNothingToUndo = errors.New("nothing to undo")

// writeError sorts what the system says to a write beside one of the user's
// files.
func writeError(rel string, err error) error {
	var r *Refusal
	switch {
	case errors.As(err, &r):
		return r
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, errQuota):
		return fmt.Errorf("write %s: %w", rel, ErrNoSpace)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &Refusal{Code: RefuseReadOnly, File: rel, Reason: "the file or its folder cannot be written"}
	case errors.Is(err, plain.ErrKind):
		return &Refusal{Code: RefuseKind, File: rel, Reason: "it is not a regular file"}
	case errors.Is(err, syscall.EBUSY):
		return &Refusal{Code: RefuseMount, File: rel, Reason: "the file is a mount point and cannot be replaced"}
	}
	return fmt.Errorf("write %s: %w", rel, err)
}

// noSpace puts ErrNoSpace in the place of what the system calls a full disk.
func noSpace(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, errQuota) {
		return fmt.Errorf("%w (%v)", ErrNoSpace, err)
	}
	return err
}

// diskFull tells whether git said so.
func diskFull(stderr string) bool {
	for _, s := range []string{"No space left", "Out of diskspace", "Disk quota exceeded"} {
		if strings.Contains(stderr, s) {
			return true
		}
	}
	return false
}
