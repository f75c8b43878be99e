package sandbox

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"regreen/internal/plain"
)

// cloneFile makes a new file that shares its bytes with another until one of
// them is written. The error is errors.ErrUnsupported where that cannot be had
// between the two places.
func cloneFile(from, to string, perm fs.FileMode) error {
	src, err := plain.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	err = unix.IoctlFileClone(int(dst.Fd()), int(src.Fd()))
	switch {
	case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOTTY), errors.Is(err, unix.EXDEV), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		err = errors.ErrUnsupported
	}
	return errors.Join(err, dst.Close())
}
