package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/git"
	"regreen/internal/git/gittest"
	"regreen/internal/lang"
	"regreen/internal/proc"
	"regreen/internal/runner"
)

var (
	_ lang.Tree       = (*Tree)(nil)
	_ runner.Executor = (*Sandbox)(nil)
)

// rig is a repository with its sandbox.
type rig struct {
	*gittest.Repo
	t     *testing.T
	state string
	repo  *git.Repo
	s     *Sandbox
}

// noExchangeIf is a file system that cannot swap two names in one call.
func noExchangeIf(fallback bool, call string) error {
	if fallback && (call == "exchange" || call == "move") {
		return ErrNoExchange
	}
	return nil
}

// inMemory puts the test's folders into memory where there is a place for it:
// thousands of waits for the disk prove nothing here.
func inMemory(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "regreen-test-")
	if err != nil {
		t.Logf("on disk: %v", err)
		return
	}
	t.Cleanup(func() {
		if err := removeAll(dir); err != nil {
			t.Error(err)
		}
	})
	t.Setenv("TMPDIR", dir)
}

// newRig opens a sandbox on a repository. Nothing below .git may have changed
// when the test ends, unless the test says so with touchedGit.
func newRig(t *testing.T, g *gittest.Repo, edit ...func(*Config)) *rig {
	t.Helper()
	state, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Repo: g, t: t, state: state}
	r.open(edit...)
	t.Cleanup(func() {
		r.close()
		if err := removeAll(state); err != nil { // with folders that the kernel made for nobody
			t.Error(err)
		}
	})
	return r
}

func (r *rig) open(edit ...func(*Config)) {
	r.t.Helper()
	var err error
	if r.repo, err = git.Open(r.t.Context(), r.Dir, gittest.Environ()); err != nil {
		r.t.Fatal(err)
	}
	cfg := Config{Repo: r.repo, StateDir: r.state, Carry: []string{".env*"}, Environ: gittest.Environ()}
	for _, e := range edit {
		e(&cfg)
	}
	if r.s, err = Open(r.t.Context(), cfg); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) close() {
	if r.s != nil {
		if err := r.s.Close(); err != nil {
			r.t.Error(err)
		}
		_ = r.repo.Close()
	}
	r.s = nil
}

