package git

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // git's object ids, not security
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"regreen/internal/plain"
)

// Status is how a file differs from the base.
type Status string

// The statuses. A rename is a Deleted and an Added; see Renames.
const (
	Added    Status = "added"
	Modified Status = "modified"
	Deleted  Status = "deleted"
)

// Change is one file that differs from the base.
type Change struct {
	Path   string
	Status Status
}

// Modified lists what differs between base (see Base) and the working tree,
// sorted: staged, unstaged and untracked alike, since what is on disk is what
// tests see. A file of which only the time stamp moved, or that differs only
// by the conversion that a checkout applies, is not among them.
func (r *Repo) Modified(ctx context.Context, base string) ([]Change, error) {
	oid, err := r.Base(ctx, base)
	if err != nil {
		return nil, err
	}
	l, err := r.List(ctx)
	if err != nil {
		return nil, err
	}
	return r.ModifiedIn(ctx, oid, l)
}

// ModifiedIn is Modified for a resolved base and a listing already made.
func (r *Repo) ModifiedIn(ctx context.Context, oid string, l *Listing) ([]Change, error) {
	found := map[string]Status{}
	onDisk := make(map[string]File, len(l.Files))
	for _, f := range l.Files {
		onDisk[f.Rel] = f
		if !f.Tracked {
			found[f.Rel] = Added
		}
	}
	if err := r.diff(ctx, oid, "", onDisk, found); err != nil {
		return nil, err
	}
	if err := r.unwatched(ctx, oid, l, onDisk, found); err != nil {
		return nil, err
	}
	for _, n := range l.Nested {
		sub, err := r.nestedBase(ctx, oid, n)
		if err == nil {
			err = r.diff(ctx, sub, n+"/", onDisk, found)
		}
		if err != nil {
			return nil, err
		}
	}
	changes := make([]Change, 0, len(found))
	for p, s := range found {
		changes = append(changes, Change{p, s})
	}
	sort.Slice(changes, func(i, j int) bool { return changes[i].Path < changes[j].Path })
	return changes, nil
}

// unwatched adds what differs among the files that git was told not to look at
// (assume-unchanged, skip-worktree): tests see them as they are.
func (r *Repo) unwatched(ctx context.Context, oid string, l *Listing, onDisk map[string]File, found map[string]Status) error {
	if len(l.unwatched) == 0 {
		return nil
	}
	tree, err := r.tree(ctx, oid)
	if err != nil {
		return err
	}
	var unsure []suspect
	for rel, expected := range l.unwatched {
		base, had := tree[rel]
		_, exists := onDisk[rel]
		switch {
		case found[rel] != "" || base.mode == "160000":
		case exists && had:
			unsure = append(unsure, suspect{rel, base.oid})
		case had && expected:
			found[rel] = Deleted
		}
	}
	same, err := r.same(ctx, r.root, "", unsure)
	if err != nil {
		return err
	}
	for _, s := range unsure {
		if !same[s.rel] {
			found[s.rel] = Modified
		}
	}
	return nil
}

// nestedBase is the commit that a submodule had at the base, or the HEAD of an
// embedded repository or of a submodule that does not have that commit.
func (r *Repo) nestedBase(ctx context.Context, oid, sub string) (string, error) {
	dir := filepath.Join(r.root, filepath.FromSlash(sub))
	tree, err := r.tree(ctx, oid)
	if err != nil {
		return "", err
	}
	for _, rev := range []string{tree[sub].oid, "HEAD"} {
		if rev == "" {
			continue
		}
		out, err := r.run.Run(ctx, Call{Dir: dir, Args: []string{"rev-parse", "--verify", "-q", rev + "^{commit}"}})
		if err == nil {
			return strings.TrimSpace(string(out)), nil
		}
	}
	return r.EmptyTree(), nil
}

