package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// place is a folder or file of the user's tree that git ignores and that is
// shown in the worktree as it is: a package folder, a virtual environment.
type place struct {
	rel  string // in the worktree; "" for one outside the repository
	at   string // abs, where it is seen from inside
	from string // abs, in the user's tree
	dir  bool
	own  bool // it is not part of the mount that the repository is on
	// link, when set, is all: the place is a link with this text.
	link string
}

// environments are the usual names of virtual environments in a project.
var environments = []string{".venv", "venv", "env", ".env"}

// findPlaces looks for package folders and virtual environments beside the
// snapshot's files, and for Yarn's caches.
func (s *Sandbox) findPlaces(snap *Snapshot) []place {
	f := &placeFinder{s: s, snap: snap, root: s.repo.Root(), seen: map[string]bool{}}
	for _, dir := range snapDirs(snap) {
		if hasPart(dir, "node_modules") {
			continue
		}
		f.look(path.Join(dir, "node_modules"), nil)
		for _, name := range environments {
			f.look(path.Join(dir, name), func(abs string) bool {
				return exists(filepath.Join(abs, "pyvenv.cfg")) || exists(filepath.Join(abs, "conda-meta"))
			})
		}
	}
	for _, name := range []string{"cache", "unplugged"} {
		f.look(".yarn/"+name, nil)
	}
	return f.out
}

type placeFinder struct {
	s    *Sandbox
	snap *Snapshot
	root string
	seen map[string]bool // by at
	out  []place
}

// look adds a path of the user's tree if it is a folder, or a link to one, for
// which is holds.
func (f *placeFinder) look(rel string, is func(abs string) bool) {
	from := filepath.Join(f.root, filepath.FromSlash(rel))
	fi, err := os.Lstat(from)
	if err != nil || is != nil && !is(from) {
		return
	}
	if _, own := f.snap.Files[rel]; own {
		return // a link that is part of the repository
	}
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		f.link(rel, from)
	case fi.IsDir() && f.s.owns(rel):
		f.entries(rel, from)
	case fi.IsDir():
		f.add(place{rel: rel, at: from, from: from, dir: true, own: !sameMount(f.root, from)})
	}
}

func (f *placeFinder) add(p place) {
	if !f.seen[p.at] {
		f.seen[p.at] = true
		f.out = append(f.out, p)
	}
}

// link adds a link as it is, and what it leads to, so that this is kept from
// the user's as well.
func (f *placeFinder) link(rel, from string) {
	text, err := os.Readlink(from)
	if err != nil {
		return
	}
	f.add(place{rel: rel, at: from, link: text})
	real, err := filepath.EvalSymlinks(from)
	if err != nil {
		return
	}
	fi, err := os.Stat(real)
	if err != nil || !fi.IsDir() {
		return
	}
	in, ok := inside(f.root, real)
	if !ok {
		f.add(place{at: real, from: real, dir: true, own: true})
		return
	}
	if in = filepath.ToSlash(in); in != "." && !f.s.owns(in) {
		f.add(place{rel: in, at: real, from: real, dir: true, own: !sameMount(f.root, real)})
	}
}

// entries adds what the repository itself does not hold of a folder of which
// it holds a part.
func (f *placeFinder) entries(rel, from string) {
	list, err := os.ReadDir(from)
	if err != nil {
		return
	}
	for _, e := range list {
		sub, abs := path.Join(rel, e.Name()), filepath.Join(from, e.Name())
		switch {
		case e.IsDir() && f.s.owns(sub):
			f.entries(sub, abs)
		case f.s.owns(sub):
		case e.Type()&fs.ModeSymlink != 0:
			if text, err := os.Readlink(abs); err == nil {
				f.add(place{rel: sub, at: abs, link: text})
			}
		case e.IsDir(), e.Type().IsRegular():
			f.add(place{rel: sub, at: abs, from: abs, dir: e.IsDir(), own: !sameMount(f.root, abs)})
		}
	}
}

