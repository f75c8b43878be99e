package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"regreen/internal/plain"
	"regreen/internal/proc"
	"regreen/internal/secret"
)

// Guest is a foreign program that is let into a copy of the worktree: what it
// does there touches neither the worktree nor what later runs rely on.
type Guest struct {
	// Cmd is what runs. Dir is rel to the root; Env is added to the environment
	// that Environ gives, without the user's home and settings; a Path that is
	// not absolute is taken from the copy's root. MaxOutput holds.
	Cmd proc.Cmd
	// Args gives the arguments, when they need to know the copy's root and a
	// private folder for the program (both abs, as seen from inside), where the
	// program may read what Files puts. It replaces Cmd.Args. May be nil.
	Args func(root, private string) []string
	// Files are written to the private folder before the program starts.
	Files map[string][]byte
	// Home are files or folders of the user's home, rel to it, of which the
	// program gets copies in a home of its own.
	Home []string
	// KeepHome gives it the user's own home instead, to read.
	KeepHome bool
	Network  bool
	// MaxFiles and MaxBytes bound the change that is read; a larger one comes
	// without its bytes.
	MaxFiles int
	MaxBytes int64
}

// Visit is what a guest did.
type Visit struct {
	Exit proc.Exit
	// Files are the files that it changed, sorted.
	Files []string
	// Changes are the same with their bytes: from the worktree as it is to what
	// the guest made of it. Nil when Excess is set.
	Changes []Change
	// Excess says which bound the change passes, "" for none.
	Excess string
	// Notes say what of the walls is missing here.
	Notes []string
}

// maxGuestFiles is where looking through what a guest left ends.
const maxGuestFiles = 200_000

// maxHome is how much of the user's home is copied for a guest.
const maxHome = 64 << 20

// Visit lets a guest work on a copy of the worktree and tells what it changed
// there. When ctx ends meanwhile the exit tells it, and there are no changes.
// Ignored files that are there to hold secrets are not in the copy. The worktree itself, packages, caches and carried files are as before.
// Files that git ignores are not among the changes.
func (s *Sandbox) Visit(ctx context.Context, g Guest) (*Visit, error) {
	if s.current == nil {
		return nil, fmt.Errorf("let a program in: %w", errNotPrepared)
	}
	v, err := s.visit(ctx, g)
	// Nothing of it stays, whatever happened.
	if cerr := removeAll(filepath.Join(s.dir, "guest")); cerr != nil {
		s.log.Warn("what a program left is not removed", "err", cerr)
	}
	if cerr := removeAll(s.guestTree()); cerr != nil {
		s.log.Warn("what a program left is not removed", "err", cerr)
	}
	if err != nil {
		return nil, fmt.Errorf("let a program in: %w", err)
	}
	return v, nil
}

// guestTree stands beside the worktree, at the same depth.
func (s *Sandbox) guestTree() string { return filepath.Join(s.dir, "box", "guest") }

func (s *Sandbox) guestPath(rel string) string {
	return filepath.Join(s.guestTree(), filepath.FromSlash(rel))
}

// guestHouse are the folders of a guest, outside its tree.
func (s *Sandbox) guestHouse(parts ...string) string {
	return filepath.Join(append([]string{s.dir, "guest"}, parts...)...)
}

func (s *Sandbox) visit(ctx context.Context, g Guest) (*Visit, error) {
	if err := errors.Join(removeAll(s.guestTree()), removeAll(s.guestHouse())); err != nil {
		return nil, err
	}
	for _, d := range []string{"home", "t", "files", "layer"} {
		if err := os.MkdirAll(s.guestHouse(d), 0o700); err != nil {
			return nil, err
		}
	}
	for name, src := range g.Files {
		if err := os.WriteFile(s.guestHouse("files", name), src, 0o600); err != nil {
			return nil, err
		}
	}
	if err := s.copyHome(g.Home); err != nil {
		return nil, err
	}
	base, err := s.copyTree(ctx)
	if err != nil {
		return nil, fmt.Errorf("copy the worktree: %w", err)
	}
	v := &Visit{}
	if v.Exit, v.Notes, err = s.host(ctx, g); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return v, nil // half of a work is none
	}
	return v, s.compare(ctx, g, base, v)
}

// copyHome gives the guest copies of some of the user's files.
func (s *Sandbox) copyHome(rels []string) error {
	home := lookup(s.environ, "HOME")
	if home == "" {
		home = lookup(s.environ, "USERPROFILE")
	}
	var total int64
	for _, rel := range rels {
		if !filepath.IsLocal(rel) || home == "" {
			return fmt.Errorf("copy %s of the home folder: it is no path inside it", rel)
		}
		err := filepath.WalkDir(filepath.Join(home, rel), func(p string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // nothing to have
			}
			if err != nil {
				return err
			}
			in, err := filepath.Rel(home, p)
			if err != nil {
				return err
			}
			to := s.guestHouse("home", in)
			if d.IsDir() {
				return os.MkdirAll(to, 0o700)
			}
			fi, err := os.Stat(p)
			if err != nil || !fi.Mode().IsRegular() {
				return nil
			}
			if total += fi.Size(); total > maxHome {
				return fmt.Errorf("more than %d MB; name single files", maxHome>>20)
			}
			if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
				return err
			}
			return copyFile(p, to, 0o600)
		})
		if err != nil {
			return fmt.Errorf("copy %s of the home folder: %w", rel, err)
		}
	}
	return nil
}

