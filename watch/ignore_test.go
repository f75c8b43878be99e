package watch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"regreen/internal/git/gittest"
)

// watched are the files that a watcher of the repository has in its table.
func watched(t testing.TB, repo *gittest.Repo, set func(*Config)) []string {
	t.Helper()
	f := &fixture{Repo: repo, t: t}
	l := f.opened(set)
	var out []string
	for _, d := range l.tree.dirs {
		for name := range d.files {
			out = append(out, join(d.rel, name))
		}
	}
	slices.Sort(out)
	return out
}

// oracle is what git lists: tracked, or untracked and not ignored.
func oracle(t testing.TB, repo *gittest.Repo, args ...string) []string {
	t.Helper()
	out := repo.Git(append(args, "ls-files", "-z", "-c", "-o", "--exclude-standard")...)
	names := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(n string) bool {
		_, err := os.Lstat(repo.Path(n))
		return n == "" || err != nil
	})
}

func TestIgnoreAsGitDoes(t *testing.T) {
	for _, c := range []struct {
		name    string
		files   string // "\n" between them
		ignores map[string]string
		config  []string
		track   []string // added although ignored
	}{
		{name: "names and paths", files: "a.log x/a.log x/b.txt build/o.js src/build/o.js doc/build/o.js doc/x.pdf doc/y/x.pdf",
			ignores: map[string]string{".gitignore": "*.log\n/build/\ndoc/*.pdf\n"}},
		{name: "negation", files: "a.log keep.log x/keep.log out/keep.log out/z",
			ignores: map[string]string{".gitignore": "*.log\n!keep.log\nout/\n!out/keep.log\n"}},
		{name: "nested", files: "a/x.gen a/b/x.gen a/b/y.gen c/x.gen a/b/c/y.gen",
			ignores: map[string]string{".gitignore": "*.gen\n", "a/.gitignore": "!x.gen\n", "a/b/.gitignore": "x.gen\n!/y.gen\n"}},
		{name: "stars", files: "a/b/c/d.js a/d.js x/a/d.js foo/bar/baz foo/baz lib/x/y/z.min.js",
			ignores: map[string]string{".gitignore": "a/**/d.js\nfoo/**\nlib/*/*.js\n**/z.min.js\n"}},
		{name: "folder only", files: "tmp/a b/tmp c/tmp/d", ignores: map[string]string{".gitignore": "tmp/\n"}},
		{name: "odd lines", files: "#a !b c\\ d e trail sp\\ ace [x] crlf bom",
			ignores: map[string]string{".gitignore": "\xef\xbb\xbfbom\n# comment\n\\#a\n\\!b\ntrail   \n\n[[]x]\ncrlf\r\n/\n"}},
		{name: "classes", files: "a1 b1 c1 aX é.txt x-y", ignores: map[string]string{".gitignore": "[!a-b]1\na[[:upper:]]\n?.txt\n??.txt\nx[-z]y\n"}},
		{name: "case", files: "Foo.TXT foo.txt BAR/x", ignores: map[string]string{".gitignore": "foo.txt\nbar/\n"},
			config: []string{"-c", "core.ignorecase=true"}},
		{name: "tracked although ignored", files: "dist/a.js dist/b.js dist/deep/c.js node_modules/p/i.js node_modules/p/j.js o.log",
			ignores: map[string]string{".gitignore": "dist\n*.log\nnode_modules\n"}, track: []string{"dist/a.js", "dist/deep/c.js", "node_modules/p/j.js", "o.log"}},
		{name: "whole tree but one", files: "a b/c b/d keep/x", ignores: map[string]string{".gitignore": "/*\n!/keep\n!.gitignore\n"}},
		{name: "ignore file in an ignored folder", files: "o/a o/b", ignores: map[string]string{".gitignore": "o/*\n", "o/.gitignore": "!a\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := gittest.New(t)
			for rel, s := range c.ignores {
				r.Write(rel, s)
			}
			for f := range strings.FieldsSeq(c.files) {
				r.Write(f, "x")
			}
			if len(c.track) > 0 {
				r.Git(append([]string{"add", "-f", "--"}, c.track...)...)
			}
			if len(c.config) > 0 {
				k, v, _ := strings.Cut(c.config[1], "=")
				r.Git("config", k, v)
			}
			if diff := cmp.Diff(oracle(t, r), watched(t, r, nil)); diff != "" {
				t.Errorf("watched (-git +ours):\n%s", diff)
			}
		})
	}
}

