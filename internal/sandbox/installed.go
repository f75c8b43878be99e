package sandbox

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/plain"
)

// A package that is installed and depends on a package of the workspace (a
// peer of a plugin, a preset) finds that one from where it really lies. Behind
// a link that is the user's tree, and so is then the workspace package that it
// loads. Such packages, and those that depend on them, are copied to the farm;
// see clone.go.

// installed reads which package needs which, as node finds them.
type installed struct {
	// needs are the packages that one needs (real paths), by its real path.
	needs map[string][]need
}

// need is one dependency that was found.
type need struct {
	name string
	at   string // abs, real
}

// packageNames are the names of a workspace's packages among its manifests.
func (s *Sandbox) packageNames() map[string]bool {
	names := map[string]bool{}
	for _, rel := range s.current.names {
		if rel != "package.json" && !strings.HasSuffix(rel, "/package.json") || hasPart(rel, "node_modules") {
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
			names[m.Name] = true
		}
	}
	return names
}

// of gives what the package at a real path needs, among what is installed.
func (in *installed) of(dir string) []need {
	if list, ok := in.needs[dir]; ok {
		return list
	}
	var list []need
	for _, name := range dependencies(dir) {
		if at := resolveFrom(dir, name); at != "" {
			list = append(list, need{name, at})
		}
	}
	in.needs[dir] = list
	return list
}

// dependencies are the names that a package's manifest gives, sorted.
func dependencies(dir string) []string {
	src, err := plain.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return nil
	}
	type versions map[string]json.RawMessage
	var m struct {
		Dependencies         versions `json:"dependencies"`
		PeerDependencies     versions `json:"peerDependencies"`
		OptionalDependencies versions `json:"optionalDependencies"`
	}
	if json.Unmarshal(src, &m) != nil {
		return nil
	}
	var out []string
	for _, vs := range []versions{m.Dependencies, m.PeerDependencies, m.OptionalDependencies} {
		for name := range vs {
			if filepath.IsLocal(filepath.FromSlash(name)) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// resolveFrom finds a package as node does from a file in dir (abs, real), and
// gives where it really lies; "" when it is not installed.
func resolveFrom(dir, name string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if filepath.Base(d) != "node_modules" {
			if real, err := filepath.EvalSymlinks(filepath.Join(d, "node_modules", filepath.FromSlash(name))); err == nil {
				return real
			}
		}
		if d == filepath.Dir(d) {
			return ""
		}
	}
}

// listed are the packages (real paths) that a package folder has, those in
// scopes too.
func listed(folder string) []string {
	var out []string
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		at := filepath.Join(folder, e.Name())
		if strings.HasPrefix(e.Name(), "@") {
			out = append(out, listed(at)...)
			continue
		}
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if real, err := filepath.EvalSymlinks(at); err == nil {
			out = append(out, real)
		}
	}
	return out
}

// ownSource tells whether a real path is in root and not in a package folder:
// it is a package of the workspace.
func ownSource(root, real string) bool {
	rel, ok := inside(root, real)
	return ok && !hasPart(filepath.ToSlash(rel), "node_modules")
}

// reachOwn gives the installed packages in the user's tree (real paths) from
// which a package of the workspace can be reached.
func (in *installed) reachOwn(root string, folders []string) map[string]bool {
	users := map[string][]string{} // who needs a package
	var todo, found []string
	seen := map[string]bool{}
	visit := func(dir string) {
		if !seen[dir] && !ownSource(root, dir) {
			seen[dir] = true
			todo = append(todo, dir)
		}
	}
	for _, f := range folders {
		for _, dir := range listed(f) {
			visit(dir)
		}
	}
	for len(todo) > 0 {
		dir := todo[0]
		todo = todo[1:]
		for _, n := range in.of(dir) {
			if ownSource(root, n.at) {
				found = append(found, dir)
				continue
			}
			users[n.at] = append(users[n.at], dir)
			visit(n.at)
		}
	}
	reach := map[string]bool{}
	for len(found) > 0 {
		dir := found[0]
		found = found[1:]
		if reach[dir] {
			continue
		}
		reach[dir] = true
		found = append(found, users[dir]...)
	}
	return reach
}
