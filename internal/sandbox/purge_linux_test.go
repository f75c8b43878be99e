package sandbox

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShadowLeadsNowhere has a run put what leads to the user's repository in
// the place of what is ours, in the shadow repository, to which it may write:
// we must not go there after it.
func TestShadowLeadsNowhere(t *testing.T) {
	attacks := []struct{ name, script string }{
		{"worktree", `rm -rf worktrees/tree; ln -s "$ORIGIN/.git" worktrees/tree`},
		{"worktrees", `rm -rf worktrees; mkdir "$TMPDIR/w"; ln -s "$ORIGIN/.git" "$TMPDIR/w/tree"; ln -s "$TMPDIR/w" worktrees`},
		{"info", `rm -rf info; ln -s "$ORIGIN/.git/info" info`},
		{"refs", `rm -rf refs; ln -s "$ORIGIN/.git/refs" refs`},
		{"objects", `mv objects o; ln -s "$ORIGIN/.git/objects" objects`},
		{"packs", `rm -rf objects/pack; ln -s "$ORIGIN/.git/objects/pack" objects/pack`},
		{"files", `for f in config HEAD packed-refs shallow config.new packed-refs.new shallow.new info/attributes; do rm -f $f; ln -s "$ORIGIN/.git/config" $f; done`},
		{"index", `for f in index index.lock HEAD commondir gitdir; do rm -f worktrees/tree/$f; ln -s "$ORIGIN/.git/index" worktrees/tree/$f; done`},
		{"commondir", `echo "$ORIGIN/.git" > commondir; echo "$ORIGIN/.git" > worktrees/tree/commondir; echo "$ORIGIN/.git" > "$TREE/.git"`},
		{"pipes", `for f in config HEAD packed-refs info/attributes refs/regreen/snap worktrees/tree/HEAD worktrees/tree/index; do rm -f $f; mkfifo $f; done`},
		{"no permission", `chmod 0 objects info refs worktrees/tree`},
		{"a program in the configuration", `printf '[filter "x"]\n\tclean = echo evil > "%s/src/a.js"\n[core]\n\tfsmonitor = false\n' "$ORIGIN" >> config
			echo '* filter=x' > info/attributes; echo '* filter=x' > "$TREE/.gitattributes"; rm -f objects/pack/*`},
	}
	atLevels(t, func(t *testing.T, level func(*Config)) {
		for i, a := range attacks {
			if i > 1 && !strings.HasSuffix(t.Name(), "/namespace") {
				break // what we do then is the same at every level
			}
			t.Run(a.name, func(t *testing.T) {
				g := simple(t)
				g.Write("src/b.js", "changed\n")
				g.Commit("two")
				g.Write("src/a.js", "not committed\n")
				r := newRig(t, g, level)
				r.ready()
				before, git := r.everything(), g.Hash()
				script := fmt.Sprintf("ORIGIN='%s'; TREE=\"$PWD\"; cd '%s/shadow.git' || exit 9; %s", g.Dir, r.s.dir, a.script)
				if ex, out := r.run("sh", "-c", script); ex.Code == 9 {
					t.Fatal(out)
				}
				g.Write("src/c.js", "new\n")
				snap := r.snap()
				if err := r.s.Prepare(t.Context(), snap); err != nil {
					t.Errorf("Prepare: %v", err)
				}
				if err := r.s.shadow.refresh(t.Context()); err != nil {
					t.Errorf("refresh: %v", err)
				}
				if ex, out := r.run("sh", "-c", "cat src/c.js && git status --porcelain"); ex.Code != 0 || out != "new" {
					t.Errorf("afterwards: %+v %s", ex, out)
				}
				if err := os.Remove(g.Path("src/c.js")); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(before, r.everything()); d != "" {
					t.Errorf("the user's files changed (-want +got):\n%s", d)
				}
				if d := cmp.Diff(git, g.Hash()); d != "" {
					t.Errorf("the user's .git changed (-want +got):\n%s", d)
				}
			})
		}
	})
}
