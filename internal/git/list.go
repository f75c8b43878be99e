package git

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

	"golang.org/x/sync/errgroup"

	"regreen/internal/dirstat"
)

// File is one of the repository's own files as it is on disk.
type File struct {
	Rel     string
	Tracked bool
	Info    fs.FileInfo // of the file itself: a link is not followed
}

// Listing is what the working tree holds.
type Listing struct {
	Files []File // sorted by Rel
	// Nested are the folders (rel) of populated submodules and embedded
	// repositories, whose files are among Files.
	Nested []string
	// Skipped are embedded repositories that git could not read, and linked
	// worktrees of this repository inside it, which are somebody's other tree.
	Skipped []string

	// unwatched are tracked files that git was told not to look at, with
	// whether they are to be there: skip-worktree files need not be.
	unwatched map[string]bool
	real      map[string]bool // folders that were looked at
	// at is the folder of the last file, open; files come folder by folder.
	at    *dirstat.Dir
	atRel string
}

// Files lists the repository's own files, sorted: tracked, or untracked and
// not ignored, as far as they are on disk. Untracked files below node_modules,
// virtual environments and __pycache__ are not among them.
func (r *Repo) Files(ctx context.Context) ([]string, error) {
	l, err := r.List(ctx)
	if err != nil {
		return nil, err
	}
	rels := make([]string, len(l.Files))
	for i, f := range l.Files {
		rels[i] = f.Rel
	}
	return rels, nil
}

// List is Files with what is known of each.
func (r *Repo) List(ctx context.Context) (*Listing, error) {
	l := &Listing{}
	defer func() { l.at.Close() }()
	if err := r.list(ctx, l, ""); err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", r.root, err)
	}
	slices.SortFunc(l.Files, func(a, b File) int { return strings.Compare(a.Rel, b.Rel) })
	sort.Strings(l.Nested)
	return l, nil
}

// list adds the files of the repository at prefix ("" or "sub/").
func (r *Repo) list(ctx context.Context, l *Listing, prefix string) error {
	dir := filepath.Join(r.root, filepath.FromSlash(prefix))
	var tracked []string
	var untracked []byte
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if prefix == "" {
			index, err := r.readIndex(gctx)
			tracked = index.entries
			return err
		}
		out, err := r.run.Run(gctx, Call{Dir: dir, Args: []string{"ls-files", "-z", "-c", "-s", "-v"}})
		tracked = split(out)
		return err
	})
	g.Go(func() (err error) {
		untracked, err = r.run.Run(gctx, Call{Dir: dir, Args: []string{"ls-files", "-z", "-o", "--exclude-standard",
			"-x", "node_modules", "-x", "__pycache__"}})
		return err
	})
	err := g.Wait()
	if err != nil {
		return err
	}
	var nested []string
	last := ""
	for _, e := range tracked {
		meta, rel, ok := strings.Cut(e, "\t")
		if !ok || rel == last || len(meta) < 2 { // a conflict has up to three stages
			continue
		}
		last = rel
		tag := meta[0]
		meta = meta[2:]
		if tag == 'S' || tag >= 'a' && tag <= 'z' {
			if l.unwatched == nil {
				l.unwatched = map[string]bool{}
			}
			l.unwatched[prefix+rel] = tag != 'S' && tag != 's'
		}
		if strings.HasPrefix(meta, "160000 ") {
			nested = append(nested, rel)
			continue
		}
		r.add(l, prefix+rel, true)
	}
	rels := split(untracked)
	if r.foldsAlone() {
		if rels, err = r.unfolded(ctx, dir, tracked, rels); err != nil {
			return err
		}
	}
	venvs := venvRoots(rels)
	for _, rel := range rels {
		if strings.HasSuffix(rel, "/") {
			if r.embedded(l, prefix+rel) {
				nested = append(nested, strings.TrimSuffix(rel, "/"))
			}
			continue
		}
		if !private(rel) && !below(rel, venvs) {
			r.add(l, prefix+rel, false)
		}
	}
	for _, n := range nested {
		sub := prefix + n
		if _, err := os.Lstat(filepath.Join(r.root, filepath.FromSlash(sub), ".git")); err != nil {
			continue // a submodule that is not checked out
		}
		if err := r.list(ctx, l, sub+"/"); err != nil {
			if ctx.Err() != nil {
				return err
			}
			l.Skipped = append(l.Skipped, sub)
			continue
		}
		l.Nested = append(l.Nested, sub)
	}
	return nil
}

// foldsAlone tells whether git takes names that differ in case for one, and the
// file system does not: the repository was made on another system.
func (r *Repo) foldsAlone() bool {
	if !r.ConfigBool("core.ignorecase", false) {
		return false
	}
	_, err := os.Lstat(filepath.Join(r.root, ".GIT"))
	return errors.Is(err, fs.ErrNotExist)
}

