package e2e

import (
	"strings"
	"testing"

	"regreen/cycle"
)

// decoyed are the variables that a hook exports to what it starts.
var decoyed = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"}

// hazard is one way in which tools like this one have lost work.
type hazard struct {
	name string
	do   func(l *lab)
}

// TestHazards is the list of facts/sandbox.md 8, at every level and as every
// user that the machine offers. Of further cases of one hazard every other is
// the unprivileged user's. Where else a hazard is tested:
//
//	 3 the race              internal/sandbox TestRace; bench/merge
//	 7 killed                internal/sandbox TestCrash, TestCrashOfRecovery, TestDeathTwice
//	 8 a full disk           internal/sandbox TestFailingCalls, TestFullDisk; TestFullDisk
//	10 workspaces            internal/sandbox TestLevelsSeeTheWorktree, TestFarmPnpm
//	11 editable installs     TestEditableInstalls; internal/sandbox TestEditableInstall
//	13 to 15 shapes          TestShapes
//	17 a hostile program     internal/sandbox TestHostileTests; TestHostile
//	20 overflow, 50,000 files watch TestOverflow; bench/sandbox
func TestHazards(t *testing.T) {
	atCells(t, func(t *testing.T, c cell) {
		last := ""
		for n, h := range hazards() {
			number := h.name[:2]
			if number == last && !c.takes(n) {
				continue
			}
			last = number
			t.Run("hazard/"+strings.ReplaceAll(h.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				h.do(committed(t, c))
			})
		}
	})
}

func hazards() []hazard {
	var out []hazard
	for _, list := range [][]hazard{stagedHazards(), movingHazards(), meanwhileHazards(), byteHazards(), fileHazards(), verdictHazards(), nameHazards()} {
		out = append(out, list...)
	}
	return out
}

// stagedHazards are about the index, and who holds it.
func stagedHazards() []hazard {
	return []hazard{
		{"01 partially staged", func(l *lab) {
			l.write("src/tax.js", "// staged\n"+brokenTax)
			l.in(".", "add", "src/tax.js")
			l.write("src/tax.js", "// not staged\n// staged\n"+brokenTax)
			l.write("notes.txt", "untracked\n")
			l.write("src/later.js", "module.exports = 1;\n")
			l.in(".", "add", "-N", "src/later.js")
			l.frozen()
			staged := l.in(".", "diff", "--cached")
			d, res := l.run()
			l.isRepaired(d, res, "src/tax.js")
			if got := l.read("src/tax.js"); got != "// not staged\n// staged\n"+wholeTax {
				l.t.Errorf("repaired: %q", got)
			}
			if now := l.in(".", "diff", "--cached"); now != staged {
				l.t.Errorf("staged:\n%s\nwas:\n%s", now, staged)
			}
			l.undone()
		}},
		{"02 index.lock held", func(l *lab) {
			l.write("src/tax.js", brokenTax)
			l.write(".git/index.lock", "theirs")
			l.frozen()
			d, res := l.run()
			l.notMerged(d, res, cycle.Proposed, "index.lock")
			l.remove(".git/index.lock")
			l.was = l.image()
			if res := l.regreen("apply"); res.exit != 0 || l.read("src/tax.js") != wholeTax {
				l.t.Errorf("apply: exit %d\n%s", res.exit, res.stderr)
			}
			l.undone()
		}},
		{"02 index.lock let go", func(l *lab) {
			l.write("src/tax.js", brokenTax)
			l.frozen()
			l.put(".git/index.lock", "theirs")
			d, res := l.when("merge", func() { l.remove(".git/index.lock") })
			l.isRepaired(d, res, "src/tax.js")
		}},
		{"09 two daemons", func(l *lab) {
			l.write("src/tax.js", brokenTax)
			l.frozen()
			w := startWatching(l.t, l.repo)
			w.verdict(cycle.Repaired)
			if res := l.regreen("watch"); res.exit != 3 || !strings.Contains(res.stderr, "watches this repository (process ") {
				l.t.Errorf("a second watch: exit %d\n%s", res.exit, res.stderr)
			}
			if err := w.cmd.Process.Kill(); err != nil {
				l.t.Fatal(err)
			}
			_ = w.ended()
			l.unchanged("src/tax.js")
			w.start() // the lock of the dead is no hindrance
			w.until("regreen: end: ")
			l.put("src/tax.js", brokenTax)
			w.verdict(cycle.Repaired)
			if res := l.regreen("stop"); res.exit != 0 {
				l.t.Errorf("stop: exit %d\n%s", res.exit, res.stderr)
			}
			if err := w.ended(); err != nil {
				l.t.Errorf("watch ended with %v", err)
			}
			l.unchanged("src/tax.js")
		}},
	}
}

