package py

import "path"

// exists also finds files that the repository does not own (generated and
// ignored ones); what the tree says is kept, for it may have to ask the disk.
func (r *resolver) exists(p string) bool {
	if r.files[p] {
		return true
	}
	found, ok := r.stats[p]
	if !ok {
		found = r.hasDir(path.Dir(p)) && r.tree.Exists(p)
		r.stats[p] = found
	}
	return found
}

func (r *resolver) hasDir(dir string) bool {
	if dir == "." || len(r.dirs[dir]) > 0 {
		return true
	}
	key := dir + "/"
	found, ok := r.stats[key]
	if !ok {
		found = r.tree.IsDir(dir)
		r.stats[key] = found
	}
	return found
}

// isDir tells whether a folder can be a namespace package: it holds Python, or
// is reached through a link, below which no files are listed
// (vitest-dev/vitest#4101 is about linked folders).
func (r *resolver) isDir(dir string) bool {
	return len(r.dirs[dir]) > 0 || r.linked(dir) && r.hasDir(dir)
}

// linked tells whether a folder is a link or below one: no folder is among the
// files, but a link to one is.
func (r *resolver) linked(dir string) bool {
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if r.files[dir] {
			return true
		}
	}
	return false
}
