package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// check looks at every file and drops the steps that are done already. All
// conflicts are named, or the first refusal.
func (t *tx) check() error {
	var conflict Conflict
	var todo []*step
	made := map[string]bool{}
	for _, st := range t.plan.Steps {
		err := t.checkStep(st, made)
		switch {
		case errors.Is(err, errChanged):
			conflict.Files = append(conflict.Files, st.Path)
		case err != nil:
			return err
		case !st.noop:
			todo = append(todo, st)
		}
	}
	if conflict.Files != nil {
		return &conflict
	}
	t.plan.Steps = todo
	return nil
}

func (t *tx) checkStep(st *step, made map[string]bool) error {
	if err := checkPath(st.Path); err != nil {
		return err
	}
	dir, base := path.Dir(st.Path), path.Base(st.Path)
	d, err := t.open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if st.Op != Create {
			st.noop = st.Op == Delete
			return changedUnless(st.noop)
		}
		return t.planDirs(dir, made)
	}
	if err != nil {
		return err
	}
	st.dir = d
	fi, err := d.lstat(base)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return fmt.Errorf("look at %s: %w", st.Path, err)
	}
	if missing {
		st.noop = st.Op == Delete
		return changedUnless(st.noop || st.Op == Create)
	}
	if err := t.writable(st, fi); err != nil {
		return err
	}
	now, err := d.sum(base)
	if err != nil {
		return fmt.Errorf("read %s: %w", st.Path, err)
	}
	st.info = fi
	if now == st.After && (st.AfterMode == 0 || st.Op == Create || st.AfterMode == fi.Mode()&modeBits) {
		st.noop = true
		return nil
	}
	if st.Op == Create || now != st.Before {
		return errChanged
	}
	st.BeforeMode = fi.Mode() & modeBits
	if st.AfterMode == 0 && st.Op == Modify {
		st.AfterMode = st.BeforeMode
	}
	return nil
}

func changedUnless(ok bool) error {
	if ok {
		return nil
	}
	return errChanged
}

// writable refuses files that a swap would harm or that the user protects.
func (t *tx) writable(st *step, fi fs.FileInfo) error {
	refuse := func(code, reason string) error { return &Refusal{Code: code, File: st.Path, Reason: reason} }
	di, err := st.dir.f.Stat()
	if err != nil {
		return fmt.Errorf("look at the folder of %s: %w", st.Path, err)
	}
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		return refuse(RefuseSymlink, "it is a link")
	case !fi.Mode().IsRegular():
		return refuse(RefuseKind, "it is not a regular file")
	case links(fi) > 1:
		return refuse(RefuseHardLink, "it has other names (hard links), which a swap would cut off")
	case foreign(fi):
		return refuse(RefuseOwner, "it belongs to another user")
	case fi.Mode()&0o200 == 0:
		return refuse(RefuseReadOnly, "it is read-only")
	case di.Mode()&0o200 == 0:
		return refuse(RefuseReadOnly, "its folder is read-only")
	}
	return nil
}

// planDirs notes the folders that a new file needs.
func (t *tx) planDirs(dir string, made map[string]bool) error {
	if dir == "." || made[dir] {
		return nil
	}
	_, err := t.root.Lstat(dir)
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look at %s: %w", dir, err)
	}
	if err := t.planDirs(path.Dir(dir), made); err != nil {
		return err
	}
	made[dir] = true
	t.plan.Dirs = append(t.plan.Dirs, dir)
	return nil
}
