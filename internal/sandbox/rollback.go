package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// rollback takes back what was applied. Where the user wrote meanwhile, the
// user's newest bytes end up under the file's name.
func (t *tx) rollback() {
	for i := len(t.plan.Steps) - 1; i >= 0; i-- {
		st := t.plan.Steps[i]
		if !st.applied {
			continue
		}
		if err := t.takeBack(st); err != nil {
			t.s.log.Warn("a file could not be taken back", "file", st.Path, "err", err)
		}
		st.applied = false
	}
	for _, d := range t.dirs {
		d.sync()
	}
}

func (t *tx) takeBack(st *step) error {
	base := path.Base(st.Path)
	switch st.Op {
	case Create:
		err := st.dir.moveNew(base, st.Temp)
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
	displaced, err := st.dir.sum(st.Temp)
	if err != nil {
		return err
	}
	err = st.dir.swap(st.Temp, base, st.old())
	if errors.Is(err, fs.ErrNotExist) {
		if displaced == st.Before {
			return nil // the user removed the file; the journal has its bytes
		}
		return t.rescue(st, st.Temp)
	}
	if err != nil {
		return err
	}
	// The displaced bytes are back. What came out is ours, or a save that the
	// user made on top of ours and that is newer.
	got, err := st.dir.sum(st.Temp)
	if err != nil || got == st.After {
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

// discard removes what is left of a plan that is not to be. A temporary file
// that holds bytes which we did not write is rescued first.
func (t *tx) discard() error {
	if err := t.clear(); err != nil {
		return err
	}
	for i := len(t.plan.Dirs) - 1; i >= 0; i-- {
		_ = t.root.Remove(t.plan.Dirs[i]) // stays if the user put something there
	}
	if err := t.s.fault("discard"); err != nil {
		return err
	}
	return removeAll(t.journal)
}

// clear removes the temporary files.
func (t *tx) clear() error {
	var errs []error
	prepared := marked(t.journal, markPrepared)
	for _, st := range t.plan.Steps {
		if st.dir == nil {
			continue
		}
		for _, name := range []string{st.Temp, st.old()} {
			got, err := st.dir.sum(name)
			if err == nil && got == "" {
				continue
			}
			if err == nil && prepared && got != st.Before && got != st.After {
				errs = append(errs, t.rescue(st, name))
				continue
			}
			if err := st.dir.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, fmt.Errorf("remove the temporary file of %s: %w", st.Path, err))
			}
		}
	}
	return errors.Join(errs...)
}
