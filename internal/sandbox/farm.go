package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A farm stands in the worktree for a package folder of the user's tree: a
// real folder with a link an entry. A single link to the whole folder would
// not do: a workspace package in it is a relative link, which then leads to
// the user's sources, and the sandbox's change is never seen.
type farm struct {
	// from are the user's folders (abs); all but one only for folders above
	// the repository's root, where the nearest wins.
	from []string
	to   string // abs
	rel  string // to, relative to the worktree; "" for the one beside it
	// only limits the farm to these entries; nil is all.
	only []string
	// link, when set, is the whole farm: package folders that the user's tree
	// itself shares by a link inside the repository.
	link string
}

// privateState are entries that tools write as they run, and the package
// managers' own records: the worktree has its own, or none.
var privateState = []string{".cache", ".vite", ".vite-temp", ".vitest", ".jest-cache", ".tmp", ".temp", ".parcel-cache",
	".package-lock.json", ".modules.yaml", ".yarn-integrity", ".yarn-state.yml", ".pnpm-workspace-state.json",
	".pnpm-workspace-state-v1.json", ".nyc_output", ".eslintcache", ".cache-loader", ".experimental-vitest-cache", ".vitest-cache"}

// findFarms looks for package folders beside the snapshot's files, in the
// folders above the repository, and for Yarn's caches.
func (s *Sandbox) findFarms(snap *Snapshot) []farm {
	root := s.repo.Root()
	var out []farm
	for _, dir := range snapDirs(snap) {
		if hasPart(dir, "node_modules") {
			continue
		}
		rel := path.Join(dir, "node_modules")
		from := filepath.Join(root, filepath.FromSlash(rel))
		fi, err := os.Lstat(from)
		if err != nil {
			continue
		}
		if _, own := snap.Files[rel]; own {
			continue // a link that is part of the repository
		}
		f := farm{to: s.boxPath(rel), rel: rel}
		if fi.Mode()&fs.ModeSymlink != 0 {
			real, err := filepath.EvalSymlinks(from)
			if err != nil {
				continue
			}
			if in, ok := inside(root, real); ok {
				f.link = s.boxPath(filepath.ToSlash(in))
			}
			from = real
		} else if !fi.IsDir() {
			continue
		}
		f.from = []string{from}
		out = append(out, f)
	}
	if fi, err := os.Stat(filepath.Join(root, ".yarn")); err == nil && fi.IsDir() {
		var only []string
		for _, name := range []string{"cache", "unplugged"} {
			if !slices.ContainsFunc(snap.names, func(n string) bool { return strings.HasPrefix(n, ".yarn/"+name+"/") }) {
				only = append(only, name)
			}
		}
		if len(only) > 0 {
			out = append(out, farm{from: []string{filepath.Join(root, ".yarn")}, to: s.boxPath(".yarn"), rel: ".yarn", only: only})
		}
	}
	above := farm{to: filepath.Join(filepath.Dir(s.tree), "node_modules")}
	for dir := filepath.Dir(root); ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(filepath.Join(dir, "node_modules")); err == nil {
			above.from = append(above.from, real)
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return append(out, above)
}

func hasPart(rel, part string) bool {
	for c := range strings.SplitSeq(rel, "/") {
		if c == part {
			return true
		}
	}
	return false
}

// linkFarms brings every farm up to date. A farm whose folders, the user's and
// ours, have the stat data of the last time is left alone.
func (s *Sandbox) linkFarms(ctx context.Context) error {
	fresh := false
	var copies []cloned
	for _, f := range s.farms {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.link != "" {
			if t, err := os.Readlink(f.to); err == nil && t == f.link {
				continue
			}
			if err := removeAll(f.to); err != nil {
				return fmt.Errorf("link %s: %w", f.rel, err)
			}
			if err := os.Symlink(f.link, f.to); err != nil {
				return fmt.Errorf("link %s: %w", f.rel, err)
			}
			continue
		}
		if st, ok := s.farmed[f.to]; ok && st.holds(f.from) {
			copies = append(copies, st.copies...)
			continue
		}
		if !fresh { // the packages changed
			s.cloned, fresh = s.findClones(), true
		}
		b := &farmer{s: s, stamp: farmStamp{From: slices.Clone(f.from), Dirs: map[string]sig{}}}
		if err := b.build(f.from, f.to, f.rel, f.only, true); err != nil {
			return fmt.Errorf("link %s: %w", f.to, err)
		}
		for dir := range b.stamp.Dirs {
			b.stamp.Dirs[dir] = dirSig(dir)
		}
		s.farmed[f.to] = b.stamp
		copies = append(copies, b.stamp.copies...)
	}
	for _, c := range copies {
		if err := s.syncClone(ctx, c); err != nil {
			return fmt.Errorf("copy %s: %w", c.from, err)
		}
	}
	return nil
}

// farmStamp is every folder that a farm was built from and in.
type farmStamp struct {
	From []string
	Dirs map[string]sig

	copies []cloned // the packages in it that are no links
}

func (st farmStamp) holds(from []string) bool {
	if !slices.Equal(st.From, from) {
		return false
	}
	for dir, was := range st.Dirs {
		if dirSig(dir) != was {
			return false
		}
	}
	return true
}

func dirSig(dir string) sig {
	fi, err := os.Lstat(dir)
	if err != nil {
		return sig{}
	}
	return sigOf(fi)
}

// farmer builds one farm.
type farmer struct {
	s     *Sandbox
	stamp farmStamp
}

// build makes the folder to of links into the folders from. top is set for a
// package folder itself, whose .bin, .pnpm and @scopes are folders of links in
// their turn. Only what differs is touched.
func (b *farmer) build(from []string, to, rel string, only []string, top bool) error {
	fi, err := os.Lstat(to)
	if err == nil && !fi.IsDir() {
		err = os.Remove(to)
		fi = nil
	}
	if fi == nil || errors.Is(err, fs.ErrNotExist) {
		if len(from) == 0 {
			return nil
		}
		err = os.MkdirAll(to, 0o755)
	}
	if err != nil {
		return err
	}
	b.stamp.Dirs[to] = sig{}
	done := map[string]bool{}
	for _, dir := range from {
		b.stamp.Dirs[dir] = sig{}
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			name := e.Name()
			if done[name] || only != nil && !slices.Contains(only, name) || top && slices.Contains(privateState, name) {
				continue
			}
			done[name] = true
			if err := b.entry(dir, to, rel, e, top); err != nil {
				return err
			}
		}
	}
	return b.tidy(to, done, only)
}

