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
	s, err := Open(ctx, Config{Repo: repo, StateDir: os.Getenv(envState), fault: func(string) error {
		if left--; left == 0 {
			if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
				return err
			}
			select {}
		}
		return nil
	}})
	if err != nil {
		return err
	}
	if what == "undo" {
		_, err = s.Undo(ctx, "c1")
	} else {
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

func withoutDirs(m map[string]string) map[string]string {
	for k, v := range m {
		if strings.HasPrefix(v, "d") {
			delete(m, k)
		}
	}
	return m
}

func TestCrash(t *testing.T) {
	for _, what := range []string{"merge", "undo"} {
		t.Run(what, func(t *testing.T) {
			r := newRig(t, simple(t))
			old := withoutDirs(r.everything())
			guard := mustGuard(t.Context(), r.repo)
			if _, err := r.s.Merge(t.Context(), MergeRequest{ID: "c1", Guard: guard, Changes: crashPlan()}); err != nil {
				t.Fatal(err)
			}
			merged := withoutDirs(r.everything())
			reset := func() { // to the state in which the operation starts
				if len(r.s.Undos()) > 0 {
					if _, err := r.s.Undo(t.Context(), ""); err != nil {
						t.Fatal(err)
					}
				}
				if what == "undo" {
					if _, err := r.s.Merge(t.Context(), MergeRequest{ID: "c1", Guard: guard, Changes: crashPlan()}); err != nil {
						t.Fatal(err)
					}
				}
			}
			outcomes := map[string]int{}
			for n := 1; ; n++ {
				reset()
				r.close()
				killed := child(t, r, fmt.Sprintf("%s %d", what, n))
				r.open()
				now := withoutDirs(r.everything())
				isOld, isMerged := cmp.Equal(old, now), cmp.Equal(merged, now)
				switch undos := len(r.s.Undos()); {
				case isOld && undos == 0:
					outcomes["old"]++
				case isMerged && undos == 1:
					outcomes["merged"]++
				default:
					t.Errorf("%s killed at effect %d: old %v, merged %v, %d undo records\n%s", what, n, isOld, isMerged, undos,
						cmp.Diff(old, now))
				}
				if left, _ := filepath.Glob(filepath.Join(r.s.dir, "journal", "*")); len(left) > 0 {
					t.Errorf("%s killed at effect %d: left %v", what, n, left)
				}
				if n := countRescued(t, r.s); n > 0 {
					t.Errorf("%d files rescued that were nobody's", n)
				}
				if !killed {
					if n < 10 {
						t.Errorf("only %d effects", n)
					}
					break
				}
			}
			if outcomes["old"] == 0 || outcomes["merged"] == 0 {
				t.Errorf("outcomes = %v, want both", outcomes)
			}
			t.Log(outcomes)
		})
	}
}

// TestCrashWithUserSave has the user save while the process is dead in the
// middle of a merge.
func TestCrashWithUserSave(t *testing.T) {
	for n := 1; n < 40; n++ {
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

// TestFaults has each effect fail instead: nothing may be left of the merge.
func TestFaults(t *testing.T) {
	left := 0
	r := newRig(t, simple(t), func(c *Config) {
		c.fault = func(string) error {
			if left--; left == 0 {
				return syscall.ENOSPC
			}
			return nil
		}
	})
	guard := mustGuard(t.Context(), r.repo)
	before := r.everything()
	for n := 1; n < 60; n++ {
		left = n
		_, err := r.s.Merge(t.Context(), MergeRequest{ID: "c1", Guard: guard, Changes: crashPlan()})
		if err == nil {
			if left > 0 {
				return // fewer effects than n
			}
			// It failed only in cleaning up; the next start ends that.
			left = 0
			r.close()
			r.open()
			if _, err := r.s.Undo(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
		}
		left = 0
		now := r.everything()
		if d := cmp.Diff(before, now); d != "" {
			t.Fatalf("effect %d failed with %v (-before +after):\n%s", n, err, d)
		}
	}
	t.Error("no end of effects")
}
