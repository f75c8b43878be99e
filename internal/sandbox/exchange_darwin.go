package sandbox

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// ErrNoExchange says that the file system cannot swap two names in one step.
var ErrNoExchange = errors.New("exchange is not supported")

// exchange swaps two names in one folder in one step (APFS).
func exchange(dir *os.File, a, b string) error { return renameatx(dir, a, b, unix.RENAME_SWAP) }

// renameNoReplace renames unless the new name exists.
func renameNoReplace(dir *os.File, from, to string) error {
	return renameatx(dir, from, to, unix.RENAME_EXCL)
}

func renameatx(dir *os.File, from, to string, flags uint32) error {
	fd := int(dir.Fd())
	err := unix.RenameatxNp(fd, from, fd, to, flags)
	if err == unix.ENOTSUP || err == unix.EINVAL || err == unix.ENOSYS {
		return ErrNoExchange
	}
	if err != nil {
		return &os.LinkError{Op: "renameatx_np", Old: from, New: to, Err: err}
	}
	return nil
}
