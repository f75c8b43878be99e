package watch

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// follow watches the folder that a link leads to, at its real path, if it lies
// outside the repository: inside, it is watched where it is.
func (t *tree) follow(d *folder, name string, deep bool) {
	rel := join(d.rel, name)
	known := t.dirs[rel]
	real, ok := t.outsideFolder(filepath.Join(d.abs, name))
	switch {
	case known != nil && (!ok || known.abs != real):
		t.drop(known)
	case known != nil:
		if deep {
			t.rewatch(known)
			t.scan(known, true)
		}
		return
	}
	if !ok || t.byAbs[real] != nil {
		return
	}
	t.enter(&folder{rel: rel, abs: real, parent: d, link: true})
}

// outsideFolder resolves a link to a folder outside the repository that does
// not hold the repository.
func (t *tree) outsideFolder(link string) (real string, ok bool) {
	fi, err := os.Stat(link)
	if err != nil || !fi.IsDir() {
		return "", false
	}
	real, err = filepath.EvalSymlinks(link)
	if err != nil || inside(t.root, real) || inside(real, t.root) {
		return "", false
	}
	return real, true
}

// inside tells whether path is dir or lies in it.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// followPackages watches packages that are linked into node_modules from
// outside the repository, as `npm link` and file: dependencies do. What a
// package manager's own store holds is not anybody's to edit.
func (t *tree) followPackages(d *folder, rel, abs string) {
	names, err := os.ReadDir(abs)
	if err != nil {
		return
	}
	for _, n := range names {
		switch {
		case n.Type()&fs.ModeSymlink != 0:
			t.followPackage(d, rel, abs, n.Name())
		case n.IsDir() && strings.HasPrefix(n.Name(), "@"):
			scoped, _ := os.ReadDir(filepath.Join(abs, n.Name()))
			for _, s := range scoped {
				if s.Type()&fs.ModeSymlink != 0 {
					t.followPackage(d, rel, abs, n.Name()+"/"+s.Name())
				}
			}
		}
	}
}

func (t *tree) followPackage(d *folder, rel, abs, name string) {
	real, ok := t.outsideFolder(filepath.Join(abs, filepath.FromSlash(name)))
	at := join(rel, name)
	if known := t.dirs[at]; known != nil {
		if ok && known.abs == real {
			return
		}
		t.leave(known)
	}
	if !ok || t.byAbs[real] != nil || strings.Contains(filepath.ToSlash(real), "/node_modules/") {
		return
	}
	// A name with slashes in the parent's list, so that it lasts as long as
	// the folder that holds node_modules, and is not missed in its listing.
	t.enter(&folder{rel: at, abs: real, parent: &folder{rel: rel, abs: abs, subs: map[string]*folder{}}, link: true})
}
