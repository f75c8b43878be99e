package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"regreen/internal/git/gittest"
	"regreen/internal/jail/jailtest"
	"regreen/internal/proc"
)

// atLevels runs a test at every level, as root and as an unprivileged user.
func atLevels(t *testing.T, do func(t *testing.T, level func(*Config)), names ...string) {
	t.Helper()
	jailtest.AsUser(t)
	if len(names) == 0 {
		names = levels
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			do(t, func(c *Config) { c.Isolation, c.Helper = name, jailtest.Helper() })
		})
	}
}

// run runs a program in the sandbox and gives its output.
func (r *rig) run(prog string, args ...string) (proc.Exit, string) {
	r.t.Helper()
	path, err := exec.LookPath(prog)
	if err != nil {
		r.t.Fatal(err)
	}
	var out bytes.Buffer
	ex, err := r.s.Run(r.t.Context(), proc.Cmd{Path: path, Args: args, Dir: r.s.Root(), Env: r.s.Environ(), Stdout: &out, Stderr: &out,
		Grace: time.Second})
	if err != nil {
		r.t.Fatal(err)
	}
	return ex, strings.TrimSpace(out.String())
}

func TestLevelsSeeTheWorktree(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		g := workspaces(t)
		untouchedGit(t, g)
		r := newRig(t, g, level)
		r.ready()
		before := r.everything()
		for _, want := range []string{"sandbox", "again"} {
			r.write("packages/a/i.js", "module.exports = '"+want+"'\n")
			if got := node(t, r, "packages/b", "i.js"); got != want+" dep nested above" {
				t.Errorf("node = %q", got)
			}
		}
		if r.s.Level() != "copy" && r.s.Note() != "" {
			t.Errorf("%s: note %q", r.s.Level(), r.s.Note())
		}
		// From outside, packages are found in the same way.
		tree := r.s.Tree(nil)
		for _, rel := range []string{"packages/a/i.js", "node_modules/@x/a/i.js"} {
			if src, err := tree.ReadFile(rel); err != nil || string(src) != "module.exports = 'again'\n" {
				t.Errorf("ReadFile(%s) = %q, %v, want the worktree's", rel, src, err)
			}
		}
		if !tree.Exists("node_modules/dep/package.json") || !tree.IsDir("node_modules/@x/a") || tree.Exists("node_modules/none/package.json") {
			t.Error("packages are not seen from outside")
		}
		r.ready()
		if got := node(t, r, "packages/b", "i.js"); got != "user dep nested above" {
			t.Errorf("node after Prepare = %q", got)
		}
		r.unchanged(before)
	})
}

func TestPackagesAreTheUsersAgain(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		g := workspaces(t)
		r := newRig(t, g, level)
		r.ready()
		before := r.everything()
		ex, out := r.run("sh", "-c", `cd node_modules && mkdir -p .vite .cache && echo c > .vite/kept && echo evil > dep/i.js && rm -rf nothere @x && mkdir own && cat dep/i.js .vite/kept`)
		if ex.Code != 0 || out != "evil\nc" {
			t.Errorf("write to packages: %+v %s", ex, out)
		}
		r.unchanged(before)
		// What the user installs meanwhile is there the next time.
		g.Write("node_modules/late/index.js", "module.exports = 'late'\n")
		r.ready()
		ex, out = r.run("sh", "-c", `cd node_modules && cat dep/i.js .vite/kept late/index.js && ls -d @x own`)
		want := "module.exports = 'dep'\nc\nmodule.exports = 'late'\n@x\nls: cannot access 'own': No such file or directory"
		if lines(out) != lines(want) {
			t.Errorf("packages after Prepare = %q, want %q", out, want)
		}
		if c := r.changes(r.s.current); len(c) != 0 {
			t.Errorf("Changes = %+v", c)
		}
	}, "namespace")
}

// lines are in the order of their texts: errors come at no fixed place.
func lines(s string) string {
	l := strings.Split(s, "\n")
	for i := range l {
		for j := i; j > 0 && l[j] < l[j-1]; j-- {
			l[j], l[j-1] = l[j-1], l[j]
		}
	}
	return strings.Join(l, "\n")
}

