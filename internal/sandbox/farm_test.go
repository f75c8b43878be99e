package sandbox

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/git/gittest"
	"regreen/internal/proc"
)

func link(t *testing.T, target, at string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, at); err != nil {
		t.Fatal(err)
	}
}

// workspaces is a repository with two packages, as npm installs it.
func workspaces(t *testing.T) *gittest.Repo {
	g := gittest.New(t)
	g.Write(".gitignore", "node_modules\n",
		"package.json", `{"workspaces":["packages/*"]}`,
		"packages/a/package.json", `{"name":"@x/a","main":"i.js"}`, "packages/a/i.js", "module.exports = 'user'\n",
		"packages/b/package.json", `{"name":"b","main":"i.js"}`,
		"packages/b/i.js", "console.log(require('@x/a'), require('dep'), require('nested'), require('above'))\n")
	g.Commit("one")
	g.Write("node_modules/dep/package.json", `{"name":"dep","main":"i.js"}`, "node_modules/dep/i.js", "module.exports = 'dep'\n",
		"packages/b/node_modules/nested/index.js", "module.exports = 'nested'\n",
		"node_modules/.package-lock.json", "{}", "node_modules/.vite/x", "cache", "node_modules/.prisma/client/i.js", "gen",
		"../node_modules/above/index.js", "module.exports = 'above'\n", "node_modules/.bin/script", "#!/bin/sh\n")
	link(t, "../../packages/a", g.Path("node_modules/@x/a"))
	link(t, "../packages/b", g.Path("node_modules/b"))
	link(t, "../dep/i.js", g.Path("node_modules/.bin/dep"))
	link(t, g.Path("packages/b"), g.Path("node_modules/abs-b"))
	return g
}

func node(t *testing.T, r *rig, dir string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("node is not on the PATH (hint: install node 20 or newer)")
	}
	var out bytes.Buffer
	ex, err := r.s.Run(t.Context(), proc.Cmd{Path: path, Args: args, Dir: filepath.Join(r.s.Root(), dir),
		Env: r.s.Environ(), Stdout: &out, Stderr: &out})
	if err != nil || ex.Code != 0 {
		t.Fatalf("node %v = %+v, %v\n%s", args, ex, err, out.String())
	}
	return strings.TrimSpace(out.String())
}

