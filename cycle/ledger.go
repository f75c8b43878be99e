package cycle

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sort"

	"regreen/fixers"
)

// applied is a fix that is in the sandbox.
type applied struct {
	fix   fixers.Fix
	cause cause
	// before holds the bytes of every file that it touched, as they were.
	before map[string]File
	// record is the fix's entry in the document.
	record *Fix
}

// ledger knows every edit that is in the sandbox, in order, and can take any
// of them back. What is not in the ledger is never merged.
type ledger struct {
	read  func(rel string) ([]byte, error)
	write func(rel string, f File) error
	// orig are the files touched so far as the snapshot has them, now as the
	// fixes make them. What tests write into a file is in neither.
	orig, now map[string]File
	list      []*applied
}

func newLedger(read func(string) ([]byte, error), write func(string, File) error) *ledger {
	return &ledger{read: read, write: write, orig: map[string]File{}, now: map[string]File{}}
}

var errStale = errors.New("the edit does not fit the file any more")

// file is a file as the fixes so far have it.
func (l *ledger) file(name string) (File, error) {
	if f, ok := l.now[name]; ok {
		return f, nil
	}
	b, err := l.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return File{Gone: true}, nil
	}
	return File{Data: b}, err
}

// text is a file's bytes as the fixes so far have it.
func (l *ledger) text(name string) ([]byte, error) {
	f, err := l.file(name)
	if err == nil && f.Gone {
		err = fmt.Errorf("read %s: %w", name, fs.ErrNotExist)
	}
	return f.Data, err
}

// set makes a touched file what it is to be.
func (l *ledger) set(file string, f File) error {
	if err := l.write(file, f); err != nil {
		return err
	}
	l.now[file] = f
	return nil
}

// edits are the touched files that differ from the snapshot.
func (l *ledger) edits() map[string]File {
	out := map[string]File{}
	for file, f := range l.now {
		o := l.orig[file]
		chmod := f.Mode != 0 && o.Mode != 0 && f.Mode != o.Mode
		if f.Gone != o.Gone || !f.Gone && (chmod || !bytes.Equal(f.Data, o.Data)) {
			out[file] = f
		}
	}
	return out
}

// editsUntil are the edits of the first n fixes alone.
func (l *ledger) editsUntil(n int) map[string]File {
	part := &ledger{orig: l.orig, now: maps.Clone(l.now)}
	for _, a := range slices.Backward(l.list[n:]) {
		maps.Copy(part.now, a.before)
	}
	return part.edits()
}

// after gives one file as it is and as the fix makes it; errStale when the fix
// does not fit any more.
func (l *ledger) after(fix fixers.Fix, file string) (before, after File, err error) {
	before, err = l.file(file)
	if err != nil {
		return before, after, fmt.Errorf("read %s: %w", file, err)
	}
	for _, w := range fix.Whole {
		if w.File != file {
			continue
		}
		if before.Gone != w.Created || !w.Created && !bytes.Equal(before.Data, w.Before) {
			return before, after, errStale
		}
		after = File{Data: w.After, Mode: before.Mode, Gone: w.Deleted}
		if w.Mode != w.BeforeMode {
			if before.Mode == 0 {
				before.Mode = w.BeforeMode
			}
			after.Mode = w.Mode
		}
		return before, after, nil
	}
	if before.Gone {
		return before, after, fmt.Errorf("read %s: %w", file, fs.ErrNotExist)
	}
	b, err := splice(before.Data, editsOf(fix, file))
	return before, File{Data: b, Mode: before.Mode}, err
}

// apply writes the fix's edits. On an error nothing is changed.
func (l *ledger) apply(fix fixers.Fix, c cause) (*applied, error) {
	a := &applied{fix: fix, cause: c, before: map[string]File{}}
	after := map[string]File{}
	for _, file := range editedFiles(fix) {
		var err error
		if a.before[file], after[file], err = l.after(fix, file); err != nil {
			return nil, fmt.Errorf("edit %s: %w", file, err)
		}
	}
	for file, f := range a.before {
		if o, ok := l.orig[file]; !ok || o.Mode == 0 && bytes.Equal(o.Data, f.Data) {
			l.orig[file] = f // the mode is known only when a fix sets it
		}
	}
	if err := l.put(after); err != nil {
		return nil, errors.Join(fmt.Errorf("write a fix: %w", err), l.put(a.before))
	}
	l.list = append(l.list, a)
	return a, nil
}

// put writes files. What is to be gone goes first: it may stand where another
// one needs a folder.
func (l *ledger) put(files map[string]File) error {
	var errs []error
	for _, gone := range []bool{true, false} {
		for file, f := range files {
			if f.Gone == gone {
				errs = append(errs, l.set(file, f))
			}
		}
	}
	return errors.Join(errs...)
}

