//go:build unix

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"regreen/internal/git"
	"regreen/internal/git/gittest"
	"regreen/internal/jail"
)

// The crash tests run themselves again as a process that kills itself, with no
// chance to clean up, at the n-th effect of a merge or an undo.
const (
	envCrash = "REGREEN_TEST_CRASH" // "merge 7": die at the seventh effect
	envDir   = "REGREEN_TEST_DIR"
	envState = "REGREEN_TEST_STATE"
)

func TestMain(m *testing.M) {
	if jail.Wanted(os.Args) {
		os.Exit(jail.Help(os.Stderr))
	}
	if spec := os.Getenv(envCrash); spec != "" {
		if err := crash(spec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func crashPlan() []Change {
	mode := os.FileMode(0o644)
	return []Change{
		{Path: "src/a.js", Op: Modify, Mode: mode, BeforeMode: mode, Before: []byte("export const a = 1\n"), After: []byte("fixed a\n")},
		{Path: "src/b.js", Op: Delete, BeforeMode: mode, Before: []byte("b\n")},
		{Path: "lib/new/n.js", Op: Create, Mode: mode, After: []byte("new\n")},
		{Path: "test/t.js", Op: Modify, Mode: mode, BeforeMode: mode, Before: []byte("t\n"), After: []byte("fixed t\n")},
	}
}

// crash is the child: a merge or an undo that ends at the n-th effect.
func crash(spec string) error {
	what, num, _ := strings.Cut(spec, " ")
	left, err := strconv.Atoi(num)
	if err != nil {
		return err
	}
	ctx := context.Background()
	repo, err := git.Open(ctx, os.Getenv(envDir), gittest.Environ())
	if err != nil {
		return err
	}
	what, fallback := strings.CutSuffix(what, "-links")
	s, err := Open(ctx, Config{Repo: repo, StateDir: os.Getenv(envState), Effect: func(call, _ string) error {
		if changes(call) {
			if left--; left == 0 {
				if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
					return err
				}
				select {}
			}
		}
		return noExchangeIf(fallback, call)
	}})
	if err != nil {
		return err
	}
	switch what {
	case "recover":
		return s.Close()
	case "undo":
		_, err = s.Undo(ctx, "c1")
	default:
		_, err = s.Merge(ctx, MergeRequest{ID: "c1", Snap: nil, Guard: mustGuard(ctx, repo), Changes: crashPlan()})
	}
	return err
}

func mustGuard(ctx context.Context, repo *git.Repo) git.Guard {
	g, err := repo.Guard(ctx)
	if err != nil {
		panic(err)
	}
	return g
}

// child runs the crash and tells whether the process was killed.
func child(t *testing.T, r *rig, spec string) (killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envCrash+"="+spec, envDir+"="+r.Dir, envState+"="+r.state)
	out, err := cmd.CombinedOutput()
	var ee *exec.ExitError
	if errors.As(err, &ee) && !ee.Exited() {
		return true
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", spec, err, out)
	}
	return false
}

// changes tells whether a call changes the disk: a death before one that does
// not is the same as after the call before it.
func changes(call string) bool {
	switch call {
	case "open", "read", "lstat", "close":
		return false
	}
	return true
}

// crashRig is a repository with the two states between which crashes are had.
type crashRig struct {
	*rig
	old, merged map[string]string
}

func newCrashRig(t *testing.T) *crashRig {
	t.Helper()
	inMemory(t)
	g := simple(t)
	untouchedGit(t, g)
	r := newRig(t, g)
	c := &crashRig{rig: r}
	c.old = c.everything()
	c.toMerged()
	c.merged = c.everything()
	return c
}

// everything hashes the user's tree; .git is looked at when the test ends.
func (c *crashRig) everything() map[string]string {
	c.t.Helper()
	return gittest.HashDir(c.t, c.Dir, ".git")
}

func (c *crashRig) toMerged() {
	c.t.Helper()
	if len(c.s.Undos()) == 0 {
		guard := mustGuard(c.t.Context(), c.repo)
		if _, err := c.s.Merge(c.t.Context(), MergeRequest{ID: "c1", Guard: guard, Changes: crashPlan()}); err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *crashRig) toOld() {
	c.t.Helper()
	if len(c.s.Undos()) > 0 {
		if _, err := c.s.Undo(c.t.Context(), ""); err != nil {
			c.t.Fatal(err)
		}
	}
}

// settled checks that the tree is all old or all merged, that the undo record
// fits, and that nothing else is left. It tells which it is.
func (c *crashRig) settled(when string) (merged bool) {
	c.t.Helper()
	now := c.everything()
	isOld, isMerged := cmp.Equal(c.old, now), cmp.Equal(c.merged, now)
	records, err := filepath.Glob(filepath.Join(c.s.dir, "undo", "*"))
	if err != nil {
		c.t.Fatal(err)
	}
	if undos := len(c.s.Undos()); !(isOld && undos == 0 || isMerged && undos == 1) || len(records) != undos {
		c.t.Errorf("%s: old %v, merged %v, %d undo records, %d folders of them\n%s", when, isOld, isMerged, undos, len(records), cmp.Diff(c.old, now))
	}
	if left, _ := filepath.Glob(filepath.Join(c.s.dir, "journal", "*")); len(left) > 0 {
		c.t.Errorf("%s: left %v", when, left)
	}
	if n := countRescued(c.t, c.s); n > 0 {
		c.t.Errorf("%s: %d files rescued that were nobody's", when, n)
	}
	return isMerged
}

// TestCrash kills a process at every call that changes the disk in a merge and
// in an undo, with and without the exchange of names.
func TestCrash(t *testing.T) {
	for _, what := range []string{"merge", "undo", "merge-links", "undo-links"} {
		t.Run(what, func(t *testing.T) {
			c := newCrashRig(t)
			merged, steps, every := 0, 0, 1
			if testing.Short() {
				every = 9
			}
			for n := 1; ; n += every {
				if strings.HasPrefix(what, "merge") {
					c.toOld()
				} else {
					c.toMerged()
				}
				c.close()
				killed := child(t, c.rig, fmt.Sprintf("%s %d", what, n))
				c.open()
				if c.settled(fmt.Sprintf("%s killed at effect %d", what, n)) {
					merged++
				}
				if t.Failed() {
					t.FailNow()
				}
				if steps = n; !killed {
					break
				}
			}
			if steps < 50 || merged == 0 || merged == steps {
				t.Errorf("%d effects, %d ended merged; want many and both ends", steps, merged)
			}
			t.Logf("killed at every %d. of %d effects, %d ended merged", every, steps-1, merged)
		})
	}
}

// TestCrashOfRecovery kills the start that repairs a killed merge, at every
// call. The merges are killed at some of their calls only: TestDeathTwice has
// more of them, without processes.
func TestCrashOfRecovery(t *testing.T) {
	every := 20
	if testing.Short() {
		every = 60
	}
	for _, what := range []string{"merge", "undo-links"} {
		t.Run(what, func(t *testing.T) {
			c := newCrashRig(t)
			total := 0
			for k, killed := every, true; killed; k += every {
				for n, again := 1, true; again; n++ {
					if what == "merge" {
						c.toOld()
					} else {
						c.toMerged()
					}
					c.close()
					killed = child(t, c.rig, fmt.Sprintf("%s %d", what, k))
					again = child(t, c.rig, fmt.Sprintf("recover%s %d", strings.TrimPrefix(strings.TrimPrefix(what, "merge"), "undo"), n))
					c.open()
					c.settled(fmt.Sprintf("%s killed at effect %d, its repair at %d", what, k, n))
					if t.Failed() {
						t.FailNow()
					}
					total++
				}
			}
			t.Logf("%d repairs", total)
		})
	}
}

// TestCrashWithUserSave has the user save while the process is dead in the
// middle of a merge.
func TestCrashWithUserSave(t *testing.T) {
	for n := 1; ; n += 3 {
		r := newRig(t, simple(t))
		r.close()
		killed := child(t, r, fmt.Sprintf("merge %d", n))
		r.Write("src/a.js", "the user's save\n")
		r.open()
		if got := r.Read("src/a.js"); got != "the user's save\n" {
			t.Errorf("killed at effect %d: a.js = %q", n, got)
		}
		b, berr := os.ReadFile(r.Path("src/b.js"))
		tt := r.Read("test/t.js")
		_, nerr := os.Stat(r.Path("lib/new/n.js"))
		old := berr == nil && string(b) == "b\n" && tt == "t\n" && nerr != nil
		merged := berr != nil && tt == "fixed t\n" && nerr == nil
		if !old && !merged {
			t.Errorf("killed at effect %d: the other files are half merged: b %v, t %q, n %v", n, berr, tt, nerr)
		}
		for rel := range gittest.HashDir(t, r.Dir, ".git") {
			if strings.Contains(rel, TempPrefix) {
				t.Errorf("killed at effect %d: %s is left", n, rel)
			}
		}
		r.close()
		if !killed {
			return
		}
	}
}
