package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/proc"
)

// attack is what a test or a fixer does to the user or to the machine. Each is
// bounded in itself as well: no wall is all that stands before harm.
type attack struct {
	name, script string
	limit        string // how the run says that it was ended; "" when it was not
	// unwalled: it is held at the level copy too, where no wall stands.
	unwalled bool
}

// The limits that the attacks run into.
const (
	attackProcesses = 64
	attackMemory    = 128 << 20
	attackDisk      = 12 << 20
)

func attacks() []attack {
	return []attack{
		{"git of the sandbox", `git stash -q -u; git reset -q --hard HEAD~1; git gc -q --prune=now; git commit -q --allow-empty -m evil; git push -q origin HEAD; git config user.name evil; true`, "", true},
		{"the sandbox's own git", `rm -rf .git; git init -q; git add -A; git commit -q -m evil; true`, "", true},
		{"packages", `rm -rf node_modules; mkdir node_modules; true`, "", true},
		{"tests and configuration", `rm -rf src; echo evil > regreen.toml; true`, "", true},
		{"prints 1 GB", `head -c 1073741824 /dev/zero`, "the limit of 256 MB of output", true},
		{"configuration there", `echo evil > "$ORIGIN/regreen.toml"; mkdir -p "$THEIRS/.config/regreen"; echo evil > "$THEIRS/.config/regreen/config.toml"; true`, "", false},
		{"state", `for d in undo journal rescued layers; do echo evil > "$STATE/$d/evil"; rm -rf "$STATE/$d"; done; rm -f "$STATE/lock" "$STATE/manifest"; true`, "", false},
		{"removes everything", `rm -rf "$ORIGIN" "$THEIRS" "$STATE/undo"; true`, "", false},
		{"git there", `cd "$ORIGIN" || exit 0; git --git-dir="$ORIGIN/.git" stash; git --git-dir="$ORIGIN/.git" update-ref -d HEAD; rm -rf "$ORIGIN/.git/refs"; true`, "", false},
		{"kills", `kill -9 $VICTIM $STARTER $PPID; kill -STOP $VICTIM; kill -TERM $PPID; kill -ABRT $PPID; true`, "", false},
		{"forks", `b() { if [ $1 -gt 7 ]; then exec sleep 30; fi; b $(($1+1)) & b $(($1+1)) & wait; }; b 0`, "the limit of 64 processes", false},
		{"fills the memory", `awk 'BEGIN { s = "0123456789abcdef"; for (i = 0; i < 24; i++) s = s s; system("sleep 30") }'`, "the memory limit of 128 MB", false},
		{"fills the disk", `i=0; while [ $i -lt 32 ]; do head -c 1048576 /dev/urandom > "$TMPDIR/f$i"; i=$((i+1)); done; sync -f "$TMPDIR"; sleep 30`, "the disk limit of 12 MB", false},
		{"fills the disk in the tree", `i=0; while [ $i -lt 32 ]; do head -c 1048576 /dev/urandom > f$i; i=$((i+1)); done; sync -f .; sleep 30`, "the disk limit of 12 MB", false},
		{"outlives the run", `(trap '' HUP TERM; setsid sh -c 'trap "" HUP TERM; sleep 60; echo late > late' >/dev/null 2>&1 &); true`, "", false},
	}
}

// walled is a repository with its sandbox, and a home, a state folder and a
// process of the user's that must come to no harm.
type walled struct {
	*rig
	home   string
	victim *exec.Cmd
	git    string
	before map[string]string
}

func newWalled(t *testing.T, level func(*Config)) *walled {
	t.Helper()
	g := simple(t)
	g.Write("src/b.js", "changed\n", "regreen.toml", "[cycle]\n")
	g.Commit("two")
	g.Write("src/a.js", "not committed\n", "src/new.js", "untracked\n", "node_modules/dep/i.js", "dep\n")
	g.Git("add", "src/a.js")
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".profile"), []byte("user\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, g, level, func(c *Config) {
		c.MemoryBytes, c.Processes, c.DiskBytes = attackMemory, attackProcesses, attackDisk
		c.Environ = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"}
	})
	r.ready()
	untouchedGit(t, g)
	victim := exec.Command("sleep", "600")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = victim.Process.Kill()
		_ = victim.Wait()
	})
	return &walled{rig: r, home: home, victim: victim, git: fmt.Sprint(g.Hash()), before: r.everything()}
}

