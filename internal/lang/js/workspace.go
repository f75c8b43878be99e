package js

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"
)

// workspace is the folder of the repository's package of that name.
func (r *resolver) workspace(name string) (string, bool) {
	if r.workspaces == nil {
		r.findWorkspaces()
	}
	d, ok := r.workspaces[name]
	return d, ok
}

// findWorkspaces reads what npm, yarn, pnpm and lerna take for the
// repository's packages.
func (r *resolver) findWorkspaces() {
	r.workspaces = map[string]string{}
	var dirs []string
	var members []func(dir string) bool
	for _, f := range r.tree.Files() {
		dir := path.Dir(f)
		switch path.Base(f) {
		case "package.json":
			dirs = append(dirs, dir)
			if m := r.manifest(dir); m != nil && len(m.Workspaces) > 0 {
				members = append(members, member(dir, workspaceGlobs(m.Workspaces)))
			}
		case "pnpm-workspace.yaml":
			members = append(members, member(dir, r.pnpmGlobs(f)))
		case "lerna.json":
			l, ok := readJSONC[struct {
				Packages []string `json:"packages"`
			}](r, f)
			if ok {
				members = append(members, member(dir, l.Packages))
			}
		}
	}
	for _, d := range dirs {
		for _, is := range members {
			if !is(d) {
				continue
			}
			if m := r.manifest(d); m != nil && m.Name != "" {
				if _, taken := r.workspaces[m.Name]; !taken {
					r.workspaces[m.Name] = d
				}
			}
			break
		}
	}
}

func workspaceGlobs(raw json.RawMessage) []string {
	if l := stringList(raw); l != nil {
		return l
	}
	var o struct {
		Packages []string `json:"packages"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o.Packages
}

func (r *resolver) pnpmGlobs(f string) []string {
	b, err := r.tree.ReadFile(f)
	if err != nil {
		return nil
	}
	var o struct {
		Packages []string `yaml:"packages"`
	}
	if yaml.Unmarshal(b, &o) != nil {
		return nil
	}
	return o.Packages
}

// member tells whether a folder is matched by globs relative to root.
func member(root string, globs []string) func(string) bool {
	return func(dir string) bool {
		rel := dir
		if root != "." {
			var ok bool
			if rel, ok = strings.CutPrefix(dir, root+"/"); !ok {
				return false
			}
		}
		is := false
		for _, g := range globs {
			no := strings.HasPrefix(g, "!")
			g = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(g, "!"), "./"), "/")
			if ok, err := doublestar.Match(g, rel); err == nil && ok {
				is = !no
			}
		}
		return is
	}
}