// movingHazards move the repository while the tests run.
func movingHazards() []hazard {
	// The other branch differs in a file that no test knows.
	branched := func(l *lab) {
		l.write("notes.txt", "main\n")
		l.commit()
		l.in(".", "checkout", "-q", "-b", "other", "HEAD~1")
		l.write("notes.txt", "other\n")
		l.commit()
		l.in(".", "checkout", "-q", "main")
		l.write("src/tax.js", brokenTax)
		l.frozen()
	}
	// in progress: git stopped in the middle, and its own files tell so.
	stopped := func(reason, file string, args ...string) func(l *lab) {
		return func(l *lab) {
			branched(l)
			l.moved(reason, func() {
				if out, err := l.try(".", args...); err == nil {
					l.t.Errorf("git %s did not stop: %s", args[0], out)
				}
			})
			if _, ok := l.image()["shop/.git/"+file]; !ok {
				l.t.Errorf("%s is gone", file)
			}
		}
	}
	return []hazard{
		{"05 stash -u", func(l *lab) {
			l.write("src/tax.js", brokenTax)
			l.write("notes.txt", "untracked\n")
			l.frozen()
			l.moved("the stash changed", func() { l.in(".", "stash", "-q", "-u") })
			if n := len(strings.Split(l.in(".", "stash", "list"), "\n")); n != 1 {
				l.t.Errorf("%d stashes", n)
			}
			l.in(".", "stash", "pop", "-q")
			if l.read("src/tax.js") != brokenTax || l.read("notes.txt") != "untracked\n" {
				l.t.Error("the stash holds something else than the user's files")
			}
		}},
		{"06 checkout", func(l *lab) {
			branched(l)
			l.moved("another branch was checked out", func() { l.in(".", "checkout", "-q", "other") })
		}},
		{"06 commit --amend", func(l *lab) {
			branched(l)
			l.moved("HEAD moved", func() { l.in(".", "commit", "-q", "--amend", "-m", "again") })
		}},
		{"06 add", func(l *lab) {
			branched(l)
			l.moved("the index changed", func() { l.in(".", "add", "-A") })
		}},
		{"06 stash in a repository inside", func(l *lab) {
			l.write("emb/e.txt", "one\n")
			l.in("emb", "init", "-q", ".")
			l.in("emb", "add", ".")
			l.in("emb", "commit", "-q", "-m", "one")
			l.write("emb/e.txt", "two\n")
			l.write("src/tax.js", brokenTax)
			l.frozen()
			l.moved("a repository inside this one moved", func() { l.in("emb", "stash", "-q") })
		}},
		{"06 rebase -i that stops", func(l *lab) {
			branched(l)
			l.in(".", "commit", "-q", "-a", "-m", "broken")
			l.frozen()
			l.moved("a rebase was started", func() {
				l.in(".", "-c", "sequence.editor=sed -i s/^pick/edit/", "rebase", "-q", "-i", "HEAD~1")
			}, "--base", "HEAD~1")
			if _, ok := l.image()["shop/.git/rebase-merge/git-rebase-todo"]; !ok {
				l.t.Error("the rebase is gone")
			}
		}},
		{"06 merge with a conflict", stopped("a merge was started", "MERGE_HEAD", "merge", "-q", "other")},
		{"06 cherry-pick with a conflict", stopped("a cherry-pick was started", "CHERRY_PICK_HEAD", "cherry-pick", "other")},
	}
}

// moved has the repository move while the tests run: nothing is merged,
// whatever the tests said.
func (l *lab) moved(reason string, do func(), args ...string) {
	l.t.Helper()
	d, res := l.during(func() {
		do()
		l.was = l.image()
	}, args...)
	l.notMerged(d, res, cycle.Proposed, reason)
}
