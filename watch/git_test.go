package watch

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/git/gittest"
)

// many is a repository with two branches that differ in n files.
func many(t testing.TB, n int) (repo *gittest.Repo, rels []string) {
	t.Helper()
	r := gittest.New(t)
	for i := range n {
		rel := fmt.Sprintf("src/d%d/f%d.ts", i%20, i)
		rels = append(rels, rel)
		r.Write(rel, "main")
	}
	slices.Sort(rels)
	r.Commit("main")
	r.Git("checkout", "-q", "-b", "other")
	for _, rel := range rels {
		r.Write(rel, "other")
	}
	r.Commit("other")
	r.Git("checkout", "-q", "main")
	return r, rels
}

func TestCheckoutIsOneBatch(t *testing.T) {
	r, rels := many(t, 400)
	f := start(t, r, nil)
	for _, branch := range []string{"other", "main"} {
		r.Git("checkout", "-q", branch)
		if diff := cmp.Diff(Batch{Paths: rels, Checkout: true, Reason: Checkout}, f.next()); diff != "" {
			t.Fatalf("%s: batch (-want +got):\n%s", branch, diff)
		}
	}
	f.nothing()
}

func TestCommitIsNoBatch(t *testing.T) {
	r := repoWith(t, "a.ts", "1\n")
	f := start(t, r, nil)
	r.Write("a.ts", "2\n")
	f.collect([]string{"a.ts"})
	r.Git("commit", "-q", "-am", "second")
	f.nothing()
}

// TestCommitThenSave holds that what a commit made the watcher compare, and that
// was no change, is no part of the save after it.
func TestCommitThenSave(t *testing.T) {
	r := repoWith(t, "a.ts", "1\n", ".gitignore", "*.log\n", "b.log", "1\n")
	f := start(t, r, nil)
	r.Git("add", "-f", "b.log")
	r.Git("commit", "-q", "-m", "a tracked file that is ignored")
	f.collect([]string{"b.log"})
	r.Git("rm", "-q", "--cached", "b.log")
	r.Git("commit", "-q", "-m", "tracked no more")
	select {
	case b := <-f.out:
		t.Fatalf("a batch for a commit: %+v", b)
	case <-time.After(700 * time.Millisecond): // until the tracked files were read anew
	}
	r.Write("a.ts", "2\n")
	if diff := cmp.Diff(Batch{Paths: []string{"a.ts"}, Reason: Saved}, f.next()); diff != "" {
		t.Errorf("batch (-want +got):\n%s", diff)
	}
}

// TestHeadMovesLate holds that a checkout is told as one even where git moves
// HEAD so long after it wrote the files that they were told already, and that a
// commit at that time is not taken for one.
func TestHeadMovesLate(t *testing.T) {
	for _, c := range []struct {
		name string
		git  []string // moves HEAD, but no file
		want *Batch
	}{
		{"reset", []string{"reset", "-q", "--soft", "HEAD~1"}, &Batch{Checkout: true, Reason: Checkout}},
		{"commit", []string{"commit", "-q", "--allow-empty", "-m", "third"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := repoWith(t, "a.ts", "1\n")
			r.Write("a.ts", "2\n")
			r.Commit("second")
			f := start(t, r, nil)
			index, err := os.ReadFile(r.Path(".git/index"))
			must(t, err)
			must(t, os.WriteFile(r.Path(".git/index.lock"), index, 0o644))
			r.Write("a.ts", "3\n")
			for why := <-f.wait; why == ""; why = <-f.wait {
			}
			must(t, os.Rename(r.Path(".git/index.lock"), r.Path(".git/index"))) // as git ends writing it
			if diff := cmp.Diff(Batch{Paths: []string{"a.ts"}, Reason: Saved}, f.next()); diff != "" {
				t.Fatalf("batch (-want +got):\n%s", diff)
			}
			r.Git(c.git...)
			if c.want != nil {
				if diff := cmp.Diff(*c.want, f.next()); diff != "" {
					t.Errorf("batch (-want +got):\n%s", diff)
				}
				return
			}
			select {
			case b := <-f.out:
				t.Errorf("a batch for a commit: %+v", b)
			case <-time.After(700 * time.Millisecond): // until the repository's state was taken in
			}
		})
	}
}

