package cycle

import (
	"bytes"
	"errors"
	"fmt"
	"sort"

	"regreen/fixers"
)

// applied is a fix that is in the sandbox.
type applied struct {
	fix   fixers.Fix
	cause cause
	// before holds the bytes of every file that it touched, as they were.
	before map[string][]byte
	// record is the fix's entry in the document.
	record *Fix
}

// ledger knows every edit that is in the sandbox, in order, and can take any
// of them back. What is not in the ledger is never merged.
type ledger struct {
	read  func(rel string) ([]byte, error)
	write func(rel string, data []byte) error
	// orig are the snapshot's bytes of the files touched so far, now the bytes
	// that the fixes give them. What tests write into a file is in neither.
	orig, now map[string][]byte
	list      []*applied
}

func newLedger(read func(string) ([]byte, error), write func(string, []byte) error) *ledger {
	return &ledger{read: read, write: write, orig: map[string][]byte{}, now: map[string][]byte{}}
}

var errStale = errors.New("the edit does not fit the file any more")

// text is a file as the fixes so far have it.
func (l *ledger) text(file string) ([]byte, error) {
	if b, ok := l.now[file]; ok {
		return b, nil
	}
	return l.read(file)
}

// set gives a touched file its bytes.
func (l *ledger) set(file string, b []byte) error {
	if err := l.write(file, b); err != nil {
		return err
	}
	l.now[file] = b
	return nil
}

// edits are the touched files that differ from the snapshot.
func (l *ledger) edits() map[string][]byte {
	out := map[string][]byte{}
	for file, b := range l.now {
		if !bytes.Equal(b, l.orig[file]) {
			out[file] = b
		}
	}
	return out
}

// apply writes the fix's edits. On an error nothing is changed.
func (l *ledger) apply(fix fixers.Fix, c cause) (*applied, error) {
	a := &applied{fix: fix, cause: c, before: map[string][]byte{}}
	after := map[string][]byte{}
	for _, file := range editedFiles(fix) {
		src, err := l.text(file)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		out, err := splice(src, editsOf(fix, file))
		if err != nil {
			return nil, fmt.Errorf("edit %s: %w", file, err)
		}
		a.before[file], after[file] = src, out
	}
	for _, file := range editedFiles(fix) {
		if _, ok := l.orig[file]; !ok {
			l.orig[file] = a.before[file]
		}
		if err := l.set(file, after[file]); err != nil {
			return nil, errors.Join(fmt.Errorf("write %s: %w", file, err), l.put(a.before))
		}
	}
	l.list = append(l.list, a)
	return a, nil
}

func (l *ledger) put(files map[string][]byte) error {
	var errs []error
	for file, b := range files {
		errs = append(errs, l.set(file, b))
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
		if !bytes.Equal(around(now, e.Start, e.End), around(x.before[e.File], old.Start, old.End)) {
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
	for file, b := range l.edits() {
		out = append(out, Change{File: file, Before: l.orig[file], After: b})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].File < out[j].File })
	return out
}

func editedFiles(fix fixers.Fix) []string {
	seen := map[string]bool{}
	var out []string
	for _, e := range fix.Edits {
		if !seen[e.File] {
			seen[e.File] = true
			out = append(out, e.File)
		}
	}
	sort.Strings(out)
	return out
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
