package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// effects are the calls by which a merge, an undo and a recovery read and
// change the disk. They are one seam: hook is asked before each of them, and
// its error takes the call's place, so that tests can end the process or fail
// the disk at every call there is, found by counting.
type effects struct {
	hook func(call, name string) error // may be nil
}

func (e effects) ask(call, name string) error {
	if e.hook == nil {
		return nil
	}
	if err := e.hook(call, name); err != nil {
		return &fs.PathError{Op: call, Path: name, Err: err}
	}
	return nil
}

// do asks, then calls.
func (e effects) do(call, name string, f func() error) error {
	if err := e.ask(call, name); err != nil {
		return err
	}
	return f()
}

// fill writes a new file and waits for the disk. with, which may be nil, gives
// the file its mode and owner before that. What it leaves on an error is the
// caller's to remove.
func (e effects) fill(name string, src []byte, open func() (*os.File, error), with func(*os.File) error) (err error) {
	if err := e.ask("create", name); err != nil {
		return err
	}
	f, err := open()
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, e.do("close", name, func() error { return nil }), f.Close())
	}()
	if err := e.do("write", name, func() error { _, err := f.Write(src); return err }); err != nil {
		return err
	}
	if with != nil {
		if err := with(f); err != nil {
			return err
		}
	}
	return e.do("sync", name, f.Sync)
}

// writeSync writes a new private file and waits for the disk.
func (e effects) writeSync(name string, src []byte) error {
	return e.fill(name, src, func() (*os.File, error) {
		return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}, nil)
}

// mkdir makes a private folder.
func (e effects) mkdir(name string) error {
	return e.do("mkdir", name, func() error { return os.Mkdir(name, 0o700) })
}

// rename renames a private file or folder.
func (e effects) rename(from, to string) error {
	return e.do("rename", from, func() error { return os.Rename(from, to) })
}

// syncDir makes the names in a folder last. File systems that cannot say so.
func (e effects) syncDir(dir string) error {
	return e.do("syncdir", dir, func() error {
		f, err := os.Open(dir)
		if err != nil {
			return err
		}
		_ = f.Sync()
		return f.Close()
	})
}

// removeTree removes a private folder, call by call. It need not exist.
func (e effects) removeTree(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, d := range entries {
		name := filepath.Join(dir, d.Name())
		if d.IsDir() {
			err = e.removeTree(name)
		} else {
			err = e.do("remove", name, func() error { return os.Remove(name) })
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	err = e.do("rmdir", dir, func() error { return os.Remove(dir) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
