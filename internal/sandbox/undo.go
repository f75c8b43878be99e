package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// UndoRecord is a merge that can be undone.
type UndoRecord struct {
	ID    string
	Time  time.Time
	Files []string
}

// The bounds on undo records. A record that is younger than a day is kept
// whatever its size, and the newest ones are whatever their age: a clock that
// was wrong for a moment makes all of them old.
const (
	undoAge   = 7 * 24 * time.Hour
	undoBytes = 200 << 20
	undoKept  = 10 // what a person may still want back after the clock jumped
)

// Undos lists the merges that can be undone, the newest first.
func (s *Sandbox) Undos() []UndoRecord { return Undos(s.dir) }

// Undos lists the merges that can be undone in a repository's state folder
// (see StateDir) without opening the sandbox, the newest first: the one that was
// made last, whatever the clock said.
func Undos(dir string) []UndoRecord {
	var out []UndoRecord
	for _, p := range undoPlans(dir) {
		r := UndoRecord{ID: p.ID, Time: p.Started}
		for _, st := range p.Steps {
			r.Files = append(r.Files, st.Path)
		}
		out = append(out, r)
	}
	return out
}

// undoPlans are the plans that can be undone, the newest first.
func undoPlans(dir string) []*plan {
	entries, _ := os.ReadDir(filepath.Join(dir, "undo"))
	var out []*plan
	for _, e := range entries {
		if p, err := loadPlan(filepath.Join(dir, "undo", e.Name())); err == nil {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *plan) int {
		return cmp.Or(cmp.Compare(b.Seq, a.Seq), b.Started.Compare(a.Started), cmp.Compare(b.ID, a.ID))
	})
	return out
}

