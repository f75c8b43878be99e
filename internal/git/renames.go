package git

import (
	"bytes"
	"context"
	"hash/fnv"
	"os"
	"path"
	"path/filepath"
	"sort"
)

// Rename is a file that was moved since the base.
type Rename struct {
	From, To   string
	Similarity int // percent
}

// The bounds of the detection: git's own limit on pairs, and a size above
// which only the same bytes count.
const (
	renameThreshold = 50
	renamePairs     = 160_000
	renameSize      = 1 << 20
)

// Renames detects moves between base (see Base) and the working tree as
// `git diff -M` does, staged or not: a deleted file is paired with the added or
// untracked file that holds most of its lines, at least half.
func (r *Repo) Renames(ctx context.Context, base string) ([]Rename, error) {
	oid, err := r.Base(ctx, base)
	if err != nil {
		return nil, err
	}
	changes, err := r.Modified(ctx, base)
	if err != nil {
		return nil, err
	}
	return r.RenamesIn(ctx, oid, changes)
}

// RenamesIn is Renames for a resolved base and the changes already known.
func (r *Repo) RenamesIn(ctx context.Context, oid string, changes []Change) ([]Rename, error) {
	tree, err := r.tree(ctx, oid)
	if err != nil {
		return nil, err
	}
	var gone, came []content
	sizes := map[int64]bool{} // of what is gone
	for _, c := range changes {
		if c.Status == Deleted {
			e, ok := tree[c.Path]
			if !ok || e.mode == "160000" || e.mode == "120000" {
				continue
			}
			// Raw bytes will do: lines are compared without their ends. A
			// partial clone may not have the blob: then it has no partner.
			src, err := r.blob(ctx, e.oid)
			if err == nil && len(src) > 0 {
				gone = append(gone, newContent(c.Path, src))
				sizes[int64(len(src))] = true
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	for _, c := range changes {
		if c.Status != Added {
			continue
		}
		abs := filepath.Join(r.root, filepath.FromSlash(c.Path))
		fi, err := os.Lstat(abs)
		if err != nil || !fi.Mode().IsRegular() || fi.Size() == 0 || fi.Size() > renameSize && !sizes[fi.Size()] {
			continue // no partner, and a large file is not read for nothing
		}
		src, err := os.ReadFile(abs)
		if os.IsNotExist(err) || len(src) == 0 && err == nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		came = append(came, newContent(c.Path, src))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return pair(gone, came), nil
}

// content is a file as the detection sees it.
type content struct {
	path  string
	src   []byte
	lines map[uint64]int // bytes by line, ends of line apart
	size  int
}

func newContent(p string, src []byte) content {
	c := content{path: p, src: src}
	if len(src) > renameSize {
		return c
	}
	c.lines = map[uint64]int{}
	for line := range bytes.Lines(src) {
		line = bytes.TrimRight(line, "\r\n")
		h := fnv.New64a()
		_, _ = h.Write(line)
		c.lines[h.Sum64()] += len(line) + 1
		c.size += len(line) + 1
	}
	return c
}

// similarity is the share of the larger file that both hold, in percent.
func similarity(a, b content) int {
	if bytes.Equal(a.src, b.src) {
		return 100
	}
	if a.lines == nil || b.lines == nil || a.size*2 < b.size || b.size*2 < a.size {
		return 0
	}
	common := 0
	for h, n := range a.lines {
		common += min(n, b.lines[h])
	}
	return min(99, 100*common/max(a.size, b.size))
}

// pair gives each file at most one partner, the best pairs first; between
// equals the one that kept its name.
func pair(gone, came []content) []Rename {
	type scored struct {
		Rename
		named bool
	}
	var all []scored
	exactOnly := len(gone)*len(came) > renamePairs
	for _, g := range gone {
		for _, c := range came {
			s := 0
			if !exactOnly || bytes.Equal(g.src, c.src) || path.Base(g.path) == path.Base(c.path) {
				s = similarity(g, c)
			}
			if s >= renameThreshold {
				all = append(all, scored{Rename{g.path, c.path, s}, path.Base(g.path) == path.Base(c.path)})
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool {
		if all[i].Similarity != all[j].Similarity {
			return all[i].Similarity > all[j].Similarity
		}
		return all[i].named && !all[j].named
	})
	var out []Rename
	used := map[string]bool{}
	for _, s := range all {
		if used["-"+s.From] || used["+"+s.To] {
			continue
		}
		used["-"+s.From], used["+"+s.To] = true, true
		out = append(out, s.Rename)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].From < out[j].From })
	return out
}
