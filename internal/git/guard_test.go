package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"regreen/internal/git/gittest"
)

func TestGuard(t *testing.T) {
	g := gittest.New(t)
	g.Write("a", "1")
	g.Commit("one")
	r := open(t, g.Dir)
	guard := func() Guard {
		t.Helper()
		x, err := r.Guard(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	base := guard()
	steps := []struct {
		name, diff, busy string
		do, undo         func()
	}{
		{"refresh", "", "", func() { g.Write("a", "1"); g.Git("update-index", "--refresh") }, func() {}},
		{"lock", "", "index.lock", func() { g.Write(".git/index.lock", "") }, func() { _ = os.Remove(g.Path(".git/index.lock")) }},
		{"merge", "a merge was started", "a merge is", func() { g.Write(".git/MERGE_HEAD", "x") }, func() { _ = os.Remove(g.Path(".git/MERGE_HEAD")) }},
		{"add", "the index changed", "", func() { g.Write("a", "2"); g.Git("add", "a") }, func() { g.Git("reset", "-q", "--hard") }},
		{"stash", "the stash changed", "", func() { g.Write("a", "2"); g.Git("stash", "-q") }, func() { g.Git("stash", "drop", "-q") }},
		{"branch", "another branch was checked out", "", func() { g.Git("checkout", "-q", "-b", "x") }, func() { g.Git("checkout", "-q", "main") }},
		{"commit", "HEAD moved", "", func() { g.Git("commit", "-q", "--allow-empty", "-m", "two") }, func() {}},
	}
	for _, s := range steps {
		s.do()
		now := guard()
		if got := base.Diff(now); got != s.diff {
			t.Errorf("%s: Diff = %q, want %q", s.name, got, s.diff)
		}
		if got := now.Busy(); (s.busy == "") != (got == "") || !strings.Contains(got, s.busy) {
			t.Errorf("%s: Busy = %q, want %q", s.name, got, s.busy)
		}
		s.undo()
	}
}

// TestGuardOfRepositoriesInside holds that a submodule and an embedded
// repository count, however their references are kept.
func TestGuardOfRepositoriesInside(t *testing.T) {
	lib := gittest.New(t)
	lib.Write("l.js", "1")
	lib.Commit("lib")
	g := gittest.New(t)
	g.Git("submodule", "add", "-q", lib.Dir, "sub")
	g.Commit("one")
	g.Write("emb/e.js", "1")
	emb := gittest.At(t, g.Path("emb"))
	emb.Git("init", "-q", "-b", "main", ".")
	emb.Commit("its own")
	r := open(t, g.Dir)
	guard := func() Guard {
		t.Helper()
		x, err := r.Guard(t.Context(), "emb", "sub")
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	const moved = "a repository inside this one moved"
	for _, name := range []string{"sub", "emb"} {
		in := gittest.At(t, g.Path(name))
		gitDir := strings.TrimSpace(in.Git("rev-parse", "--path-format=absolute", "--git-dir"))
		for _, s := range []struct {
			name, diff, busy string
			do               func()
		}{
			{"nothing", "", "", func() { in.Git("update-index", "--refresh") }},
			{"commit", moved, "", func() { in.Git("commit", "-q", "--allow-empty", "-m", "x") }},
			{"packed", "", "", func() { in.Git("pack-refs", "--all") }},
			{"commit after packing", moved, "", func() { in.Git("commit", "-q", "--allow-empty", "-m", "y") }},
			{"detach", moved, "", func() { in.Git("checkout", "-q", "--detach") }},
			{"stash", moved, "", func() { in.Write("new.js", "x"); in.Git("stash", "-q", "-u") }},
			{"lock", "", "index.lock of " + name, func() {
				if err := os.WriteFile(filepath.Join(gitDir, "index.lock"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}},
			{"unlock", "", "", func() { _ = os.Remove(filepath.Join(gitDir, "index.lock")) }},
			{"merge", "a merge in " + name + " was started", "a merge in " + name, func() {
				if err := os.WriteFile(filepath.Join(gitDir, "MERGE_HEAD"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}},
			{"merged", "a merge in " + name + " was ended", "", func() { _ = os.Remove(filepath.Join(gitDir, "MERGE_HEAD")) }},
		} {
			before := guard()
			s.do()
			now := guard()
			if got := before.Diff(now); got != s.diff {
				t.Errorf("%s: %s: Diff = %q, want %q", name, s.name, got, s.diff)
			}
			if got := now.Busy(); (got == "") != (s.busy == "") || !strings.Contains(got, s.busy) {
				t.Errorf("%s: %s: Busy = %q, want %q", name, s.name, got, s.busy)
			}
		}
	}
}
