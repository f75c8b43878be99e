package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"regreen/internal/plain"
)

// takeAllBack takes back what was applied, as the disk tells. Where the user
// wrote meanwhile, the user's newest bytes end up under the file's name. It can
// be repeated: what is back already is left alone. errDamaged is in the chain
// when all is back that can ever be.
func (t *tx) takeAllBack() error {
	mark, err := markOf(t.journal)
	if err != nil {
		return err
	}
	if mark == markNone {
		return nil
	}
	// Were this mark missed, a recovery would finish a plan of which all is
	// still applied: whole, too.
	if err := setMark(t.journal, mark, markBacking, t.fx); err != nil {
		t.s.log.Debug("mark not set", "id", t.plan.ID, "err", err)
	}
	var errs, damaged []error
	for i := len(t.plan.Steps) - 1; i >= 0; i-- {
		st := t.plan.Steps[i]
		if st.dir == nil {
			continue
		}
		err := t.settleAndTakeBack(st)
		if err != nil {
			err = fmt.Errorf("take %s back: %w", st.Path, err)
		}
		switch {
		case errors.Is(err, errDamaged):
			damaged = append(damaged, err)
		case err != nil:
			errs = append(errs, err)
		}
	}
	for _, d := range t.dirs {
		d.sync()
	}
	if errs == nil {
		return errors.Join(damaged...)
	}
	return errors.Join(errs...)
}

func (t *tx) settleAndTakeBack(st *step) error {
	if err := t.settleSpare(st); err != nil {
		return err
	}
	if _, err := t.inspect(st); err != nil {
		return err
	}
	if !st.applied {
		return nil
	}
	if err := t.takeBack(st); err != nil {
		return err
	}
	return t.settleSpare(st)
}

func (t *tx) takeBack(st *step) error {
	base := path.Base(st.Path)
	switch st.Op {
	case Create:
		err := st.dir.rename(base, st.Temp)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the user removed it
		}
		if err != nil {
			return err
		}
		if got, err := st.dir.sum(st.Temp); err != nil || got == st.After {
			return err
		}
		return t.giveBack(st, base)
	case Delete:
		return t.giveBack(st, base)
	}
	at, err := st.dir.sum(base)
	if err != nil {
		return err
	}
	displaced, err := st.dir.sum(st.Temp)
	if err != nil {
		return err
	}
	switch {
	case displaced == "" && at == st.After: // somebody cleaned up; the journal has the bytes
		if err := t.tempAgain(st, base); err != nil {
			return err
		}
	case displaced == notFile && at != st.After:
		return t.rescue(st, st.Temp) // and what has the name keeps it
	case at == "": // the user removed the file
		if displaced == st.Before || displaced == "" {
			return nil
		}
		return t.rescue(st, st.Temp)
	case displaced == "", at != st.After && displaced == st.Before:
		return nil // saved on top of ours, and it stays
	}
	if err := st.dir.swap(st.Temp, base, st.old()); err != nil {
		if errors.Is(err, errChanged) || errors.Is(err, fs.ErrNotExist) {
			return nil // changed or removed in this moment: the user's it is
		}
		return err
	}
	// The displaced bytes are back. What came out is ours, or a save that the
	// user made on top of ours and that is newer.
	got, err := st.dir.sum(st.Temp)
	if err != nil || got == st.After || at == st.Before && got == st.Before {
		return err
	}
	if err := st.dir.swap(st.Temp, base, st.old()); err != nil {
		return errors.Join(err, t.rescue(st, st.Temp))
	}
	if displaced == st.Before {
		if now, err := st.dir.sum(st.Temp); err != nil || now == st.Before {
			return err
		}
	}
	return t.rescue(st, st.Temp)
}

// tempAgain writes what the file was under the temporary name, from the
// journal.
func (t *tx) tempAgain(st *step, base string) error {
	src, err := readImage(t.journal, preName(t.index(st)), st.Before)
	if err != nil {
		return err
	}
	if st.info, err = st.dir.lstat(base); err != nil {
		return err
	}
	return t.temp(st, src, st.BeforeMode)
}

func (t *tx) index(st *step) int {
	for i, s := range t.plan.Steps {
		if s == st {
			return i
		}
	}
	return -1
}

// giveBack puts the file under the temporary name back in its place, unless
// the user has put another there.
func (t *tx) giveBack(st *step, base string) error {
	err := st.dir.moveNew(st.Temp, base)
	if errors.Is(err, fs.ErrExist) {
		got, serr := st.dir.sum(st.Temp)
		if serr != nil || got == st.Before || got == st.After {
			return serr
		}
		return t.rescue(st, st.Temp)
	}
	return err
}

// giveUpUnless is giveUp where no folder is lost; else it takes back what is
// there and gives lost.
func (t *tx) giveUpUnless(lost error) error {
	if lost == nil {
		return t.giveUp()
	}
	if err := t.takeAllBack(); err != nil && !errors.Is(err, errDamaged) {
		return err
	}
	return lost
}

// giveUpDamaged ends a plan of which all was taken back that can be; why tells which, and the journal is kept.
func (t *tx) giveUpDamaged(why error) (kept string, err error) {
	if err := t.clear(true); err != nil {
		return "", err
	}
	if err := t.tidyDirs(t.plan.Dirs); err != nil {
		return "", err
	}
	for _, d := range t.dirs {
		d.sync()
	}
	t.s.log.Warn("a merge could not be taken back whole", "id", t.plan.ID, "err", why)
	return t.s.keepJournal(t.plan.ID, t.journal)
}

// discard removes what is left of a plan that is not to be, once nothing of it
// is in place.
func (t *tx) discard() error {
	mark, err := markOf(t.journal)
	if err != nil {
		return err
	}
	err = t.fx.rename(filepath.Join(t.journal, planFile), filepath.Join(t.journal, dropFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return t.sweepUp(mark)
}

// sweepUp removes the temporary files, folders and journal of a dropped plan.
func (t *tx) sweepUp(mark string) error {
	if err := t.clear(mark != markNone); err != nil {
		return err
	}
	if err := t.tidyDirs(t.plan.Dirs); err != nil {
		return err
	}
	for _, d := range t.dirs {
		d.sync()
	}
	return dropPlan(t.journal, t.fx)
}

// clear removes the temporary files. When they may be more than our own
// beginnings (prepared), one with bytes that we did not write is rescued, and
// each stays open for a while, so that a late write into it is noticed.
func (t *tx) clear(prepared bool) error {
	var errs []error
	for _, st := range t.plan.Steps {
		if st.dir == nil {
			continue
		}
		for _, name := range []string{st.Temp, st.old()} {
			if err := t.clearOne(st, name, prepared); err != nil {
				errs = append(errs, fmt.Errorf("remove the temporary file of %s: %w", st.Path, err))
			}
		}
	}
	return errors.Join(errs...)
}

func (t *tx) clearOne(st *step, name string, prepared bool) error {
	if !prepared {
		err := st.dir.remove(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	f, src, err := st.dir.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, plain.ErrKind) {
		return t.rescue(st, name)
	}
	if err != nil {
		return err
	}
	if got := sumOf(src).String(); got != st.Before && got != st.After {
		_ = f.Close()
		return t.rescue(st, name)
	}
	if err := st.dir.remove(name); err != nil {
		return errors.Join(err, f.Close())
	}
	t.s.watchLate(f, st.Path, sumOf(src).String(), t.plan.ID)
	return nil
}
