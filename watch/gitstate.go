package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// gitState tells what git is doing in a repository. dir is the working tree's
// own .git folder, common the one that all worktrees share.
type gitState struct{ dir, common string }

// operations are what exists in .git while something is under way that leaves
// the working tree between two states, and what to call it.
func operations() [][2]string {
	return [][2]string{{"rebase-merge", "a rebase"}, {"rebase-apply", "a rebase"}, {"MERGE_HEAD", "a merge"},
		{"CHERRY_PICK_HEAD", "a cherry-pick"}, {"REVERT_HEAD", "a revert"}, {"sequencer", "a cherry-pick or revert"},
		{"BISECT_LOG", "a bisect"}, {"BISECT_START", "a bisect"}}
}

// operation names what is under way, "" for nothing.
func (g gitState) operation() string {
	for _, op := range operations() {
		if g.exists(op[0]) {
			return op[1] + " is in progress"
		}
	}
	return ""
}

// locked names a lock that a running git command holds, "" for none.
func (g gitState) locked() string {
	for _, l := range []string{"index.lock", "HEAD.lock"} {
		if g.exists(l) {
			return "a git command is running (" + l + " exists)"
		}
	}
	return ""
}

func (g gitState) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(g.dir, name))
	return err == nil
}

// gitMark is what moves when git changes the working tree.
type gitMark struct{ head, index, stash string }

func (g gitState) mark() gitMark {
	head, _ := os.ReadFile(filepath.Join(g.dir, "HEAD"))
	return gitMark{head: string(head) + stamp(filepath.Join(g.dir, "logs", "HEAD")),
		index: stamp(filepath.Join(g.dir, "index")), stash: stamp(filepath.Join(g.common, "logs", "refs", "stash"))}
}

// moved tells whether git moved HEAD or the stash since an earlier mark.
func (m gitMark) moved(since gitMark) bool { return m.head != since.head || m.stash != since.stash }

// maxReflog is more than a line of a reflog takes, but for a very long subject
// of a commit, which stands at the line's end.
const maxReflog = 64 << 10

// committed tells whether what moved HEAD last was a commit, which changes no
// file. It is false where git keeps no reflog.
func (g gitState) committed() bool {
	f, err := os.Open(filepath.Join(g.dir, "logs", "HEAD"))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	if err != nil {
		return false
	}
	src := make([]byte, min(fi.Size(), maxReflog))
	n, err := f.ReadAt(src, fi.Size()-int64(len(src)))
	if err != nil {
		return false
	}
	line := strings.TrimRight(string(src[:n]), "\n")
	_, why, _ := strings.Cut(line[strings.LastIndexByte(line, '\n')+1:], "\t")
	return strings.HasPrefix(why, "commit")
}

func stamp(path string) string {
	fi, err := os.Stat(path)
	if err != nil {
		return "none"
	}
	return fmt.Sprint(fi.Size(), fi.ModTime().UnixNano(), inode(fi))
}

// Git takes and gives its locks several times in one command, with a process
// start between them; so long after the last sign of it the command is over.
const gitSettle = 120 * time.Millisecond

// A lock that nothing happened under for so long was left by a crash.
const staleLock = 30 * time.Second

// gitPoll is how often a batch that waits for git looks again by itself; the
// events of .git make it look at once.
const gitPoll = 200 * time.Millisecond
