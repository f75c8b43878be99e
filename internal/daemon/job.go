package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"regreen/internal/engine"
	"regreen/internal/plain"
	"regreen/watch"
)

// job is the saves that one cycle is about.
type job struct {
	files    map[string]bool // made, changed or gone
	modified bool            // everything that differs from the base, not these files
	all      bool            // the whole suite
	noMerge  bool            // for the verdict only: what is repaired is proposed
}

func (j *job) empty() bool { return j == nil || len(j.files) == 0 && !j.modified && !j.all }

// add takes another job in; the newest content is what will be tested anyway.
func (j *job) add(o *job) *job {
	switch {
	case o.empty():
		return j
	case j.empty():
		j = &job{noMerge: o.noMerge}
	}
	j.noMerge = j.noMerge && o.noMerge
	if j.files == nil {
		j.files = map[string]bool{}
	}
	for f := range o.files {
		j.files[f] = true
	}
	j.modified, j.all = j.modified || o.modified, j.all || o.all
	return j
}

func (j *job) request() engine.Request {
	r := engine.Request{All: j.all, Saved: true, NoMerge: j.noMerge}
	if j.noMerge {
		r.NoMergeReason = "an undo or an apply came just before"
	}
	if !j.modified && !j.all {
		for f := range j.files {
			r.Files = append(r.Files, f)
		}
		slices.Sort(r.Files)
	}
	return r
}

// contents knows what each file was when it was last taken up, so that a save
// that is told twice, and one of our own, counts once.
type contents struct {
	root string
	seen map[string]string // rel to SHA-256 in hex, "" for a file that is gone
}

// set notes a content that is no news.
func (c *contents) set(rel, sum string) { c.seen[rel] = sum }

// fresh gives the paths whose content is news, and notes it.
func (c *contents) fresh(b watch.Batch) []string {
	var out []string
	for _, rel := range slices.Concat(b.Paths, b.Deleted) {
		now := sumOf(filepath.Join(c.root, filepath.FromSlash(rel)))
		if last, ok := c.seen[rel]; ok && last == now {
			continue
		}
		c.seen[rel] = now
		out = append(out, rel)
	}
	return out
}

// hashSize is the largest file whose content is read, in bytes; watch has the
// same. The loop waits meanwhile, for a tenth of a second.
const hashSize = 64 << 20

// sumOf is the SHA-256 of a file, "" when there is none. What is no file can
// hold whoever opens it for ever, and a huge file for minutes: of those it is
// the sum of what the file system says about them.
func sumOf(abs string) string {
	fi, err := os.Lstat(abs)
	if err != nil {
		return ""
	}
	h := sha256.New()
	if fi.Mode()&fs.ModeSymlink == 0 && (!fi.Mode().IsRegular() || fi.Size() > hashSize) {
		_, _ = fmt.Fprintf(h, "%s %d %d", fi.Mode(), fi.Size(), fi.ModTime().UnixNano())
		return hex.EncodeToString(h.Sum(nil))
	}
	if fi.Mode()&fs.ModeSymlink != 0 {
		target, _ := os.Readlink(abs)
		_, _ = io.WriteString(h, "link "+target)
		return hex.EncodeToString(h.Sum(nil))
	}
	f, err := plain.Open(abs)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