// Newest is the record that is meant where none is named: "" where there is
// none. One that cannot be read, and that is newer by its name than all others,
// is not passed over, whether it is damaged or another user's: who undoes the
// last merge must not undo the one before.
func (s *Sandbox) Newest() string {
	id := ""
	if all := undoPlans(s.dir); len(all) > 0 {
		id = all[0].ID
	}
	entries, _ := os.ReadDir(filepath.Join(s.dir, "undo"))
	for _, e := range entries {
		if _, err := loadPlan(filepath.Join(s.dir, "undo", e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) && e.Name() > id {
			id = e.Name()
		}
	}
	return id
}

// nextSeq is above the Seq of all records, so that a plan that becomes one is
// the newest. It may give again what no record has any more.
func nextSeq(dir string) uint64 {
	if all := undoPlans(dir); len(all) > 0 {
		return all[0].Seq + 1
	}
	return 1
}

// Undo takes the changes of a merge back; "" is the newest merge.
// ErrNothingToUndo is in the chain when there is none. A file that is as the
// merge left it gets the bytes back that it had; one that was changed since is
// merged by lines (git merge-file), so that what the user did stays; where that
// touches what the merge did, *Refusal names the file and nothing is changed.
func (s *Sandbox) Undo(ctx context.Context, id string) (*Merged, error) {
	s.last = nil // nobody is told of what we write
	if id == "" {
		if id = s.Newest(); id == "" {
			return nil, ErrNothingToUndo
		}
	}
	if err := checkID(id); err != nil {
		return nil, fmt.Errorf("undo: %w: %w", err, ErrNothingToUndo)
	}
	dir := filepath.Join(s.dir, "undo", id)
	old, err := loadPlan(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("undo %s: %w", id, ErrNothingToUndo)
	}
	if err != nil {
		return nil, undoError(id, dir, err)
	}
	p := newPlan("undo", s.freeID(id+".undo"), s.repo.Root())
	p.Of, p.Unmake = id, old.Dirs
	for i := len(old.Steps) - 1; i >= 0; i-- {
		st, err := reverse(old.Steps[i], dir, i)
		if err != nil {
			return nil, undoError(id, dir, err)
		}
		if err := s.onTop(ctx, st); err != nil {
			return nil, fmt.Errorf("undo %s: %w", id, err)
		}
		p.add(st)
	}
	steps := slices.Clone(p.Steps) // with those that a person took back by hand
	m, err := s.carryOut(ctx, p, func(ctx context.Context) error { return s.checkGuard(ctx, nil) })
	var c *Conflict
	if errors.As(err, &c) {
		return nil, &Refusal{Code: RefuseChanged, File: c.Files[0], Reason: "it was changed since the merge, in the same place"}
	}
	if err != nil {
		return nil, err
	}
	s.noteUndone(&plan{Kind: "undo", Steps: steps}, time.Now())
	if m.ID == "" { // all files already were as before
		if err := s.removeDirs(old.Dirs); err != nil {
			return nil, fmt.Errorf("undo %s: %w", id, err)
		}
		if err := dropPlan(dir, s.fx); err != nil {
			return nil, fmt.Errorf("undo %s: %w", id, err)
		}
	}
	m.ID = id
	return m, nil
}

// undoError gives an undo record that cannot be read a hint.
func undoError(id, dir string, err error) error {
	var pe *fs.PathError
	if !errors.Is(err, errDamaged) && !errors.As(err, &pe) {
		return fmt.Errorf("undo %s: %w", id, err)
	}
	return &Error{Code: CodeDamaged, Message: fmt.Sprintf("undo %s: its record cannot be used: %v", id, err),
		Hint: "nothing was changed; what the files were is in " + filepath.Join(dir, "pre")}
}

// reverse makes the step that takes back the i-th step of a record.
func reverse(st *step, dir string, i int) (*step, error) {
	r := &step{Path: st.Path, Before: st.After, After: st.Before, AfterMode: st.BeforeMode}
	var err error
	if st.Before != "" {
		if r.after, err = readImage(dir, preName(i), st.Before); err != nil {
			return nil, fmt.Errorf("read what %s was: %w", st.Path, err)
		}
	}
	if st.After != "" {
		if r.before, err = readImage(dir, postName(i), st.After); err != nil {
			return nil, fmt.Errorf("read what %s became: %w", st.Path, err)
		}
	}
	switch st.Op {
	case Create:
		r.Op = Delete
	case Delete:
		r.Op = Create
	default:
		r.Op = Modify
		if st.BeforeMode == st.AfterMode {
			r.AfterMode = 0 // the file's, which the user may have set since
		}
	}
	return r, nil
}

// onTop turns an undo's step into one on top of what the user changed since the
// merge. Where that touches what the merge did, the step stays as it is: check
// then finds the conflict.
func (s *Sandbox) onTop(ctx context.Context, st *step) error {
	if st.Op != Modify {
		return nil
	}
	c, err := s.rebase(ctx, Change{Path: st.Path, Op: Modify, Before: st.before, After: st.after})
	if errors.Is(err, errChanged) {
		return nil
	}
	if err != nil {
		return err
	}
	st.before, st.after = c.Before, c.After
	st.Before, st.After = sumOf(c.Before).String(), sumOf(c.After).String()
	return nil
}

// removeDirs removes folders of the tree, given outermost first, that are empty.
func (s *Sandbox) removeDirs(dirs []string) error {
	t, err := s.newTx(&plan{})
	if err != nil {
		return err
	}
	defer t.close()
	return t.removeDirs(dirs)
}

// archive ends a committed plan: a merge's journal becomes its undo record, an
// undo's takes the record away.
func (s *Sandbox) archive(p *plan, journal string) error {
	s.noteUndone(p, time.Now())
	if p.Kind == "undo" {
		if err := dropPlan(filepath.Join(s.dir, "undo", p.Of), s.fx); err != nil {
			return fmt.Errorf("end the undo of %s: %w", p.Of, err)
		}
		return dropPlan(journal, s.fx)
	}
	if err := s.fx.rename(journal, filepath.Join(s.dir, "undo", p.ID)); err != nil {
		return fmt.Errorf("keep the undo record of %s: %w", p.ID, err)
	}
	return s.fx.syncDir(filepath.Join(s.dir, "undo"))
}

// sweep removes undo records that are past their age or size, and old private
// temporary files.
func (s *Sandbox) sweep(now time.Time) {
	records, _ := os.ReadDir(filepath.Join(s.dir, "undo"))
	for _, e := range records { // one that a crash left half removed
		dir := filepath.Join(s.dir, "undo", e.Name())
		if _, err := os.Lstat(filepath.Join(dir, planFile)); errors.Is(err, fs.ErrNotExist) {
			_ = dropPlan(dir, s.fx)
		}
	}
	var total int64
	for i, r := range s.Undos() {
		dir := filepath.Join(s.dir, "undo", r.ID)
		total += sizeOf(dir)
		age := now.Sub(r.Time)
		if i < undoKept {
			continue
		}
		if age > undoAge || total > undoBytes && age > 24*time.Hour {
			_ = dropPlan(dir, s.fx)
		}
	}
	entries, _ := os.ReadDir(s.tmp)
	for _, e := range entries {
		if fi, err := e.Info(); err == nil && now.Sub(fi.ModTime()) > 3*24*time.Hour {
			_ = removeAll(filepath.Join(s.tmp, e.Name()))
		}
	}
}

func sizeOf(dir string) (total int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if fi, err := d.Info(); err == nil && fi.Mode().IsRegular() {
			total += fi.Size()
		}
		return nil
	})
	return total
}