// entry makes one link or folder of links.
func (b *farmer) entry(dir, to, rel string, e fs.DirEntry, top bool) error {
	name := e.Name()
	src, dst := filepath.Join(dir, name), filepath.Join(to, name)
	sub := ""
	if rel != "" {
		sub = path.Join(rel, name)
		if b.s.owns(sub) {
			return nil // a file, or a folder of files, of the repository itself
		}
	}
	if e.IsDir() && b.s.cloned.dirs[src] {
		b.stamp.Dirs[src] = sig{}
		b.stamp.copies = append(b.stamp.copies, cloned{src, dst})
		return nil
	}
	if e.IsDir() && top {
		switch {
		case strings.HasPrefix(name, "@"), name == ".bin":
			return b.build([]string{src}, dst, sub, nil, false)
		case name == ".pnpm", name == ".store":
			return b.store(src, dst, sub)
		}
	}
	if e.IsDir() && b.s.cloned.above[src] {
		return b.build([]string{src}, dst, sub, nil, name == "node_modules")
	}
	target := src
	if e.Type()&fs.ModeSymlink != 0 {
		t, err := os.Readlink(src)
		if err != nil {
			return err
		}
		target = b.target(dir, src, dst, t)
	}
	return relink(dst, target)
}

// store links pnpm's (or Yarn's) virtual store, whose own node_modules folder
// holds links to workspace packages too.
func (b *farmer) store(src, dst, rel string) error {
	if err := b.build([]string{src}, dst, rel, nil, false); err != nil {
		return err
	}
	hoisted := filepath.Join(src, "node_modules")
	if fi, err := os.Lstat(hoisted); err != nil || !fi.IsDir() {
		return nil
	}
	at := filepath.Join(dst, "node_modules")
	if fi, err := os.Lstat(at); err == nil && fi.Mode()&fs.ModeSymlink != 0 {
		if err := os.Remove(at); err != nil {
			return err
		}
	}
	return b.build([]string{hoisted}, at, path.Join(rel, "node_modules"), nil, true)
}

// target is what the copy at dst of the link src (in dir, pointing to t) must
// point to: the same place inside the worktree, if the place is in the
// repository and the worktree has it.
func (b *farmer) target(dir, src, dst, t string) string {
	root := b.s.repo.Root()
	abs := t
	if !filepath.IsAbs(t) {
		abs = filepath.Join(dir, t)
	}
	in, ok := inside(root, abs)
	if !ok {
		if real, err := filepath.EvalSymlinks(src); err == nil && !filepath.IsAbs(t) {
			return real
		}
		return t
	}
	box := filepath.Join(b.s.tree, in)
	// Among the packages themselves the link is right as it stands, although
	// its target may be linked only later.
	packages := hasPart(filepath.ToSlash(in), "node_modules")
	if _, err := os.Lstat(box); err != nil && !packages {
		return abs // ignored: only the user's tree has it
	}
	if filepath.IsAbs(t) {
		return box
	}
	// The farm beside the worktree stands at another depth than its origin.
	if filepath.Join(filepath.Dir(dst), t) != box {
		return box
	}
	return t
}

// tidy removes links whose origin is gone. Real files and folders are what
// tools made there (.vite, .cache) and stay; others go.
func (b *farmer) tidy(to string, done map[string]bool, only []string) error {
	entries, err := os.ReadDir(to)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if done[e.Name()] || only != nil && !slices.Contains(only, e.Name()) {
			continue
		}
		if e.Type()&fs.ModeSymlink == 0 && strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if err := removeAll(filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// owns tells whether a path is a file of the snapshot or a folder of such.
func (s *Sandbox) owns(rel string) bool {
	if _, ok := s.current.Files[rel]; ok {
		return true
	}
	names := s.current.names
	i, _ := slices.BinarySearch(names, rel+"/")
	return i < len(names) && strings.HasPrefix(names[i], rel+"/")
}

// relink makes dst a link to target, if it is not one already.
func relink(dst, target string) error {
	if t, err := os.Readlink(dst); err == nil && t == target {
		return nil
	}
	if err := removeAll(dst); err != nil {
		return err
	}
	return os.Symlink(target, dst)
}
