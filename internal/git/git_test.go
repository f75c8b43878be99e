package git

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/git/gittest"
)

func open(t *testing.T, dir string, env ...string) *Repo {
	t.Helper()
	r, err := Open(t.Context(), dir, append(gittest.Environ(), env...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// untouched fails the test when anything below .git changed until its end.
func untouched(t *testing.T, g *gittest.Repo) {
	t.Helper()
	before := g.Hash()
	t.Cleanup(func() {
		if d := cmp.Diff(before, g.Hash()); d != "" {
			t.Errorf(".git changed (-before +after):\n%s", d)
		}
	})
}

func TestOpenErrors(t *testing.T) {
	tests := []struct {
		name, code string
		dir        func(t *testing.T) string
	}{
		{"not a repository", CodeNotRepository, func(t *testing.T) string { return gittest.Bare(t).Dir }},
		{"bare", CodeBare, func(t *testing.T) string {
			g := gittest.Bare(t)
			g.Git("init", "-q", "--bare", ".")
			return g.Dir
		}},
		{"inside .git", CodeNotRepository, func(t *testing.T) string { return filepath.Join(gittest.New(t).Dir, ".git") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(t.Context(), tt.dir(t), append(gittest.Environ(), "GIT_CEILING_DIRECTORIES=/"))
			var ge *Error
			if !errors.As(err, &ge) || ge.Code != tt.code || ge.Hint == "" {
				t.Errorf("Open = %#v, want code %s and a hint", err, tt.code)
			}
		})
	}
	t.Run("git missing", func(t *testing.T) {
		_, err := Open(t.Context(), t.TempDir(), []string{"PATH=" + t.TempDir()})
		var ge *Error
		if !errors.As(err, &ge) || ge.Code != CodeGitMissing {
			t.Errorf("Open = %v, want %s", err, CodeGitMissing)
		}
	})
	t.Run("unsafe ownership", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("needs root to give a folder away")
		}
		g := gittest.New(t)
		if err := os.Chown(g.Dir, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(g.Path(".git"), 12345, 12345); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), g.Dir, gittest.Environ())
		var ge *Error
		if !errors.As(err, &ge) || ge.Code != CodeUnsafe {
			t.Errorf("Open = %v, want %s", err, CodeUnsafe)
		}
	})
}

func TestOpenIgnoresGitDirInEnvironment(t *testing.T) {
	other := gittest.New(t)
	g := gittest.New(t)
	g.Write("sub/a.txt", "a")
	r := open(t, g.Path("sub"), "GIT_DIR="+other.Path(".git"), "GIT_INDEX_FILE=/nowhere")
	if r.Root() != g.Dir {
		t.Errorf("Root = %s, want %s", r.Root(), g.Dir)
	}
}

func TestFiles(t *testing.T) {
	g := gittest.New(t)
	g.Write(".gitignore", "*.log\n", "src/a.js", "a", "gone.js", "x", "node_modules/tracked/i.js", "t", "é\n\"q.txt", "odd")
	g.Git("add", "-f", ".")
	g.Git("commit", "-qm", "one")
	if err := os.Remove(g.Path("gone.js")); err != nil {
		t.Fatal(err)
	}
	g.Write("new.js", "n", "debug.log", "l", "node_modules/dep/i.js", "d", "pkg/node_modules/x/i.js", "d",
		".venv/pyvenv.cfg", "home", ".venv/lib/x.py", "x", "src/__pycache__/a.pyc", "c")
	// An embedded repository is crossed, a linked worktree of this one is not.
	emb := gittest.At(t, g.Path("emb"))
	g.Write("emb/e.txt", "e", "emb/.gitignore", "ign\n", "emb/ign", "i")
	emb.Git("init", "-q", ".")
	g.Git("worktree", "add", "-q", "wt")
	if err := os.Symlink("src/a.js", g.Path("link.js")); err != nil {
		t.Fatal(err)
	}
	untouched(t, g)
	r := open(t, g.Dir)
	l, err := r.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".gitignore", "emb/.gitignore", "emb/e.txt", "link.js", "new.js", "node_modules/tracked/i.js", "src/a.js", "é\n\"q.txt"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Files (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"wt"}, l.Skipped); d != "" {
		t.Errorf("Skipped (-want +got):\n%s", d)
	}
	ign, err := r.Ignored(t.Context(), l.Nested, []string{"a.log", "b.js", "emb/ign", "emb/x.log", "sub/deep/c.log"})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]bool{"a.log": true, "emb/ign": true, "sub/deep/c.log": true}, ign); d != "" {
		t.Errorf("Ignored (-want +got):\n%s", d)
	}
}

