package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Guard is the state of the repository that must not move under a cycle. Two
// guards are compared with Diff; the index counts by what it says and not by
// its stat data, which any `git status` of a shell prompt refreshes.
type Guard struct {
	Branch    string `json:"branch"`
	Head      string `json:"head"`
	Index     string `json:"index"`     // hash over the entries
	Lock      string `json:"lock"`      // "index.lock" while a git command holds it
	Operation string `json:"operation"` // "a merge", "a rebase", …; "" for none
	Stash     string `json:"stash"`
	Nested    string `json:"nested,omitempty"` // hash over the state of repositories inside
}

// indexRead is what an index file of the given stat data says.
type indexRead struct {
	stat    string
	entries []string // lines of git ls-files -s
	sum     string   // hash over them
}

// Guard reads the tuple. nested are the folders of submodules and embedded
// repositories that count too (Listing.Nested); guards of other folders are
// not to be compared.
func (r *Repo) Guard(ctx context.Context, nested ...string) (Guard, error) {
	h, err := r.ReadHead(ctx)
	if err != nil {
		return Guard{}, err
	}
	g := Guard{Branch: h.Branch, Head: h.OID, Operation: operation(r.gitDir), Lock: lock(r.gitDir), Stash: r.stash(ctx)}
	index, err := r.readIndex(ctx)
	if err != nil {
		return Guard{}, fmt.Errorf("read the index of %s: %w", r.root, err)
	}
	g.Index = index.sum
	r.nestedGuard(&g, nested)
	return g, nil
}

// Equal tells whether nothing moved.
func (g Guard) Equal(o Guard) bool { return g.Diff(o) == "" }

// Diff says for a person what moved from g to o, "" for nothing.
func (g Guard) Diff(o Guard) string {
	switch {
	case g.Operation != o.Operation && o.Operation != "":
		return o.Operation + " was started"
	case g.Operation != o.Operation:
		return g.Operation + " was ended"
	case g.Branch != o.Branch:
		return "another branch was checked out"
	case g.Head != o.Head:
		return "HEAD moved"
	case g.Stash != o.Stash:
		return "the stash changed"
	case g.Index != o.Index:
		return "the index changed"
	case g.Nested != o.Nested:
		return "a repository inside this one moved"
	}
	return ""
}

// Committed tells whether what moved from g to o may be a commit on the same
// branch: HEAD, and nothing else but the index. Whether the files are still the
// same is for the caller to see.
func (g Guard) Committed(o Guard) bool {
	if g.Head == o.Head {
		return false
	}
	g.Head, g.Index, g.Lock = o.Head, o.Index, o.Lock
	return g == o
}

// Busy says for a person why nothing may be merged now, "" when it may.
func (g Guard) Busy() string {
	switch {
	case g.Lock != "":
		return "a git command is running (" + g.Lock + " exists)"
	case g.Operation != "":
		return g.Operation + " is in progress"
	}
	return ""
}

func lock(gitDir string) string {
	for _, l := range []string{"index.lock", "HEAD.lock"} {
		if _, err := os.Lstat(filepath.Join(gitDir, l)); err == nil {
			return l
		}
	}
	return ""
}

func operation(gitDir string) string {
	for _, op := range []struct{ file, name string }{
		{"rebase-merge", "a rebase"}, {"rebase-apply", "a rebase or am"}, {"MERGE_HEAD", "a merge"},
		{"CHERRY_PICK_HEAD", "a cherry-pick"}, {"REVERT_HEAD", "a revert"}, {"BISECT_LOG", "a bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(gitDir, op.file)); err == nil {
			return op.name
		}
	}
	return ""
}

// stash names the stash and the length of its log: a drop moves one, a push
// both.
func (r *Repo) stash(ctx context.Context) string {
	var log int64
	if fi, err := os.Stat(filepath.Join(r.commonDir, "logs", "refs", "stash")); err == nil {
		log = fi.Size()
	}
	if b, err := os.ReadFile(filepath.Join(r.commonDir, "refs", "stash")); err == nil {
		return fmt.Sprintf("%s %d", strings.TrimSpace(string(b)), log)
	}
	if log == 0 && r.config["extensions.refstorage"] == "" {
		return ""
	}
	out, err := r.git(ctx, "rev-parse", "--verify", "-q", "refs/stash")
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %d", strings.TrimSpace(string(out)), log)
}

// readIndex gives what the index says. It is read anew when the stat data of
// its file are new: git always replaces the file.
func (r *Repo) readIndex(ctx context.Context) (indexRead, error) {
	stat := "none"
	if fi, err := os.Stat(filepath.Join(r.gitDir, "index")); err == nil {
		stat = fmt.Sprint(fi.Size(), fi.ModTime().UnixNano(), inode(fi))
	}
	r.mu.Lock()
	last := r.index
	r.mu.Unlock()
	if last.sum != "" && last.stat == stat {
		return last, nil
	}
	out, err := r.git(ctx, "ls-files", "-s", "-v", "-z")
	if err != nil {
		return indexRead{}, err
	}
	sum := sha256.Sum256(out)
	read := indexRead{stat, split(out), hex.EncodeToString(sum[:])}
	r.mu.Lock()
	r.index = read
	r.mu.Unlock()
	return read, nil
}
