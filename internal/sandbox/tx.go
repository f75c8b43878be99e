package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// tx carries out one plan. Its steps are: check, write the journal, write all
// temporary files, mark prepared, swap file by file with a look at what was
// displaced, look at all of them again, mark committed, clean up. Up to the
// mark prepared nothing of the user's has changed; up to the mark committed
// everything can be taken back; a crash is handled in recover.go, by the same
// code that takes a failed plan back.
type tx struct {
	s       *Sandbox
	plan    *plan
	root    *os.Root
	dirs    map[string]*dirHandle
	fx      effects
	journal string
	rescued []string
	atStart bool // it is a recovery
	// look is called when everything is prepared, just before the first swap.
	look func(ctx context.Context) error
}

// errChanged says that a file is not what the plan expects.
var errChanged = errors.New("the file was changed meanwhile")

// ErrUnsettled is in the chain when a merge failed and could not be taken back
// whole. The next merge, undo or start does that; until then some files may
// have their new bytes.
var ErrUnsettled = errors.New("it is half done, and the next start of regreen puts that right")

const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

func (s *Sandbox) newTx(p *plan) (*tx, error) {
	root, err := os.OpenRoot(s.repo.Root())
	if err != nil {
		return nil, fmt.Errorf("open the repository's folder: %w", err)
	}
	return &tx{s: s, plan: p, root: root, dirs: map[string]*dirHandle{}, fx: s.fx, journal: filepath.Join(s.dir, "journal", p.ID)}, nil
}

func (t *tx) close() {
	for _, d := range t.dirs {
		d.close()
	}
	_ = t.root.Close()
}

// run carries out the plan. When it fails nothing of it is left, or
// ErrUnsettled is in the chain.
func (t *tx) run(ctx context.Context) error {
	defer t.close()
	if err := t.check(); err != nil {
		return err
	}
	if len(t.plan.Steps) == 0 {
		return nil
	}
	err := t.prepare()
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil && t.look != nil {
		err = t.look(ctx)
	}
	if err == nil {
		// From here on a cancel must not stop us half way.
		err = t.applyAll()
	}
	if err != nil {
		if back := t.giveUp(); back != nil {
			return fmt.Errorf("%w: %w (%w)", err, ErrUnsettled, back)
		}
		var c *Conflict
		if errors.As(err, &c) {
			c.Rescued = t.rescued
		}
		return err
	}
	if err := t.commit(); err != nil {
		t.s.unsettled = true // the merge stands; what is left of it is not
		t.s.log.Warn("a merge was not cleaned up", "id", t.plan.ID, "err", err)
	}
	return nil
}

// giveUp takes back what was applied and removes the rest.
func (t *tx) giveUp() error {
	err := t.takeAllBack()
	if err == nil {
		err = t.discard()
	}
	if err != nil {
		t.s.unsettled = true
		t.s.log.Warn("a merge could not be taken back", "id", t.plan.ID, "err", err)
	}
	return err
}

// open gives the handle of a folder of the tree.
func (t *tx) open(dir string) (*dirHandle, error) {
	if d, ok := t.dirs[dir]; ok {
		return d, nil
	}
	d, err := openDir(t.root, dir, t.fx)
	if err != nil {
		return nil, err
	}
	t.dirs[dir] = d
	return d, nil
}

// prepare writes the journal, then everything that the swaps need.
func (t *tx) prepare() error {
	if err := t.plan.save(t.journal, t.fx); err != nil {
		return fmt.Errorf("write the journal: %w", noSpace(err))
	}
	for _, dir := range t.plan.Dirs {
		err := t.fx.do("mkdir", dir, func() error { return t.root.Mkdir(dir, 0o755) })
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return writeError(dir, err)
		}
		if _, err := t.open(path.Dir(dir)); err != nil { // so that it is synced
			return writeError(dir, err)
		}
	}
	for _, st := range t.plan.Steps {
		if st.dir == nil {
			d, err := t.open(path.Dir(st.Path))
			if err != nil {
				return writeError(st.Path, err)
			}
			st.dir = d
		}
		if st.Op == Delete {
			continue
		}
		if err := t.temp(st, st.after, st.AfterMode); err != nil {
			return writeError(st.Path, err)
		}
	}
	if err := setPrepared(t.journal, t.fx); err != nil {
		return fmt.Errorf("write the journal: %w", noSpace(err))
	}
	return nil
}