// A repository from a system that folds case may lie on one that does not.
func TestIgnoreCaseAlone(t *testing.T) {
	g := gittest.New(t)
	g.Write(".gitignore", "*.log\n", "src/Tax.js", "tax\n", "src/kept.js", "kept\n")
	g.Commit("one")
	if _, err := os.Lstat(g.Path("SRC")); err == nil {
		t.Skip("this file system folds case itself")
	}
	g.Git("config", "core.ignoreCase", "true")
	if err := os.Rename(g.Path("src/Tax.js"), g.Path("src/tax.js")); err != nil {
		t.Fatal(err)
	}
	g.Write("Debug.LOG", "ignored as git has it\n", "src/new.js", "new\n")
	untouched(t, g)
	r := open(t, g.Dir)
	files, err := r.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{".gitignore", "src/kept.js", "src/new.js", "src/tax.js"}, files); d != "" {
		t.Errorf("Files (-want +got):\n%s", d)
	}
	changes, err := r.Modified(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Change{{"src/Tax.js", Deleted}, {"src/new.js", Added}, {"src/tax.js", Added}}, changes); d != "" {
		t.Errorf("Modified (-want +got):\n%s", d)
	}
}

func TestModified(t *testing.T) {
	g := gittest.New(t)
	g.Write("same.js", "1", "staged.js", "1", "unstaged.js", "1", "both.js", "1", "deleted.js", "1\n2\n3\n", "staged-del.js", "1",
		"uncached.js", "1", "uncached2.js", "1", "touched.js", "1", "mode.sh", "1")
	g.Commit("one")
	g.Write("staged.js", "2")
	g.Git("add", "staged.js")
	g.Write("both.js", "2")
	g.Git("add", "both.js")
	g.Write("both.js", "3", "unstaged.js", "2", "untracked.js", "u", "intent.js", "i")
	g.Git("add", "-N", "intent.js")
	g.Git("rm", "-q", "staged-del.js")
	g.Git("rm", "-q", "--cached", "uncached.js", "uncached2.js")
	g.Write("uncached2.js", "2", "touched.js", "2")
	g.Write("touched.js", "1")
	if err := os.Remove(g.Path("deleted.js")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(g.Path("mode.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	g.Write("added-then-gone.js", "x")
	g.Git("add", "added-then-gone.js")
	if err := os.Remove(g.Path("added-then-gone.js")); err != nil {
		t.Fatal(err)
	}
	untouched(t, g)
	r := open(t, g.Dir)
	got, err := r.Modified(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	want := []Change{{"both.js", Modified}, {"deleted.js", Deleted}, {"intent.js", Added}, {"mode.sh", Modified},
		{"staged-del.js", Deleted}, {"staged.js", Modified}, {"uncached2.js", Modified}, {"unstaged.js", Modified},
		{"untracked.js", Added}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Modified (-want +got):\n%s", d)
	}
}

// What git was told not to look at is seen by tests all the same. A file that a
// sparse checkout leaves out is not deleted.
func TestModifiedBehindGitsBack(t *testing.T) {
	g := gittest.New(t)
	g.Write("assumed", "1", "assumed-same", "1", "assumed-gone", "1", "skipped", "1", "skipped-away", "1")
	g.Commit("one")
	g.Git("update-index", "--assume-unchanged", "assumed", "assumed-same", "assumed-gone")
	g.Git("update-index", "--skip-worktree", "skipped", "skipped-away")
	g.Write("assumed", "2", "skipped", "2")
	for _, name := range []string{"assumed-gone", "skipped-away"} {
		if err := os.Remove(g.Path(name)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := open(t, g.Dir).Modified(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	want := []Change{{"assumed", Modified}, {"assumed-gone", Deleted}, {"skipped", Modified}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Modified (-want +got):\n%s", d)
	}
}

func TestModifiedAgainstRevision(t *testing.T) {
	g := gittest.New(t)
	g.Write("a", "1", "b", "1")
	g.Commit("one")
	g.Git("branch", "side")
	g.Write("a", "2")
	g.Commit("two")
	g.Git("checkout", "-q", "side")
	g.Write("b", "2")
	g.Commit("three")
	untouched(t, g)
	r := open(t, g.Dir)
	got, err := r.Modified(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Change{{"b", Modified}}, got); d != "" {
		t.Errorf("Modified(main) (-want +got):\n%s", d)
	}
	for _, rev := range []string{"nope", "-x", "--all", "a\nb"} {
		var ge *Error
		if _, err := r.Modified(t.Context(), rev); !errors.As(err, &ge) || ge.Code != CodeUnknownRevision {
			t.Errorf("Modified(%q) = %v, want %s", rev, err, CodeUnknownRevision)
		}
	}
}

func TestUnborn(t *testing.T) {
	g := gittest.New(t)
	g.Write("a", "1", "b", "1")
	g.Git("add", "a")
	untouched(t, g)
	r := open(t, g.Dir)
	_, unborn, err := r.Head(t.Context())
	if err != nil || !unborn {
		t.Fatalf("Head = %v, %v, want unborn", unborn, err)
	}
	got, err := r.Modified(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Change{{"a", Added}, {"b", Added}}, got); d != "" {
		t.Errorf("Modified (-want +got):\n%s", d)
	}
	if files, err := r.BaseFiles(t.Context(), "HEAD"); err != nil || len(files) != 0 {
		t.Errorf("BaseFiles = %v, %v, want none", files, err)
	}
}

func TestLineEndings(t *testing.T) {
	tests := []struct {
		name, attributes string
		config           []string
	}{
		{"autocrlf", "", []string{"core.autocrlf", "true"}},
		{"eol=crlf", "*.txt text eol=crlf\n", nil},
		{"filter", "*.txt filter=rot\n", []string{"filter.rot.clean", "tr a-z n-za-m"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := gittest.New(t)
			if tt.config != nil {
				g.Git("config", tt.config[0], tt.config[1])
			}
			if tt.attributes != "" {
				g.Write(".gitattributes", tt.attributes)
			}
			g.Write("crlf.txt", "a\r\nb\r\n", "edit.txt", "a\r\nb\r\n")
			g.Commit("one")
			// The time stamps move, the content does not.
			g.Write("crlf.txt", "a\r\nb\r\n", "edit.txt", "a\r\nc\r\n")
			untouched(t, g)
			r := open(t, g.Dir)
			got, err := r.Modified(t.Context(), "HEAD")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]Change{{"edit.txt", Modified}}, got); d != "" {
				t.Errorf("Modified (-want +got):\n%s", d)
			}
			if tt.name == "filter" {
				return
			}
			src, ok, err := r.BaseFile(t.Context(), "HEAD", "edit.txt")
			if err != nil || !ok || string(src) != "a\r\nb\r\n" {
				t.Errorf("BaseFile = %q, %v, %v", src, ok, err)
			}
		})
	}
}

func TestLFSPointerWithoutLFS(t *testing.T) {
	g := gittest.New(t)
	// sha256 of "big\n"
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:8c16f7e5d51d0e02ee94f16b4c2e90d9be6ffac3c44fa82e8c7c5c4b0f3d1f5f\nsize 4\n"
	g.Write("a.bin", pointer)
	g.Commit("one")
	g.Git("config", "filter.lfs.clean", "git-lfs clean -- %f")
	g.Git("config", "filter.lfs.process", "git-lfs filter-process")
	g.Git("config", "filter.lfs.required", "true")
	g.Write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n", "a.bin", pointer)
	untouched(t, g)
	r := open(t, g.Dir)
	got, err := r.Modified(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Change{{".gitattributes", Added}}, got); d != "" {
		t.Errorf("Modified (-want +got):\n%s", d)
	}
}

func TestBaseFileAndRenames(t *testing.T) {
	g := gittest.New(t)
	body := "one\ntwo\nthree\nfour\nfive\nsix\n"
	g.Write("src/old.js", body, "keep.js", "k\n", "src/exact.js", "exact\nfile\n", "odd\nname", "odd", "other.js", "unrelated\nlines\n")
	g.Commit("one")
	g.Write("lib/new.js", body+"seven\n", "lib/exact.js", "exact\nfile\n", "lib/copy.js", "exact\nfile\n", "x.js", "nothing alike\n")
	for _, f := range []string{"src/old.js", "src/exact.js", "other.js"} {
		if err := os.Remove(g.Path(f)); err != nil {
			t.Fatal(err)
		}
	}
	g.Git("add", "lib/new.js") // one half staged, the other not
	untouched(t, g)
	r := open(t, g.Dir)
	got, err := r.Renames(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	want := []Rename{{"src/exact.js", "lib/exact.js", 100}, {"src/old.js", "lib/new.js", 82}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Renames (-want +got):\n%s", d)
	}
	for rel, want := range map[string]string{"src/old.js": body, "odd\nname": "odd"} {
		src, ok, err := r.BaseFile(t.Context(), "HEAD", rel)
		if err != nil || !ok || string(src) != want {
			t.Errorf("BaseFile(%q) = %q, %v, %v", rel, src, ok, err)
		}
	}
	if _, ok, err := r.BaseFile(t.Context(), "HEAD", "none"); ok || err != nil {
		t.Errorf("BaseFile(none) = %v, %v", ok, err)
	}
	files, err := r.BaseFiles(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"keep.js", "odd\nname", "other.js", "src/exact.js", "src/old.js"}, files); d != "" {
		t.Errorf("BaseFiles (-want +got):\n%s", d)
	}
}

func TestSubmodule(t *testing.T) {
	lib := gittest.New(t)
	lib.Write("l.js", "1", "m.js", "1")
	lib.Commit("lib")
	g := gittest.New(t)
	g.Git("submodule", "add", "-q", lib.Dir, "sub")
	g.Commit("one")
	g.Write("sub/l.js", "2", "sub/new.js", "n")
	untouched(t, g)
	r := open(t, g.Dir)
	got, err := r.Modified(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Change{{"sub/l.js", Modified}, {"sub/new.js", Added}}, got); d != "" {
		t.Errorf("Modified (-want +got):\n%s", d)
	}
	// From inside, the submodule is a repository of its own.
	s := open(t, g.Path("sub"))
	if s.Root() != g.Path("sub") {
		t.Errorf("Root = %s", s.Root())
	}
}

func TestRenamesAcrossLineEndings(t *testing.T) {
	g := gittest.New(t)
	g.Write(".gitattributes", "*.txt text eol=crlf\n", "old.txt", "one\r\ntwo\r\n")
	g.Commit("one")
	if err := os.Rename(g.Path("old.txt"), g.Path("new.txt")); err != nil {
		t.Fatal(err)
	}
	r := open(t, g.Dir)
	got, err := r.Renames(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Rename{{"old.txt", "new.txt", 99}}, got); d != "" {
		t.Errorf("Renames (-want +got):\n%s", d)
	}
}
