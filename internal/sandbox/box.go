package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"regreen/internal/dirstat"
	"regreen/internal/git"
)

// Prepare brings the worktree to a snapshot: files that differ are written,
// what runs left behind is removed, package folders are linked and ignored
// inputs copied. Only what differs is touched. Compiled Python (__pycache__)
// beside sources stays; see stamp for why it never is stale.
//
// Where the shadow repository turns out to be damaged it is made anew, and the
// snapshot with it is gone: ErrShadowAnew is in the chain.
func (s *Sandbox) Prepare(ctx context.Context, snap *Snapshot) error {
	err := s.prepare(ctx, snap)
	var ee *git.ExitError
	if errors.As(err, &ee) && ctx.Err() == nil && !diskFull(ee.Stderr) {
		s.log.Debug("shadow repository made anew", "err", err)
		s.forget()
		if rerr := s.shadow.rebuild(ctx); rerr != nil {
			err = errors.Join(err, rerr)
		} else {
			err = fmt.Errorf("%w (%v)", ErrShadowAnew, err)
		}
	}
	if err != nil {
		return fmt.Errorf("prepare the sandbox: %w", err)
	}
	return nil
}

func (s *Sandbox) prepare(ctx context.Context, snap *Snapshot) error {
	if err := s.Isolate(ctx); err != nil {
		return err
	}
	if fi, err := os.Lstat(s.tree); err != nil || !fi.IsDir() {
		if err := removeAll(s.tree); err != nil {
			return err
		}
		if err := os.MkdirAll(s.tree, 0o700); err != nil {
			return err
		}
	}
	s.current = snap
	carried := s.findCarried(snap)
	s.carried = map[string]bool{}
	for _, c := range carried {
		s.carried[c.rel] = true
	}
	s.farms, s.places = nil, nil
	if s.iso.root() == s.tree {
		s.farms = s.findFarms(snap)
	} else {
		s.places = s.findPlaces(snap)
	}
	s.mounted = map[string]place{}
	for _, p := range s.places {
		if p.rel != "" && p.link == "" {
			s.mounted[p.rel] = p
		}
	}
	if s.spilled.Swap(false) {
		// It may have filled the disk there.
		if err := errors.Join(removeAll(s.tmp), os.MkdirAll(s.tmp, 0o700)); err != nil {
			return err
		}
	}
	seen, err := s.scan(ctx)
	if err != nil {
		return err
	}
	for _, rel := range seen.litter {
		if err := removeAll(s.boxPath(rel)); err != nil {
			return fmt.Errorf("remove %s: %w", rel, err)
		}
	}
	restored, err := s.restoreAll(ctx, snap, seen)
	if err != nil {
		return err
	}
	if err := s.copyCarried(ctx, carried); err != nil {
		return err
	}
	if err := s.linkFarms(ctx); err != nil {
		return err
	}
	if err := s.iso.prepared(); err != nil {
		return err
	}
	return s.pointGit(ctx, snap, restored)
}

func (s *Sandbox) boxPath(rel string) string { return filepath.Join(s.tree, filepath.FromSlash(rel)) }

// scanned is what is in the worktree.
type scanned struct {
	files map[string]fs.FileInfo // also of the snapshot's, present or not
	// litter are files and folders that neither the snapshot, nor a farm, nor
	// the carried files account for; nothing below them is listed.
	litter []string
}

// scan walks the worktree without following links.
func (s *Sandbox) scan(ctx context.Context) (*scanned, error) {
	dirs := make(map[string]bool, len(s.current.dirs))
	for _, d := range snapDirs(s.current) {
		dirs[d] = true
	}
	mark := func(rel string) {
		for d := path.Dir(rel); !dirs[d]; d = path.Dir(d) {
			dirs[d] = true
		}
	}
	for rel := range s.carried {
		mark(rel)
	}
	farms := map[string]bool{}
	for _, f := range s.farms {
		if f.rel != "" {
			farms[f.rel] = true
			mark(f.rel)
		}
	}
	for _, p := range s.places {
		if p.rel != "" {
			farms[p.rel] = true
			mark(p.rel)
		}
	}
	sc := &scanned{files: make(map[string]fs.FileInfo, len(s.current.Files))}
	err := s.walk(ctx, ".", dirs, farms, false, sc)
	return sc, err
}

