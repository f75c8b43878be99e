package sandbox

import (
	"errors"
	"os"
	"testing"

	"regreen/internal/git/gittest"
)

// guardMembers are the members of the guard tuple, each with what moves it and
// what a merge then says. Nothing of it changes a byte of the user's files.
var guardMembers = []struct {
	name, code string
	move       func(g *gittest.Repo)
}{
	{"HEAD", RefuseRepoMoved, func(g *gittest.Repo) { g.Git("commit", "-q", "--allow-empty", "-m", "x") }},
	{"branch", RefuseRepoMoved, func(g *gittest.Repo) { g.Git("checkout", "-q", "-b", "other") }},
	{"detached", RefuseRepoMoved, func(g *gittest.Repo) { g.Git("checkout", "-q", "--detach") }},
	{"index", RefuseRepoMoved, func(g *gittest.Repo) { g.Git("update-index", "--chmod=+x", "src/b.js") }},
	{"index.lock", RefuseRepoBusy, func(g *gittest.Repo) { g.Write(".git/index.lock", "") }},
	{"HEAD.lock", RefuseRepoBusy, func(g *gittest.Repo) { g.Write(".git/HEAD.lock", "") }},
	{"stash", RefuseRepoMoved, func(g *gittest.Repo) {
		g.Git("update-ref", "--create-reflog", "-m", "x", "refs/stash", "HEAD")
	}},
	{"MERGE_HEAD", RefuseRepoMoved, func(g *gittest.Repo) { g.Write(".git/MERGE_HEAD", "x") }},
	{"CHERRY_PICK_HEAD", RefuseRepoMoved, func(g *gittest.Repo) { g.Write(".git/CHERRY_PICK_HEAD", "x") }},
	{"REVERT_HEAD", RefuseRepoMoved, func(g *gittest.Repo) { g.Write(".git/REVERT_HEAD", "x") }},
	{"BISECT_LOG", RefuseRepoMoved, func(g *gittest.Repo) { g.Write(".git/BISECT_LOG", "x") }},
	{"rebase-merge", RefuseRepoMoved, func(g *gittest.Repo) { g.Write(".git/rebase-merge/done", "x") }},
	{"rebase-apply", RefuseRepoMoved, func(g *gittest.Repo) { g.Write(".git/rebase-apply/next", "x") }},
}

// TestGuardAtEachPhase moves each member of the tuple after the snapshot, as a
// run would see it, and in the last moment, when all is ready for the first
// swap: nothing is merged. What moves it while the snapshot is taken is in it,
// and a merge knows of it.
func TestGuardAtEachPhase(t *testing.T) {
	for _, m := range guardMembers {
		for _, phase := range []string{"during a run", "before the first swap"} {
			t.Run(m.name+"/"+phase, func(t *testing.T) {
				t.Parallel() // a lock is waited for
				armed := false
				var r *rig
				g := simple(t)
				r = newRig(t, g, func(c *Config) {
					c.Effect = func(call, _ string) error {
						if call == "mkdir" && armed {
							armed = false
							m.move(g)
						}
						return nil
					}
				})
				snap := r.ready()
				r.write("src/a.js", "fix\n")
				changes := r.changes(snap)
				before := gittest.HashDir(t, g.Dir, ".git")
				if phase == "during a run" {
					m.move(g)
				} else {
					armed = true
				}
				_, err := r.s.Merge(t.Context(), MergeRequest{ID: "c1", Snap: snap, Changes: changes})
				var ref *Refusal
				if !errors.As(err, &ref) || ref.Code != m.code {
					t.Errorf("Merge = %v, want %s", err, m.code)
				}
				after := gittest.HashDir(t, g.Dir, ".git")
				for rel := range after {
					if before[rel] != after[rel] {
						t.Errorf("%s changed", rel)
					}
				}
				if len(before) != len(after) || len(r.s.Undos()) > 0 {
					t.Errorf("%d files, were %d; %d undo records", len(after), len(before), len(r.s.Undos()))
				}
			})
		}
	}
}

// TestGuardMovesUnderSnapshot: a snapshot under which the repository moved is
// taken again, so that its guard is the state that it was taken in.
func TestGuardMovesUnderSnapshot(t *testing.T) {
	for _, m := range guardMembers {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			g := simple(t)
			r := newRig(t, g)
			was := r.snap().Guard
			m.move(g)
			snap := r.snap()
			if m.code == RefuseRepoMoved && snap.Guard == was {
				t.Errorf("the guard is still %+v", was)
			}
			now, err := r.repo.Guard(t.Context())
			if err != nil || snap.Guard.Diff(now) != "" || snap.Guard.Busy() != now.Busy() {
				t.Errorf("guard = %+v, now %+v, %v", snap.Guard, now, err)
			}
			_ = os.Remove(g.Path(".git/index.lock"))
		})
	}
}