func TestIgnoreFilesOutsideTheTree(t *testing.T) {
	r := gittest.New(t)
	home := t.TempDir()
	r.Write("a.global", "x", "a.local", "x", "a.ts", "x", "sub/keep.global", "x")
	must(t, os.MkdirAll(filepath.Join(home, ".config/git"), 0o755))
	must(t, os.WriteFile(filepath.Join(home, ".config/git/ignore"), []byte("*.global\n"), 0o644))
	must(t, os.WriteFile(r.Path(".git/info/exclude"), []byte("*.local\n!keep.global\n"), 0o644))
	got := watched(t, r, func(c *Config) { c.Environ = []string{"HOME=" + home} })
	if diff := cmp.Diff([]string{"a.ts", "sub/keep.global"}, got); diff != "" {
		t.Errorf("watched (-want +got):\n%s", diff)
	}
}

// TestIgnoreRandom compares with git over random trees and rules.
func TestIgnoreRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 1))
	words := []string{"a", "b", "ab", "a.js", "b.js", "lib", "x y", "ä"}
	pieces := []string{"a", "b", "*", "**", "a*", "*.js", "?", "[ab]", "[!a]*", "lib", "x y", "ä", `\a`, "*b"}
	pick := func(from []string) string { return from[rnd.IntN(len(from))] }
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	for i := range rounds {
		r := gittest.New(t)
		for range 40 {
			var parts []string
			for range 1 + rnd.IntN(4) {
				parts = append(parts, pick(words))
			}
			rel := strings.Join(parts, "/")
			if os.MkdirAll(filepath.Dir(r.Path(rel)), 0o755) != nil {
				continue
			}
			_ = os.WriteFile(r.Path(rel), []byte("x"), 0o644) // it may be a folder already
		}
		for _, dir := range []string{"", "a", "lib"} {
			if _, err := os.ReadDir(r.Path(dir)); err != nil {
				continue
			}
			var lines []string
			for range 1 + rnd.IntN(5) {
				var parts []string
				for range 1 + rnd.IntN(3) {
					parts = append(parts, pick(pieces))
				}
				line := strings.Join(parts, "/")
				if rnd.IntN(4) == 0 {
					line = "/" + line
				}
				if rnd.IntN(4) == 0 {
					line += "/"
				}
				if rnd.IntN(3) == 0 {
					line = "!" + line
				}
				lines = append(lines, line)
			}
			r.Write(join(dir, ".gitignore"), strings.Join(lines, "\n"))
		}
		if diff := cmp.Diff(oracle(t, r), watched(t, r, nil), cmpopts.EquateEmpty()); diff != "" {
			rules := ""
			for _, d := range []string{"", "a", "lib"} {
				b, _ := os.ReadFile(r.Path(join(d, ".gitignore")))
				rules += fmt.Sprintf("%q: %q\n", d, b)
			}
			t.Fatalf("round %d: watched (-git +ours):\n%s\n%s", i, diff, rules)
		}
	}
}

func TestExtraAndIgnore(t *testing.T) {
	r := gittest.New(t)
	r.Write(".gitignore", "dist\n.env\nnode_modules\n.venv\n", ".env", "x", "sub/.env", "x", "dist/a.js", "x", "dist/a.css", "x", "dist/d/b.js", "x",
		"node_modules/p/i.js", "x", "node_modules/q/i.js", "x", ".venv/pyvenv.cfg", "x", ".venv/lib/m.py", "x", "v2/pyvenv.cfg", "x",
		"v2/m.py", "x", "src/a.ts", "x", "src/a.snap", "x", "gen/x.ts", "x", "gen/deep/y.ts", "x", ".ours-1", "x", "src/x.ts~", "x", "a/__pycache__/m.pyc", "x")
	got := watched(t, r, func(c *Config) {
		c.Extra = []string{".env", "dist/**/*.js", "node_modules/p/**"}
		c.Ignore = []string{"*.snap", "gen/**"}
	})
	want := []string{".env", ".gitignore", "dist/a.js", "dist/d/b.js", "node_modules/p/i.js", "src/a.ts", "sub/.env"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("watched (-want +got):\n%s", diff)
	}
	if _, err := New(Config{Repo: opened(t, r), Ignore: []string{"[a"}}); err == nil {
		t.Error("New took a pattern that is none")
	}
}

