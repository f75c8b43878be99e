//go:build unix

package sandbox

import (
	"io/fs"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/git/gittest"
)

// TestSnapshotOf demands of a snapshot of named files what one of the whole
// tree gives, where the names are all that changed, and that the whole tree is
// listed where they do not tell.
func TestSnapshotOf(t *testing.T) {
	for _, c := range []struct {
		name string
		told []string
		edit func(*gittest.Repo)
		want bool // told suffices
	}{
		{"nothing", nil, func(*gittest.Repo) {}, true},
		{"saved", []string{"src/a.js"}, func(g *gittest.Repo) { g.Write("src/a.js", "saved\n") }, true},
		{"saved twice named", []string{"src/a.js", "src/a.js", "src/b.js"}, func(g *gittest.Repo) { g.Write("src/a.js", "saved\n", "src/b.js", "too\n") }, true},
		{"deleted", []string{"src/a.js"}, func(g *gittest.Repo) { must(t, os.Remove(g.Path("src/a.js"))) }, true},
		{"mode", []string{"src/a.js"}, func(g *gittest.Repo) { must(t, os.Chmod(g.Path("src/a.js"), 0o755)) }, true},
		{"now a link", []string{"src/a.js"}, func(g *gittest.Repo) {
			must(t, os.Remove(g.Path("src/a.js")))
			must(t, os.Symlink("b.js", g.Path("src/a.js")))
		}, true},
		{"new", []string{"src/new.js"}, func(g *gittest.Repo) { g.Write("src/new.js", "new\n") }, false},
		{"now a folder", []string{"src/a.js"}, func(g *gittest.Repo) {
			must(t, os.Remove(g.Path("src/a.js")))
			g.Write("src/a.js/index.js", "inside\n")
		}, false},
		{"ignore rules", []string{".gitignore"}, func(g *gittest.Repo) { g.Write(".gitignore", "*.tmp\n", "x.tmp", "") }, false},
		{"the folder is a link", []string{"src/a.js"}, func(g *gittest.Repo) {
			must(t, os.Rename(g.Path("src"), g.Path("other")))
			must(t, os.Symlink("other", g.Path("src")))
		}, false},
		{"staged", []string{"src/a.js"}, func(g *gittest.Repo) { g.Write("src/a.js", "staged\n"); g.Git("add", "-A") }, false},
		{"committed", []string{"src/a.js"}, func(g *gittest.Repo) { g.Write("src/a.js", "committed\n"); g.Commit("two") }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := simple(t)
			r := newRig(t, g)
			r.ready()
			waitSettled(t)
			first := r.snap() // all is settled
			c.edit(g)
			got, err := r.s.SnapshotOf(t.Context(), c.told)
			must(t, err)
			if got.Told != c.want {
				t.Errorf("Told = %v, want %v", got.Told, c.want)
			}
			r.s.forget()
			whole := r.snap()
			if d := cmp.Diff(whole.Files, got.Files); d != "" || !slices.Equal(whole.Names(), got.Names()) || whole.Tree != got.Tree {
				t.Errorf("trees %s and %s, names %q and %q, files (-whole +told):\n%s", whole.Tree, got.Tree, whole.Names(), got.Names(), d)
			}
			if c.want && c.told != nil && first.Tree == got.Tree {
				t.Error("the tree is as before")
			}
			for name, pair := range map[string][2]*Snapshot{"told": {first, got}, "whole": {first, whole}, "back": {got, first}, "same": {got, whole}} {
				if d := cmp.Diff(savedByFiles(pair[0], pair[1]), pair[1].Saved(pair[0])); d != "" {
					t.Errorf("%s: Saved (-want +got):\n%s", name, d)
				}
			}
		})
	}
}

// savedByFiles is Snapshot.Saved by the maps of both.
func savedByFiles(before, now *Snapshot) []string {
	var out []string
	for rel, e := range now.Files {
		if old, ok := before.Files[rel]; !ok || old.Sum != e.Sum || e.Mode&fs.ModeSymlink != 0 {
			out = append(out, rel)
		}
	}
	for rel := range before.Files {
		if _, ok := now.Files[rel]; !ok {
			out = append(out, rel)
		}
	}
	slices.Sort(out)
	return out
}

// TestSnapshotOfIsNotTold holds what the names of a snapshot's maker are worth:
// what they leave out is not in it, and the next one of the whole tree has it.
func TestSnapshotOfIsNotTold(t *testing.T) {
	g := simple(t)
	r := newRig(t, g)
	r.ready()
	waitSettled(t)
	r.snap() // all is settled
	g.Write("src/a.js", "told\n", "src/b.js", "not told\n")
	snap, err := r.s.SnapshotOf(t.Context(), []string{"src/a.js"})
	must(t, err)
	whole := r.snap()
	if snap.Files["src/b.js"] == whole.Files["src/b.js"] || snap.Files["src/a.js"] != whole.Files["src/a.js"] || snap.Tree == whole.Tree || whole.Told {
		t.Errorf("told %v %+v, whole %v %+v", snap.Told, snap.Files, whole.Told, whole.Files)
	}
}

// TestSnapshotOfAfterMerge: what we write ourselves nobody tells of.
func TestSnapshotOfAfterMerge(t *testing.T) {
	g := simple(t)
	r := newRig(t, g)
	snap := r.ready()
	r.write("src/a.js", "merged\n")
	if _, err := r.merge("m", snap); err != nil {
		t.Fatal(err)
	}
	g.Write("src/b.js", "saved\n")
	got, err := r.s.SnapshotOf(t.Context(), []string{"src/b.js"})
	must(t, err)
	if src, err := got.Bytes(t.Context(), "src/a.js"); err != nil || string(src) != "merged\n" || got.Told {
		t.Errorf("src/a.js is %q, %v, told %v", src, err, got.Told)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
