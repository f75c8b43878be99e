//go:build unix

package sandbox

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWarmEqualsCold makes random edits, in the user's tree and by what runs in
// the worktree, and demands of each warm snapshot, and of the index that tests
// see, what they would be had everything been read anew.
func TestWarmEqualsCold(t *testing.T) {
	g := simple(t)
	r := newRig(t, g)
	rnd := rand.New(rand.NewPCG(1, 2))
	paths := []string{"src/a.js", "src/b.js", "src/c.js", "deep/er/d.js", "deep/e.js", "src/link.js", "test/t.js"}
	steps := []struct {
		name string
		do   func(rel string)
	}{
		{"write", func(rel string) {
			_ = os.RemoveAll(g.Path(rel))
			g.Write(rel, fmt.Sprintf("text %d\n", rnd.IntN(4)))
		}},
		{"remove", func(rel string) { _ = os.RemoveAll(g.Path(rel)) }},
		{"folder in its place", func(rel string) {
			_ = os.RemoveAll(g.Path(rel))
			g.Write(rel+"/index.js", "inside\n")
		}},
		{"mode", func(rel string) { _ = os.Chmod(g.Path(rel), []os.FileMode{0o755, 0o644}[rnd.IntN(2)]) }},
		{"link", func(rel string) {
			_ = os.RemoveAll(g.Path(rel))
			_ = os.MkdirAll(filepath.Dir(g.Path(rel)), 0o755)
			_ = os.Symlink("a.js", g.Path(rel))
		}},
		{"stage", func(string) { g.Git("add", "-A") }},
		{"commit", func(string) { g.Git("add", "-A"); g.Git("commit", "-q", "--allow-empty", "-m", "more") }},
		{"a test writes", func(rel string) { _ = os.WriteFile(r.s.boxPath(rel), []byte("by a test\n"), 0o644) }},
		{"a test removes", func(rel string) { _ = os.RemoveAll(r.s.boxPath(rel)) }},
		{"a test stages", func(string) { _, _ = r.s.boxGit(t.Context(), nil, "add", "-A") }},
		{"nothing", func(string) {}},
	}
	r.ready()
	for n := range 60 {
		step, rel := steps[rnd.IntN(len(steps))], paths[rnd.IntN(len(paths))]
		step.do(rel)
		what := fmt.Sprintf("step %d, %s %s", n, step.name, rel)
		warm := r.ready()
		names, files, tree := slices.Clone(warm.Names()), warm.Files, warm.Tree
		if out, err := r.s.boxGit(t.Context(), nil, "write-tree"); err != nil || strings.TrimSpace(string(out)) != tree {
			t.Fatalf("%s: the index holds %s, %v, want the snapshot's %s", what, out, err, tree)
		}
		if out, err := r.s.boxGit(t.Context(), nil, "status", "--porcelain", "--untracked-files=no"); err != nil || len(out) > 0 {
			t.Fatalf("%s: git status in the worktree says %s, %v", what, out, err)
		}
		if n%3 < 2 { // up to three steps on what is warm
			continue
		}
		r.s.forget()
		cold := r.snap()
		if d := cmp.Diff(cold.Names(), names); d != "" {
			t.Fatalf("%s: names (-cold +warm):\n%s", what, d)
		}
		if d := cmp.Diff(cold.Files, files); d != "" || cold.Tree != tree {
			t.Fatalf("%s: files (-cold +warm), trees %s and %s:\n%s", what, cold.Tree, tree, d)
		}
	}
}
