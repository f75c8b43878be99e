package sandbox

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"golang.org/x/sync/errgroup"

	"regreen/internal/git"
)

// Snapshot is an exact image of the working tree at one moment.
type Snapshot struct {
	Tree   string // git tree in the shadow repository
	Commit string // a commit of it, on top of Base where there is one
	Base   string // the user's HEAD, "" when unborn
	// Files are the repository's own files by rel. Snapshots share it where they
	// are equal: it is only to be read.
	Files map[string]Entry
	// Nested are the folders of submodules and embedded repositories.
	Nested []string
	// Skipped are files that are not in the image, each with the reason.
	Skipped []string
	// Guard is the repository's state in which it was taken.
	Guard git.Guard
	// Read is how many files had to be read for it.
	Read int
	// Told says that only named files were looked at; see SnapshotOf.
	Told bool

	names   []string
	entries []Entry  // of names: to compare these needs no look-up in a map (2 ms for 10,000)
	dirs    []string // those that hold files, the root first; see snapDirs
	box     *Sandbox
}

// maxUntracked is the size above which an untracked file is not an input of
// tests that we copy.
const maxUntracked = 64 << 20

// ErrMoving is in the chain when the tree or the repository changed under every
// try to image it.
var ErrMoving = errors.New("the working tree keeps changing")

// Names are the paths, sorted.
func (s *Snapshot) Names() []string { return s.names }

// Hash is the SHA-256 of a file in hex; ok is false when it is not there.
func (s *Snapshot) Hash(rel string) (hex string, ok bool) {
	e, ok := s.Files[rel]
	if !ok {
		return "", false
	}
	return e.Sum.String(), true
}

// Saved gives the files that came or went since an earlier snapshot of the same
// repository, or hold other bytes, sorted. A link is always among them: what it
// leads to may have changed.
func (s *Snapshot) Saved(before *Snapshot) []string {
	var out []string
	names, entries := before.names, before.entries
	for i, rel := range s.names {
		for len(names) > 0 && names[0] < rel {
			out = append(out, names[0])
			names, entries = names[1:], entries[1:]
		}
		had := len(names) > 0 && names[0] == rel
		if !had || s.entries[i].Sum != entries[0].Sum || s.entries[i].Mode&fs.ModeSymlink != 0 {
			out = append(out, rel)
		}
		if had {
			names, entries = names[1:], entries[1:]
		}
	}
	return append(out, names...)
}

// Bytes reads a file as it is in the snapshot, whatever became of it since.
// The error is fs.ErrNotExist for a file that is not there.
func (s *Snapshot) Bytes(ctx context.Context, rel string) ([]byte, error) {
	e, ok := s.Files[rel]
	if !ok {
		return nil, fmt.Errorf("%s in the snapshot: %w", rel, fs.ErrNotExist)
	}
	for _, root := range []string{s.box.repo.Root(), s.box.tree} {
		abs := filepath.Join(root, filepath.FromSlash(rel))
		if fi, err := os.Lstat(abs); err == nil && fi.Size() == e.Size {
			if src, err := readFile(abs, fi); err == nil && sumOf(src) == e.Sum {
				return src, nil
			}
		}
	}
	src, err := s.box.shadow.blob(ctx, s.Commit, rel)
	if err != nil {
		return nil, err
	}
	if sumOf(src) != e.Sum {
		return nil, fmt.Errorf("read %s from the snapshot: its bytes are not those that were stored", rel)
	}
	return src, nil
}

// forget has the next snapshot read every file.
func (s *Sandbox) forget() { s.head, s.seen, s.last = header{}, manifest{}, nil }

func sumOf(src []byte) Sum { return sha256.Sum256(src) }

