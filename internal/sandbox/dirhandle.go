package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
)

// dirHandle is one folder of the user's tree, held open: what happens to its
// path meanwhile cannot lead a write elsewhere.
type dirHandle struct {
	root *os.Root
	f    *os.File
}

func (d *dirHandle) close() {
	_ = d.f.Close()
	_ = d.root.Close()
}

// sync makes the names in the folder last; a file system that cannot is no
// reason to take a merge back.
func (d *dirHandle) sync() { _ = d.f.Sync() }

// openDir opens a folder of the tree without following a link on the way.
func openDir(root *os.Root, dir string) (*dirHandle, error) {
	at := ""
	if dir != "." {
		for c := range strings.SplitSeq(dir, "/") {
			at = path.Join(at, c)
			fi, err := root.Lstat(at)
			if err != nil {
				return nil, err
			}
			if fi.Mode()&fs.ModeSymlink != 0 {
				return nil, &Refusal{Code: RefuseParent, File: at, Reason: "a folder on the way is a link"}
			}
			if !fi.IsDir() {
				return nil, &Refusal{Code: RefuseKind, File: at, Reason: "a file stands where a folder must be"}
			}
		}
	}
	sub, err := root.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f, err := sub.Open(".")
	if err != nil {
		_ = sub.Close()
		return nil, err
	}
	return &dirHandle{sub, f}, nil
}

// sum hashes a regular file by name; "" when there is none.
func (d *dirHandle) sum(name string) (string, error) {
	fi, err := d.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if !fi.Mode().IsRegular() {
		return "not a file", nil
	}
	src, err := d.root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return sumOf(src).String(), nil
}

// same tells whether the folder is still the one at its path.
func (d *dirHandle) same(root *os.Root, dir string) bool {
	a, err := d.f.Stat()
	if err != nil {
		return false
	}
	b, err := root.Lstat(dir)
	return err == nil && os.SameFile(a, b)
}

// moveNew gives a file another name in the folder if that name is free
// (fs.ErrExist otherwise).
func (d *dirHandle) moveNew(from, to string) error {
	err := renameNoReplace(d.f, from, to)
	if !errors.Is(err, errNoExchange) {
		return err
	}
	if err := d.root.Link(from, to); err != nil {
		return err
	}
	return d.root.Remove(from)
}