// skipped are folders in which nothing is of the repository's own.
func skipped(name string) bool {
	return name == ".git" || name == "node_modules" || name == "__pycache__"
}

// copyTree copies the worktree and gives its files and links, by rel. Package
// folders are links or mount points there, and are made the same.
func (s *Sandbox) copyTree(ctx context.Context) (map[string]fs.FileInfo, error) {
	base := map[string]fs.FileInfo{}
	err := filepath.WalkDir(s.tree, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		sub, err := filepath.Rel(s.tree, p)
		if err != nil {
			return err
		}
		rel, to := filepath.ToSlash(sub), filepath.Join(s.guestTree(), sub)
		fi, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			if d.Name() == "__pycache__" {
				return fs.SkipDir
			}
			return os.MkdirAll(to, fi.Mode().Perm()|0o700)
		case fi.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			if in, ok := inside(s.tree, target); ok {
				target = filepath.Join(s.guestTree(), in)
			}
			if err := os.Symlink(target, to); err != nil {
				return err
			}
		case s.carried[rel] && secret.IsFile(rel):
			return nil // for tests; a guest may have the network
		case fi.Mode().IsRegular():
			if err := s.duplicate(p, to, fi.Mode().Perm()); err != nil {
				return err
			}
		default:
			return nil
		}
		if !slices.ContainsFunc(strings.Split(rel, "/"), skipped) {
			base[rel] = fi
		}
		return nil
	})
	return base, err
}

// host runs the guest behind the walls of the level in force.
func (s *Sandbox) host(ctx context.Context, g Guest) (proc.Exit, []string, error) {
	root := s.guestTree()
	if s.iso.root() != s.tree {
		root = s.iso.root()
	}
	cmd := g.Cmd
	if g.Args != nil {
		cmd.Args = g.Args(root, s.guestHouse("files"))
	}
	if !filepath.IsAbs(cmd.Path) {
		cmd.Path = filepath.Join(root, filepath.FromSlash(cmd.Path))
	}
	cmd.Dir = filepath.Join(root, filepath.FromSlash(path.Clean(g.Cmd.Dir)))
	cmd.Env = append(s.guestEnviron(g.KeepHome), g.Cmd.Env...)
	if cmd.MaxOutput == 0 {
		cmd.MaxOutput = maxRunOutput
	}
	return s.iso.host(ctx, cmd, g.Network)
}

// homes are variables that tell version managers where they are when the home
// folder is another one.
var homes = map[string]string{"PYENV_ROOT": ".pyenv", "ASDF_DATA_DIR": ".asdf", "VOLTA_HOME": ".volta", "NVM_DIR": ".nvm", "RUSTUP_HOME": ".rustup"}

// guestEnviron is Environ with folders of the guest's own.
func (s *Sandbox) guestEnviron(keepHome bool) []string {
	var env []string
	have := map[string]bool{}
	home := ""
	for _, kv := range s.Environ() {
		k, v, _ := strings.Cut(kv, "=")
		switch {
		case k == "TMPDIR" || k == "TMP" || k == "TEMP":
			continue
		case k == "HOME" || k == "USERPROFILE":
			home = v
			if !keepHome {
				continue
			}
		case !keepHome && (strings.HasPrefix(k, "XDG_") || k == "APPDATA" || k == "LOCALAPPDATA"):
			continue
		}
		have[k] = true
		env = append(env, kv)
	}
	tmp := s.guestHouse("t")
	env = append(env, "TMPDIR="+tmp, "TMP="+tmp, "TEMP="+tmp)
	if keepHome {
		return env
	}
	for k, dir := range homes {
		if at := filepath.Join(home, dir); !have[k] && home != "" && exists(at) {
			env = append(env, k+"="+at)
		}
	}
	own := s.guestHouse("home")
	return append(env, "HOME="+own, "USERPROFILE="+own)
}

// guestWritable is what a guest may write: its tree, which stands at root, its
// own folders and some devices.
func (s *Sandbox) guestWritable(root string) []string {
	out := append([]string{root, s.guestTree(), s.guestHouse("home"), s.guestHouse("t")}, devices...)
	if os.Getuid() != 0 {
		out = append(out, "/proc") // the kernel asks for more than the user id there
	}
	return out
}

