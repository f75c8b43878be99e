package git

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// nestedGuard adds to a guard what the repositories inside say of themselves:
// where their HEAD and stash are, and whether git works in them. It reads
// their files and starts no process, since there may be many. Their indexes do
// not count: what is staged there changes no file.
func (r *Repo) nestedGuard(g *Guard, nested []string) {
	if len(nested) == 0 {
		return
	}
	h := sha256.New()
	for _, sub := range nested {
		dir, common := gitDirs(filepath.Join(r.root, filepath.FromSlash(sub)))
		for _, part := range []string{sub, headState(dir, common), readText(filepath.Join(common, "refs", "stash"))} {
			h.Write([]byte(part + "\x00"))
		}
		if op := operation(dir); op != "" && g.Operation == "" {
			g.Operation = op + " in " + sub
		}
		if l := lock(dir); l != "" && g.Lock == "" {
			g.Lock = l + " of " + sub
		}
	}
	g.Nested = hex.EncodeToString(h.Sum(nil))
}

// gitDirs finds the git folder of a working tree and the one that it shares
// with its linked worktrees.
func gitDirs(tree string) (dir, common string) {
	dir = filepath.Join(tree, ".git")
	if to, ok := strings.CutPrefix(readText(dir), "gitdir: "); ok {
		dir = under(tree, to)
	}
	common = dir
	if to := readText(filepath.Join(dir, "commondir")); to != "" {
		common = under(dir, to)
	}
	return dir, common
}

func under(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// headState is what HEAD says, down to the commit; of references in tables
// the list of the tables, which every change makes another.
func headState(dir, common string) string {
	head := readText(filepath.Join(dir, "HEAD"))
	name, ok := strings.CutPrefix(head, "ref: ")
	if !ok {
		return head
	}
	if tables := readText(filepath.Join(common, "reftable", "tables.list")); tables != "" {
		return head + "\n" + tables + readText(filepath.Join(dir, "reftable", "tables.list"))
	}
	if oid := readText(filepath.Join(common, filepath.FromSlash(name))); oid != "" {
		return head + "\n" + oid
	}
	packed, err := os.ReadFile(filepath.Join(common, "packed-refs"))
	if err != nil {
		return head
	}
	for lines := bufio.NewScanner(bytes.NewReader(packed)); lines.Scan(); {
		if oid, ref, ok := strings.Cut(lines.Text(), " "); ok && ref == name {
			return head + "\n" + oid
		}
	}
	return head
}

// readText is a small file without the line's end, "" when it is not there.
func readText(name string) string {
	src, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(src), "\r\n")
}
