package sandbox

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// copyXattrs gives to the extended attributes and access lists of from. What
// only the system may set (security.*, trusted.*) is set where it lets us.
func copyXattrs(from, to *os.File) error {
	n, err := unix.Flistxattr(int(from.Fd()), nil)
	if err != nil || n == 0 {
		return nil // not supported, or none
	}
	buf := make([]byte, n+4096)
	if n, err = unix.Flistxattr(int(from.Fd()), buf); err != nil {
		return err
	}
	for _, name := range strings.Split(strings.TrimSuffix(string(buf[:n]), "\x00"), "\x00") {
		size, err := unix.Fgetxattr(int(from.Fd()), name, nil)
		if err != nil {
			continue
		}
		val := make([]byte, size)
		if size > 0 {
			if size, err = unix.Fgetxattr(int(from.Fd()), name, val); err != nil {
				continue
			}
		}
		err = unix.Fsetxattr(int(to.Fd()), name, val[:size], 0)
		if err != nil && (strings.HasPrefix(name, "user.") || errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)) {
			return err
		}
	}
	return nil
}
