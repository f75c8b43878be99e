package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// tx carries out one plan. Its steps are: check, write the journal, write all
// temporary files, mark prepared, swap file by file with a look at what was
// displaced, look at all of them again, mark committed, clean up. Up to the
// mark prepared nothing of the user's has changed; up to the mark committed
// everything can be taken back; a crash is handled in recover.go.
type tx struct {
	s       *Sandbox
	plan    *plan
	root    *os.Root
	dirs    map[string]*dirHandle
	journal string
	rescued []string
	// look is called when everything is prepared, just before the first swap.
	look func(ctx context.Context) error
}

// errChanged says that a file is not what the plan expects.
var errChanged = errors.New("the file was changed meanwhile")

const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

func (s *Sandbox) newTx(p *plan) (*tx, error) {
	root, err := os.OpenRoot(s.repo.Root())
	if err != nil {
		return nil, fmt.Errorf("open the repository's folder: %w", err)
	}
	return &tx{s: s, plan: p, root: root, dirs: map[string]*dirHandle{}, journal: filepath.Join(s.dir, "journal", p.ID)}, nil
}

func (t *tx) close() {
	for _, d := range t.dirs {
		d.close()
	}
	_ = t.root.Close()
}

// run carries out the plan. When it fails nothing of it is left.
func (t *tx) run(ctx context.Context) error {
	defer t.close()
	if err := t.check(); err != nil {
		return err
	}
	if len(t.plan.Steps) == 0 {
		return nil
	}
	if err := t.prepare(); err != nil {
		return errors.Join(err, t.discard())
	}
	if err := ctx.Err(); err != nil {
		return errors.Join(err, t.discard())
	}
	if t.look != nil {
		if err := t.look(ctx); err != nil {
			return errors.Join(err, t.discard())
		}
	}
	// From here on a cancel must not stop us half way.
	if err := t.applyAll(); err != nil {
		t.rollback()
		return errors.Join(err, t.discard())
	}
	if err := t.commit(); err != nil {
		// The merge stands; the next Open cleans up what is left.
		t.s.log.Warn("a merge was not cleaned up", "id", t.plan.ID, "err", err)
	}
	return nil
}

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
	fi, err := d.root.Lstat(base)
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

// open gives the handle of a folder of the tree.
func (t *tx) open(dir string) (*dirHandle, error) {
	if d, ok := t.dirs[dir]; ok {
		return d, nil
	}
	d, err := openDir(t.root, dir)
	if err != nil {
		return nil, err
	}
	t.dirs[dir] = d
	return d, nil
}

// prepare writes the journal, then everything that the swaps need.
func (t *tx) prepare() error {
	if err := t.plan.save(t.journal, t.s.fault); err != nil {
		return fmt.Errorf("write the journal: %w", noSpace(err))
	}
	for _, dir := range t.plan.Dirs {
		if err := t.s.fault("mkdir"); err != nil {
			return writeError(dir, err)
		}
		if err := t.root.Mkdir(dir, 0o755); err != nil {
			return writeError(dir, err)
		}
	}
	for _, st := range t.plan.Steps {
		if st.dir == nil {
			d, err := t.open(path.Dir(st.Path))
			if err != nil {
				return err
			}
			st.dir = d
		}
		if st.Op == Delete {
			continue
		}
		if err := t.s.fault("temp"); err != nil {
			return writeError(st.Path, err)
		}
		if err := t.temp(st); err != nil {
			return writeError(st.Path, err)
		}
	}
	if err := t.s.fault("prepared"); err != nil {
		return err
	}
	return noSpace(setMark(t.journal, markPrepared))
}

// temp writes the new bytes beside the file, with its mode, owner, attributes
// and access list.
func (t *tx) temp(st *step) (err error) {
	f, err := st.dir.root.OpenFile(st.Temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(st.after); err != nil {
		return err
	}
	if st.info != nil {
		if err := giveTo(f, st.info); err != nil {
			return &Refusal{Code: RefuseOwner, File: st.Path, Reason: "its owner or group cannot be kept"}
		}
		like, err := st.dir.root.Open(path.Base(st.Path))
		if err != nil {
			return err
		}
		err = copyXattrs(like, f)
		_ = like.Close()
		if err != nil {
			return err
		}
	}
	if err := f.Chmod(st.AfterMode & modeBits); err != nil {
		return err
	}
	return f.Sync()
}

// applyAll makes the swaps, then looks at all of them once more: a writer that
// had a file open before its swap may have written into the displaced one.
func (t *tx) applyAll() error {
	for _, st := range t.plan.Steps {
		if err := t.s.fault("apply"); err != nil {
			return writeError(st.Path, err)
		}
		if !st.dir.same(t.root, path.Dir(st.Path)) {
			return &Conflict{Files: []string{st.Path}, Rescued: t.rescued}
		}
		if err := t.apply(st); err != nil {
			if errors.Is(err, errChanged) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
				return &Conflict{Files: []string{st.Path}, Rescued: t.rescued}
			}
			return writeError(st.Path, err)
		}
	}
	if err := t.s.fault("sync"); err != nil {
		return err
	}
	for _, d := range t.dirs {
		d.sync()
	}
	var conflict Conflict
	for _, st := range t.plan.Steps {
		if ok, err := t.holds(st); err != nil {
			return writeError(st.Path, err)
		} else if !ok {
			conflict.Files = append(conflict.Files, st.Path)
		}
	}
	if conflict.Files != nil {
		conflict.Rescued = t.rescued
		return &conflict
	}
	if err := t.s.fault("committed"); err != nil {
		return err
	}
	if err := setMark(t.journal, markCommitted); err != nil {
		return errors.Join(noSpace(err), os.Remove(filepath.Join(t.journal, markCommitted)))
	}
	return nil
}

// apply makes one swap. What it displaces then stands under the temporary name.
func (t *tx) apply(st *step) error {
	base := path.Base(st.Path)
	switch st.Op {
	case Create:
		if err := st.dir.moveNew(st.Temp, base); err != nil {
			return err
		}
		st.applied = true
		return t.s.fault("applied")
	case Delete:
		if err := st.dir.moveNew(base, st.Temp); err != nil {
			return err
		}
	case Modify:
		if err := st.dir.swap(st.Temp, base, st.old()); err != nil {
			return err
		}
	}
	st.applied = true
	if err := t.s.fault("applied"); err != nil {
		return err
	}
	got, err := st.dir.sum(st.Temp)
	if err != nil {
		return err
	}
	if got != st.Before {
		return errChanged // rollback gives the user's bytes back
	}
	return nil
}

// holds tells whether a step is still as apply left it.
func (t *tx) holds(st *step) (bool, error) {
	at, err := st.dir.sum(path.Base(st.Path))
	if err != nil {
		return false, err
	}
	displaced, err := st.dir.sum(st.Temp)
	if err != nil {
		return false, err
	}
	return at == st.After && displaced == st.Before, nil
}

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

// commit ends a plan that holds: the displaced files go, and the journal
// becomes the undo record. The displaced files stay open for a while, so that
// a late write into one of them is noticed.
func (t *tx) commit() error {
	for _, st := range t.plan.Steps {
		if st.Op == Create {
			continue
		}
		if err := t.s.fault("clean"); err != nil {
			return err
		}
		if f, err := st.dir.root.Open(st.Temp); err == nil {
			t.s.watchLate(f, st, t.plan.ID)
		}
	}
	if err := t.clear(); err != nil {
		return err
	}
	for _, d := range t.dirs {
		d.sync()
	}
	return t.s.archive(t.plan, t.journal)
}
