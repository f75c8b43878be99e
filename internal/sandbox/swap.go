package sandbox

import (
	"errors"
	"io/fs"
	"os"
)

// swap exchanges two names of the folder. Where the file system cannot in one
// step, spare is used on the way: at every moment b has its old or its new
// bytes, and the old ones have a name.
func (d *dirHandle) swap(a, b, spare string) error {
	err := exchange(d.f, a, b)
	if !errors.Is(err, errNoExchange) {
		return err
	}
	before, err := d.root.Lstat(b)
	if err != nil {
		return err
	}
	if err := d.root.Link(b, spare); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return err
		}
		// No hard links either (exFAT): b is away for a moment.
		if err := d.root.Rename(b, spare); err != nil {
			return err
		}
	} else if now, err := d.root.Lstat(b); err != nil || !os.SameFile(before, now) {
		return errors.Join(errChanged, d.root.Remove(spare))
	}
	if err := d.root.Rename(a, b); err != nil {
		if _, lerr := d.root.Lstat(b); errors.Is(lerr, fs.ErrNotExist) {
			return errors.Join(err, d.root.Rename(spare, b))
		}
		return errors.Join(err, d.root.Remove(spare))
	}
	return d.root.Rename(spare, a)
}