// temp writes bytes beside the file, with its owner, attributes and access
// list, and a mode.
func (t *tx) temp(st *step, src []byte, mode fs.FileMode) error {
	open := func() (*os.File, error) {
		return st.dir.root.OpenFile(st.Temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	return t.fx.fill(st.Temp, src, open, func(f *os.File) error {
		if st.info != nil {
			if err := t.likeOld(st, f); err != nil {
				return err
			}
		}
		return t.fx.do("chmod", st.Temp, func() error { return f.Chmod(mode & modeBits) })
	})
}

// likeOld gives f the owner and the attributes of the step's file.
func (t *tx) likeOld(st *step, f *os.File) error {
	err := t.fx.do("chown", st.Temp, func() error { return giveTo(f, st.info) })
	if err != nil {
		return &Refusal{Code: RefuseOwner, File: st.Path, Reason: "its owner or group cannot be kept"}
	}
	like, _, err := st.dir.read(path.Base(st.Path))
	if err != nil {
		return err
	}
	defer func() { _ = like.Close() }()
	err = t.fx.do("setxattr", st.Temp, func() error { return copyXattrs(like, f) })
	var lost *attributeError
	if errors.As(err, &lost) {
		return &Refusal{Code: RefuseAttributes, File: st.Path, Reason: lost.Error()}
	}
	return err
}

// applyAll makes the swaps, then looks at all of them once more: a writer that
// had a file open before its swap may have written into the displaced one.
func (t *tx) applyAll() error {
	for _, st := range t.plan.Steps {
		if !t.inPlace(st) {
			return &Conflict{Files: []string{st.Path}}
		}
		err := t.apply(st)
		if err == nil && !t.inPlace(st) {
			err = errChanged // moved in this moment, with our bytes in it
		}
		if err != nil {
			if errors.Is(err, errChanged) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
				return &Conflict{Files: []string{st.Path}}
			}
			return writeError(st.Path, err)
		}
	}
	for _, d := range t.dirs {
		d.sync()
	}
	var conflict Conflict
	for _, st := range t.plan.Steps {
		if ok, err := t.holds(st); err != nil {
			return writeError(st.Path, err)
		} else if !ok || !t.inPlace(st) {
			conflict.Files = append(conflict.Files, st.Path)
		}
	}
	if conflict.Files != nil {
		return &conflict
	}
	if err := setMark(t.journal, markPrepared, markCommitted, t.fx); err != nil {
		return fmt.Errorf("write the journal: %w", noSpace(err))
	}
	return nil
}

// inPlace tells whether the folder that we hold open is still the one that the
// step's path leads to. Where the user has moved it away, or the whole
// repository, a swap would change what lies elsewhere.
func (t *tx) inPlace(st *step) bool {
	held, err := t.root.Stat(".")
	if err != nil {
		return false
	}
	root, err := os.Stat(t.root.Name())
	return err == nil && os.SameFile(held, root) && st.dir.same(t.root, path.Dir(st.Path))
}

// apply makes one swap. What it displaces then stands under the temporary name.
func (t *tx) apply(st *step) error {
	base := path.Base(st.Path)
	switch st.Op {
	case Create:
		return st.dir.moveNew(st.Temp, base)
	case Delete:
		if err := st.dir.rename(base, st.Temp); err != nil {
			return err
		}
	case Modify:
		if err := st.dir.swap(st.Temp, base, st.old()); err != nil {
			return err
		}
	}
	got, err := st.dir.sum(st.Temp)
	if err != nil {
		return err
	}
	if got != st.Before {
		return errChanged // the user's bytes are given back
	}
	return t.sameKind(st)
}

// sameKind tells, by errChanged, that the displaced file got another mode,
// owner or name since it was looked at: what was put in its place has not.
func (t *tx) sameKind(st *step) error {
	if st.info == nil {
		return nil
	}
	fi, err := st.dir.lstat(st.Temp)
	if err != nil {
		return err
	}
	if fi.Mode() != st.info.Mode() || links(fi) > 1 || foreign(fi) != foreign(st.info) {
		return errChanged
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

// commit ends a plan that holds: the displaced files go, and the journal
// becomes the undo record.
func (t *tx) commit() error {
	if err := t.clear(true); err != nil {
		return err
	}
	if err := t.tidyDirs(t.plan.Unmake); err != nil {
		return err
	}
	for _, d := range t.dirs {
		d.sync()
	}
	return t.s.archive(t.plan, t.journal)
}

// tidyDirs is removeDirs; a start that finds a folder which cannot be removed
// goes on all the same.
func (t *tx) tidyDirs(dirs []string) error {
	err := t.removeDirs(dirs)
	if err != nil && t.atStart {
		t.s.log.Warn("an empty folder is left", "err", err)
		return nil
	}
	return err
}

// removeDirs removes folders, given outermost first, that are empty. One that
// is not is the user's now.
func (t *tx) removeDirs(dirs []string) error {
	var errs []error
	for i := len(dirs) - 1; i >= 0; i-- {
		fi, err := t.root.Lstat(dirs[i])
		if err != nil || !fi.IsDir() || !t.empty(dirs[i]) {
			continue
		}
		err = t.fx.do("rmdir", dirs[i], func() error { return t.root.Remove(dirs[i]) })
		if err != nil && t.empty(dirs[i]) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (t *tx) empty(dir string) bool {
	f, err := t.root.Open(dir)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	_, err = f.ReadDir(1)
	return errors.Is(err, io.EOF)
}
