//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGitHooks holds that git's own hooks stop a commit and a push while tests
// fail, in each way in which git calls them (with its variables set, the index
// held, from a linked worktree, from a subfolder), and let them through when
// all is green.
func TestGitHooks(t *testing.T) {
	t.Parallel()
	r := taxRepo(t)
	defer func() { r.git = hashGit(t, r.dir) }() // commits are made here
	git := func(dir string, args ...string) (string, error) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir, cmd.Env = dir, r.environ
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(dir string, args ...string) {
		t.Helper()
		if out, err := git(dir, args...); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	stopped := func(what, dir string, args ...string) {
		t.Helper()
		head, _ := git(dir, "rev-parse", "HEAD")
		out, err := git(dir, args...)
		if err == nil || !strings.Contains(out, "regreen: not ") {
			t.Errorf("%s was not stopped: %v\n%s", what, err, out)
		}
		if now, _ := git(dir, "rev-parse", "HEAD"); now != head {
			t.Errorf("%s moved HEAD", what)
		}
	}
	remote := filepath.Join(t.TempDir(), "remote.git")
	must(r.dir, "init", "-q", "--bare", remote)
	must(r.dir, "remote", "add", "origin", remote)
	must(r.dir, "push", "-q", "-u", "origin", "main")
	for _, hook := range []string{"pre-commit", "pre-push"} {
		if res := r.regreen("hook", "git", "--hook", hook); res.exit != 0 {
			t.Fatalf("hook git: %+v", res)
		}
	}
	good := r.read("shop/tax.py")
	bad := strings.Replace(good, "RATE = 2", "RATE = 3", 1)

	r.write("shop/tax.py", bad)
	must(r.dir, "add", "shop/tax.py")
	stopped("a commit", r.dir, "commit", "-q", "-m", "x")
	stopped("commit -a", r.dir, "commit", "-q", "-a", "-m", "x")
	stopped("commit of a path from a subfolder", r.path("shop"), "commit", "-q", "-m", "x", "tax.py")
	if staged, _ := git(r.dir, "diff", "--cached", "--name-only"); strings.TrimSpace(staged) != "shop/tax.py" {
		t.Errorf("staged: %q", staged)
	}
	must(r.dir, "commit", "-q", "--no-verify", "-m", "bad")
	stopped("a push", r.dir, "push", "-q")

	// A proved repair is proposed, and nothing is written.
	misspelt := strings.Replace(good, "base * RATE", "bsae * RATE", 1)
	r.write("shop/tax.py", misspelt)
	stopped("a commit that can be repaired", r.dir, "commit", "-q", "-a", "-m", "x")
	if r.read("shop/tax.py") != misspelt {
		t.Error("the hook wrote into the user's files")
	}

	r.write("shop/tax.py", strings.Replace(good, "RATE\n", "RATE  # doubled\n", 1))
	must(r.dir, "commit", "-q", "-a", "-m", "good")
	must(r.dir, "push", "-q")

	tree := filepath.Join(filepath.Dir(r.dir), "linked")
	must(r.dir, "worktree", "add", "-q", tree, "-b", "other")
	if err := os.Symlink(r.path(".venv"), filepath.Join(tree, ".venv")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, "shop", "tax.py"), []byte(bad), 0o644); err != nil {
		t.Fatal(err)
	}
	stopped("a commit in a linked worktree", tree, "commit", "-q", "-a", "-m", "x")
	if got := r.read("shop/tax.py"); !strings.Contains(got, "doubled") {
		t.Errorf("the other worktree holds %q", got)
	}
	for _, hook := range []string{"pre-commit", "pre-push"} {
		if res := r.regreen("hook", "git", "--hook", hook, "--remove"); res.exit != 0 {
			t.Fatalf("hook git --remove: %+v", res)
		}
		if _, err := os.Stat(r.path(".git/hooks/" + hook)); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", hook, err)
		}
	}
}
