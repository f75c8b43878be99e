//go:build linux || darwin

package sandbox

import (
	"bytes"
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// attributeError names an attribute that a new file cannot be given.
type attributeError struct{ name string }

func (e *attributeError) Error() string {
	return "its attribute " + e.name + " cannot be kept"
}

// copyXattrs gives to the extended attributes and access lists of from, and no
// others. It is an *attributeError when that cannot be done, and nothing where
// there are no such things.
func copyXattrs(from, to *os.File) error {
	want, err := xattrs(from)
	if err != nil {
		return err
	}
	have, err := xattrs(to)
	if err != nil {
		return err
	}
	fd := int(to.Fd())
	for name := range have { // what the folder gives its new files
		if _, ok := want[name]; !ok && !systemsOwn(name) {
			if err := unix.Fremovexattr(fd, name); err != nil {
				return &attributeError{name}
			}
		}
	}
	for name, val := range want {
		if old, ok := have[name]; ok && bytes.Equal(old, val) || systemsOwn(name) {
			continue
		}
		err := unix.Fsetxattr(fd, name, val, 0)
		if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
			return err
		}
		if err != nil {
			return &attributeError{name}
		}
	}
	return nil
}

// systemsOwn are attributes that the system gives each file by itself and lets
// nobody set.
func systemsOwn(name string) bool { return name == "com.apple.provenance" }

// xattrs reads all attributes that may be read.
func xattrs(f *os.File) (map[string][]byte, error) {
	fd := int(f.Fd())
	n, err := unix.Flistxattr(fd, nil)
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) || n == 0 && err == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	buf := make([]byte, n+4096) // some room for one that comes in between
	if n, err = unix.Flistxattr(fd, buf); err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(buf[:n]), "\x00"), "\x00") {
		if name == "" {
			continue
		}
		size, err := unix.Fgetxattr(fd, name, nil)
		if err != nil {
			return nil, &attributeError{name}
		}
		val := make([]byte, size)
		if size > 0 {
			if size, err = unix.Fgetxattr(fd, name, val); err != nil {
				return nil, &attributeError{name}
			}
		}
		out[name] = val[:size]
	}
	return out, nil
}
