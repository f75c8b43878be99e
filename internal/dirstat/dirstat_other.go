//go:build !linux

package dirstat

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Dir is a folder. Close it.
type Dir struct{ abs string }

// Open takes a folder (abs), not through a link.
func Open(abs string) (*Dir, error) {
	fi, err := os.Lstat(abs)
	if err == nil && !fi.IsDir() {
		err = &fs.PathError{Op: "open", Path: abs, Err: fs.ErrInvalid}
	}
	if err != nil {
		return nil, err
	}
	return &Dir{abs}, nil
}

// Close lets the folder go. nil may be closed.
func (d *Dir) Close() {}

// Lstat is os.Lstat of a name in the folder.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(filepath.Join(d.abs, name)) }