// script gives an attack the names of what it is to harm.
func (w *walled) script(a attack) string {
	return fmt.Sprintf("ORIGIN='%s'; THEIRS='%s'; STATE='%s'; VICTIM=%d; STARTER=%d; "+
		"export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a; exec 2>/dev/null; cd . ; %s",
		w.Dir, w.home, w.s.dir, w.victim.Process.Pid, os.Getpid(), a.script)
}

// unharmed holds that nothing of the user's changed and that the sandbox is of
// use again.
func (w *walled) unharmed() {
	w.t.Helper()
	if d := cmp.Diff(w.before, w.everything()); d != "" {
		w.t.Errorf("the user's files changed (-want +got):\n%s", d)
	}
	if got := fmt.Sprint(w.Hash()); got != w.git {
		w.t.Error("the user's .git changed")
	}
	var there []string
	err := filepath.WalkDir(w.home, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			there = append(there, p)
		}
		return err
	})
	if src, rerr := os.ReadFile(filepath.Join(w.home, ".profile")); err != nil || rerr != nil || string(src) != "user\n" || len(there) != 1 {
		w.t.Errorf("the user's home holds %v: %v", there, errors.Join(err, rerr))
	}
	if err := w.victim.Process.Signal(syscall.Signal(0)); err != nil {
		w.t.Errorf("a process of the user's: %v", err)
	}
	if state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.victim.Process.Pid)); err != nil || strings.Contains(string(state), ") T ") {
		w.t.Errorf("a process of the user's is stopped: %s, %v", state, err)
	}
	if left := workingIn(w.Dir, w.state); len(left) > 0 {
		w.t.Errorf("processes %v outlive the run", left)
	}
	for _, d := range []string{"lock", "undo", "journal", "rescued"} {
		if !exists(filepath.Join(w.s.dir, d)) || exists(filepath.Join(w.s.dir, d, "evil")) {
			w.t.Errorf("the state folder's %s was harmed", d)
		}
	}
	if err := w.s.Prepare(w.t.Context(), w.snap()); err != nil {
		w.t.Fatalf("Prepare: %v", err)
	}
	if entries, err := os.ReadDir(w.s.tmp); err != nil || len(entries) > 0 {
		w.t.Errorf("%d files are left in the temporary folder, %v", len(entries), err)
	}
	ex, out := w.run("sh", "-c", "cat src/a.js src/new.js node_modules/dep/i.js regreen.toml && git status --porcelain")
	if ex.Code != 0 || out != "not committed\nuntracked\ndep\n[cycle]" {
		w.t.Errorf("afterwards: %+v %s", ex, out)
	}
}

// workingIn are the processes that work in one of the folders. A process that
// was killed may take a moment to go.
func workingIn(dirs ...string) []string {
	var out []string
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		out = out[:0]
		links, _ := filepath.Glob("/proc/[0-9]*/cwd")
		for _, l := range links {
			cwd, err := os.Readlink(l)
			for _, dir := range dirs {
				if err == nil && strings.HasPrefix(cwd, dir) {
					out = append(out, l)
				}
			}
		}
		if len(out) == 0 || time.Now().After(deadline) {
			return out
		}
	}
}

// TestHostilePrograms has tests, and fixers, attack. Nothing of the user's
// changes, this process lives, and the run says which limit ended it.
func TestHostilePrograms(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		for _, a := range attacks() {
			if strings.HasSuffix(t.Name(), "/copy") && !a.unwalled {
				continue // the level promises nothing of it, and it is not to be tried
			}
			t.Run(a.name, func(t *testing.T) {
				w := newWalled(t, level)
				out := proc.NewTail(1 << 10)
				ex, err := w.s.Run(t.Context(), proc.Cmd{Path: "/bin/sh", Args: []string{"-c", w.script(a)}, Dir: w.s.Root(), Env: w.s.Environ(),
					Stdout: out, Stderr: out, Grace: time.Second})
				if err != nil {
					t.Fatal(err)
				}
				if ex.Limit != a.limit {
					t.Errorf("a test: %+v, want ended at %q", ex, a.limit)
				}
				w.unharmed()
				w.before = w.everything()
				v, _ := w.visit(w.script(a), func(g *Guest) { g.Cmd.Stdout, g.Cmd.Stderr = nil, nil })
				if v.Exit.Limit != a.limit {
					t.Errorf("a fixer: %+v, want ended at %q", v.Exit, a.limit)
				}
				w.unharmed()
			})
		}
	})
}
