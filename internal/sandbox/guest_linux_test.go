package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/git/gittest"
	"regreen/internal/proc"
)

// visit lets a shell script in.
func (r *rig) visit(script string, edit ...func(*Guest)) (*Visit, string) {
	r.t.Helper()
	var out bytes.Buffer
	g := Guest{Cmd: proc.Cmd{Path: "/bin/sh", Args: []string{"-c", script}, Stdout: &out, Stderr: &out, Grace: time.Second}, MaxFiles: 20, MaxBytes: 1 << 20}
	for _, e := range edit {
		e(&g)
	}
	v, err := r.s.Visit(r.t.Context(), g)
	if err != nil {
		r.t.Fatal(err)
	}
	return v, strings.TrimSpace(out.String())
}

// told writes changes for a comparison.
func told(cs []Change) []string {
	var out []string
	for _, c := range cs {
		out = append(out, fmt.Sprintf("%s %s %v %q > %v %q", c.Op, c.Path, c.BeforeMode, c.Before, c.Mode, c.After))
	}
	return out
}

func guestRig(t *testing.T, level func(*Config)) *rig {
	g := gittest.New(t)
	for name, text := range map[string]string{".gitignore": "node_modules/\n*.log\n.env\n", "a.js": "a\n", "src/b.js": "b\n", "run.sh": "#!/bin/sh\n",
		"node_modules/dep/index.js": "dep\n", ".env": "KEY=1\n"} {
		g.Write(name, text)
	}
	if err := os.Symlink("a.js", g.Path("link.js")); err != nil {
		t.Fatal(err)
	}
	g.Commit("one")
	untouchedGit(t, g)
	r := newRig(t, g, level)
	r.ready()
	return r
}

func TestVisitTellsWhatChanged(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		r := guestRig(t, level)
		before, user := r.everything(), r.Hash()
		r.write("a.js", "a, mended\n")
		tree := treeOf(t, r.s.tree)
		cases := []struct {
			name, script string
			want         []string
		}{
			{"nothing", "true", nil},
			{"a file is edited", "echo more >> a.js", []string{`modify a.js -rw-r--r-- "a, mended\n" > -rw-r--r-- "a, mended\nmore\n"`}},
			{"the same bytes are written", "cp a.js x && mv x a.js", nil},
			{"only the bytes differ, not the times", "cp -p src/b.js x; echo c > src/b.js; touch -r x src/b.js; rm x", []string{`modify src/b.js -rw-r--r-- "b\n" > -rw-r--r-- "c\n"`}},
			{"a file is made in a new folder", "mkdir -p new/d && echo x > new/d/e.js", []string{`create new/d/e.js ---------- "" > -rw-r--r-- "x\n"`}},
			{"a file is removed", "rm src/b.js", []string{`delete src/b.js -rw-r--r-- "b\n" > ---------- ""`}},
			{"a mode", "chmod 755 run.sh", []string{`modify run.sh -rw-r--r-- "#!/bin/sh\n" > -rwxr-xr-x "#!/bin/sh\n"`}},
			{"a folder is moved", "mv src lib", []string{`create lib/b.js ---------- "" > -rw-r--r-- "b\n"`, `delete src/b.js -rw-r--r-- "b\n" > ---------- ""`}},
			{"a file becomes a link", "rm src/b.js; ln -s /etc/passwd src/b.js", []string{`modify src/b.js -rw-r--r-- "b\n" > Lrwxrwxrwx "/etc/passwd"`}},
			{"what git ignores", "echo x > y.log; echo KEY=2 > .env; echo no > .git; mkdir z; echo x > z/.git", nil},
			{"a pipe, and a folder without permissions", "mkfifo p; mkdir q; echo x > q/r; chmod 000 q", []string{`create q/r ---------- "" > -rw-r--r-- "x\n"`}},
		}
		for _, tc := range cases {
			t.Run(tc.name, func(t *testing.T) {
				r.t = t
				v, out := r.visit("umask 022\n" + tc.script)
				if v.Exit.Code != 0 || v.Excess != "" {
					t.Errorf("%s, %s: %s", v.Exit.How(), v.Excess, out)
				}
				if d := cmp.Diff(tc.want, told(v.Changes)); d != "" {
					t.Errorf("changes (-want +got):\n%s", d)
				}
				if d := cmp.Diff(tree, treeOf(t, r.s.tree)); d != "" {
					t.Errorf("the worktree changed:\n%s", d)
				}
				for _, left := range []string{r.s.guestTree(), r.s.guestHouse()} {
					if exists(left) {
						t.Errorf("%s is left", left)
					}
				}
			})
		}
		r.t = t
		if d := cmp.Diff(before, r.everything()); d != "" {
			t.Errorf("the user's files changed:\n%s", d)
		}
		if d := cmp.Diff(user, r.Hash()); d != "" {
			t.Errorf(".git changed:\n%s", d)
		}
	})
}

