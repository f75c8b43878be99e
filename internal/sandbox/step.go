package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// maxTold is how many saved files are looked at one by one: to list the whole
// tree costs less than more of them, and who names so many may not know all.
const maxTold = 100

// rules are the names of files that say what belongs to the tree.
var rules = []string{".gitignore", ".gitattributes", ".gitmodules", "pyvenv.cfg"}

// errWhole says that the whole tree has to be listed.
var errWhole = errors.New("the named files do not tell what the tree holds")

// SnapshotOf is Snapshot for somebody who was told which files (rel) were saved
// since the last one: it looks at no others, and Told is set. A change that
// nobody told of is not in it, so what is proved on it holds once a Snapshot
// that is taken afterwards is equal. Where the names do not tell what the tree
// holds (the first snapshot, a new file, another HEAD or index, other ignore
// rules) it is Snapshot.
func (s *Sandbox) SnapshotOf(ctx context.Context, saved []string) (*Snapshot, error) {
	snap, err := s.step(ctx, saved)
	if err == nil {
		return snap, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s.log.Debug("the whole tree is listed", "why", err)
	return s.Snapshot(ctx)
}

func (s *Sandbox) step(ctx context.Context, saved []string) (*Snapshot, error) {
	last := s.last
	if last == nil || len(saved) > maxTold {
		return nil, errWhole
	}
	guard, err := s.repo.Guard(ctx, last.Nested...)
	if err != nil {
		return nil, err
	}
	if !guard.Equal(last.Guard) {
		return nil, errWhole
	}
	snap := &Snapshot{Base: guard.Head, Guard: guard, Nested: last.Nested, Skipped: slices.Clone(last.Skipped), Told: true, box: s}
	w := &imaging{s: s, snap: snap, fresh: manifest{}, known: len(s.seen), tracked: map[string]bool{}, dropped: map[string]bool{}}
	real := map[string]bool{".": true}
	for _, rel := range slices.Compact(slices.Sorted(slices.Values(append(s.racing(), saved...)))) {
		if err := w.tell(rel, real); err != nil {
			return nil, err
		}
	}
	return snap, w.finish(ctx)
}

// racing are the files whose stat data did not prove their bytes yet when
// they were read.
func (s *Sandbox) racing() []string {
	var out []string
	for rel, r := range s.seen {
		if !r.settled {
			out = append(out, rel)
		}
	}
	return out
}

// tell takes in one file that may have changed. real are the folders that were
// looked at.
func (w *imaging) tell(rel string, real map[string]bool) error {
	r, ok := w.s.seen[rel]
	if !ok || !w.s.realFolder(path.Dir(rel), real) {
		return errWhole
	}
	fi, err := os.Lstat(filepath.Join(w.s.repo.Root(), filepath.FromSlash(rel)))
	switch {
	case errors.Is(err, fs.ErrNotExist) && !slices.Contains(rules, path.Base(rel)):
		w.gone = append(w.gone, rel)
		return nil
	case err != nil, !fi.Mode().IsRegular() && fi.Mode()&fs.ModeSymlink == 0, !r.Tracked && fi.Size() > maxUntracked:
		return errWhole
	case r.holds(fi):
		return nil
	case slices.Contains(rules, path.Base(rel)):
		return errWhole
	}
	w.tracked[rel] = r.Tracked
	w.todo = append(w.todo, rel)
	return nil
}

// realFolder tells whether a folder of the user's is one all the way down from
// the root, and no link.
func (s *Sandbox) realFolder(dir string, real map[string]bool) bool {
	is, ok := real[dir]
	if !ok {
		if s.realFolder(path.Dir(dir), real) {
			fi, err := os.Lstat(filepath.Join(s.repo.Root(), filepath.FromSlash(dir)))
			is = err == nil && fi.IsDir()
		}
		real[dir] = is
	}
	return is
}
