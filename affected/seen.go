package affected

import (
	"path"
	"strings"
	"sync"

	"regreen/internal/lang"
)

// seenTree answers what exists among the repository's own folders from their
// listings, each read once: a resolver asks for many more names than there
// are. Everything else it asks the tree, folders once. It is for the life of a
// resolver, and safe for concurrent use.
type seenTree struct {
	lang.Tree
	list lang.Lister
	own  map[string]bool // folders of the repository's own files

	mu    sync.Mutex // guards the fields below
	files map[string]folder
	dirs  map[string]bool
}

// folder is the names of the files in one; nil names: it cannot be told.
// folded are the same in lower case, for a file system that sees no difference.
type folder struct{ names, folded map[string]bool }

// seen gives the tree itself where it cannot list folders.
func seen(t lang.Tree) lang.Tree {
	l, ok := t.(lang.Lister)
	if !ok {
		return t
	}
	s := &seenTree{Tree: t, list: l, own: map[string]bool{".": true}, files: map[string]folder{}, dirs: map[string]bool{}}
	last := ""
	for _, f := range t.Files() {
		of := f[:strings.LastIndexByte(f, '/')+1]
		if of == last { // a folder's files come together
			continue
		}
		last = of
		for dir := path.Dir(f); !s.own[dir]; dir = path.Dir(dir) {
			s.own[dir] = true
		}
	}
	return s
}

// Exists is true for a regular file or a link to one.
func (s *seenTree) Exists(rel string) bool {
	clean := path.Clean(rel)
	dir, base := path.Dir(clean), path.Base(clean)
	switch {
	case strings.HasPrefix(base, ".") || strings.HasPrefix(clean, "../"):
		return s.Tree.Exists(rel) // may be put there from elsewhere
	case !s.own[dir]:
		return s.IsDir(dir) && s.Tree.Exists(rel)
	}
	s.mu.Lock()
	in, ok := s.files[dir]
	s.mu.Unlock()
	if !ok {
		in.names, in.folded = s.list.List(dir), map[string]bool{}
		for name, is := range in.names {
			if is {
				in.folded[strings.ToLower(name)] = true
			}
		}
		s.mu.Lock()
		s.files[dir] = in
		s.mu.Unlock()
	}
	if in.names == nil || !in.names[base] && in.folded[strings.ToLower(base)] {
		return s.Tree.Exists(rel)
	}
	return in.names[base]
}

// IsDir is true for a folder or a link to one.
func (s *seenTree) IsDir(rel string) bool {
	dir := path.Clean(rel)
	if s.own[dir] {
		return true
	}
	s.mu.Lock()
	is, ok := s.dirs[dir]
	s.mu.Unlock()
	if !ok {
		is = s.Tree.IsDir(dir)
		s.mu.Lock()
		s.dirs[dir] = is
		s.mu.Unlock()
	}
	return is
}
