package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/plain"
)

// The caps on packages that are copied; what is beyond them is linked, and the
// probe says so.
const (
	maxClone  = 64 << 20  // bytes of one package
	maxClones = 256 << 20 // bytes of all
)

// clones are the packages of the user's tree that a farm copies.
type clones struct {
	dirs  map[string]bool // abs, real
	above map[string]bool // the folders that lead to them, and where node looks from there
}

// findClones chooses the packages that cannot be links.
func (s *Sandbox) findClones() clones {
	c := clones{dirs: map[string]bool{}, above: map[string]bool{}}
	var folders []string
	for _, f := range s.farms {
		if f.rel != "" && f.only == nil && f.link == "" {
			folders = append(folders, f.from...)
		}
	}
	root := s.repo.Root()
	if !workspaceIn(root, folders, s.packageNames()) {
		return c
	}
	in := &installed{needs: map[string][]need{}}
	reach := in.reachOwn(root, folders)
	var total int64
	for _, dir := range slices.Sorted(maps.Keys(reach)) {
		rel, ok := inside(root, dir)
		size := treeSize(dir)
		if total += size; !ok || size > maxClone || total > maxClones {
			s.log.Warn("an installed package that needs a package of the workspace is not copied", "file", dir, "bytes", size)
			continue
		}
		c.dirs[dir] = true
		for d := path.Dir(filepath.ToSlash(rel)); d != "."; d = path.Dir(d) {
			abs := filepath.Join(root, filepath.FromSlash(d))
			c.above[abs], c.above[filepath.Join(abs, "node_modules")] = true, true
		}
	}
	return c
}

// workspaceIn tells whether any of the package folders has a package of the
// workspace.
func workspaceIn(root string, folders []string, names map[string]bool) bool {
	for _, f := range folders {
		for name := range names {
			if real, err := filepath.EvalSymlinks(filepath.Join(f, filepath.FromSlash(name))); err == nil && ownSource(root, real) {
				return true
			}
		}
	}
	return false
}

func treeSize(dir string) int64 {
	var n int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if fi, err := d.Info(); err == nil && fi.Mode().IsRegular() {
			n += fi.Size()
		}
		return nil
	})
	return n
}

// cloned is one package that stands in a farm as a copy.
type cloned struct{ from, to string } // abs

// syncClone brings a copy of a package to what the user's tree has. Files are
// copies and never hard links: a write through one would reach the user's.
func (s *Sandbox) syncClone(ctx context.Context, c cloned) error {
	b := &farmer{s: s}
	return b.copyDir(ctx, c.from, c.to)
}

func (b *farmer) copyDir(ctx context.Context, from, to string) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if fi, err := os.Lstat(to); err != nil || !fi.IsDir() {
		if err := errors.Join(removeAll(to), os.MkdirAll(to, 0o755)); err != nil {
			return err
		}
	}
	want, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	for _, e := range want {
		src, dst := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		keep[e.Name()] = true
		switch {
		case e.IsDir():
			err = b.copyDir(ctx, src, dst)
		case e.Type()&fs.ModeSymlink != 0:
			var t string
			if t, err = os.Readlink(src); err == nil {
				err = relink(dst, b.target(from, src, dst, t))
			}
		case e.Type().IsRegular():
			err = b.s.copyCurrent(src, dst)
		}
		if err != nil {
			return err
		}
	}
	have, err := readDir(to)
	if err != nil {
		return err
	}
	for _, e := range have {
		// What tools keep for themselves stays.
		if keep[e.Name()] || strings.HasPrefix(e.Name(), ".") && isPrivate(e.Name()) {
			continue
		}
		if err := removeAll(filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// copyCurrent copies a file unless the copy has its size, mode and time stamp.
func (s *Sandbox) copyCurrent(from, to string) error {
	fi, err := os.Lstat(from)
	if err != nil {
		return err
	}
	have, err := os.Lstat(to)
	if err == nil && have.Mode() == boxMode(fi.Mode()) && have.Size() == fi.Size() && have.ModTime().Equal(fi.ModTime()) {
		return nil
	}
	if err := removeAll(to); err != nil {
		return err
	}
	if err := s.duplicate(from, to, boxMode(fi.Mode()).Perm()); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return os.Chtimes(to, fi.ModTime(), fi.ModTime())
}

// duplicate makes a new file with the bytes of another: as a clone that shares
// them on the disk where the file system can do that, which is tried until it
// once cannot, else as a copy.
func (s *Sandbox) duplicate(from, to string, perm fs.FileMode) error {
	if !s.noClone.Load() {
		err := cloneFile(from, to, perm)
		if err == nil {
			return os.Chmod(to, perm) // past the umask
		}
		_ = os.Remove(to)
		if errors.Is(err, errors.ErrUnsupported) {
			s.noClone.Store(true)
		}
	}
	return copyFile(from, to, perm)
}

// copyFile makes a new file with the bytes of another, past the umask.
func copyFile(from, to string, perm fs.FileMode) error {
	src, err := plain.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err == nil {
		err = dst.Chmod(perm)
	}
	return errors.Join(err, dst.Close())
}
