package engine

import (
	"context"
	"sort"

	"regreen/affected"
	"regreen/fixers"
	"regreen/internal/git"
	"regreen/internal/lang"
	"regreen/internal/sandbox"
)

// workspace is the sandbox's worktree beside the base revision, as the fixers
// see it.
type workspace struct {
	*sandbox.Tree
	ctx       context.Context // of the cycle that the workspace is made for
	repo      *git.Repo
	base      string
	baseFiles []string
	renames   []fixers.Rename
	changed   []string
	langs     lang.Set
	projects  []affected.Project
}

var _ fixers.Workspace = (*workspace)(nil)

// Base gives a file at the base revision.
func (w *workspace) Base(rel string) ([]byte, bool) {
	src, ok, err := w.repo.BaseFile(w.ctx, w.base, rel)
	return src, ok && err == nil
}

// BaseFiles are the base revision's files.
func (w *workspace) BaseFiles() []string { return w.baseFiles }

// Renames are the moves since the base.
func (w *workspace) Renames() []fixers.Rename { return w.renames }

// Changed are the files that differ from the base.
func (w *workspace) Changed() []string { return w.changed }

// Languages are the known ones.
func (w *workspace) Languages() lang.Set { return w.langs }

// Resolver is made anew: the cycle's edits change the tree under it.
func (w *workspace) Resolver(l lang.Language) lang.Resolver { return l.NewResolver(w) }

// IsTest tells whether a project's framework would run the file.
func (w *workspace) IsTest(rel string) bool {
	for _, p := range w.projects {
		if p.IsTest != nil && p.IsTest(rel) {
			return true
		}
	}
	return false
}

// newWorkspace reads what the base revision holds and what changed since.
func (e *Engine) newWorkspace(ctx context.Context, snap *sandbox.Snapshot, base string, changes []git.Change) (*workspace, error) {
	w := &workspace{Tree: e.box.Tree(snap.Names()), ctx: ctx, repo: e.repo, base: base, langs: e.langs.set, projects: e.projects}
	var err error
	if w.baseFiles, err = e.repo.BaseFiles(ctx, base); err != nil {
		return nil, err
	}
	oid, err := e.repo.Base(ctx, base)
	if err != nil {
		return nil, err
	}
	renames, err := e.repo.RenamesIn(ctx, oid, changes)
	if err != nil {
		return nil, err
	}
	for _, r := range renames {
		w.renames = append(w.renames, fixers.Rename{From: r.From, To: r.To})
	}
	for _, c := range changes {
		w.changed = append(w.changed, c.Path)
	}
	sort.Strings(w.changed)
	return w, nil
}
