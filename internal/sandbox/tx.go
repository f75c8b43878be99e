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