// TestHostileTests has tests do their worst; nothing of the user changes.
func TestHostileTests(t *testing.T) {
	tests := []struct{ name, script string }{
		{"removes the repository by its path", `rm -rf "$ORIGIN" 2>/dev/null`},
		{"removes what is in it", `cd "$ORIGIN" && rm -rf .git src node_modules .gitignore ./* 2>/dev/null`},
		{"moves it away", `mv "$ORIGIN" "$ORIGIN.old" 2>/dev/null; mv "$ORIGIN/src" "$ORIGIN/old" 2>/dev/null`},
		{"writes to its files", `echo x > "$ORIGIN/src/a.js"; echo x >> "$ORIGIN/src/b.js"; truncate -s 0 "$ORIGIN/src/a.js"; : > "$ORIGIN/node_modules/dep/i.js"`},
		{"writes to git", `echo x > "$ORIGIN/.git/HEAD"; rm -rf "$ORIGIN/.git/objects"; echo x > "$ORIGIN/.git/index"`},
		{"uses git", `git stash -q -u; git reset -q --hard HEAD~1; git gc -q --prune=now; git config user.name evil; git tag evil; git checkout -q -b evil; git commit -q --allow-empty -m evil; git push -q origin HEAD 2>/dev/null; true`},
		{"uses git there", `cd "$ORIGIN" || exit; git stash -q -u; git reset -q --hard HEAD~1; git gc -q --prune=now; git config user.name evil; git update-ref -d HEAD`},
		{"writes at home", `echo x > "$THEIRS/.profile"; rm -rf "$THEIRS"; mkdir "$THEIRS/new"`},
		{"unmounts", `umount "$ORIGIN"; umount -l "$ORIGIN"; unshare -Urm sh -c 'umount -l "$ORIGIN"; echo x > "$ORIGIN/src/a.js"'; rm -rf "$ORIGIN/src"`},
		{"kills its parent", `kill -9 $PPID; rm -rf "$ORIGIN/src"`},
		{"makes links to it", `ln "$ORIGIN/src/a.js" l && echo x > l; ln -sf "$ORIGIN/src" s && echo x > s/b.js`},
	}
	atLevels(t, func(t *testing.T, level func(*Config)) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				g := simple(t)
				g.Write("src/b.js", "changed\n")
				g.Commit("two")
				g.Write("src/a.js", "not committed\n", "src/new.js", "untracked\n", "node_modules/dep/i.js", "dep\n")
				g.Git("add", "src/a.js")
				home := t.TempDir()
				if err := os.WriteFile(filepath.Join(home, ".profile"), []byte("user\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				r := newRig(t, g, level, func(c *Config) {
					c.Environ = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"}
				})
				snap := r.ready()
				untouchedGit(t, g)
				before := r.everything()
				if r.s.Level() == "namespace" { // Landlock has no say in modes
					tt.script += `; chmod 0600 "$ORIGIN/src/a.js" "$ORIGIN/node_modules/dep" "$ORIGIN"`
				}
				script := `ORIGIN='` + g.Dir + `'; THEIRS='` + home + `'; export ORIGIN GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a; ` + tt.script
				_, out := r.run("sh", "-c", script)
				r.unchanged(before)
				if src, err := os.ReadFile(filepath.Join(home, ".profile")); err != nil || string(src) != "user\n" {
					t.Errorf("home: %q, %v", src, err)
				}
				// The sandbox is whole again.
				if err := r.s.Prepare(t.Context(), snap); err != nil {
					t.Fatalf("Prepare: %v\n%s", err, out)
				}
				if got := r.box("src/a.js") + r.box("src/new.js"); got != "not committed\nuntracked\n" {
					t.Errorf("the worktree = %q", got)
				}
				if ex, out := r.run("sh", "-c", "cat src/a.js && git log --format=%s && git status --porcelain"); ex.Code != 0 || !strings.HasPrefix(out, "not committed\n") {
					t.Errorf("afterwards: %+v %s", ex, out)
				}
			})
		}
	}, "namespace", "landlock")
}

