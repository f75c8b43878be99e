package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// The caps on ignored inputs that are copied.
const (
	maxCarriedFile = 16 << 20
	maxCarried     = 128 << 20
)

// alwaysCarried are ignored files without which no test of such a project
// starts: Yarn's Plug'n'Play maps.
var alwaysCarried = []string{".pnp.cjs", ".pnp.loader.mjs", ".pnp.data.json"}

// carriedFile is one ignored input.
type carriedFile struct {
	rel string
	fi  fs.FileInfo
}

// findCarried looks for ignored files that the globs name, and for what else
// of the ignored files tests may read. A file of the snapshot is no candidate,
// so what is left is ignored.
func (s *Sandbox) findCarried(snap *Snapshot) []carriedFile {
	var names, paths []string
	for _, g := range append(append([]string(nil), alwaysCarried...), s.carry...) {
		g = strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(g), "./"), "/")
		if strings.Contains(g, "/") {
			paths = append(paths, strings.TrimPrefix(g, "/"))
		} else if g != "" {
			names = append(names, g)
		}
	}
	found := map[string]bool{}
	var out []carriedFile
	var total int64
	add := func(rel string, fi fs.FileInfo) {
		if _, own := snap.Files[rel]; own || found[rel] || !fi.Mode().IsRegular() {
			return
		}
		if total += fi.Size(); fi.Size() > maxCarriedFile || total > maxCarried {
			s.log.Warn("an ignored input is too large to be copied", "file", rel)
			return
		}
		found[rel] = true
		out = append(out, carriedFile{rel, fi})
	}
	root := s.repo.Root()
	foreign := map[string][]fs.DirEntry{} // what is not of the snapshot, by folder
	for _, dir := range snapDirs(snap) {
		entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
		if err != nil {
			continue
		}
		for _, e := range entries {
			rel := e.Name()
			if dir != "." {
				rel = dir + "/" + rel
			}
			if _, own := snap.Files[rel]; own {
				continue
			}
			foreign[dir] = append(foreign[dir], e)
			if matches(names, e.Name()) {
				s.carryTree(rel, add)
			}
		}
	}
	for _, g := range paths {
		hits, err := doublestar.Glob(os.DirFS(root), g, doublestar.WithNoFollow())
		if err != nil {
			s.log.Warn("a carry pattern is not a glob", "pattern", g)
		}
		for _, rel := range hits {
			s.carryTree(rel, add)
		}
	}
	s.findOutputs(snap, foreign, func(f carriedFile) {
		if !found[f.rel] {
			found[f.rel] = true
			out = append(out, f)
		}
	})
	return out
}

// carryTree adds a file, or all files of a folder.
func (s *Sandbox) carryTree(rel string, add func(string, fs.FileInfo)) {
	base := filepath.Join(s.repo.Root(), filepath.FromSlash(rel))
	_ = filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		sub, rerr := filepath.Rel(s.repo.Root(), p)
		fi, ierr := d.Info()
		if rerr == nil && ierr == nil && !d.IsDir() {
			add(filepath.ToSlash(sub), fi)
		}
		return nil
	})
}

func matches(globs []string, name string) bool {
	for _, g := range globs {
		if ok, err := path.Match(g, name); ok && err == nil {
			return true
		}
	}
	return false
}

// snapDirs are the folders that hold files of the snapshot, the root first.
func snapDirs(snap *Snapshot) []string {
	if snap.dirs == nil {
		return foldersOf(snap.names)
	}
	return snap.dirs
}

// foldersOf are the folders that hold files (sorted), the root first.
func foldersOf(files []string) []string {
	dirs := map[string]bool{".": true}
	out := []string{"."}
	last := "."
	for _, rel := range files {
		d := path.Dir(rel)
		if d == last {
			continue
		}
		for last = d; !dirs[d]; d = path.Dir(d) {
			dirs[d] = true
			out = append(out, d)
		}
	}
	return out
}

// copyCarried copies ignored inputs whose copy is not current. They are
// copies, not links: a test may write them. A copy has the time stamp of its
// origin, so one that was written since is found without reading it.
func (s *Sandbox) copyCarried(ctx context.Context, list []carriedFile) error {
	made := map[string]bool{}
	for _, c := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if have, err := os.Lstat(s.boxPath(c.rel)); err == nil && have.Mode() == boxMode(c.fi.Mode()) &&
			have.Size() == c.fi.Size() && have.ModTime().Equal(c.fi.ModTime()) {
			continue
		}
		src, fi, err := readStable(filepath.Join(s.repo.Root(), filepath.FromSlash(c.rel)))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, errUnstable) {
			continue
		}
		if err != nil {
			return fmt.Errorf("copy %s: %w", c.rel, err)
		}
		if !fi.Mode().IsRegular() {
			continue
		}
		if dir := path.Dir(c.rel); !made[dir] {
			if err := s.makeDir(dir); err != nil {
				return fmt.Errorf("copy %s: %w", c.rel, err)
			}
			made[dir] = true
		}
		at := fi.ModTime()
		if now := time.Now(); now.Sub(at) < racy {
			at = now // the next write could have the same stamp
		}
		if err := s.put(c.rel, src, fi.Mode(), at); err != nil {
			return fmt.Errorf("copy %s: %w", c.rel, err)
		}
	}
	return nil
}

// Carried names the ignored files that the worktree has a copy of, as they are in
// the user's tree: it is another text when one of them may be another file.
func (s *Sandbox) Carried() string {
	var b strings.Builder
	for _, rel := range slices.Sorted(maps.Keys(s.carried)) {
		if fi, err := os.Lstat(filepath.Join(s.repo.Root(), filepath.FromSlash(rel))); err == nil {
			fmt.Fprintf(&b, "%q %d %d\n", rel, fi.Size(), fi.ModTime().UnixNano())
		}
	}
	return sumOf([]byte(b.String())).String()
}
