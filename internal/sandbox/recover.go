package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Recovery is a merge or an undo that a crash had interrupted and that Open
// ended.
type Recovery struct {
	ID string
	// Finished: all its files had been written, and it stands. Otherwise all
	// are as before.
	Finished bool
	Files    []string
	// Rescued are files (abs) in the state folder with bytes of the user's, and
	// names (abs) in the tree of what is no file and lost its own to a newer save.
	Rescued []string
	// Kept is a folder (abs) in the state folder with a journal that could not be
	// gone by to its end: it is damaged or another version's, or a folder of the
	// tree was moved away after the crash. It holds what the files were (pre) and
	// were to become (post); what could not be taken back was left as it is. ""
	// otherwise.
	Kept string
}

// errElsewhere says that files of a plan may lie elsewhere, half merged.
var errElsewhere = errors.New("it was moved or removed")

// Recovered tells what Open had to repair.
func (s *Sandbox) Recovered() []Recovery { return s.healed }

// recover ends what a crash or a failing disk left half done. Bytes that we did
// not write are never removed; they stay in place or are kept in the state
// folder.
func (s *Sandbox) recover() error {
	base := filepath.Join(s.dir, "journal")
	entries, err := os.ReadDir(base)
	if err != nil {
		return err
	}
	for _, e := range entries {
		dir := filepath.Join(base, e.Name())
		p, err := loadPlan(dir)
		dropped := errors.Is(err, fs.ErrNotExist)
		if dropped {
			p, err = loadPlanFile(filepath.Join(dir, dropFile))
		}
		switch {
		case err == nil:
			err = s.recoverPlan(p, dir, dropped)
		case errors.Is(err, fs.ErrNotExist):
			// The plan was not on disk yet, so nothing was begun; or it is on
			// its way out, and nothing but this folder is left.
			err = dropPlan(dir, s.fx)
		case errors.Is(err, errDamaged):
			err = s.recoverDamaged(e.Name(), dir, err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	s.unsettled = false
	return nil
}

// recoverDamaged keeps a journal that cannot be gone by, unless the crash came
// while it was written: then nothing was begun.
func (s *Sandbox) recoverDamaged(id, dir string, why error) error {
	mark, err := markOf(dir)
	if err != nil {
		return err
	}
	if mark == markNone && !errors.Is(why, errVersion) {
		return dropPlan(dir, s.fx)
	}
	kept, err := s.keepJournal(id, dir)
	if err != nil {
		return err
	}
	s.healed = append(s.healed, Recovery{ID: id, Kept: kept})
	s.log.Info("a journal was kept", "id", id, "kept", kept, "why", why)
	return nil
}

// keepJournal moves a journal to what was rescued and gives its place there.
func (s *Sandbox) keepJournal(id, dir string) (string, error) {
	for n := 0; ; n++ {
		to := filepath.Join(s.dir, "rescued", fmt.Sprintf("%s-%d-journal", id, n))
		_, err := os.Lstat(to)
		if err == nil {
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if err := s.fx.rename(dir, to); err != nil {
			return "", fmt.Errorf("keep the journal: %w", err)
		}
		_ = s.fx.syncDir(filepath.Dir(to))
		return to, nil
	}
}

func (s *Sandbox) recoverPlan(p *plan, dir string, dropped bool) error {
	t, err := s.newTx(p)
	if err != nil {
		return err
	}
	defer t.close()
	t.atStart = true
	mark, err := markOf(dir)
	if err != nil {
		return err
	}
	rec := Recovery{ID: p.ID}
	var lost error
	for _, st := range p.Steps {
		rec.Files = append(rec.Files, st.Path)
		var gone *Refusal
		st.dir, err = t.open(path.Dir(st.Path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &gone) {
			return err
		}
		if err != nil && st.Before != "" {
			lost = fmt.Errorf("%s: its folder is not there: %w", st.Path, errElsewhere)
		}
	}
	switch {
	case dropped:
		err = t.sweepUp(mark)
	case mark == markCommitted:
		rec.Finished = true
		err = t.commit()
	case mark == markPrepared:
		if rec.Finished, err = t.whole(); err != nil {
			return err
		}
		if !rec.Finished {
			err = t.giveUpUnless(lost)
		} else if err = setMark(dir, mark, markCommitted, s.fx); err == nil {
			err = t.commit()
		}
	case mark == markBacking:
		err = t.giveUpUnless(lost)
	default:
		err = t.giveUp()
	}
	if errors.Is(err, errDamaged) || errors.Is(err, errElsewhere) {
		rec.Kept, err = t.giveUpDamaged(err)
	}
	rec.Rescued = t.rescued
	if err != nil {
		return err
	}
	s.healed = append(s.healed, rec)
	s.log.Info("an interrupted merge was ended", "id", p.ID, "finished", rec.Finished)
	return nil
}

// whole tells whether every step is applied and displaced just what it
// expected: the plan then only lacks its mark.
func (t *tx) whole() (bool, error) {
	all := true
	for _, st := range t.plan.Steps {
		if st.dir == nil {
			all = false // its folder is gone or not made yet
			continue
		}
		if err := t.settleSpare(st); err != nil {
			return false, err
		}
		odd, err := t.inspect(st)
		if err != nil {
			return false, err
		}
		all = all && st.applied && !odd
	}
	return all, nil
}

// settleSpare ends a swap or a move in several calls that was cut off.
func (t *tx) settleSpare(st *step) error {
	base := path.Base(st.Path)
	one, err := st.dir.one(st.Temp, base)
	if err != nil {
		return err
	}
	spare, err := st.dir.sum(st.old())
	if err != nil {
		return err
	}
	if spare == "" {
		if one { // linked in place, but not yet gone from the temporary name
			return st.dir.remove(st.Temp)
		}
		return nil
	}
	tried, err := st.dir.one(st.old(), st.Temp)
	if err != nil {
		return err
	}
	if tried { // only whether there are links
		return st.dir.remove(st.old())
	}
	at, err := st.dir.sum(base)
	if err != nil {
		return err
	}
	if at == "" {
		err := st.dir.moveNew(st.old(), base)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		at = "the user's" // saved in this moment
	}
	temp, err := st.dir.sum(st.Temp)
	switch {
	case err != nil:
		return err
	case one || temp == "":
		return st.dir.rename(st.old(), st.Temp)
	case spare == notFile:
		return t.rescue(st, st.old())
	case spare == at || spare == st.Before || spare == st.After:
		return st.dir.remove(st.old())
	}
	return t.rescue(st, st.old())
}

// inspect finds out whether a step is applied; odd says that it displaced bytes
// which are neither what it expected nor ours.
func (t *tx) inspect(st *step) (odd bool, err error) {
	at, err := st.dir.sum(path.Base(st.Path))
	if err != nil {
		return false, err
	}
	temp, err := st.dir.sum(st.Temp)
	if err != nil {
		return false, err
	}
	switch {
	case st.Op == Create:
		st.applied = temp == ""
	case st.Op == Delete:
		st.applied = temp != ""
		odd = st.applied && (temp != st.Before || at != "")
	case st.Before == st.After: // only the mode changes
		fi, err := st.dir.lstat(path.Base(st.Path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		st.applied = err == nil && fi.Mode()&modeBits == st.AfterMode
	case temp == "": // somebody cleaned up
		st.applied = at == st.After
	default:
		// The temporary file holds ours until the swap, theirs after it.
		st.applied = temp != st.After
		odd = st.applied && temp != st.Before
	}
	return odd, nil
}