func TestGitInside(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		g := simple(t)
		g.Write("src/a.js", "two\n")
		g.Commit("two")
		g.Git("tag", "v1")
		g.Write("src/b.js", "changed\n")
		r := newRig(t, g, level)
		r.ready()
		ex, out := r.run("sh", "-c", "git rev-parse --show-toplevel && git describe --tags HEAD~1 && git show HEAD~2:src/a.js && git fsck --connectivity-only 2>/dev/null")
		want := r.s.Root() + "\nv1\nexport const a = 1"
		if ex.Code != 0 || out != want {
			t.Errorf("git = %+v %q, want %q", ex, out, want)
		}
	})
}

func TestLinkedPackagesElsewhere(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		other := t.TempDir()
		g := gittest.New(t)
		g.Write(".gitignore", "node_modules\n", "a.js", "x", "sub/b.js", "y")
		g.Commit("one")
		if err := os.MkdirAll(filepath.Join(other, "node_modules", "dep"), 0o755); err != nil {
			t.Fatal(err)
		}
		link(t, filepath.Join(other, "node_modules"), g.Path("node_modules"))
		link(t, "../node_modules", g.Path("sub/node_modules"))
		r := newRig(t, g, level)
		for range 2 {
			r.ready()
			ex, out := r.run("sh", "-c", "ls -d sub/node_modules/dep && mkdir -p node_modules/.vite && echo x > node_modules/.vite/x && cat sub/node_modules/.vite/x")
			if ex.Code != 0 || out != "sub/node_modules/dep\nx" {
				t.Errorf("packages = %+v %q", ex, out)
			}
		}
		if _, err := os.Stat(filepath.Join(other, "node_modules", ".vite")); err == nil {
			t.Error("the write reached the user's packages")
		}
	}, "namespace")
}

func TestPartlyTrackedPackages(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		g := gittest.New(t)
		g.Write("a.js", "x", "fix/node_modules/own/i.js", "own\n", "fix/node_modules/@s/own/i.js", "own\n", "fix/x.js", "x")
		g.Git("add", "-f", ".")
		g.Git("commit", "-qm", "one")
		g.Write(".git/info/exclude", "node_modules\n", "fix/node_modules/installed/i.js", "inst\n", "fix/node_modules/@s/inst/i.js", "inst\n",
			"fix/node_modules/file.js", "file\n")
		link(t, "installed", g.Path("fix/node_modules/link"))
		r := newRig(t, g, level)
		r.ready()
		r.write("fix/node_modules/own/i.js", "changed\n")
		for range 2 {
			ex, out := r.run("sh", "-c", "cd fix/node_modules && cat own/i.js @s/own/i.js installed/i.js @s/inst/i.js link/i.js file.js")
			if ex.Code != 0 || out != "changed\nown\ninst\ninst\ninst\nfile" {
				t.Errorf("packages = %+v %q", ex, out)
			}
		}
		if c := r.changes(r.s.current); len(c) != 1 {
			t.Errorf("Changes = %+v", c)
		}
	}, "namespace")
}