// diff adds what differs below prefix from the commit or tree oid.
func (r *Repo) diff(ctx context.Context, oid, prefix string, onDisk map[string]File, found map[string]Status) error {
	dir := filepath.Join(r.root, filepath.FromSlash(prefix))
	out, err := r.run.Run(ctx, Call{Dir: dir, Args: []string{"diff-index", "-z", "--raw", "--no-renames", "--abbrev=64",
		"--ignore-submodules=all", oid, "--"}})
	if err != nil {
		return fmt.Errorf("compare with %s: %w", oid, err)
	}
	f := split(out)
	var unsure []suspect
	for i := 0; i+1 < len(f); i += 2 {
		m := strings.Fields(strings.TrimPrefix(f[i], ":"))
		rel := prefix + f[i+1]
		if len(m) != 5 || m[0] == "160000" || m[1] == "160000" {
			continue
		}
		_, exists := onDisk[rel]
		switch {
		case !exists && m[4] == "A": // staged, then removed again
		case !exists:
			found[rel] = Deleted
		case m[4] == "A":
			found[rel] = Added
		case m[4] == "M" && m[0] == m[1] && strings.Trim(m[3], "0") == "":
			unsure = append(unsure, suspect{rel, m[2]})
		case m[4] == "D": // git rm --cached: still here
			unsure = append(unsure, suspect{rel, m[2]})
		default:
			found[rel] = Modified
		}
	}
	same, err := r.same(ctx, dir, prefix, unsure)
	if err != nil {
		return err
	}
	for _, s := range unsure {
		if same[s.rel] {
			delete(found, s.rel)
		} else {
			found[s.rel] = Modified
		}
	}
	return nil
}

// suspect is a file whose stat data differ from the index and whose content
// may still be the base's.
type suspect struct{ rel, oid string }

// same tells which suspects still are the base's blob: by raw bytes, as an LFS
// pointer, or after the conversion that git add would apply.
func (r *Repo) same(ctx context.Context, dir, prefix string, list []suspect) (map[string]bool, error) {
	same := map[string]bool{}
	var convert []suspect
	for _, s := range list {
		abs := filepath.Join(r.root, filepath.FromSlash(s.rel))
		id, sum, link, err := r.identify(abs)
		if err != nil {
			continue
		}
		switch {
		case id == s.oid:
			same[s.rel] = true
		case link || strings.ContainsAny(s.rel, "\n\r"):
		default:
			if _, ok := r.config["filter.lfs.clean"]; ok && r.isPointer(ctx, dir, s.oid, sum) {
				same[s.rel] = true
			} else if r.cleans() {
				convert = append(convert, s)
			}
		}
	}
	if len(convert) == 0 {
		return same, nil
	}
	var in bytes.Buffer
	for _, s := range convert {
		in.WriteString(strings.TrimPrefix(s.rel, prefix) + "\n")
	}
	out, err := r.run.Run(ctx, Call{Dir: dir, Args: []string{"hash-object", "--stdin-paths"}, Stdin: &in})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return same, nil // a file vanished: what is left counts as modified
	}
	ids := strings.Fields(string(out))
	for i, s := range convert {
		if i < len(ids) && ids[i] == s.oid {
			same[s.rel] = true
		}
	}
	return same, nil
}

// isPointer tells whether the blob is the LFS pointer of the bytes with this
// SHA-256 in hex.
func (r *Repo) isPointer(ctx context.Context, dir, oid, sum string) bool {
	out, err := r.run.Run(ctx, Call{Dir: dir, Args: []string{"cat-file", "blob", oid}})
	if err != nil || len(out) > 1024 || !bytes.HasPrefix(out, []byte("version https://git-lfs.github.com/spec/")) {
		return false
	}
	return bytes.Contains(out, []byte("oid sha256:"+sum))
}

// errNotFile says that there is neither a file nor a link: a pipe would hold
// for ever whoever reads it.
var errNotFile = errors.New("not a file")

// identify gives the id that git gives to a file's bytes, or a link's target,
// and their SHA-256 in hex. A file that an LFS pointer stands for can be larger
// than the memory.
func (r *Repo) identify(abs string) (id, sum string, link bool, err error) {
	fi, err := os.Lstat(abs)
	if err != nil {
		return "", "", false, err
	}
	if fi.Mode()&fs.ModeSymlink != 0 {
		t, err := os.Readlink(abs)
		if err != nil {
			return "", "", true, err
		}
		id, sum, err = r.sums(strings.NewReader(t), int64(len(t)))
		return id, sum, true, err
	}
	if !fi.Mode().IsRegular() {
		return "", "", false, errNotFile
	}
	f, err := plain.Open(abs)
	if err != nil {
		return "", "", false, err
	}
	defer func() { _ = f.Close() }()
	id, sum, err = r.sums(f, fi.Size())
	return id, sum, false, err
}

// sums reads src, whose size is known, for identify.
func (r *Repo) sums(src io.Reader, size int64) (id, sum string, err error) {
	var blob hash.Hash = sha1.New()
	if r.hash == "sha256" {
		blob = sha256.New()
	}
	raw := sha256.New()
	_, _ = fmt.Fprintf(blob, "blob %d\x00", size)
	if _, err := io.Copy(io.MultiWriter(blob, raw), src); err != nil {
		return "", "", err
	}
	return hex.EncodeToString(blob.Sum(nil)), hex.EncodeToString(raw.Sum(nil)), nil
}