// compare finds what the guest changed.
func (s *Sandbox) compare(ctx context.Context, g Guest, base map[string]fs.FileInfo, v *Visit) error {
	now, excess, err := s.guestFiles(ctx)
	if err != nil {
		return fmt.Errorf("look at what a program did: %w", err)
	}
	if excess {
		v.Excess = fmt.Sprintf("more than %d files are there", maxGuestFiles)
		return nil
	}
	var names, foreign []string
	for rel, fi := range now {
		old, ok := base[rel]
		if ok {
			same, err := s.sameAsTree(rel, old, fi)
			if err != nil {
				return fmt.Errorf("compare %s: %w", rel, err)
			}
			if same {
				continue
			}
		}
		names = append(names, rel)
	}
	for rel := range base {
		if _, ok := now[rel]; !ok {
			names = append(names, rel)
		}
	}
	for _, rel := range names {
		if _, ok := s.current.Files[rel]; !ok {
			foreign = append(foreign, rel)
		}
	}
	ignored := map[string]bool{}
	if len(foreign) > 0 {
		if ignored, err = s.repo.Ignored(ctx, s.current.Nested, foreign); err != nil {
			return err
		}
	}
	names = slices.DeleteFunc(names, func(rel string) bool { return ignored[rel] || s.carried[rel] })
	sort.Strings(names)
	v.Files = names
	if g.MaxFiles > 0 && len(names) > g.MaxFiles {
		v.Excess = fmt.Sprintf("%d files are changed, %d are allowed", len(names), g.MaxFiles)
		return nil
	}
	return s.readChanges(g, base, now, v)
}

func (s *Sandbox) readChanges(g Guest, base, now map[string]fs.FileInfo, v *Visit) error {
	var total int64
	for _, rel := range v.Files {
		if fi, ok := now[rel]; ok {
			if total += fi.Size(); g.MaxBytes > 0 && total > g.MaxBytes {
				v.Excess = fmt.Sprintf("the changed files are larger than %d MB", g.MaxBytes>>20)
				v.Changes = nil
				return nil
			}
		}
		c := Change{Path: rel, Op: Modify}
		var err error
		if old, ok := base[rel]; !ok {
			c.Op = Create
		} else {
			c.BeforeMode = entryMode(old.Mode())
			if c.Before, err = readFile(s.boxPath(rel), old); err != nil {
				return err
			}
		}
		if fi, ok := now[rel]; !ok {
			c.Op = Delete
		} else {
			c.Mode = entryMode(fi.Mode())
			if c.After, err = readFile(s.guestPath(rel), fi); err != nil {
				return err
			}
		}
		v.Changes = append(v.Changes, c)
	}
	return nil
}

// guestFiles lists the guest's tree without following links.
func (s *Sandbox) guestFiles(ctx context.Context) (files map[string]fs.FileInfo, excess bool, err error) {
	files = map[string]fs.FileInfo{}
	limit := maxGuestFiles + len(s.current.Files)
	err = filepath.WalkDir(s.guestTree(), func(p string, d fs.DirEntry, err error) error {
		if cause := ctx.Err(); cause != nil {
			return cause
		}
		if d != nil && d.IsDir() {
			// It may have taken permissions away.
			if fi, ierr := d.Info(); ierr == nil && fi.Mode().Perm()&0o700 != 0o700 && err == nil {
				err = os.Chmod(p, fi.Mode().Perm()|0o700)
			}
			if skipped(d.Name()) {
				return fs.SkipDir
			}
			return ignoreMissing(err)
		}
		if err != nil || d.Name() == ".git" {
			return ignoreMissing(err)
		}
		fi, err := d.Info()
		if err != nil || !fi.Mode().IsRegular() && fi.Mode()&fs.ModeSymlink == 0 {
			return ignoreMissing(err)
		}
		if fi.Mode().IsRegular() && fi.Mode().Perm()&0o400 == 0 {
			if err := os.Chmod(p, fi.Mode().Perm()|0o400); err != nil {
				return err
			}
		}
		sub, err := filepath.Rel(s.guestTree(), p)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(sub)] = fi
		if len(files) > limit {
			excess = true
			return fs.SkipAll
		}
		return nil
	})
	return files, excess, ignoreMissing(err)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// sameAsTree compares a file of the guest's tree with the worktree's, by bytes:
// time stamps can be set at will.
func (s *Sandbox) sameAsTree(rel string, old, fi fs.FileInfo) (bool, error) {
	if old.Mode().Type() != fi.Mode().Type() || entryMode(old.Mode()) != entryMode(fi.Mode()) {
		return false, nil
	}
	if fi.Mode()&fs.ModeSymlink != 0 {
		a, aerr := os.Readlink(s.boxPath(rel))
		b, berr := os.Readlink(s.guestPath(rel))
		if in, ok := inside(s.tree, a); ok {
			a = filepath.Join(s.guestTree(), in)
		}
		return a == b, errors.Join(aerr, berr)
	}
	if old.Size() != fi.Size() {
		return false, nil
	}
	a, err := plain.ReadFile(s.boxPath(rel))
	if err != nil {
		return false, err
	}
	b, err := plain.ReadFile(s.guestPath(rel))
	return bytes.Equal(a, b), err
}
