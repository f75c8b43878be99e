package sandbox

import (
	"errors"
	"io/fs"
)

// swap exchanges two names of the folder. Where the file system cannot in one
// step, b is moved away to spare first and a linked in its place only if b is
// still free: a save that comes in between is found, and never overwritten, at
// the price of microseconds in which b is missing. Linking before moving would
// have no such gap, but would overwrite a save by rename in it. settleSpare
// ends what a crash or an error leaves of it.
func (d *dirHandle) swap(a, b, spare string) error {
	err := d.fx.do("exchange", b, func() error { return exchange(d.f, a, b) })
	if !errors.Is(err, ErrNoExchange) {
		return err
	}
	// Whether there are links must be known before anything is moved.
	if err := d.link(a, spare); err != nil {
		return noLinks(b, err)
	}
	if err := d.remove(spare); err != nil {
		return err
	}
	if err := d.rename(b, spare); err != nil {
		return err
	}
	// What is no file now can be moved back, but nothing linked in its place.
	if fi, err := d.lstat(spare); err == nil && !fi.Mode().IsRegular() {
		if err := d.moveNew(spare, b); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return errChanged
	}
	if err := d.link(a, b); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return errChanged
		}
		return errors.Join(err, d.moveNew(spare, b))
	}
	return d.rename(spare, a)
}