// Snapshot images the working tree: raw bytes of what is tracked, or untracked
// and not ignored. It reads only files whose stat data changed since the last
// one, and starts over when something changes under it.
func (s *Sandbox) Snapshot(ctx context.Context) (*Snapshot, error) {
	var err error
	rebuilt := false
	for range 4 {
		var snap *Snapshot
		if snap, err = s.snapshot(ctx); err == nil {
			return snap, nil
		}
		var ee *git.ExitError
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("snapshot: %w", context.Cause(ctx))
		case errors.Is(err, ErrMoving):
		case errors.As(err, &ee) && diskFull(ee.Stderr):
			return nil, fmt.Errorf("snapshot: %w (%v)", ErrNoSpace, ee)
		case errors.As(err, &ee) && !rebuilt:
			// A borrowed object is gone (the user's gc), or a process broke
			// the shadow: it is made anew from the working tree.
			s.log.Debug("shadow repository made anew", "err", err)
			rebuilt = true
			if err := s.shadow.rebuild(ctx); err != nil {
				return nil, fmt.Errorf("snapshot: %w", err)
			}
			s.forget()
		default:
			return nil, fmt.Errorf("snapshot: %w", err)
		}
	}
	return nil, fmt.Errorf("snapshot: %w", err)
}

func (s *Sandbox) snapshot(ctx context.Context) (*Snapshot, error) {
	if err := s.shadow.purge(); err != nil {
		return nil, err
	}
	guard, err := s.repo.Guard(ctx)
	if err != nil {
		return nil, err
	}
	list, err := s.repo.List(ctx)
	if err != nil {
		return nil, err
	}
	if len(list.Nested) > 0 {
		with, err := s.repo.Guard(ctx, list.Nested...)
		if err != nil {
			return nil, err
		}
		if with.Head != guard.Head || with.Branch != guard.Branch || with.Index != guard.Index {
			return nil, ErrMoving
		}
		guard = with
	}
	snap := &Snapshot{Base: guard.Head, Guard: guard, Nested: list.Nested, box: s}
	for _, d := range list.Skipped {
		snap.Skipped = append(snap.Skipped, d+": another worktree or an unreadable repository")
	}
	w := &imaging{s: s, snap: snap, fresh: manifest{}, live: make([]string, 0, len(list.Files)), tracked: map[string]bool{}, dropped: map[string]bool{}}
	for i, f := range list.Files {
		if i > 0 && f.Rel == list.Files[i-1].Rel {
			continue
		}
		if !f.Tracked && f.Info.Size() > maxUntracked {
			snap.Skipped = append(snap.Skipped, f.Rel+": untracked and too large")
			continue
		}
		w.live = append(w.live, f.Rel)
		r, ok := s.seen[f.Rel]
		if ok {
			w.known++
		}
		if ok && r.holds(f.Info) {
			if r.Tracked != f.Tracked {
				r.Tracked = f.Tracked
				w.fresh[f.Rel] = r
			}
			continue
		}
		w.tracked[f.Rel] = f.Tracked
		w.todo = append(w.todo, f.Rel)
	}
	return snap, w.finish(ctx)
}

// finish reads what is to be read and makes the image the sandbox's newest, if
// the repository did not move meanwhile.
func (w *imaging) finish(ctx context.Context) error {
	if err := w.run(ctx); err != nil {
		return err
	}
	now, err := w.s.repo.Guard(ctx, w.snap.Nested...)
	if err != nil {
		return err
	}
	// A lock comes and goes with every prompt; what counts is what moved.
	if !w.snap.Guard.Equal(now) {
		return ErrMoving
	}
	w.snap.Guard = now
	w.done()
	return nil
}

// imaging is the work of one snapshot. What it learns is the sandbox's only
// when it succeeds.
type imaging struct {
	s       *Sandbox
	snap    *Snapshot
	fresh   manifest        // records that are new or not as they were
	todo    []string        // to be read
	live    []string        // all paths, sorted; nil where only named files are looked at
	known   int             // how many of live have a record already
	gone    []string        // have a record and are not live
	dropped map[string]bool // live, but not readable
	tracked map[string]bool // of todo
	im      *importer
}

