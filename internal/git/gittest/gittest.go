// Package gittest makes real repositories for tests and proves that nobody
// changed them: Hash covers every byte below .git.
package gittest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Environ is an environment in which git depends on nothing of the machine.
func Environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir(), "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
}

// Repo is a repository in a test's own folder.
type Repo struct {
	t   testing.TB
	Dir string // real path
}

// New makes an empty repository.
func New(t testing.TB) *Repo {
	t.Helper()
	r := Bare(t)
	r.Git("init", "-q", "-b", "main", ".")
	return r
}

// Bare is a folder without a repository.
func Bare(t testing.TB) *Repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "repo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return &Repo{t, dir}
}

// At is a repository (or a folder) that exists.
func At(t testing.TB, dir string) *Repo { return &Repo{t, dir} }

// Git runs git in the repository and gives its output.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	out, err := r.try(args...)
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (r *Repo) command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Dir
	cmd.Env = append(Environ(), "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
		"GIT_AUTHOR_DATE=2024-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2024-01-02T03:04:05Z",
		"GIT_ALLOW_PROTOCOL=file")
	return cmd
}

// Write writes files given as pairs of rel and content; folders are made.
func (r *Repo) Write(pairs ...string) {
	r.t.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		abs := r.Path(pairs[i])
		if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(abs, []byte(pairs[i+1]), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
}

// Read gives a file's content.
func (r *Repo) Read(rel string) string {
	r.t.Helper()
	b, err := os.ReadFile(r.Path(rel))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

// Path is the absolute path of a rel.
func (r *Repo) Path(rel string) string { return filepath.Join(r.Dir, filepath.FromSlash(rel)) }

// Commit adds everything and commits it.
func (r *Repo) Commit(msg string) {
	r.t.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", msg)
}

// Hash is a hash a path of every file below the repository's .git (wherever
// that is), with mode and content.
func (r *Repo) Hash() map[string]string {
	r.t.Helper()
	return HashDir(r.t, strings.TrimSpace(r.Git("rev-parse", "--path-format=absolute", "--git-common-dir")))
}

// HashDir hashes every file and link below dir, but not what below skips.
func HashDir(t testing.TB, dir string, skip ...string) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		rel = filepath.ToSlash(rel)
		for _, s := range skip {
			if rel == s {
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		v := fi.Mode().String()
		switch {
		case fi.Mode().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			v += fmt.Sprintf(" %d %x", len(b), sha256.Sum256(b))
		case fi.Mode()&fs.ModeSymlink != 0:
			l, _ := os.Readlink(p)
			v += " " + l
		}
		m[rel] = v
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
