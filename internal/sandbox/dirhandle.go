package sandbox

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"regreen/internal/plain"
)

// dirHandle is one folder of the user's tree, held open: what happens to its
// path meanwhile cannot lead a write elsewhere.
type dirHandle struct {
	root *os.Root
	f    *os.File
	fx   effects
}

func (d *dirHandle) close() {
	_ = d.f.Close()
	_ = d.root.Close()
}

// sync makes the names in the folder last; a file system that cannot is no
// reason to take a merge back.
func (d *dirHandle) sync() { _ = d.fx.do("syncdir", d.f.Name(), d.f.Sync) }

// openDir opens a folder of the tree without following a link on the way.
func openDir(root *os.Root, dir string, fx effects) (*dirHandle, error) {
	if err := fx.ask("open", dir); err != nil {
		return nil, err
	}
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
	return &dirHandle{sub, f, fx}, nil
}

// lstat describes a name of the folder.
func (d *dirHandle) lstat(name string) (fi fs.FileInfo, err error) {
	err = d.fx.do("lstat", name, func() error { fi, err = d.root.Lstat(name); return err })
	return fi, err
}

// read opens and reads a file of the folder, without waiting for a pipe and
// through no link: plain.ErrKind is in the chain when it is no regular file. The
// caller closes it.
func (d *dirHandle) read(name string) (f *os.File, src []byte, err error) {
	err = d.fx.do("read", name, func() error {
		if f, err = plain.OpenNamed(d.root, name); err != nil {
			return err
		}
		src, err = io.ReadAll(f)
		return err
	})
	if err != nil && f != nil {
		_ = f.Close()
		f = nil
	}
	return f, src, err
}

// notFile is the sum of what is no regular file; two of them need not be equal.
const notFile = "not a file"

// sum hashes a regular file by name; "" when there is none.
func (d *dirHandle) sum(name string) (string, error) {
	fi, err := d.lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if !fi.Mode().IsRegular() {
		return notFile, nil
	}
	f, src, err := d.read(name)
	if errors.Is(err, plain.ErrKind) {
		return notFile, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	_ = f.Close()
	return sumOf(src).String(), nil
}

// one tells whether two names of the folder are one file; false when either is
// missing.
func (d *dirHandle) one(a, b string) (bool, error) {
	x, err := d.lstat(a)
	if err == nil {
		var y fs.FileInfo
		if y, err = d.lstat(b); err == nil {
			return os.SameFile(x, y), nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return false, err
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

// remove removes a name of the folder.
func (d *dirHandle) remove(name string) error {
	return d.fx.do("remove", name, func() error { return d.root.Remove(name) })
}

// link gives a file a second name if that name is free (fs.ErrExist otherwise).
func (d *dirHandle) link(from, to string) error {
	return d.fx.do("link", to, func() error { return d.root.Link(from, to) })
}

// rename renames a file over whatever has the new name.
func (d *dirHandle) rename(from, to string) error {
	return d.fx.do("rename", from, func() error { return d.root.Rename(from, to) })
}

// moveNew gives a file another name in the folder if that name is free
// (fs.ErrExist otherwise).
func (d *dirHandle) moveNew(from, to string) error {
	err := d.fx.do("move", to, func() error { return renameNoReplace(d.f, from, to) })
	if !errors.Is(err, ErrNoExchange) {
		return err
	}
	if fi, err := d.lstat(from); err == nil && fi.IsDir() {
		return d.moveDir(from, to)
	}
	if err := d.link(from, to); err != nil {
		return noLinks(to, err)
	}
	return d.remove(from)
}

// moveDir is moveNew for a folder, which has no links: a rename puts it over
// nothing but an empty folder.
func (d *dirHandle) moveDir(from, to string) error {
	_, err := d.lstat(to)
	if err == nil {
		return fs.ErrExist
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.rename(from, to)
}

// noLinks turns what a file system without hard links says into a refusal:
// without links nothing can be put in place that a save at the same moment
// would not be lost to.
func noLinks(name string, err error) error {
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) || errors.Is(noSpace(err), ErrNoSpace) {
		return err
	}
	return &Refusal{Code: RefuseFileSystem, File: name, Reason: "its file system can neither exchange two names nor link a file (" + err.Error() + ")"}
}
