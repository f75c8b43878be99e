package affected

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// beforeTree is the present tree with the deleted files in it again, and
// without the files that took their place by a rename.
type beforeTree struct {
	lang.Tree
	gone  map[string]bool // deleted files, and the old paths of renames
	added map[string]bool // the new paths of renames
	dirs  map[string]bool // folders of gone files
	files []string
	read  func(rel string) ([]byte, bool)
}

// beforeTree is nil when nothing was deleted or renamed.
func (g *Graph) beforeTree() *beforeTree {
	b := &beforeTree{Tree: g.in.Tree, gone: map[string]bool{}, added: map[string]bool{}, dirs: map[string]bool{}, read: g.in.Base}
	for _, c := range g.in.Changes {
		switch {
		case c.Deleted:
			b.gone[path.Clean(c.Path)] = true
		case c.From != "" && !g.in.Tree.Exists(c.From):
			b.gone[path.Clean(c.From)] = true
			b.added[path.Clean(c.Path)] = true
		}
	}
	if len(b.gone) == 0 {
		return nil
	}
	gone := slices.Sorted(maps.Keys(b.gone))
	for _, f := range gone {
		for dir := path.Dir(f); dir != "."; dir = path.Dir(dir) {
			b.dirs[dir] = true
		}
	}
	for _, f := range g.in.Tree.Files() {
		for ; len(gone) > 0 && gone[0] < f; gone = gone[1:] {
			b.files = append(b.files, gone[0])
		}
		if !b.added[f] && !b.gone[f] {
			b.files = append(b.files, f)
		}
	}
	b.files = append(b.files, gone...)
	return b
}

func (b *beforeTree) ReadFile(rel string) ([]byte, error) {
	if !b.gone[rel] {
		return b.Tree.ReadFile(rel)
	}
	if b.read != nil {
		if src, ok := b.read(rel); ok {
			return src, nil
		}
	}
	return nil, &fs.PathError{Op: "read", Path: rel, Err: fs.ErrNotExist}
}

func (b *beforeTree) Exists(rel string) bool {
	return b.gone[rel] || !b.added[rel] && b.Tree.Exists(rel)
}

func (b *beforeTree) IsDir(rel string) bool {
	return b.dirs[strings.TrimSuffix(rel, "/")] || b.Tree.IsDir(rel)
}

func (b *beforeTree) Files() []string { return b.files }