func (r *rig) snap() *Snapshot {
	r.t.Helper()
	snap, err := r.s.Snapshot(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return snap
}

// ready takes a snapshot and prepares the worktree.
func (r *rig) ready() *Snapshot {
	r.t.Helper()
	snap := r.snap()
	if err := r.s.Prepare(r.t.Context(), snap); err != nil {
		r.t.Fatal(err)
	}
	return snap
}

func (r *rig) box(rel string) string {
	r.t.Helper()
	b, err := os.ReadFile(r.s.boxPath(rel))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

func (r *rig) write(rel, src string) {
	r.t.Helper()
	if err := r.s.Write(rel, []byte(src)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) changes(snap *Snapshot) []Change {
	r.t.Helper()
	c, err := r.s.Changes(r.t.Context(), snap)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

func (r *rig) merge(id string, snap *Snapshot) (*Merged, error) {
	r.t.Helper()
	return r.s.Merge(r.t.Context(), MergeRequest{ID: id, Snap: snap, Changes: r.changes(snap)})
}

// untouchedGit fails the test when anything below .git changes from now on.
func untouchedGit(t *testing.T, g *gittest.Repo) {
	t.Helper()
	before := g.Hash()
	t.Cleanup(func() {
		if d := cmp.Diff(before, g.Hash()); d != "" {
			t.Errorf(".git changed (-before +after):\n%s", d)
		}
	})
}

func simple(t *testing.T) *gittest.Repo {
	g := gittest.New(t)
	g.Write(".gitignore", "*.log\n.env\nnode_modules/\n", "src/a.js", "export const a = 1\n", "src/b.js", "b\n", "test/t.js", "t\n")
	g.Commit("one")
	return g
}

func TestSnapshotAndPrepare(t *testing.T) {
	g := simple(t)
	g.Git("tag", "v1")
	g.Write("src/a.js", "edited\n", "new/é\n\"x\".js", "odd\n", "debug.log", "ignored\n", ".env", "SECRET=1\n", "crlf.txt", "a\r\nb")
	if err := os.Chmod(g.Path("src/b.js"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.js", g.Path("src/link.js")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(g.Path("test/t.js")); err != nil {
		t.Fatal(err)
	}
	g.Git("config", "core.autocrlf", "true")
	untouchedGit(t, g)
	r := newRig(t, g)
	snap := r.ready()
	want := gittest.HashDir(t, g.Dir, ".git", "debug.log")
	got := gittest.HashDir(t, r.s.Root(), ".git")
	for _, m := range []map[string]string{want, got} {
		for k, v := range m { // folders' modes are not part of a snapshot
			if strings.HasPrefix(v, "d") {
				delete(m, k)
			}
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("worktree (-user +sandbox):\n%s", d)
	}
	if !slices.Contains(snap.Names(), "new/é\n\"x\".js") || slices.Contains(snap.Names(), ".env") {
		t.Errorf("Names = %q", snap.Names())
	}
	for rel, want := range map[string]string{"src/a.js": "edited\n", "new/é\n\"x\".js": "odd\n", "src/link.js": "a.js"} {
		g.Write("src/a.js", "later\n") // the snapshot holds all the same
		if err := r.s.Write("src/a.js", []byte("boxed\n")); err != nil {
			t.Fatal(err)
		}
		src, err := snap.Bytes(t.Context(), rel)
		if err != nil || string(src) != want {
			t.Errorf("Bytes(%q) = %q, %v, want %q", rel, src, err, want)
		}
	}
	// Tests that ask git get the history and a clean state.
	if err := r.s.Restore(t.Context(), "src/a.js"); err != nil {
		t.Fatal(err)
	}
	box := gittest.At(t, r.s.Root())
	if out := box.Git("status", "--porcelain"); out != "?? .env" && out != "" {
		t.Errorf("status in the sandbox = %q", out)
	}
	if out := box.Git("describe", "--tags", "--always"); !strings.HasPrefix(out, "v1") {
		t.Errorf("describe = %q", out)
	}
	if out := box.Git("log", "--format=%s"); out != "snapshot\none" {
		t.Errorf("log = %q", out)
	}
}

func TestSnapshotIsIncremental(t *testing.T) {
	g := simple(t)
	r := newRig(t, g)
	first := r.ready()
	waitSettled(t)
	second := r.ready() // settles what was racy
	waitSettled(t)
	g.Write("src/b.js", "changed\n")
	third := r.snap()
	if third.Read != 1 {
		t.Errorf("Read = %d files, want 1", third.Read)
	}
	if first.Tree != second.Tree || second.Tree == third.Tree {
		t.Errorf("trees %s %s %s", first.Tree, second.Tree, third.Tree)
	}
	waitSettled(t)
	// b.js is read once more if it was racy: if the snapshot before came within
	// the file system's tick of the write, which a busy machine decides.
	if s := r.snap(); s.Read > 1 || s.Tree != third.Tree {
		t.Errorf("Read = %d, tree %s", s.Read, s.Tree)
	}
	waitSettled(t)
	if s := r.snap(); s.Read != 0 {
		t.Errorf("Read = %d once everything has settled, want 0", s.Read)
	}
	// The next process starts warm.
	r.close()
	r.open()
	if s := r.ready(); s.Read != 0 || s.Tree != third.Tree {
		t.Errorf("after a restart: Read = %d, tree %s, want 0, %s", s.Read, s.Tree, third.Tree)
	}
	// A commit moves the base and leaves the tree.
	g.Commit("two")
	if s := r.ready(); s.Tree != third.Tree || s.Base == third.Base || s.Commit == third.Commit {
		t.Errorf("after a commit: %+v", s)
	}
	// Removing a file, and a folder in the place of a file.
	if err := os.Remove(g.Path("src/b.js")); err != nil {
		t.Fatal(err)
	}
	g.Write("src/b.js/index.js", "now a folder\n")
	r.ready()
	if got := r.box("src/b.js/index.js"); got != "now a folder\n" {
		t.Errorf("index.js = %q", got)
	}
}

func waitSettled(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*racy)
	defer cancel()
	<-ctx.Done()
}

func TestPrepareRemovesLitter(t *testing.T) {
	g := simple(t)
	r := newRig(t, g)
	snap := r.ready()
	before := gittest.HashDir(t, r.s.Root(), ".git")
	sh := "rm -r src && mkdir -p src/a.js out/deep && echo x > out/deep/f && ln -s /etc lnk && echo changed > test/t.js && " +
		"echo y > .git && mkdir dark && touch dark/f && chmod 000 dark && ln -s ../src test/up"
	ex, err := r.s.Run(t.Context(), proc.Cmd{Path: "/bin/sh", Args: []string{"-c", sh}, Dir: r.s.Root(), Env: r.s.Environ()})
	if err != nil || ex.Code != 0 {
		t.Fatalf("Run = %+v, %v", ex, err)
	}
	if err := r.s.Prepare(t.Context(), snap); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, gittest.HashDir(t, r.s.Root(), ".git")); d != "" {
		t.Errorf("worktree (-before +after):\n%s", d)
	}
	if out := gittest.At(t, r.s.Root()).Git("status", "--porcelain"); out != "" {
		t.Errorf("status = %q", out)
	}
}

func TestMisbehavingGitInSandbox(t *testing.T) {
	g := simple(t)
	untouchedGit(t, g)
	r := newRig(t, g)
	snap := r.ready()
	box := gittest.At(t, r.s.Root())
	r.write("src/a.js", "fixed\n")
	box.Git("add", "-A")
	box.Git("commit", "-q", "-m", "fixer commits")
	r.write("src/b.js", "fixed too\n")
	box.Git("stash", "-q")
	box.Git("stash", "pop", "-q")
	box.Git("config", "core.worktree", g.Dir)
	box.Git("config", "--unset", "core.worktree")
	box.Git("gc", "-q", "--prune=now")
	box.Git("config", "core.autocrlf", "true")
	box.Git("config", "core.hooksPath", r.s.Root())
	got := r.changes(snap)
	if len(got) != 2 || got[0].Path != "src/a.js" || string(got[1].After) != "fixed too\n" {
		t.Errorf("Changes = %+v", got)
	}
	box.Git("reset", "-q", "--hard", "HEAD~2")
	if err := os.RemoveAll(filepath.Join(r.s.Dir(), "shadow.git", "objects")); err != nil {
		t.Fatal(err)
	}
	g.Write("src/b.js", "next\n")
	r.ready() // the shadow is made anew
	if got := r.box("src/b.js"); got != "next\n" {
		t.Errorf("b.js = %q", got)
	}
}

func TestChanges(t *testing.T) {
	g := simple(t)
	g.Write(".env", "A=1\n")
	r := newRig(t, g)
	snap := r.ready()
	r.write("src/a.js", "changed\n")
	r.write("lib/new.js", "new\n")
	r.write("x.log", "ignored\n")
	r.write(".env", "A=2\n")
	r.write("node_modules/q/i.js", "pkg\n")
	if err := r.s.Remove("src/b.js"); err != nil {
		t.Fatal(err)
	}
	// The sandbox's own ignore file has no say in what is ignored.
	r.write(".gitignore", "new.js\n")
	var got []string
	for _, c := range r.changes(snap) {
		got = append(got, string(c.Op)+" "+c.Path+" "+string(c.Before)+">"+string(c.After))
	}
	want := []string{"modify .gitignore *.log\n.env\nnode_modules/\n>new.js\n", "create lib/new.js >new\n",
		"modify src/a.js export const a = 1\n>changed\n", "delete src/b.js b\n>"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Changes (-want +got):\n%s", d)
	}
	for _, rel := range []string{"src/a.js", "lib/new.js", "src/b.js", ".gitignore"} {
		if err := r.s.Restore(t.Context(), rel); err != nil {
			t.Fatal(err)
		}
	}
	if c := r.changes(snap); len(c) != 0 {
		t.Errorf("Changes after Restore = %+v", c)
	}
}

func TestWriteStaysInside(t *testing.T) {
	g := simple(t)
	outside := t.TempDir()
	if err := os.Symlink(outside, g.Path("out")); err != nil {
		t.Fatal(err)
	}
	g.Commit("link")
	r := newRig(t, g)
	r.ready()
	for _, rel := range []string{"../x", "/etc/x", "out/x", "a/../../x"} {
		if err := r.s.Write(rel, []byte("x")); err == nil {
			t.Errorf("Write(%q) succeeded", rel)
		}
	}
	if e, _ := os.ReadDir(outside); len(e) != 0 {
		t.Errorf("written outside: %v", e)
	}
}

func TestWriteMovesTheSecond(t *testing.T) {
	g := simple(t)
	r := newRig(t, g)
	r.ready()
	seen := map[int64]bool{}
	for _, src := range []string{"1", "2", "3", "4"} {
		r.write("src/a.js", src)
		fi, err := os.Stat(r.s.boxPath("src/a.js"))
		if err != nil {
			t.Fatal(err)
		}
		if seen[fi.ModTime().Unix()] {
			t.Errorf("version %s has a second that another version had", src)
		}
		seen[fi.ModTime().Unix()] = true
	}
}

func TestShapes(t *testing.T) {
	for _, shape := range gittest.Shapes() {
		t.Run(shape.Name, func(t *testing.T) {
			at := shape.Make(gittest.Bare(t), map[string]string{"src/a.js": "a\n"}, map[string]string{"src/module.js": "module\n"})
			untouchedGit(t, at)
			r := newRig(t, at)
			snap := r.ready()
			rel := shape.Prefix + "src/module.js"
			if got := r.box(rel); got != "module\n" {
				t.Errorf("%s = %q", rel, got)
			}
			before := r.everything()
			r.write(rel, "fixed\n")
			m, err := r.merge("c1", snap)
			if err != nil {
				t.Fatal(err)
			}
			if got := at.Read(rel); got != "fixed\n" || len(m.Files) != 1 {
				t.Errorf("after Merge: %q, %+v", got, m)
			}
			if _, err := r.s.Undo(t.Context(), "c1"); err != nil {
				t.Fatal(err)
			}
			r.unchanged(before)
			if !shape.Unborn {
				gittest.At(t, r.s.Root()).Git("log", "-1")
			}
		})
	}
}

func TestStateFolder(t *testing.T) {
	g := simple(t)
	repo, err := git.Open(t.Context(), g.Dir, gittest.Environ())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = repo.Close() }()
	tests := []struct{ name, dir, code string }{
		{"inside", filepath.Join(g.Dir, "state"), CodeStateInside},
		{"the root itself", g.Dir, CodeStateInside},
		{"relative", "state", CodeStatePath},
		{"below node_modules", filepath.Join(t.TempDir(), "node_modules", "x"), CodeStatePath},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(t.Context(), Config{Repo: repo, StateDir: tt.dir})
			var se *Error
			if !errors.As(err, &se) || se.Code != tt.code || se.Hint == "" {
				t.Errorf("Open = %v, want %s", err, tt.code)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(g.Dir, "state")); err == nil {
		t.Error("the refused folder was made")
	}
	for level, code := range map[string]string{"namespace": CodeNoIsolation, "best": CodeUnknownLevel} {
		s, err := Open(t.Context(), Config{Repo: repo, StateDir: t.TempDir(), Isolation: level})
		if err == nil {
			err = errors.Join(s.Isolate(t.Context()), s.Close())
		}
		var se *Error
		if !errors.As(err, &se) || se.Code != code {
			t.Errorf("Open(%s) = %v, want %s", level, err, code)
		}
	}
}

func TestLock(t *testing.T) {
	g := simple(t)
	r := newRig(t, g)
	cfg := Config{Repo: r.repo, StateDir: r.state}
	_, err := Open(t.Context(), cfg)
	var busy *BusyError
	if !errors.As(err, &busy) || busy.PID != os.Getpid() {
		t.Fatalf("second Open = %v, want *BusyError with our pid", err)
	}
	cfg.Wait = true
	waiting := make(chan int, 1)
	cfg.Waiting = func(pid int) { waiting <- pid }
	done := make(chan error, 1)
	go func() {
		s, err := Open(t.Context(), cfg)
		if err == nil {
			err = s.Close()
		}
		done <- err
	}()
	if pid := <-waiting; pid != os.Getpid() {
		t.Errorf("Waiting(%d)", pid)
	}
	if err := r.s.Close(); err != nil {
		t.Fatal(err)
	}
	r.s = nil
	if err := <-done; err != nil {
		t.Errorf("Open after the wait: %v", err)
	}
}

func TestEnviron(t *testing.T) {
	g := simple(t)
	r := newRig(t, g, func(c *Config) {
		c.Environ = []string{"PATH=/bin", "HOME=/h", "GIT_DIR=/x", "NODE_OPTIONS=--inspect", "NODE_ENV=test", "SECRET=1",
			"LC_ALL=C", "PYTHONPATH=" + g.Path("src") + ":/other"}
	})
	got := r.s.Environ()
	want := []string{"PATH=/bin", "HOME=/h", "NODE_ENV=test", "LC_ALL=C",
		"PYTHONPATH=" + filepath.Join(r.s.Root(), "src") + ":/other",
		"TMPDIR=" + r.s.tmp, "TMP=" + r.s.tmp, "TEMP=" + r.s.tmp, "NO_COLOR=1", "FORCE_COLOR=0"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Environ (-want +got):\n%s", d)
	}
}
