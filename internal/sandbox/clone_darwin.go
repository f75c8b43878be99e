package sandbox

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// cloneFile makes a new file that shares its bytes with another until one of
// them is written. The error is errors.ErrUnsupported where that cannot be had
// between the two places.
func cloneFile(from, to string, _ fs.FileMode) error {
	err := unix.Clonefile(from, to, unix.CLONE_NOFOLLOW)
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EXDEV) {
		return errors.ErrUnsupported
	}
	return err
}
