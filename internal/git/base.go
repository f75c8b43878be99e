package git

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
)

// treeEntry is one path of a commit.
type treeEntry struct{ mode, oid string }

// tree gives all paths of a commit or tree; the last few are kept.
func (r *Repo) tree(ctx context.Context, oid string) (map[string]treeEntry, error) {
	r.mu.Lock()
	t, ok := r.trees[oid]
	r.mu.Unlock()
	if ok {
		return t, nil
	}
	out, err := r.git(ctx, "ls-tree", "-r", "-z", "--full-tree", oid)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", oid, err)
	}
	t = map[string]treeEntry{}
	for _, e := range split(out) {
		meta, rel, _ := strings.Cut(e, "\t")
		if m := strings.Fields(meta); len(m) == 3 {
			t[rel] = treeEntry{m[0], m[2]}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.trees == nil || len(r.trees) > 3 {
		r.trees = map[string]map[string]treeEntry{}
	}
	r.trees[oid] = t
	return t, nil
}

// BaseFiles lists the files of a revision (see Base), sorted. Submodules'
// files are not among them.
func (r *Repo) BaseFiles(ctx context.Context, rev string) ([]string, error) {
	t, err := r.baseTree(ctx, rev)
	if err != nil {
		return nil, err
	}
	rels := make([]string, 0, len(t))
	for rel, e := range t {
		if e.mode != "160000" {
			rels = append(rels, rel)
		}
	}
	sort.Strings(rels)
	return rels, nil
}

// baseTree reads the tree of a revision. What Base last said of a named
// revision is taken, so that a file costs no process for the name.
func (r *Repo) baseTree(ctx context.Context, rev string) (map[string]treeEntry, error) {
	r.mu.Lock()
	oid := r.bases[rev]
	r.mu.Unlock()
	if oid == "" {
		var err error
		if oid, err = r.Base(ctx, rev); err != nil {
			return nil, err
		}
	}
	return r.tree(ctx, oid)
}

// BaseFile gives a file of a revision (see Base) as a checkout would write it,
// line endings converted; ok is false when it was not there. For a link it is
// the target.
func (r *Repo) BaseFile(ctx context.Context, rev, rel string) (src []byte, ok bool, err error) {
	t, err := r.baseTree(ctx, rev)
	if err != nil {
		return nil, false, err
	}
	e, ok := t[rel]
	if !ok || e.mode == "160000" {
		return nil, false, nil
	}
	if e.mode != "120000" && r.smudges() {
		// The batch process gives a wrong size with --filters (git 2.39), so
		// this is a process a file: 3 to 5 ms.
		src, err = r.git(ctx, "cat-file", "--filters", "--path="+rel, e.oid)
		if err == nil {
			return src, true, nil
		}
		if ctx.Err() != nil {
			return nil, false, fmt.Errorf("read %s at %s: %w", rel, rev, err)
		}
	}
	src, err = r.blob(ctx, e.oid)
	if err != nil {
		return nil, false, fmt.Errorf("read %s at %s: %w", rel, rev, err)
	}
	return src, true, nil
}

// cleans tells whether git add may store other bytes than the file's: when
// line endings are configured or any attributes file is in force.
func (r *Repo) cleans() bool {
	return r.ConfigBool("core.autocrlf", r.config["core.autocrlf"] == "input") || r.config["core.eol"] != "" ||
		len(r.attributeFiles()) > 0
}

// smudges tells whether a checkout may write other bytes than the blob's. The
// common "* text=auto" alone does not make it.
func (r *Repo) smudges() bool {
	if r.ConfigBool("core.autocrlf", false) || r.config["core.eol"] == "crlf" || runtime.GOOS == "windows" {
		return true
	}
	for _, name := range r.attributeFiles() {
		src, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for _, word := range []string{"eol", "filter", "ident", "working-tree-encoding", "[attr]"} {
			if bytes.Contains(src, []byte(word)) {
				return true
			}
		}
	}
	return false
}

// attributeFiles are the attributes files that exist (abs), as far as they are
// known: those of the working tree once it was listed.
func (r *Repo) attributeFiles() []string {
	names := []string{filepath.Join(r.commonDir, "info", "attributes"), filepath.Join(r.root, ".gitattributes")}
	if f := r.config["core.attributesfile"]; f != "" {
		names = append(names, f)
	}
	r.mu.Lock()
	for rel := range r.attributes {
		names = append(names, filepath.Join(r.root, filepath.FromSlash(rel)))
	}
	r.mu.Unlock()
	var out []string
	for _, n := range names {
		if _, err := os.Stat(n); err == nil {
			out = append(out, n)
		}
	}
	return out
}