// unfolded adds to the untracked files those that git does not list since a
// tracked file has the same name but for case: after a rename the file would
// be nowhere.
func (r *Repo) unfolded(ctx context.Context, dir string, tracked, untracked []string) ([]string, error) {
	out, err := r.run.Run(ctx, Call{Dir: dir, Args: []string{"-c", "core.ignoreCase=false", "ls-files", "-z", "-o", "--exclude-standard",
		"-x", "node_modules", "-x", "__pycache__"}})
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, e := range tracked {
		_, rel, _ := strings.Cut(e, "\t")
		names[strings.ToLower(rel)] = true
	}
	for _, rel := range split(out) {
		if names[strings.ToLower(rel)] && !slices.Contains(untracked, rel) {
			untracked = append(untracked, rel)
		}
	}
	return untracked, nil
}

// embedded tells whether an untracked folder is a repository of its own whose
// files belong to the tree. A .git file makes it a linked worktree: another
// state of the same sources, which must not be mixed in.
func (r *Repo) embedded(l *Listing, rel string) bool {
	rel = strings.TrimSuffix(rel, "/")
	fi, err := os.Lstat(filepath.Join(r.root, filepath.FromSlash(rel), ".git"))
	if err != nil {
		return false
	}
	if !fi.IsDir() {
		l.Skipped = append(l.Skipped, rel)
		return false
	}
	return true
}

// real tells whether a folder is one all the way down from the root. A tracked
// file behind a link that took the place of its folder is gone for git, and
// what stands there lies elsewhere: nothing may be read as the tree's, and
// above all nothing written.
func (r *Repo) real(l *Listing, dir string) bool {
	if dir == "." {
		return true
	}
	is, ok := l.real[dir]
	if !ok {
		if r.real(l, path.Dir(dir)) {
			fi, err := os.Lstat(filepath.Join(r.root, filepath.FromSlash(dir)))
			is = err == nil && fi.IsDir()
		}
		if l.real == nil {
			l.real = map[string]bool{}
		}
		l.real[dir] = is
	}
	return is
}

func (r *Repo) add(l *Listing, rel string, tracked bool) {
	dir, name := ".", rel
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		dir, name = rel[:i], rel[i+1:]
	}
	if dir != l.atRel || l.at == nil {
		l.at.Close()
		l.at, l.atRel = nil, dir
		if !r.real(l, dir) {
			return
		}
		at, err := dirstat.Open(filepath.Join(r.root, filepath.FromSlash(dir)))
		if err != nil {
			return
		}
		l.at = at
	}
	fi, err := l.at.Lstat(name)
	if err != nil || !(fi.Mode().IsRegular() || fi.Mode()&fs.ModeSymlink != 0) {
		return
	}
	if name == ".gitattributes" {
		r.mu.Lock()
		if r.attributes == nil {
			r.attributes = map[string]bool{}
		}
		r.attributes[rel] = true
		r.mu.Unlock()
	}
	l.Files = append(l.Files, File{Rel: rel, Tracked: tracked, Info: fi})
}

// venvRoots are the folders that hold a pyvenv.cfg.
func venvRoots(rels []string) []string {
	var roots []string
	for _, rel := range rels {
		if dir, ok := strings.CutSuffix(rel, "/pyvenv.cfg"); ok {
			roots = append(roots, dir+"/")
		}
	}
	return roots
}

func below(rel string, roots []string) bool {
	for _, r := range roots {
		if strings.HasPrefix(rel, r) {
			return true
		}
	}
	return false
}

// private tells whether an untracked path lies where packages and caches do.
func private(rel string) bool {
	for c := range strings.SplitSeq(rel, "/") {
		if c == "node_modules" || c == "__pycache__" || c == ".git" {
			return true
		}
	}
	return false
}

// Ignored gives those of the paths (rel) that the ignore rules cover and that
// are not tracked. The paths need not exist.
func (r *Repo) Ignored(ctx context.Context, nested, rels []string) (map[string]bool, error) {
	groups := map[string][]string{}
	for _, rel := range rels {
		home := ""
		for _, n := range nested {
			if strings.HasPrefix(rel, n+"/") && len(n) > len(home) {
				home = n
			}
		}
		groups[home] = append(groups[home], rel)
	}
	ignored := map[string]bool{}
	for home, paths := range groups {
		prefix := home
		if prefix != "" {
			prefix += "/"
		}
		if err := r.ignored(ctx, ignored, prefix, paths); err != nil {
			return nil, fmt.Errorf("ask the ignore rules: %w", err)
		}
	}
	return ignored, nil
}

func (r *Repo) ignored(ctx context.Context, into map[string]bool, prefix string, rels []string) error {
	var in bytes.Buffer
	for _, rel := range rels {
		in.WriteString(strings.TrimPrefix(rel, prefix))
		in.WriteByte(0)
	}
	out, err := r.run.Run(ctx, Call{Dir: filepath.Join(r.root, filepath.FromSlash(prefix)),
		Args: []string{"check-ignore", "-z", "--stdin"}, Stdin: &in})
	switch code := exitCode(err); {
	case err == nil, code == 1:
	case code > 1 && len(rels) > 1:
		// One path that git will not judge (beyond a link) spoils the lot.
		for _, rel := range rels {
			if err := r.ignored(ctx, into, prefix, []string{rel}); err != nil {
				return err
			}
		}
		return nil
	case code > 1:
		return nil
	default:
		return err
	}
	for _, rel := range split(out) {
		into[prefix+rel] = true
	}
	return nil
}