// image is one file that was read.
type image struct {
	rel string
	src []byte
	rec record
	err error
}

func (w *imaging) run(ctx context.Context) (err error) {
	s := w.s
	defer func() {
		if err != nil && w.im != nil {
			w.im.abort()
		}
	}()
	if w.known < len(s.seen) {
		for rel := range s.seen {
			if _, ok := slices.BinarySearch(w.live, rel); !ok {
				w.gone = append(w.gone, rel)
			}
		}
		sort.Strings(w.gone)
	}
	for _, rel := range w.gone {
		w.importer(ctx).remove(rel)
	}
	todo := w.todo
	for round := 0; len(todo) > 0; round++ {
		if round == 3 {
			return ErrMoving
		}
		if err := w.read(ctx, todo); err != nil {
			return err
		}
		todo = w.moved(todo)
	}
	if s.head.Commit == "" || s.head.Base != w.snap.Base {
		w.importer(ctx)
	}
	w.snap.Tree, w.snap.Commit = s.head.Tree, s.head.Commit
	if w.im != nil {
		im := w.im
		w.im = nil
		if w.snap.Tree, w.snap.Commit, err = im.finish(); err != nil {
			return err
		}
	}
	return nil
}

func (w *imaging) importer(ctx context.Context) *importer {
	if w.im == nil {
		w.im = w.s.shadow.startImport(ctx, w.snap.Base, w.s.head.Tree)
	}
	return w.im
}

// read reads files with a few workers and hands on what is new.
func (w *imaging) read(ctx context.Context, rels []string) error {
	g, gctx := errgroup.WithContext(ctx)
	jobs, results := make(chan string), make(chan image)
	g.Go(func() error {
		defer close(jobs)
		for _, rel := range rels {
			select {
			case jobs <- rel:
			case <-gctx.Done():
				return gctx.Err()
			}
		}
		return nil
	})
	workers, wctx := errgroup.WithContext(gctx)
	for range min(4, len(rels)) {
		workers.Go(func() error {
			for rel := range jobs {
				select {
				case results <- w.s.image(rel):
				case <-wctx.Done():
					return wctx.Err()
				}
			}
			return nil
		})
	}
	g.Go(func() error {
		defer close(results)
		return workers.Wait()
	})
	g.Go(func() error {
		for img := range results {
			if err := w.take(ctx, img); err != nil {
				return err
			}
		}
		return nil
	})
	return g.Wait()
}

// image reads one of the user's files.
func (s *Sandbox) image(rel string) image {
	abs := filepath.Join(s.repo.Root(), filepath.FromSlash(rel))
	src, fi, err := readStable(abs)
	if errors.Is(err, errUnstable) {
		// A log that is always written: what it holds now is as good as any.
		if fi, err = os.Lstat(abs); err == nil {
			src, err = readFile(abs, fi)
		}
		if err == nil {
			return image{rel: rel, src: src, rec: record{Entry: entryOf(fi, src)}}
		}
	}
	if err != nil {
		return image{rel: rel, err: err}
	}
	return image{rel: rel, src: src, rec: note(fi, entryOf(fi, src), time.Now())}
}

func entryOf(fi fs.FileInfo, src []byte) Entry {
	return Entry{Mode: entryMode(fi.Mode()), Size: int64(len(src)), Sum: sumOf(src)}
}

