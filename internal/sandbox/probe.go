package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"sort"
)

// ProbeNode tells whether the repository's own packages, as node finds them
// from the worktree, are the worktree's. It gives those that are not, each as
// "name (from folder) is path"; while there is any, what tests say is not
// about the sandbox's code and nothing may be merged by itself.
func (s *Sandbox) ProbeNode(ctx context.Context) ([]string, error) {
	if s.current == nil {
		return nil, fmt.Errorf("probe the packages: %w", errNotPrepared)
	}
	var names []string
	for _, rel := range s.current.names {
		if path.Base(rel) != "package.json" || hasPart(rel, "node_modules") {
			continue
		}
		src, err := s.Tree(nil).ReadFile(rel)
		if err != nil {
			continue
		}
		var m struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(src, &m) == nil && m.Name != "" && filepath.IsLocal(filepath.FromSlash(m.Name)) {
			names = append(names, m.Name)
		}
	}
	box, err := filepath.EvalSymlinks(s.tree)
	if err != nil {
		return nil, fmt.Errorf("probe the packages: %w", err)
	}
	root := s.repo.Root()
	var offenders []string
	for _, f := range s.farms {
		if f.rel == "" || f.only != nil {
			continue
		}
		for _, name := range names {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			theirs, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(f.rel), filepath.FromSlash(name)))
			if err != nil {
				continue // not installed here
			}
			in, ok := inside(root, theirs)
			if !ok || hasPart(filepath.ToSlash(in), "node_modules") {
				continue // a package of the same name from elsewhere
			}
			ours, err := filepath.EvalSymlinks(filepath.Join(s.tree, filepath.FromSlash(f.rel), filepath.FromSlash(name)))
			if err == nil && ours == filepath.Join(box, in) {
				continue
			}
			if err != nil {
				ours = "missing"
			}
			offenders = append(offenders, fmt.Sprintf("%s (from %s) is %s", name, f.rel, ours))
		}
	}
	sort.Strings(offenders)
	return offenders, nil
}
