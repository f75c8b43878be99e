package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"regreen/internal/plain"
	"regreen/internal/runner"
)

// manifest is one package.json, read as far as it can be.
type manifest struct {
	dir        string // rel folder
	name       string
	scripts    map[string]string
	deps       map[string]bool // dependencies, devDependencies, optionalDependencies
	workspaces []string
	raw        map[string]json.RawMessage
	delegates  bool // its scripts start those of its packages
}

func (m *manifest) depends(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return m.deps[n] })
}

// repo is what detection knows of a repository.
type repo struct {
	in        runner.DetectInput
	files     map[string]bool
	manifests map[string]*manifest
	dirs      []string // of manifests, parents first
	members   map[string]bool
}

func (r *repo) abs(rel string) string { return filepath.Join(r.in.Root, filepath.FromSlash(rel)) }

func (r *repo) read(rel string) ([]byte, error) { return plain.ReadFile(r.abs(rel)) }

// readRepo reads every package.json of the repository. One that is not JSON is
// passed over: the project's own tools would not start either.
func readRepo(in runner.DetectInput) (*repo, error) {
	if !filepath.IsAbs(in.Root) {
		return nil, fmt.Errorf("detect in %q: the root is not absolute", in.Root)
	}
	r := &repo{in: in, files: map[string]bool{}, manifests: map[string]*manifest{}, members: map[string]bool{}}
	for _, f := range in.Files {
		r.files[f] = true
		if path.Base(f) != "package.json" || slices.Contains(strings.Split(f, "/"), "node_modules") {
			continue
		}
		src, err := r.read(f)
		if err != nil {
			continue
		}
		if m := parseManifest(path.Dir(f), src); m != nil {
			r.manifests[m.dir] = m
			r.dirs = append(r.dirs, m.dir)
		}
	}
	sort.Slice(r.dirs, func(i, j int) bool {
		a, b := r.dirs[i], r.dirs[j]
		if a == "." || b == "." {
			return a == "." && b != "."
		}
		return a < b
	})
	for _, dir := range r.dirs {
		r.findMembers(r.manifests[dir])
	}
	return r, nil
}

func parseManifest(dir string, src []byte) *manifest {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	m := &manifest{dir: dir, scripts: map[string]string{}, deps: map[string]bool{}}
	if err := json.Unmarshal(src, &m.raw); err != nil || m.raw == nil {
		return nil
	}
	_ = json.Unmarshal(m.raw["name"], &m.name)
	for k, v := range object(m.raw["scripts"]) {
		var s string
		if json.Unmarshal(v, &s) == nil {
			m.scripts[k] = s
		}
	}
	for _, key := range []string{"dependencies", "devDependencies", "optionalDependencies"} {
		for k := range object(m.raw[key]) {
			m.deps[k] = true
		}
	}
	if json.Unmarshal(m.raw["workspaces"], &m.workspaces) != nil {
		_ = json.Unmarshal(object(m.raw["workspaces"])["packages"], &m.workspaces)
	}
	return m
}

// object decodes a JSON object, nil for anything else.
func object(src json.RawMessage) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	if len(src) == 0 || json.Unmarshal(src, &out) != nil {
		return nil
	}
	return out
}

// findMembers marks the packages that m's workspaces take in.
func (r *repo) findMembers(m *manifest) {
	globs := slices.Clone(m.workspaces)
	if src, err := r.read(path.Join(m.dir, "pnpm-workspace.yaml")); err == nil {
		var doc struct{ Packages []string }
		if yaml.Unmarshal(src, &doc) == nil {
			globs = append(globs, doc.Packages...)
		}
	}
	if src, err := r.read(path.Join(m.dir, "lerna.json")); err == nil {
		var doc struct{ Packages []string }
		if json.Unmarshal(src, &doc) == nil {
			globs = append(globs, doc.Packages...)
		}
	}
	for _, dir := range r.dirs {
		if !below(dir, m.dir) {
			continue
		}
		rel := dir
		if m.dir != "." {
			rel = strings.TrimPrefix(dir, m.dir+"/")
		}
		member := false
		for _, g := range globs {
			not := strings.HasPrefix(g, "!")
			g = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(g, "!"), "./"), "/")
			if ok, err := doublestar.Match(g, rel); err == nil && ok {
				member = !not
			}
		}
		if member {
			r.members[dir] = true
		}
	}
}

// workspace tells whether the package belongs to a workspace of the repository.
func (r *repo) workspace(m *manifest) bool { return m != nil && r.members[m.dir] }

// foreignNames are folders whose packages are material for tests, or samples,
// and no part of the project unless a workspace takes them in.
var foreignNames = []string{"fixtures", "fixture", "__fixtures__", "testdata", "test-data", "__mocks__", "__tests__",
	"test", "tests", "spec", "specs", "e2e", "templates", "template", "example", "examples", "playground", "playgrounds",
	"benchmark", "benchmarks", "bench", "demo", "demos", "sandbox", "vendor", "third_party"}

// foreign tells whether the manifest is a fixture or a sample.
func (r *repo) foreign(m *manifest) bool {
	return !r.workspace(m) && r.foreignDir(m.dir)
}

func (r *repo) foreignDir(dir string) bool {
	if r.members[dir] {
		return false
	}
	return slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return slices.Contains(foreignNames, strings.ToLower(part))
	})
}

// byName finds a workspace package by its name or folder.
func (r *repo) byName(from, name string) *manifest {
	for _, dir := range r.dirs {
		if r.manifests[dir].name == name {
			return r.manifests[dir]
		}
	}
	return r.manifests[path.Join(from, strings.TrimSuffix(name, "/"))]
}

// packages are the packages that a script of dir can delegate to.
func (r *repo) packages(dir string) []*manifest {
	var all, members []*manifest
	for _, d := range r.dirs {
		m := r.manifests[d]
		if !below(d, dir) {
			continue
		}
		if r.members[d] {
			members = append(members, m)
		} else if !r.foreign(m) {
			all = append(all, m)
		}
	}
	if len(members) > 0 {
		return members
	}
	return all
}