// caches are the user's cache folders, in which tools write as they run: what
// they write is kept from the user's as it is for packages. One that holds the
// repository or our state, or lies in them, is left alone.
func (s *Sandbox) caches() []place {
	home, dirs := lookup(s.environ, "HOME"), []string{lookup(s.environ, "XDG_CACHE_HOME")}
	if filepath.IsAbs(home) {
		dirs = append(dirs, filepath.Join(home, ".cache"), filepath.Join(home, ".npm"))
	}
	var out []place
	for _, dir := range dirs {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !filepath.IsAbs(dir) || slices.ContainsFunc(out, func(p place) bool { return p.at == real }) {
			continue
		}
		fi, err := os.Stat(real)
		if err != nil || !fi.IsDir() || slices.ContainsFunc([]string{s.repo.Root(), s.dir, s.repo.CommonDir(), home}, func(own string) bool {
			_, holds := inside(real, own)
			_, lies := inside(own, real)
			return holds || lies && own != home
		}) {
			continue
		}
		out = append(out, place{at: real, from: real, dir: true, own: true})
	}
	return out
}

// placeMounts makes the points in the worktree at which places are mounted:
// empty folders and files, and links.
func (s *Sandbox) placeMounts(places []place) error {
	for _, p := range places {
		if p.rel == "" {
			continue
		}
		if err := s.placeMount(p); err != nil {
			return fmt.Errorf("make room for %s: %w", p.rel, err)
		}
	}
	return nil
}

func (s *Sandbox) placeMount(p place) error {
	abs := s.boxPath(p.rel)
	if err := s.makeDir(path.Dir(p.rel)); err != nil {
		return err
	}
	if p.link != "" {
		return relink(abs, p.link)
	}
	fi, err := os.Lstat(abs)
	if err == nil && (fi.IsDir() != p.dir || fi.Mode()&fs.ModeSymlink != 0) {
		if err := removeAll(abs); err != nil {
			return err
		}
		err = fs.ErrNotExist
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !p.dir {
		return os.WriteFile(abs, nil, 0o600)
	}
	if err != nil {
		return os.Mkdir(abs, 0o755)
	}
	// What a weaker level put there is of no use, and is in the way of readers
	// from outside.
	entries, err := os.ReadDir(abs)
	for _, e := range entries {
		if err := removeAll(filepath.Join(abs, e.Name())); err != nil {
			return err
		}
	}
	return err
}

// outside maps a path of the worktree to where this process finds it: what is
// mounted in places is not in the worktree as it is seen from here. A link
// among packages that leads back to the repository's own files is followed to
// the worktree.
func (s *Sandbox) outside(rel string) string {
	if p, ok := s.placeOf(rel); ok {
		return s.followed(filepath.Join(p.from, filepath.FromSlash(strings.TrimPrefix(rel, p.rel))))
	}
	return s.boxPath(rel)
}

// followed resolves the links of the part of a path that is there.
func (s *Sandbox) followed(abs string) string {
	rest := ""
	for p := abs; p != filepath.Dir(p); p = filepath.Dir(p) {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			rest = filepath.Join(filepath.Base(p), rest)
			continue
		}
		real = filepath.Join(real, rest)
		if in, ok := inside(s.repo.Root(), real); ok {
			if _, place := s.placeOf(filepath.ToSlash(in)); !place {
				return filepath.Join(s.tree, in)
			}
		}
		return real
	}
	return abs
}

// placeOf gives the place that a path lies in.
func (s *Sandbox) placeOf(rel string) (place, bool) {
	if len(s.mounted) == 0 {
		return place{}, false
	}
	for d := rel; d != "." && d != "/"; d = path.Dir(d) {
		if p, ok := s.mounted[d]; ok {
			return p, true
		}
	}
	return place{}, false
}

// isPrivate tells entries of a package folder that tools write as they run.
func isPrivate(name string) bool {
	return slices.Contains(privateState, name) && !slices.Contains(records, name)
}

// records are the package managers' own, which must be as the packages are.
var records = []string{".package-lock.json", ".modules.yaml", ".yarn-integrity", ".yarn-state.yml", ".pnpm-workspace-state.json",
	".pnpm-workspace-state-v1.json"}