func TestRepositoriesInside(t *testing.T) {
	r := gittest.New(t)
	r.Write(".gitignore", "*.log\n", "a.log", "x", "a.ts", "x")
	r.Commit("first")
	inner := r.Path("vendor/inner")
	must(t, os.MkdirAll(inner, 0o755))
	in := gittest.At(t, inner)
	in.Git("init", "-q", ".")
	in.Write(".gitignore", "*.tmp2\n", "b.log", "x", "b.tmp2", "x", "b.ts", "x")
	r.Git("worktree", "add", "-q", "wt")
	want := []string{".gitignore", "a.ts", "vendor/inner/.gitignore", "vendor/inner/b.log", "vendor/inner/b.ts"}
	if diff := cmp.Diff(want, watched(t, r, nil)); diff != "" {
		t.Errorf("watched (-want +got):\n%s", diff)
	}
}

// TestRulesChange holds that edited rules hold at once, in both directions.
func TestRulesChange(t *testing.T) {
	f := start(t, repoWith(t, ".gitignore", "out/\n", "a.ts", "1\n"), nil)
	f.Write("out/x.ts", "1\n")
	f.nothing()
	f.Write(".gitignore", "")
	b := f.next()
	if diff := cmp.Diff(Batch{Paths: []string{".gitignore", "out/x.ts"}, Full: true, Reason: Rescan}, b); diff != "" {
		t.Errorf("batch (-want +got):\n%s", diff)
	}
	f.Write("out/x.ts", "2\n")
	f.collect([]string{"out/x.ts"})
	f.Write(".gitignore", "out/\n")
	f.collect([]string{".gitignore"})
	f.Write("out/x.ts", "3\n")
	f.nothing()
	must(t, os.WriteFile(f.Path(".git/info/exclude"), []byte("*.local\n"), 0o644))
	eventually(t, func() bool {
		name := fmt.Sprint(rand.Int())
		f.Write(name+".local", "1\n", name, "1\n")
		return slices.Equal(f.next().Paths, []string{name})
	})
	f.Write("t.local", "1\n")
	f.nothing()
	// A file that becomes tracked is watched although it is ignored.
	f.Git("add", "-f", "t.local")
	eventually(t, func() bool {
		f.Write("t.local", fmt.Sprint(rand.Int()), "sentinel.txt", fmt.Sprint(rand.Int()))
		return slices.Contains(f.next().Paths, "t.local")
	})
}

func TestTemporary(t *testing.T) {
	for name, want := range map[string]bool{
		"4913": true, "5036": true, "4914": false, "4913.ts": false, ".a.ts.swp": true, ".a.ts.swo": true, ".a.ts.swx": true, "a.ts.swp": true,
		".a.swa": true, "a.swa": false, ".swp": false, "a.ts~": true, ".a.ts.un~": true, ".#a.ts": true, "#a.ts#": true, "#a": false,
		"a.ts___jb_tmp___": true, "a.ts___jb_old___": true, "a.vsctmp": true, ".a.ts.kate-swp": true, ".goutputstream-ABC": true,
		".DS_Store": true, "._a.ts": true, ".nfs0000000000000001": true, ".nfsrc": false, ".fuse_hidden0001": true, ".sublx1.tmp": true,
		".~lock.a.ods#": true, ".a.ts.kak.Xy12": true, "a.ts.bck": true, "a.ts": false, ".env": false, "a.swift": false, "tmp": false, "a.tmp": false,
		".a.tmp": true,
	} {
		if got := temporary(name); got != want {
			t.Errorf("temporary(%q) = %v, want %v", name, got, want)
		}
	}
}

// TestCheckIgnore asks git itself about single names.
func TestCheckIgnore(t *testing.T) {
	r := gittest.New(t)
	src := "a*\n!ab\n/c/d\nx/**/y\n*.[oa]\n\\!z\nq?\n"
	r.Write(".gitignore", src)
	var none *rules
	rs := none.with("", parsePatterns([]byte(src)), false)
	for _, p := range []string{"a", "ab", "abc", "c", "c/d", "e/c/d", "x/y", "x/1/y", "x/1/2/y", "m.o", "d/m.a", "m.b", "!z", "q", "qq", "qé"} {
		cmd := exec.Command("git", "check-ignore", "-q", "--no-index", p)
		cmd.Dir, cmd.Env = r.Dir, gittest.Environ()
		want := cmd.Run() == nil
		if got := rs.match(p, false); got != want {
			t.Errorf("match(%q) = %v, git says %v", p, got, want)
		}
	}
}