func TestFarm(t *testing.T) {
	g := workspaces(t)
	r := newRig(t, g)
	r.ready()
	r.write("packages/a/i.js", "module.exports = 'sandbox'\n")
	if got := node(t, r, "packages/b", "i.js"); got != "sandbox dep nested above" {
		t.Errorf("node = %q", got)
	}
	root := g.Dir
	want := map[string]string{
		"@x/a": "../../packages/a", "b": "../packages/b", "abs-b": filepath.Join(r.s.Root(), "packages/b"),
		"dep": filepath.Join(root, "node_modules/dep"), ".bin/dep": "../dep/i.js",
		".bin/script": filepath.Join(root, "node_modules/.bin/script"), ".prisma": filepath.Join(root, "node_modules/.prisma"),
	}
	got := map[string]string{}
	farm := r.s.boxPath("node_modules")
	err := filepath.WalkDir(farm, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(farm, p)
			got[filepath.ToSlash(rel)], _ = os.Readlink(p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("farm (-want +got):\n%s", d)
	}
	if off, err := r.s.ProbeNode(t.Context()); err != nil || len(off) > 0 {
		t.Errorf("ProbeNode = %v, %v", off, err)
	}
	// What a tool writes there stays private, and stays.
	r.write("node_modules/.vite/results.json", "{}")
	if _, err := os.Stat(g.Path("node_modules/.vite/results.json")); err == nil {
		t.Error("private state reached the user's tree")
	}
	// A test harms the farm, the user installs and removes packages.
	_ = os.RemoveAll(filepath.Join(farm, "@x"))
	_ = os.Remove(filepath.Join(farm, "dep"))
	g.Write("node_modules/late/index.js", "module.exports = 'late'\n")
	if err := os.Remove(g.Path("node_modules/abs-b")); err != nil {
		t.Fatal(err)
	}
	r.ready()
	for rel, there := range map[string]bool{"@x/a": true, "dep": true, "late": true, "abs-b": false, ".vite/results.json": true} {
		if _, err := os.Stat(filepath.Join(farm, rel)); (err == nil) != there {
			t.Errorf("%s: %v, want there: %v", rel, err, there)
		}
	}
	if c := r.changes(r.s.current); len(c) != 0 {
		t.Errorf("Changes = %+v", c)
	}
	// No packages any more.
	if err := os.RemoveAll(g.Path("node_modules")); err != nil {
		t.Fatal(err)
	}
	r.ready()
	if _, err := os.Lstat(farm); err == nil {
		t.Error("the farm outlives its packages")
	}
}

func TestProbeSeesAWholeFolderLink(t *testing.T) {
	g := workspaces(t)
	r := newRig(t, g)
	r.ready()
	farm := r.s.boxPath("node_modules")
	if err := os.RemoveAll(farm); err != nil {
		t.Fatal(err)
	}
	link(t, g.Path("node_modules"), farm)
	off, err := r.s.ProbeNode(t.Context())
	if err != nil || len(off) != 2 || !strings.Contains(off[0], "@x/a") {
		t.Errorf("ProbeNode = %q, %v, want @x/a and b", off, err)
	}
	if err := r.s.Prepare(t.Context(), r.snap()); err != nil {
		t.Fatal(err)
	}
	if off, err := r.s.ProbeNode(t.Context()); err != nil || len(off) > 0 {
		t.Errorf("ProbeNode after Prepare = %q, %v", off, err)
	}
}

func TestFarmPnpm(t *testing.T) {
	g := gittest.New(t)
	g.Write(".gitignore", "node_modules\n", "package.json", `{"name":"root"}`,
		"packages/a/package.json", `{"name":"a","main":"i.js"}`, "packages/a/i.js", "module.exports = 'user'\n",
		"packages/b/package.json", `{"name":"b"}`, "packages/b/i.js", "console.log(require('a'), require('foo'))\n")
	g.Commit("one")
	g.Write("node_modules/.pnpm/foo@1.0.0/node_modules/foo/index.js", "module.exports = 'foo ' + require('bar')\n",
		"node_modules/.pnpm/bar@2.0.0/node_modules/bar/index.js", "module.exports = 'bar'\n", "node_modules/.modules.yaml", "x\n")
	link(t, "../../bar@2.0.0/node_modules/bar", g.Path("node_modules/.pnpm/foo@1.0.0/node_modules/bar"))
	link(t, "../../../packages/a", g.Path("node_modules/.pnpm/node_modules/a"))
	link(t, "../../a", g.Path("packages/b/node_modules/a"))
	link(t, "../../../node_modules/.pnpm/foo@1.0.0/node_modules/foo", g.Path("packages/b/node_modules/foo"))
	r := newRig(t, g)
	r.ready()
	r.write("packages/a/i.js", "module.exports = 'sandbox'\n")
	if got := node(t, r, "packages/b", "i.js"); got != "sandbox foo bar" {
		t.Errorf("node = %q", got)
	}
	got, err := filepath.EvalSymlinks(r.s.boxPath("node_modules/.pnpm/node_modules/a"))
	if err != nil || got != r.s.boxPath("packages/a") {
		t.Errorf("hoisted workspace package = %s, %v", got, err)
	}
	if off, err := r.s.ProbeNode(t.Context()); err != nil || len(off) > 0 {
		t.Errorf("ProbeNode = %v, %v", off, err)
	}
}

func TestFarmOfALinkedFolder(t *testing.T) {
	// A linked worktree often borrows the packages of the main one.
	other := t.TempDir()
	if err := os.MkdirAll(filepath.Join(other, "node_modules", "dep"), 0o755); err != nil {
		t.Fatal(err)
	}
	g := gittest.New(t)
	g.Write(".gitignore", "node_modules\n", "a.js", "x", "sub/b.js", "y")
	g.Commit("one")
	link(t, filepath.Join(other, "node_modules"), g.Path("node_modules"))
	link(t, "../node_modules", g.Path("sub/node_modules"))
	r := newRig(t, g)
	for range 2 {
		r.ready()
		fi, err := os.Lstat(r.s.boxPath("node_modules"))
		if err != nil || !fi.IsDir() {
			t.Fatalf("node_modules = %v, %v, want a folder", fi, err)
		}
		if _, err := os.Stat(r.s.boxPath("node_modules/dep")); err != nil {
			t.Error(err)
		}
	}
}

func TestTrackedPackages(t *testing.T) {
	g := gittest.New(t)
	g.Write("a.js", "x", "fix/node_modules/own/i.js", "own\n", "fix/x.js", "x")
	g.Git("add", "-f", ".")
	g.Git("commit", "-qm", "one")
	g.Write(".git/info/exclude", "node_modules\n", "fix/node_modules/installed/i.js", "inst\n")
	r := newRig(t, g)
	snap := r.ready()
	r.ready()
	if got := r.box("fix/node_modules/own/i.js") + r.box("fix/node_modules/installed/i.js"); got != "own\ninst\n" {
		t.Errorf("packages = %q", got)
	}
	fi, err := os.Lstat(r.s.boxPath("fix/node_modules/own"))
	if err != nil || !fi.IsDir() {
		t.Errorf("a tracked package is %v, %v, want a folder of its own", fi, err)
	}
	r.write("fix/node_modules/own/i.js", "changed\n")
	if c := r.changes(snap); len(c) != 1 {
		t.Errorf("Changes = %+v", c)
	}
	if g.Read("fix/node_modules/own/i.js") != "own\n" {
		t.Error("the write reached the user's tree")
	}
}

func TestCarry(t *testing.T) {
	g := simple(t)
	g.Write("packages/a/x.js", "x", ".gitignore", ".env*\n.cache/\n")
	g.Commit("two")
	g.Write(".env", "A=1\n", "packages/a/.env.test", "B=1\n", ".cache/deep/g.js", "g\n", ".cache/other.js", "o\n")
	r := newRig(t, g, func(c *Config) { c.Carry = []string{".env*", ".cache/deep"} })
	snap := r.ready()
	if got := r.box(".env") + r.box("packages/a/.env.test") + r.box(".cache/deep/g.js"); got != "A=1\nB=1\ng\n" {
		t.Errorf("carried = %q", got)
	}
	if _, err := os.Stat(r.s.boxPath(".cache/other.js")); err == nil {
		t.Error(".cache/other.js was carried")
	}
	r.write(".env", "A=2\n")
	if c := r.changes(snap); len(c) != 0 {
		t.Errorf("Changes = %+v", c)
	}
	if err := os.Remove(g.Path("packages/a/.env.test")); err != nil {
		t.Fatal(err)
	}
	r.ready()
	if got := r.box(".env"); got != "A=1\n" || g.Read(".env") != "A=1\n" {
		t.Errorf(".env = %q", got)
	}
	if _, err := os.Stat(r.s.boxPath("packages/a/.env.test")); err == nil {
		t.Error("a removed input is still carried")
	}
}

// What a build wrote is there without a word of configuration; caches, other
// repositories and environments are not.
func TestOutputs(t *testing.T) {
	g := simple(t)
	g.Write("packages/a/x.js", "x", ".gitignore", "dist/\n/gen.js\n*.log\ncoverage/\nvenv/\nwork/\nnode_modules/\nbig/\n")
	g.Commit("two")
	g.Write("gen.js", "1\n", "packages/a/dist/deep/i.js", "1\n", "dist/only.js", "1\n", "dist/node_modules/x/i.js", "x",
		"run.log", "x", "coverage/i.js", "x", "venv/pyvenv.cfg", "x", "venv/i.js", "x", "work/other/.git", "x", "work/other/i.js", "x",
		"work/own.js", "1\n")
	if err := os.Mkdir(g.Path("big"), 0o755); err != nil {
		t.Fatal(err)
	}
	big, err := os.Create(g.Path("big/data"))
	if err == nil {
		err = errors.Join(big.Truncate(maxOutput+1), big.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, g)
	snap := r.ready()
	has := func(rel string) bool { _, err := os.Lstat(r.s.boxPath(rel)); return err == nil }
	for _, rel := range []string{"gen.js", "packages/a/dist/deep/i.js", "dist/only.js", "work/own.js"} {
		if !has(rel) {
			t.Errorf("%s is not in the sandbox", rel)
		}
	}
	for _, rel := range []string{"dist/node_modules", "run.log", "coverage", "venv", "work/other", "big"} {
		if has(rel) {
			t.Errorf("%s is in the sandbox", rel)
		}
	}
	r.write("gen.js", "a test wrote here\n")
	if c := r.changes(snap); len(c) != 0 {
		t.Errorf("Changes = %+v", c)
	}
	g.Write("packages/a/dist/deep/i.js", "2\n")
	if err := os.Remove(g.Path("dist/only.js")); err != nil {
		t.Fatal(err)
	}
	r.ready()
	if got := r.box("gen.js") + r.box("packages/a/dist/deep/i.js"); got != "1\n2\n" {
		t.Errorf("after a build the sandbox has %q", got)
	}
	if has("dist/only.js") {
		t.Error("a removed output is still in the sandbox")
	}
	if g.Read("gen.js") != "1\n" {
		t.Error("the write reached the user's tree")
	}
}