func (w *imaging) take(ctx context.Context, img image) error {
	old, had := w.s.seen[img.rel]
	switch {
	case errors.Is(img.err, fs.ErrPermission):
		w.snap.Skipped = append(w.snap.Skipped, img.rel+": not readable")
		w.dropped[img.rel] = true
		if had {
			w.importer(ctx).remove(img.rel)
		}
		return nil
	case img.err != nil: // vanished, or became a folder: list again
		return ErrMoving
	}
	w.snap.Read++
	img.rec.Tracked = w.tracked[img.rel]
	if again, ok := w.fresh[img.rel]; ok {
		old, had = again, true
	}
	w.fresh[img.rel] = img.rec
	if had && old.Sum == img.rec.Sum && old.Entry.Mode == img.rec.Entry.Mode {
		return nil
	}
	if err := w.importer(ctx).file(img.rel, img.rec.Entry.Mode, img.src); err != nil {
		w.im.abortWith(&err)
		w.im = nil
		return err
	}
	return nil
}

// moved gives those files that changed after they were read.
func (w *imaging) moved(rels []string) []string {
	var again []string
	for _, rel := range rels {
		r, ok := w.fresh[rel]
		if !ok || r.sig == (sig{}) {
			continue
		}
		fi, err := os.Lstat(filepath.Join(w.s.repo.Root(), filepath.FromSlash(rel)))
		if err != nil || sigOf(fi) != r.sig {
			again = append(again, rel)
		}
	}
	return again
}

// done makes the image the one that the next is compared with.
func (w *imaging) done() {
	s, snap := w.s, w.snap
	changed := len(w.fresh)+len(w.gone)+len(w.dropped) > 0
	moved := len(w.gone)+len(w.dropped) > 0 // the names are not those of before
	for rel := range w.dropped {
		delete(w.fresh, rel)
		delete(s.seen, rel)
	}
	for _, rel := range w.gone {
		delete(s.seen, rel)
	}
	for rel, r := range w.fresh {
		_, ok := s.seen[rel]
		moved = moved || !ok
		s.seen[rel] = r
	}
	s.head = header{Tree: snap.Tree, Commit: snap.Commit, Base: snap.Base}
	if last := s.last; last != nil && !moved {
		snap.names, snap.dirs = last.names, last.dirs
	} else {
		names := w.live
		if snap.Told {
			names = slices.Clone(s.last.names)
		}
		snap.names = slices.DeleteFunc(names, func(rel string) bool {
			_, ok := s.seen[rel]
			return !ok
		})
		snap.dirs = foldersOf(snap.names)
	}
	switch last := s.last; {
	case last == nil:
		snap.Files = make(map[string]Entry, len(snap.names))
		for _, rel := range snap.names {
			snap.Files[rel] = s.seen[rel].Entry
		}
	case !changed:
		snap.Files = last.Files
	default:
		snap.Files = maps.Clone(last.Files)
		for rel := range w.dropped {
			delete(snap.Files, rel)
		}
		for _, rel := range w.gone {
			delete(snap.Files, rel)
		}
		for rel, r := range w.fresh {
			snap.Files[rel] = r.Entry
		}
	}
	if last := s.last; last != nil && !moved {
		snap.entries = last.entries
		if changed {
			snap.entries = slices.Clone(last.entries)
		}
		for rel, r := range w.fresh {
			if i, ok := slices.BinarySearch(snap.names, rel); ok { // no name is new
				snap.entries[i] = r.Entry
			}
		}
	} else {
		snap.entries = make([]Entry, len(snap.names))
		for i, rel := range snap.names {
			snap.entries[i] = snap.Files[rel]
		}
	}
	s.last = snap
	sort.Strings(snap.Skipped)
	// A small step is kept at Close; a killed process then reads a few files
	// more at its next start.
	s.dirty = true
	if snap.Read > 500 {
		s.keep()
	}
}

// keep writes down what the next start can build on.
func (s *Sandbox) keep() {
	if !s.dirty {
		return
	}
	s.dirty = false
	err := saveManifest(filepath.Join(s.dir, "manifest"), s.head, s.seen)
	if err == nil {
		err = saveManifest(filepath.Join(s.dir, "box", "manifest"), s.head, s.boxed)
	}
	if err != nil {
		s.log.Debug("manifest not kept", "err", err)
	}
}
