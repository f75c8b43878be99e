package sandbox

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// ErrNoExchange says that the file system cannot swap two names in one step.
var ErrNoExchange = errors.New("exchange is not supported")

// exchange swaps two names in one folder in one step.
func exchange(dir *os.File, a, b string) error {
	return renameat2(dir, a, b, unix.RENAME_EXCHANGE)
}

// renameNoReplace renames unless the new name exists.
func renameNoReplace(dir *os.File, from, to string) error {
	return renameat2(dir, from, to, unix.RENAME_NOREPLACE)
}

func renameat2(dir *os.File, from, to string, flags uint) error {
	fd := int(dir.Fd())
	err := unix.Renameat2(fd, from, fd, to, flags)
	if err == unix.ENOSYS || err == unix.EINVAL || err == unix.EOPNOTSUPP {
		return ErrNoExchange
	}
	if err != nil {
		return &os.LinkError{Op: "renameat2", Old: from, New: to, Err: err}
	}
	return nil
}
