package sandbox

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// Op is what a change does to a file.
type Op string

// The operations. A move is a Delete and a Create.
const (
	Create Op = "create"
	Modify Op = "modify"
	Delete Op = "delete"
)

// Change is one file that differs between two trees. Bytes of a link are its
// target. It can be kept as JSON.
type Change struct {
	Path string `json:"path"`
	Op   Op     `json:"op"`
	// Mode is the file's after the change (permission bits and ModeSymlink),
	// 0 for Delete; BeforeMode the one before, 0 for Create.
	Mode       fs.FileMode `json:"mode"`
	BeforeMode fs.FileMode `json:"before_mode"`
	Before     []byte      `json:"before"`
	After      []byte      `json:"after"`
}

// Changes lists what differs in the worktree from the snapshot, whoever
// changed it, sorted by path. It compares bytes and asks neither the
// worktree's index nor its HEAD. Ignored and carried files, package folders
// and nested .git folders are not among them.
func (s *Sandbox) Changes(ctx context.Context, snap *Snapshot) ([]Change, error) {
	out, err := s.changes(ctx, snap)
	if err != nil {
		return nil, fmt.Errorf("compare the sandbox with its snapshot: %w", err)
	}
	return out, nil
}

func (s *Sandbox) changes(ctx context.Context, snap *Snapshot) ([]Change, error) {
	if s.current == nil {
		return nil, errNotPrepared
	}
	seen, err := s.scan(ctx)
	if err != nil {
		return nil, err
	}
	var out []Change
	for _, rel := range snap.names {
		want := snap.Files[rel]
		fi, ok := seen.files[rel]
		if ok {
			e, err := s.entry(rel, fi)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", rel, err)
			}
			if sameEntry(e, want) {
				continue
			}
		}
		c := Change{Path: rel, Op: Delete, BeforeMode: want.Mode}
		if c.Before, err = snap.Bytes(ctx, rel); err != nil {
			return nil, err
		}
		if ok {
			c.Op = Modify
			c.Mode = fi.Mode() & (fs.ModePerm | fs.ModeSymlink)
			if c.Mode == boxMode(want.Mode) {
				c.Mode = want.Mode
			}
			if c.After, err = readFile(s.boxPath(rel), fi); err != nil {
				return nil, err
			}
			c.After = s.links.original(rel, c.After)
		}
		out = append(out, c)
	}
	created, err := s.created(ctx, snap, seen.litter)
	if err != nil {
		return nil, err
	}
	out = append(out, created...)
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, nil
}

// created gives the new files among the litter that the user's ignore rules
// do not cover.
func (s *Sandbox) created(ctx context.Context, snap *Snapshot, litter []string) ([]Change, error) {
	infos := map[string]fs.FileInfo{}
	var rels []string
	for _, top := range litter {
		err := filepath.WalkDir(s.boxPath(top), func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // unreadable: not something to merge
			}
			switch d.Name() {
			case ".git", "node_modules", "__pycache__":
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			fi, err := d.Info()
			if err != nil || !(fi.Mode().IsRegular() || fi.Mode()&fs.ModeSymlink != 0) {
				return nil
			}
			if fi.Size() > maxUntracked {
				s.log.Warn("a large new file in the sandbox is left out", "file", p)
				return nil
			}
			sub, err := filepath.Rel(s.tree, p)
			if err != nil {
				return err
			}
			rel := filepath.ToSlash(sub)
			infos[rel] = fi
			rels = append(rels, rel)
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	if len(rels) == 0 {
		return nil, nil
	}
	ignored, err := s.repo.Ignored(ctx, snap.Nested, rels)
	if err != nil {
		return nil, err
	}
	var out []Change
	for _, rel := range rels {
		if ignored[rel] {
			continue
		}
		src, err := readFile(s.boxPath(rel), infos[rel])
		if os.IsNotExist(err) || os.IsPermission(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", rel, err)
		}
		out = append(out, Change{Path: rel, Op: Create, Mode: entryMode(infos[rel].Mode()), After: src})
	}
	return out, nil
}

// checkPath refuses a path that is not a plain one inside the repository.
func checkPath(rel string) error {
	if rel == "" || rel == "." || path.IsAbs(rel) || path.Clean(rel) != rel || !filepath.IsLocal(filepath.FromSlash(rel)) {
		return &Refusal{Code: RefuseOutside, File: rel, Reason: "the path leads out of the repository"}
	}
	for c := range strings.SplitSeq(rel, "/") {
		if strings.EqualFold(c, ".git") {
			return &Refusal{Code: RefuseGit, File: rel, Reason: "the path lies in a .git folder"}
		}
	}
	return nil
}
