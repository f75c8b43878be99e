package sandbox

import (
	"fmt"
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
	// Rescued are files (abs) in the state folder with bytes of the user's.
	Rescued []string
}

// Recovered tells what Open had to repair.
func (s *Sandbox) Recovered() []Recovery { return s.healed }

// recover ends what a crash left half done. Bytes that we did not write are
// never removed; they stay in place or are kept in the state folder.
func (s *Sandbox) recover() error {
	base := filepath.Join(s.dir, "journal")
	entries, err := os.ReadDir(base)
	if err != nil {
		return err
	}
	for _, e := range entries {
		dir := filepath.Join(base, e.Name())
		p, ok := loadPlan(dir)
		if !ok || p.ID != e.Name() {
			// The plan was not on disk yet, so nothing was begun.
			if err := removeAll(dir); err != nil {
				return err
			}
			continue
		}
		if err := s.recoverPlan(p, dir); err != nil {
			return fmt.Errorf("%s: %w", p.ID, err)
		}
	}
	return nil
}

func (s *Sandbox) recoverPlan(p *plan, dir string) error {
	t, err := s.newTx(p)
	if err != nil {
		return err
	}
	defer t.close()
	prepared := marked(dir, markPrepared)
	all, surprise := true, false
	for _, st := range p.Steps {
		d, err := t.open(path.Dir(st.Path))
		if err != nil {
			all = false // its folder is gone or not made yet
			continue
		}
		st.dir = d
		if !prepared {
			continue
		}
		if err := t.settleSpare(st); err != nil {
			return err
		}
		odd, err := t.inspect(st)
		if err != nil {
			return err
		}
		all = all && st.applied
		surprise = surprise || odd
	}
	rec := Recovery{ID: p.ID}
	for _, st := range p.Steps {
		rec.Files = append(rec.Files, st.Path)
	}
	switch {
	case marked(dir, markCommitted), prepared && all && !surprise:
		rec.Finished = true
		if err := setMark(dir, markCommitted); err != nil {
			return err
		}
		if err := t.clear(); err != nil {
			return err
		}
		if p.Kind == "undo" {
			if old, ok := loadPlan(filepath.Join(s.dir, "undo", p.Of)); ok {
				s.removeMade(old.Dirs)
			}
		}
		err = s.archive(p, dir)
	default:
		t.rollback()
		err = t.discard()
	}
	rec.Rescued = t.rescued
	s.healed = append(s.healed, rec)
	s.log.Info("an interrupted merge was ended", "id", p.ID, "finished", rec.Finished)
	return err
}

// settleSpare ends a swap in three renames that was cut off.
func (t *tx) settleSpare(st *step) error {
	spare, err := st.dir.sum(st.old())
	if err != nil || spare == "" {
		return err
	}
	base := path.Base(st.Path)
	at, err := st.dir.sum(base)
	if err != nil {
		return err
	}
	temp, err := st.dir.sum(st.Temp)
	if err != nil {
		return err
	}
	switch {
	case at == "": // b was moved away for want of hard links
		return st.dir.root.Rename(st.old(), base)
	case temp == "":
		return st.dir.root.Rename(st.old(), st.Temp)
	case spare == at || spare == st.Before || spare == st.After:
		return st.dir.root.Remove(st.old())
	}
	return t.rescue(st, st.old())
}

// inspect finds out whether a step had been applied; odd says that it had
// displaced bytes which are neither what it expected nor ours.
func (t *tx) inspect(st *step) (odd bool, err error) {
	at, err := st.dir.sum(path.Base(st.Path))
	if err != nil {
		return false, err
	}
	temp, err := st.dir.sum(st.Temp)
	if err != nil {
		return false, err
	}
	switch st.Op {
	case Create:
		st.applied = temp == ""
	case Delete:
		st.applied = temp != ""
		odd = st.applied && (temp != st.Before || at != "")
	default:
		if st.Before == st.After { // only the mode changes
			fi, err := st.dir.root.Lstat(path.Base(st.Path))
			st.applied = err == nil && fi.Mode()&modeBits == st.AfterMode
			return false, nil
		}
		// The temporary file holds ours until the swap, theirs after it.
		st.applied = temp != "" && temp != st.After
		odd = st.applied && temp != st.Before
	}
	return odd, nil
}
