package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"regreen/cycle"
)

// patience bounds one run of the program: a hang is a failure of the test that
// it happened in, not of the whole package.
const patience = 4 * time.Minute

// repo is a user's repository with a test framework installed.
type repo struct {
	t       *testing.T
	dir     string
	environ []string
	git     map[string]string // .git when the repository was made
	base    map[string]string // the committed files
	user    int               // who runs the program; 0 is who runs the test
}

// newRepo makes a repository of one commit in a folder of its own, with the
// framework of testdata/deps installed and ignored, as a user has it.
func newRepo(t *testing.T, deps string, files map[string]string) *repo {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, "work", "shop")
	environ, err := environOf(home, deps)
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t: t, dir: dir, environ: environ}
	if _, ok := files[".gitignore"]; !ok {
		r.write(".gitignore", "node_modules/\n.venv/\n__pycache__/\n.pytest_cache/\n")
	}
	for name, text := range files {
		r.write(name, text)
	}
	if err := install(deps, dir); err != nil {
		t.Fatal(err)
	}
	if err := gitInit(dir, environ); err != nil {
		t.Fatal(err)
	}
	r.git = hashGit(t, dir)
	r.base = r.files()
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		// The invariant of every case (acceptance point 7).
		diffMaps(t, ".git", r.git, hashGit(t, dir))
	})
	return r
}

// environOf is the environment of a private home; the vitest 5 of the tests
// brings the newer Node that it needs.
func environOf(home, deps string) ([]string, error) {
	path := os.Getenv("PATH")
	if deps == "vitest5" {
		path = filepath.Join(repoRoot, "testdata", "deps", deps, "node_modules", "node", "bin") + string(os.PathListSeparator) + path
	}
	for _, d := range []string{"state", "cache", "tmp"} {
		if err := os.MkdirAll(filepath.Join(home, d), 0o700); err != nil {
			return nil, err
		}
	}
	environ := []string{
		"PATH=" + path, "HOME=" + home, "TMPDIR=" + filepath.Join(home, "tmp"),
		"XDG_STATE_HOME=" + filepath.Join(home, "state"), "XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
		"XDG_RUNTIME_DIR=" + filepath.Join(home, "tmp"),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "LANG=C.UTF-8",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z",
	}
	// A version manager's shims for node and python need its own folder.
	for _, name := range []string{"PYENV_ROOT", "NVM_DIR", "ASDF_DATA_DIR"} {
		if v, ok := os.LookupEnv(name); ok {
			environ = append(environ, name+"="+v)
		}
	}
	return environ, nil
}

// install puts the framework of testdata/deps into dir: real folders, hard
// links to the files where that works.
func install(deps, dir string) error {
	if deps == "" {
		return nil
	}
	from := filepath.Join(repoRoot, "testdata", "deps", deps)
	for _, name := range []string{"node_modules", ".venv"} {
		if _, err := os.Stat(filepath.Join(from, name)); err == nil {
			return linkTree(filepath.Join(from, name), filepath.Join(dir, name))
		}
	}
	return fmt.Errorf("%s is not installed: run make deps", from)
}

func linkTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if _, err := os.Lstat(target); err == nil && !e.IsDir() {
			return nil // two frameworks share it
		}
		switch {
		case e.IsDir():
			return os.MkdirAll(target, 0o777)
		case e.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		}
		if err := os.Link(path, target); err == nil {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(target, src, fi.Mode().Perm())
	})
}

func gitInit(dir string, environ []string) error {
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, environ
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}

func (r *repo) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *repo) write(name, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.path(name), []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) remove(name string) {
	r.t.Helper()
	if err := os.Remove(r.path(name)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) read(name string) string {
	r.t.Helper()
	src, err := os.ReadFile(r.path(name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(src)
}

// files are the contents of the user's files, without .git and what is
// installed.
func (r *repo) files() map[string]string {
	r.t.Helper()
	out, err := treeFiles(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

func treeFiles(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if slices.Contains([]string{".git", "node_modules", ".venv"}, e.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		if to, err := os.Stat(path); err == nil && to.IsDir() { // a link to a folder
			text, err := os.Readlink(path)
			out[filepath.ToSlash(rel)] = fi.Mode().String() + "\n" + text
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		out[filepath.ToSlash(rel)] = fi.Mode().String() + "\n" + string(src)
		return nil
	})
	return out, err
}

// result is what one command line gave.
type result struct {
	exit           int
	stdout, stderr string
}

// regreen runs the program in the repository.
func (r *repo) regreen(args ...string) result {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir, cmd.Env = r.dir, r.environ
	as(cmd, r.user)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	var ee *exec.ExitError
	if err != nil && !errors.As(err, &ee) {
		r.t.Fatalf("regreen %q: %v\n%s", args, err, stderr.String())
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// run is regreen run --json, read.
func (r *repo) run(args ...string) (cycle.Document, result) {
	r.t.Helper()
	res := r.regreen(append([]string{"run", "--json"}, args...)...)
	var d cycle.Document
	if err := json.Unmarshal([]byte(res.stdout), &d); err != nil {
		r.t.Fatalf("regreen run %q printed no document: %v\nexit %d\nstdout: %s\nstderr: %s", args, err, res.exit, res.stdout, res.stderr)
	}
	return d, res
}

// hashGit is every file below .git with mode and checksum.
func hashGit(t *testing.T, dir string) map[string]string {
	t.Helper()
	out, err := gitFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func gitFiles(dir string) (map[string]string, error) {
	out := map[string]string{}
	root := filepath.Join(dir, ".git")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			out[rel] = fi.Mode().String()
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		out[rel] = fmt.Sprintf("%s %x", fi.Mode(), sha256.Sum256(src))
		return nil
	})
	return out, err
}

// changed names the files that differ between two states.
func changed(a, b map[string]string) []string {
	var out []string
	for name := range a {
		if a[name] != b[name] {
			out = append(out, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func diffMaps(t *testing.T, what string, want, got map[string]string) {
	t.Helper()
	for _, name := range changed(want, got) {
		t.Errorf("%s: %s differs: %q, was %q", what, name, strings.TrimSpace(got[name]), strings.TrimSpace(want[name]))
	}
}