func TestStashIsOneBatch(t *testing.T) {
	r, rels := many(t, 200)
	for _, rel := range rels {
		r.Write(rel, "edited")
	}
	r.Write("untracked.ts", "new")
	f := start(t, r, nil)
	r.Git("stash", "-q", "-u")
	want := Batch{Paths: rels, Deleted: []string{"untracked.ts"}, Checkout: true, Reason: Checkout}
	if diff := cmp.Diff(want, f.next()); diff != "" {
		t.Fatalf("stash (-want +got):\n%s", diff)
	}
	r.Git("stash", "pop", "-q")
	want = Batch{Paths: append(slices.Clone(rels), "untracked.ts"), Checkout: true, Reason: Checkout}
	if diff := cmp.Diff(want, f.next()); diff != "" {
		t.Fatalf("pop (-want +got):\n%s", diff)
	}
	f.nothing()
}

// TestRebaseWithAStop holds that nothing is told in the middle of a rebase.
func TestRebaseWithAStop(t *testing.T) {
	r, rels := many(t, 100)
	r.Write(rels[0], "conflict", "mine.ts", "mine")
	r.Commit("mine")
	f := start(t, r, nil)
	cmd := exec.Command("git", "rebase", "-q", "other")
	cmd.Dir, cmd.Env = r.Dir, append(gittest.Environ(), "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_EDITOR=true")
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("the rebase did not stop: %s", out)
	}
	if why := f.waiting(); !strings.Contains(why, "rebase") {
		t.Fatalf("waiting = %q", why)
	}
	r.Write(rels[0], "resolved")
	select {
	case b := <-f.out:
		t.Fatalf("a batch in the middle of a rebase: %+v", b)
	case <-time.After(700 * time.Millisecond): // longer than any quiet period
	}
	r.Git("add", "-A")
	r.Git("-c", "core.editor=true", "rebase", "--continue")
	if diff := cmp.Diff(Batch{Paths: rels, Checkout: true, Reason: Checkout}, f.next()); diff != "" {
		t.Fatalf("batch (-want +got):\n%s", diff)
	}
	if why := f.waiting(); why != "" {
		t.Errorf("waiting = %q after the rebase", why)
	}
	f.nothing()
}

// waiting gives what the watcher says next about waiting for git.
func (f *fixture) waiting() string {
	f.t.Helper()
	for {
		select {
		case why := <-f.wait:
			if strings.HasPrefix(why, "a git command") {
				continue
			}
			return why
		case <-time.After(patience):
			f.t.Fatal("the watcher says nothing about waiting")
		}
	}
}

func TestWaitsForEachOperation(t *testing.T) {
	r := repoWith(t, "a.ts", "1\n")
	f := start(t, r, nil)
	for i, name := range []string{"index.lock", "rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG"} {
		must(t, os.WriteFile(r.Path(".git/"+name), nil, 0o644))
		r.Write("a.ts", fmt.Sprint(i, " held\n"))
		for why := <-f.wait; why == ""; why = <-f.wait {
		}
		select {
		case b := <-f.out:
			t.Fatalf("%s: a batch came: %+v", name, b)
		case <-time.After(150 * time.Millisecond):
		}
		must(t, os.Remove(r.Path(".git/"+name)))
		f.collect([]string{"a.ts"})
	}
}

// TestLinkedWorktree holds that the state of a worktree's own git folder counts.
func TestLinkedWorktree(t *testing.T) {
	r := repoWith(t, "a.ts", "1\n")
	r.Git("worktree", "add", "-q", "../wt")
	wt := gittest.At(t, r.Path("../wt"))
	f := start(t, wt, nil)
	lock := strings.TrimSpace(wt.Git("rev-parse", "--absolute-git-dir")) + "/index.lock"
	must(t, os.WriteFile(lock, nil, 0o644))
	wt.Write("a.ts", "2\n")
	if why := <-f.wait; !strings.Contains(why, "index.lock") {
		t.Errorf("waiting = %q", why)
	}
	must(t, os.Remove(lock))
	f.collect([]string{"a.ts"})
	wt.Git("checkout", "-q", "-b", "third")
	f.nothing()
}