// rollback takes back everything after the first n fixes.
func (l *ledger) rollback(n int) error {
	for len(l.list) > n {
		last := l.list[len(l.list)-1]
		if err := l.put(last.before); err != nil {
			return fmt.Errorf("roll back %s: %w", last.fix.Title, err)
		}
		l.list = l.list[:len(l.list)-1]
	}
	return nil
}

// drop takes one fix out of the middle: the later ones are applied again where
// their text now stands; one that overlaps it goes too and is returned.
func (l *ledger) drop(a *applied) (gone []*applied, err error) {
	at := -1
	for i, x := range l.list {
		if x == a {
			at = i
		}
	}
	if at < 0 {
		return nil, nil
	}
	later := append([]*applied(nil), l.list[at+1:]...)
	if err := l.rollback(at); err != nil {
		return nil, err
	}
	gone = append(gone, a)
	removed := []*applied{a}
	for _, x := range later {
		moved, ok := withoutAll(x.fix, removed)
		ok = ok && l.sameSurroundings(x, moved)
		if ok {
			var y *applied
			if y, err = l.apply(moved, x.cause); err == nil {
				y.record = x.record
				continue
			}
			if !errors.Is(err, errStale) {
				return gone, err
			}
		}
		gone = append(gone, x)
		removed = append(removed, x)
	}
	return gone, nil
}

// withoutAll moves a fix's edits to where they stand when the removed fixes,
// which were applied before it, are not there.
func withoutAll(fix fixers.Fix, removed []*applied) (fixers.Fix, bool) {
	out := fix
	out.Edits = append([]fixers.Edit(nil), fix.Edits...)
	for _, r := range removed {
		if (len(fix.Whole) > 0 || len(r.fix.Whole) > 0) && shareFile(fix, r.fix) {
			return fix, false
		}
		for i, e := range out.Edits {
			shift := 0
			for _, re := range placed(r.fix, e.File) {
				switch {
				case re.newEnd <= e.Start:
					shift += re.oldLen - (re.newEnd - re.newStart)
				case re.newStart >= e.End:
				default:
					return fix, false
				}
			}
			out.Edits[i].Start += shift
			out.Edits[i].End += shift
		}
	}
	return out, true
}

// sameSurroundings makes sure that moved edits stand where they stood: the
// bytes that they replace, and some on either side, are what they were.
func (l *ledger) sameSurroundings(x *applied, moved fixers.Fix) bool {
	for i, e := range moved.Edits {
		old := x.fix.Edits[i]
		now, err := l.text(e.File)
		if err != nil || e.Start < 0 || e.End > len(now) {
			return false
		}
		if !bytes.Equal(around(now, e.Start, e.End), around(x.before[e.File].Data, old.Start, old.End)) {
			return false
		}
	}
	return true
}

// around is a range with up to 4 bytes on either side.
func around(b []byte, start, end int) []byte {
	return b[max(0, start-4):min(len(b), end+4)]
}

type place struct{ newStart, newEnd, oldLen int }

// placed says where a fix's edits stand after it was applied.
func placed(fix fixers.Fix, file string) []place {
	var out []place
	shift := 0
	for _, e := range editsOf(fix, file) {
		s := e.Start + shift
		out = append(out, place{s, s + len(e.New), e.End - e.Start})
		shift += len(e.New) - (e.End - e.Start)
	}
	return out
}

// changes are the files that differ from the snapshot because of the ledger.
func (l *ledger) changes() []Change {
	var out []Change
	for file, f := range l.edits() {
		out = append(out, changeOf(file, l.orig[file], f))
	}
	sort.Slice(out, func(i, j int) bool { return out[i].File < out[j].File })
	return out
}

func changeOf(file string, before, after File) Change {
	return Change{File: file, Before: before.Data, After: after.Data, Created: before.Gone, Deleted: after.Gone,
		BeforeMode: before.Mode, Mode: after.Mode}
}

func editedFiles(fix fixers.Fix) []string { return fix.Files() }

func shareFile(a, b fixers.Fix) bool {
	return slices.ContainsFunc(a.Files(), func(f string) bool { return slices.Contains(b.Files(), f) })
}

func editsOf(fix fixers.Fix, file string) []fixers.Edit {
	var out []fixers.Edit
	for _, e := range fix.Edits {
		if e.File == file {
			out = append(out, e)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Start < out[j].Start })
	return out
}

// splice applies edits sorted by start; errStale when they overlap or lie
// outside the text.
func splice(src []byte, edits []fixers.Edit) ([]byte, error) {
	var out []byte
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(src) {
			return nil, errStale
		}
		out = append(out, src[at:e.Start]...)
		out = append(out, e.New...)
		at = e.End
	}
	return append(out, src[at:]...), nil
}