// TestEditableInstall has Python import a package that is installed in place,
// through a program with an absolute first line.
func TestEditableInstall(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		const python = "/usr/bin/python3"
		if _, err := os.Stat(python); err != nil {
			t.Skip("there is no python3 that every user can start")
		}
		g := gittest.New(t)
		g.Write(".gitignore", ".venv\n", "src/pkg/__init__.py", "value = 'user'\n", "pyproject.toml", "[project]\nname='pkg'\n")
		g.Commit("one")
		if out, err := exec.Command(python, "-m", "venv", "--without-pip", g.Path(".venv")).CombinedOutput(); err != nil {
			t.Skipf("no virtual environment: %v\n%s", err, out)
		}
		site, _ := filepath.Glob(g.Path(".venv/lib/python3*/site-packages"))
		if len(site) != 1 {
			t.Fatalf("site-packages: %v", site)
		}
		rel, _ := filepath.Rel(g.Dir, site[0])
		g.Write(rel+"/pkg.pth", g.Path("src")+"\n", ".venv/bin/show", "#!"+g.Path(".venv/bin/python")+"\nimport pkg, sys\nprint(pkg.value, sys.prefix)\n")
		if err := os.Chmod(g.Path(".venv/bin/show"), 0o755); err != nil {
			t.Fatal(err)
		}
		r := newRig(t, g, level)
		r.ready()
		r.write("src/pkg/__init__.py", "value = 'sandbox'\n")
		want := "sandbox " + g.Path(".venv")
		if ex, out := r.run("sh", "-c", g.Path(".venv/bin/show")); ex.Code != 0 || out != want {
			t.Errorf("show = %+v %q, want %q", ex, out, want)
		}
		if ex, out := r.run("sh", "-c", "echo evil > "+site[0]+"/pkg.pth && cat "+site[0]+"/pkg.pth"); ex.Code != 0 || out != "evil" {
			t.Errorf("a write to the environment = %+v %q", ex, out)
		}
		if got := g.Read(rel + "/pkg.pth"); got != g.Path("src")+"\n" {
			t.Errorf("the user's environment = %q", got)
		}
	}, "namespace")
}

func TestCachesAtHome(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		home := t.TempDir()
		if err := os.MkdirAll(filepath.Join(home, ".cache", "tool"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, ".cache", "tool", "a"), []byte("user\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		r := newRig(t, simple(t), level, func(c *Config) { c.Environ = append(c.Environ, "HOME="+home) })
		r.ready()
		ex, out := r.run("sh", "-c", `cd "$HOME/.cache/tool" && cat a && echo run > a && echo run > b && cat a b`)
		if ex.Code != 0 || out != "user\nrun\nrun" {
			t.Errorf("a run in the cache = %+v %q", ex, out)
		}
		src, err := os.ReadFile(filepath.Join(home, ".cache", "tool", "a"))
		if _, made := os.Stat(filepath.Join(home, ".cache", "tool", "b")); err != nil || string(src) != "user\n" || made == nil {
			t.Errorf("the user's cache = %q, %v; b made: %v", src, err, made == nil)
		}
	}, "namespace")
}

func TestRunsAtATime(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		r := newRig(t, workspaces(t), level)
		r.ready()
		done := make(chan string)
		for _, n := range []string{"1", "2", "3"} {
			go func() {
				var out bytes.Buffer
				_, err := r.s.Run(t.Context(), proc.Cmd{Path: "/bin/sh", Args: []string{"-c", "echo " + n + " > node_modules/dep/i.js; sleep 0.1; cat node_modules/dep/i.js"},
					Dir: r.s.Root(), Env: r.s.Environ(), Stdout: &out, Stderr: &out})
				if err != nil {
					done <- err.Error()
					return
				}
				done <- n + "=" + strings.TrimSpace(out.String())
			}()
		}
		for range 3 {
			if got := <-done; got[:1] != got[2:] {
				t.Errorf("a run sees another's: %s", got)
			}
		}
	}, "namespace")
}

func TestAuto(t *testing.T) {
	jailtest.AsUser(t)
	r := newRig(t, simple(t), func(c *Config) { c.Helper = jailtest.Helper() })
	if err := r.s.Isolate(t.Context()); err != nil || r.s.Level() != "namespace" || r.s.Note() != "" {
		t.Errorf("Isolate = %v, level %s, note %q, want the strongest", err, r.s.Level(), r.s.Note())
	}
	r = newRig(t, simple(t))
	err := r.s.Isolate(t.Context())
	if note := r.s.Note(); err != nil || r.s.Level() != "copy" || !strings.Contains(note, "not namespace: ") || !strings.Contains(note, "not landlock: ") {
		t.Errorf("Isolate = %v, level %s, note %q, want copy and why", err, r.s.Level(), note)
	}
}

func TestAllLevelsAreToBeHad(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		r := newRig(t, simple(t), level)
		if err := r.s.Isolate(t.Context()); err != nil || !strings.HasSuffix(t.Name(), r.s.Level()) {
			t.Errorf("Isolate = %v, level %s", err, r.s.Level())
		}
	})
}
