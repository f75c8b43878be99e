package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ProbeNode tells whether the repository's own packages, as node finds them
// from the worktree and from the packages that are installed there, are the
// worktree's. It gives those that are not, each as "name (from folder) is
// path"; while there is any, what tests say is not about the sandbox's code
// and nothing may be merged by itself. What a package loads without naming it
// in its manifest is not seen.
func (s *Sandbox) ProbeNode(ctx context.Context) ([]string, error) {
	if s.current == nil {
		return nil, fmt.Errorf("probe the packages: %w", errNotPrepared)
	}
	box, err := filepath.EvalSymlinks(s.tree)
	if err != nil {
		return nil, fmt.Errorf("probe the packages: %w", err)
	}
	p := &nodeProbe{s: s, root: s.repo.Root(), box: box, own: s.packageNames(), seen: map[string]bool{}, installed: installed{needs: map[string][]need{}}}
	if len(p.own) == 0 {
		return nil, nil
	}
	linked := false
	for _, f := range s.farms {
		if f.rel == "" || f.only != nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		linked = p.named(f) || linked
	}
	if linked { // otherwise nothing installed can lead back
		if err := p.deep(ctx); err != nil {
			return nil, err
		}
	}
	slices.Sort(p.offenders)
	return slices.Compact(p.offenders), nil
}

// nodeProbe is one look at all farms.
type nodeProbe struct {
	s         *Sandbox
	root, box string // the user's tree, the worktree (abs, real)
	own       map[string]bool
	installed installed
	seen      map[string]bool
	offenders []string
}

// named asks a farm for the workspace's packages that the user's folder has,
// and tells whether there are any.
func (p *nodeProbe) named(f farm) (any bool) {
	for name := range p.own {
		theirs, err := filepath.EvalSymlinks(filepath.Join(p.root, filepath.FromSlash(f.rel), filepath.FromSlash(name)))
		if err != nil || !ownSource(p.root, theirs) {
			continue // not installed here, or of the same name from elsewhere
		}
		any = true
		in, _ := inside(p.root, theirs)
		ours, err := filepath.EvalSymlinks(filepath.Join(p.s.tree, filepath.FromSlash(f.rel), filepath.FromSlash(name)))
		if err == nil && ours == filepath.Join(p.box, in) {
			continue
		}
		if err != nil {
			ours = "missing"
		}
		p.found(name, f.rel, ours)
	}
	return any
}

func (p *nodeProbe) found(name, from, is string) {
	p.offenders = append(p.offenders, fmt.Sprintf("%s (from %s) is %s", name, from, is))
}

// deep follows what installed packages need, from where they really lie.
func (p *nodeProbe) deep(ctx context.Context) error {
	var todo []string
	for _, f := range p.s.farms {
		if f.rel != "" && f.only == nil && f.link == "" {
			todo = append(todo, listed(f.to)...)
		}
	}
	for len(todo) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		dir := todo[0]
		todo = todo[1:]
		if p.seen[dir] || ownSource(p.root, dir) || ownSource(p.box, dir) {
			continue // its own links are a farm's, which is asked as well
		}
		p.seen[dir] = true
		for _, n := range p.installed.of(dir) {
			if ownSource(p.root, n.at) && exists(filepath.Join(p.box, strings.TrimPrefix(n.at, p.root))) {
				p.found(n.name, p.shorten(dir), n.at)
				continue
			}
			todo = append(todo, n.at)
		}
	}
	return nil
}

// shorten gives a path relative to the tree that it lies in.
func (p *nodeProbe) shorten(abs string) string {
	for _, root := range []string{p.box, p.root} {
		if rel, ok := inside(root, abs); ok {
			return filepath.ToSlash(rel)
		}
	}
	return abs
}

// exists is true for a link too, wherever it leads.
func exists(abs string) bool {
	_, err := os.Lstat(abs)
	return err == nil
}
