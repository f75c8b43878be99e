// Package plain reads and writes files at places where other programs write
// too. What it reads is a regular file: a pipe that a test put in the place of
// a source would keep a reader waiting for good, a device would give bytes
// without end. What it writes goes to a file of its own making inside a given
// folder, through no link that leads out of it. It does not lock anything.
package plain

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrKind is in the chain when what stands at a path is not a regular file.
var ErrKind = errors.New("not a regular file")

// Open opens a regular file for reading, following links. It never waits.
func Open(abs string) (*os.File, error) {
	f, err := os.OpenFile(abs, os.O_RDONLY|nonBlock, 0)
	return regular(f, err)
}

// OpenIn is Open for a name in a root, which links may not lead out of.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|nonBlock, 0)
	return regular(f, err)
}

// maxTries bounds how often a name is opened that gets another file each time.
const maxTries = 100

// OpenNamed is OpenIn for the file that has the name itself: a link is followed
// nowhere, and is ErrKind.
func OpenNamed(root *os.Root, name string) (*os.File, error) {
	for range maxTries {
		named, err := root.Lstat(name)
		if err != nil {
			return nil, err
		}
		if !named.Mode().IsRegular() {
			break
		}
		f, err := OpenIn(root, name)
		if err != nil {
			return nil, err
		}
		// A link, or another file, may have got the name in between.
		if fi, err := f.Stat(); err == nil && os.SameFile(fi, named) {
			return f, nil
		}
		_ = f.Close()
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: ErrKind}
}

func regular(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: ErrKind}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFile reads a regular file whole, following links.
func ReadFile(abs string) ([]byte, error) {
	f, err := Open(abs)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	src := make([]byte, 0, int(fi.Size())+512)
	for {
		n, err := f.Read(src[len(src):cap(src)])
		src = src[:len(src)+n]
		if errors.Is(err, io.EOF) {
			return src, nil
		}
		if err != nil {
			return nil, err
		}
		if len(src) == cap(src) {
			src = append(src, 0)[:len(src)]
		}
	}
}

// WriteIn writes a private file (abs) that lies in a folder (abs) of ours to
// which others write too. What stands there goes first; folders on the way are
// made.
func WriteIn(dir, abs string, src []byte) error {
	rel, err := filepath.Rel(dir, abs)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(filepath.Dir(rel), 0o700); err != nil {
		return err
	}
	if err := root.RemoveAll(rel); err != nil {
		return fmt.Errorf("make room for %s: %w", abs, err)
	}
	f, err := root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(src)
	return errors.Join(err, f.Close())
}