// treeOf are a tree's files with mode and text.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() && d.Name() == "layers" {
			return filepath.SkipDir // the kernel's own folders in it are for nobody
		}
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		src, err := readFile(p, fi)
		out[p] = fi.Mode().String() + " " + string(src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What would outlive the visit cannot be written, or goes with it.
func TestVisitLeavesNothing(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		r := guestRig(t, level)
		before := r.everything()
		state := treeOf(t, r.s.dir)
		victim := t.TempDir()
		v, _ := r.visit(fmt.Sprintf(`
			for f in %q %q %q %q %q; do echo hostile > "$f/hostile" && echo "wrote $f"; done
			echo hostile > node_modules/dep/index.js
			rm -rf node_modules
			rm -rf %q/*
			git reset --hard; git stash; git gc --prune=now; git commit --allow-empty -m x
			true`, r.s.dir, r.s.shadow.dir, r.s.tree, filepath.Join(r.s.dir, "cache"), victim, r.s.tree))
		if len(v.Changes) > 0 {
			t.Errorf("changes: %q", told(v.Changes))
		}
		if d := cmp.Diff(before, r.everything()); d != "" {
			t.Errorf("the user's files changed:\n%s", d)
		}
		if d := cmp.Diff(state, treeOf(t, r.s.dir)); d != "" {
			t.Errorf("the state folder changed:\n%s", d)
		}
		if exists(filepath.Join(victim, "hostile")) {
			t.Error("a folder of the user's was written")
		}
	}, "namespace", "landlock")
}

func TestVisitBounds(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		r := guestRig(t, level)
		v, _ := r.visit("for i in $(seq 500); do echo $i > f$i.js; done")
		if len(v.Files) != 500 || v.Changes != nil || v.Excess != "500 files are changed, 20 are allowed" {
			t.Errorf("%d files, %d changes, %q", len(v.Files), len(v.Changes), v.Excess)
		}
		v, _ = r.visit("head -c 3000000 /dev/zero > big.js")
		if len(v.Files) != 1 || v.Changes != nil || v.Excess != "the changed files are larger than 1 MB" {
			t.Errorf("%d files, %d changes, %q", len(v.Files), len(v.Changes), v.Excess)
		}
		v, _ = r.visit("yes", func(g *Guest) { g.Cmd.MaxOutput = 1 << 20 })
		if v.Exit.Limit != "the limit of 1 MB of output" || len(v.Changes) > 0 {
			t.Errorf("exit %+v", v.Exit)
		}
	})
}

func TestVisitHome(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		home := t.TempDir()
		for name, text := range map[string]string{".tool/key": "login\n", ".other/key": "private\n"} {
			if err := os.MkdirAll(filepath.Join(home, filepath.Dir(name)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r := guestRig(t, func(c *Config) { level(c); c.Environ = append(c.Environ, "HOME="+home, "SECRET=x") })
		script := `cat ~/.tool/key; cat ~/.other/key; echo x > ~/.tool/key && echo wrote; echo "$SECRET$GIVEN$1"; cat "$2"/task`
		if _, out := r.visit("cat .env; ls -A"); strings.Contains(out, "KEY=1") || !strings.Contains(out, "a.js") {
			t.Errorf("a guest sees %q", out)
		}
		_, out := r.visit(script, func(g *Guest) {
			g.Home = []string{".tool", ".none"}
			g.Cmd.Env = []string{"GIVEN=given"}
			g.Files = map[string][]byte{"task": []byte("task\n")}
			g.Args = func(root, private string) []string {
				if root != r.s.Root() && root != r.s.guestTree() {
					t.Errorf("root %s", root)
				}
				return []string{"-c", script, "sh", "arg", private}
			}
			g.Cmd.Stderr = nil
		})
		if want := "login\nwrote\ngivenarg\ntask"; out != want {
			t.Errorf("the guest saw %q, want %q", out, want)
		}
		if src, err := os.ReadFile(filepath.Join(home, ".tool/key")); err != nil || string(src) != "login\n" {
			t.Errorf("the user's file is %q, %v", src, err)
		}
	})
}

func TestVisitNetwork(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		r := guestRig(t, level)
		script := "ls /sys/class/net /proc/self/net/route >/dev/null; awk 'NR>2{print $1}' /proc/net/dev | sort | tr -d '\\n'"
		_, out := r.visit(script)
		if out != "lo:" {
			t.Errorf("interfaces of a guest without network: %q", out)
		}
	}, "namespace")
	atLevels(t, func(t *testing.T, level func(*Config)) {
		r := guestRig(t, level)
		v, _ := r.visit("true")
		if !strings.Contains(strings.Join(v.Notes, "\n"), "cannot be cut off from the network") {
			t.Errorf("notes: %q", v.Notes)
		}
		if v, _ := r.visit("true", func(g *Guest) { g.Network = true }); strings.Contains(strings.Join(v.Notes, "\n"), "network") {
			t.Errorf("notes: %q", v.Notes)
		}
	}, "landlock", "copy")
}