// walk lists one folder. In a farm only what belongs to the snapshot is looked
// at.
func (s *Sandbox) walk(ctx context.Context, dir string, dirs, farms map[string]bool, inFarm bool, sc *scanned) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := readDir(s.boxPath(dir))
	if err != nil {
		return err
	}
	at, err := dirstat.Open(s.boxPath(dir))
	if err != nil {
		return err
	}
	defer at.Close()
	prefix := dir + "/"
	if dir == "." {
		prefix = ""
	}
	for _, e := range entries {
		rel := prefix + e.Name()
		if rel == ".git" {
			continue
		}
		_, wanted := s.current.Files[rel]
		switch {
		case e.IsDir() && dirs[rel]:
			if err := s.walk(ctx, rel, dirs, farms, inFarm || farms[rel], sc); err != nil {
				return err
			}
		case inFarm && !wanted, farms[rel]:
		case e.IsDir() && e.Name() == "__pycache__":
		case e.IsDir() || !wanted && !s.carried[rel]:
			sc.litter = append(sc.litter, rel)
		case wanted:
			fi, err := at.Lstat(e.Name())
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			sc.files[rel] = fi
		}
	}
	return nil
}

// readDir lists one of our own folders. A test may have taken its permissions
// away.
func readDir(abs string) ([]fs.DirEntry, error) {
	if fi, err := os.Lstat(abs); err == nil && fi.IsDir() && fi.Mode().Perm()&0o700 != 0o700 {
		if err := os.Chmod(abs, fi.Mode().Perm()|0o700); err != nil {
			return nil, err
		}
	}
	return os.ReadDir(abs)
}

// entry gives what a worktree file holds, read only when its stat data are new.
func (s *Sandbox) entry(rel string, fi fs.FileInfo) (Entry, error) {
	if e, ok := s.boxed.known(rel, fi); ok {
		return e, nil
	}
	src, fi, err := readStable(s.boxPath(rel))
	if err != nil {
		return Entry{}, err
	}
	e := entryOf(fi, s.links.original(rel, src))
	s.boxed[rel] = note(fi, e, time.Now())
	s.dirty = true
	return e, nil
}

