package watch

// What files hold: hashed when they are told of, and ahead of that at rest.

import (
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"regreen/internal/plain"
)

// hash is the content of a file; of a link its target.
func hash(abs string, fi fs.FileInfo) (s sum, ok bool) {
	if fi.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(abs)
		return sha256.Sum256([]byte("link " + target)), err == nil
	}
	f, err := plain.Open(abs)
	if err != nil {
		return s, false
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return s, false
	}
	h.Sum(s[:0])
	return s, true
}

// warm hashes files whose content is not known yet, until the time is up.
// It says whether there is more.
func (t *tree) warm(until time.Time) bool {
	for len(t.cold) > 0 {
		d := t.cold[len(t.cold)-1]
		if t.dirs[d.rel] == d {
			for name, e := range d.files {
				if e.known || e.size > lateSize {
					continue
				}
				if time.Now().After(until) {
					return true
				}
				t.warmFile(d, name, e)
			}
		}
		t.cold = t.cold[:len(t.cold)-1]
	}
	t.cold = nil
	return false
}

func (t *tree) warmFile(d *folder, name string, e *entry) {
	abs := filepath.Join(d.abs, name)
	fi, err := os.Lstat(abs)
	if err != nil {
		return // its event is on the way
	}
	if !e.same(fi) {
		t.see(d, name, fi)
		return
	}
	if s, ok := hash(abs, fi); ok {
		e.sum, e.known = s, true
		e.racy = time.Since(fi.ModTime()) < racyFor
	}
}