// restoreAll writes the snapshot's files that differ, and gives them.
func (s *Sandbox) restoreAll(ctx context.Context, snap *Snapshot, seen *scanned) (todo []string, err error) {
	for _, rel := range snap.names {
		if fi, ok := seen.files[rel]; ok {
			e, err := s.entry(rel, fi)
			if err == nil && sameEntry(e, snap.Files[rel]) {
				continue
			}
		}
		todo = append(todo, rel)
	}
	var mu sync.Mutex // guards made, boxed and seconds
	made := map[string]bool{}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(4)
	for _, rel := range todo {
		g.Go(func() error {
			src, err := snap.Bytes(gctx, rel)
			if err != nil {
				return err
			}
			dir := path.Dir(rel)
			mu.Lock()
			if !made[dir] {
				err = s.makeDir(dir)
				made[dir] = err == nil
			}
			at := s.stamp(rel, seen.files[rel])
			mu.Unlock()
			if err == nil {
				err = s.put(rel, src, snap.Files[rel].Mode, at)
			}
			if err != nil {
				return fmt.Errorf("write %s: %w", rel, err)
			}
			fi, err := os.Lstat(s.boxPath(rel))
			if err != nil {
				return err
			}
			mu.Lock()
			s.boxed[rel] = note(fi, snap.Files[rel], time.Now())
			s.dirty = true
			mu.Unlock()
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if len(s.boxed) > len(snap.Files) { // every file of the snapshot has a record now
		for rel := range s.boxed {
			if _, ok := snap.Files[rel]; !ok {
				delete(s.boxed, rel)
			}
		}
	}
	return todo, nil
}

// sameEntry compares what a worktree must share with the snapshot. The
// worktree's files are always writable by us.
func sameEntry(box, want Entry) bool {
	return box.Sum == want.Sum && box.Size == want.Size && box.Mode == boxMode(want.Mode)
}

func boxMode(m fs.FileMode) fs.FileMode {
	if m&fs.ModeSymlink != 0 {
		return m
	}
	return m | 0o600
}

// makeDir makes a folder of the worktree; a file or link in its way goes.
func (s *Sandbox) makeDir(dir string) error {
	if dir == "." {
		return nil
	}
	at := ""
	for c := range strings.SplitSeq(dir, "/") {
		at = path.Join(at, c)
		fi, err := os.Lstat(s.boxPath(at))
		if err == nil && fi.IsDir() {
			continue
		}
		if err == nil {
			if err := os.Remove(s.boxPath(at)); err != nil {
				return err
			}
		}
		if err := os.Mkdir(s.boxPath(at), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// put replaces a worktree file.
func (s *Sandbox) put(rel string, src []byte, mode fs.FileMode, at time.Time) error {
	abs := s.boxPath(rel)
	if err := removeAll(abs); err != nil {
		return err
	}
	if mode&fs.ModeSymlink != 0 {
		return os.Symlink(s.links.placed(s.repo.Root(), rel, string(src)), abs)
	}
	perm := boxMode(mode).Perm()
	f, err := os.OpenFile(abs, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(src)
	if err == nil {
		err = f.Chmod(perm) // past the umask
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Chtimes(abs, at, at)
}

// stamp gives the time that a new version of a worktree file gets: always in a
// later second than the version before. Python takes compiled code for current
// when size and second are the same, and a repair often changes neither.
func (s *Sandbox) stamp(rel string, before fs.FileInfo) time.Time {
	last := s.seconds[rel]
	if before != nil {
		last = max(last, before.ModTime().Unix())
	}
	if r, ok := s.boxed[rel]; ok {
		last = max(last, r.Mtime/int64(time.Second))
	}
	now := time.Now()
	if now.Unix() <= last {
		now = time.Unix(last+1, 0)
	}
	s.seconds[rel] = now.Unix()
	return now
}

// pointGit makes the worktree a git worktree of the shadow at the snapshot's
// commit, for tests that ask git about their own repository. restored are the
// files that were just written there.
func (s *Sandbox) pointGit(ctx context.Context, snap *Snapshot, restored []string) error {
	if err := s.shadow.purge(); err != nil {
		return err
	}
	admin := filepath.Join(s.shadow.dir, "worktrees", "tree")
	link := filepath.Join(s.tree, ".git")
	// A process in the worktree reaches all of these.
	for name, text := range map[string]string{
		filepath.Join(admin, "commondir"): "../..\n",
		filepath.Join(admin, "gitdir"):    link + "\n",
		filepath.Join(admin, "HEAD"):      snap.Commit + "\n",
		link:                              "gitdir: " + admin + "\n",
	} {
		if err := keepText(name, text); err != nil {
			return err
		}
	}
	index := filepath.Join(admin, "index")
	if err := removeAll(index + ".lock"); err != nil {
		return err
	}
	state := func(of *Snapshot) string {
		fi, err := os.Stat(index)
		if err != nil || of == nil {
			return ""
		}
		return fmt.Sprint(of.Commit, sigOf(fi))
	}
	if now := state(snap); now != "" && now == s.index {
		return nil
	}
	if s.stepIndex(ctx, snap, restored, state(s.indexed)) {
		s.indexed, s.index = snap, state(snap)
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, err := s.boxGit(ctx, nil, "read-tree", "--reset", snap.Commit)
	if err != nil && ctx.Err() == nil {
		_ = os.Remove(index)
		_, err = s.boxGit(ctx, nil, "read-tree", "--reset", snap.Commit)
	}
	if err != nil {
		return fmt.Errorf("point the worktree at the snapshot: %w", err)
	}
	// Exit code 1 says that some files differ, such as modes that git does not
	// keep; it is of no interest.
	if _, err := s.boxGit(ctx, nil, "update-index", "-q", "--refresh"); ctx.Err() != nil {
		return err
	}
	s.indexed, s.index = snap, state(snap)
	return nil
}

// maxStep is how many files git is told of one by one: to read the whole tree
// anew costs more than this many.
const maxStep = 500

// stepIndex brings the worktree's index from the snapshot that it is of to
// another one by what differs, and gives whether it did. now is the index's
// state, were it untouched.
func (s *Sandbox) stepIndex(ctx context.Context, snap *Snapshot, restored []string, now string) bool {
	last := s.indexed
	if last == nil || now == "" || now != s.index || !s.repo.ConfigBool("core.filemode", true) {
		return false
	}
	step := map[string]bool{}
	for _, rel := range restored {
		step[rel] = true
	}
	for rel, e := range snap.Files {
		if old, ok := last.Files[rel]; !ok || old.Sum != e.Sum || old.Mode != e.Mode {
			step[rel] = true
		}
	}
	for _, rel := range last.names {
		if _, ok := snap.Files[rel]; !ok {
			step[rel] = true
		}
	}
	if len(step) > maxStep {
		return false
	}
	var in bytes.Buffer
	for rel := range step {
		if (snap.Files[rel].Mode|last.Files[rel].Mode)&fs.ModeSymlink != 0 {
			return false // its text may be another one in the worktree
		}
		in.WriteString(rel + "\x00")
	}
	_, err := s.boxGit(ctx, &in, "update-index", "--add", "--remove", "--replace", "-z", "--stdin")
	return err == nil
}

func (s *Sandbox) boxGit(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	return s.shadow.run.Run(ctx, git.Call{Dir: s.tree, Args: args, Stdin: in})
}

// removeAll is os.RemoveAll that also gets rid of folders whose permissions a
// test took away.
func removeAll(abs string) error {
	err := os.RemoveAll(abs)
	if err == nil {
		return nil
	}
	// WalkDir visits a folder before it reads it.
	_ = filepath.WalkDir(abs, func(p string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(abs)
}
