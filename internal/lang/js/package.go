package js

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// manifest is a package.json.
type manifest struct {
	dir     string
	Name    string `json:"name"`
	Type    string `json:"type"`
	Main    string `json:"main"`
	Module  string `json:"module"`
	Source  string `json:"source"`
	Types   string `json:"types"`
	Exports conditions
	Imports conditions
	// Workspaces is a list, or an object with the list in packages.
	Workspaces      json.RawMessage   `json:"workspaces"`
	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
	Peers           map[string]string `json:"peerDependencies"`
}

// declares tells whether the package asks for another from the registry.
func (m *manifest) declares(name string) bool {
	for _, deps := range []map[string]string{m.Dependencies, m.DevDependencies, m.Peers} {
		if v, ok := deps[name]; ok {
			return !strings.HasPrefix(v, "workspace:") && !strings.HasPrefix(v, "file:") && !strings.HasPrefix(v, "link:")
		}
	}
	return false
}

// UnmarshalJSON takes each field by itself, so that one of a wrong type does
// not hide the others.
func (m *manifest) UnmarshalJSON(b []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	for key, to := range map[string]any{"name": &m.Name, "type": &m.Type, "main": &m.Main, "module": &m.Module,
		"source": &m.Source, "types": &m.Types, "exports": &m.Exports, "imports": &m.Imports,
		"dependencies": &m.Dependencies, "devDependencies": &m.DevDependencies, "peerDependencies": &m.Peers} {
		if v, ok := raw[key]; ok {
			_ = json.Unmarshal(v, to) // of a wrong type: as if absent
		}
	}
	m.Workspaces = raw["workspaces"]
	return nil
}

// manifest is the package.json in dir, nil where there is none.
func (r *resolver) manifest(dir string) *manifest {
	if m, ok := r.manifests[dir]; ok {
		return m
	}
	r.manifests[dir] = nil
	p := path.Join(dir, "package.json")
	if !r.tree.Exists(p) {
		return nil
	}
	m, ok := readJSONC[manifest](r, p)
	if !ok {
		return nil
	}
	m.dir = dir
	r.manifests[dir] = &m
	return &m
}

// nearestManifest is the package.json that holds for files in dir.
func (r *resolver) nearestManifest(dir string) *manifest {
	for d := dir; ; d = path.Dir(d) {
		if m := r.manifest(d); m != nil {
			return m
		}
		if d == "." || d == "/" {
			return nil
		}
	}
}

// entries are the files that stand for the folder, best first.
func (m *manifest) entries() []string {
	var out []string
	for _, e := range []string{m.Source, m.Main, m.Module} {
		if e != "" && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// importsField is where the nearest package's imports lead a #specifier: paths,
// and other packages.
func (r *resolver) importsField(dir, spec string) (paths, packages []string) {
	for d := dir; ; d = path.Dir(d) {
		if m := r.manifest(d); m != nil {
			for _, t := range m.Imports.subpath(spec) {
				if strings.HasPrefix(t, "./") {
					paths = append(paths, path.Join(d, t))
				} else if !strings.HasPrefix(t, "#") {
					packages = append(packages, t)
				}
			}
			if len(paths)+len(packages) > 0 {
				return r.withSources(d, paths), packages
			}
		}
		if d == "." || d == "/" {
			return nil, nil
		}
	}
}

// withSources adds, behind each built file that is not the repository's, the
// source that it comes from.
func (r *resolver) withSources(pkg string, paths []string) []string {
	var out []string
	for _, p := range paths {
		if !r.isOwn(p) {
			if src := r.sourceOf(pkg, p); src != "" {
				out = append(out, src)
			}
		}
		out = append(out, p)
	}
	return out
}

// packageSource resolves a bare specifier to the repository's own packages:
// the importer's own name, a workspace, a dependency given by a path.
func (r *resolver) packageSource(dir, spec, name string, res *lang.Resolution) bool {
	if nodeBuiltin(spec) || strings.Contains(spec, ":") {
		return false
	}
	pkg, ok := r.ownPackage(dir, name)
	if !ok {
		return false
	}
	sub := strings.TrimPrefix(spec, name)
	m := r.manifest(pkg)
	if m != nil && !m.Exports.empty() {
		targets := m.Exports.subpath("." + sub)
		for _, t := range targets {
			if r.entry(pkg, path.Join(pkg, t), true, res) {
				return true
			}
		}
	}
	if sub != "" && sub != "/" {
		got := r.load(path.Join(pkg, sub), true)
		if len(got.Files) == 0 {
			more := r.load(path.Join(pkg, "src", sub), true)
			if len(more.Files) == 0 {
				if src := r.sourceOf(pkg, path.Join(pkg, sub)); src != "" {
					more.Files = []string{src}
				}
			}
			got.Files, got.Wide = more.Files, "guessed from the package's src folder"
		}
		res.Files, res.Waiting = append(res.Files, got.Files...), append(res.Waiting, got.Waiting...)
		if len(got.Files) > 0 {
			res.Wide = got.Wide
			return true
		}
	} else {
		r.loadDir(pkg, true, res)
		if len(res.Files) == 0 {
			if got := r.load(path.Join(pkg, "src/index"), true); len(got.Files) > 0 {
				res.Files, res.Wide = got.Files, "guessed from the package's src folder"
			}
		}
		if len(res.Files) > 0 {
			return true
		}
	}
	res.Package, res.Missing = "", true
	return true
}

// ownPackage is the folder of one of the repository's packages.
func (r *resolver) ownPackage(dir, name string) (string, bool) {
	if m := r.nearestManifest(dir); m != nil {
		if m.Name == name && name != "" {
			return m.dir, true
		}
		for _, deps := range []map[string]string{m.Dependencies, m.DevDependencies} {
			v := deps[name]
			for _, p := range []string{"file:", "link:", "portal:"} {
				if to, ok := strings.CutPrefix(v, p); ok {
					if d := path.Join(m.dir, to); !outside(d) && r.tree.IsDir(d) {
						return d, true
					}
				}
			}
		}
	}
	return r.workspace(name)
}

// nodeBuiltin tells whether a specifier names a module of node itself.
func nodeBuiltin(spec string) bool {
	if strings.HasPrefix(spec, "node:") {
		return true
	}
	return builtinModules[spec]
}

var builtinModules = wordSet(`assert assert/strict async_hooks buffer child_process cluster console constants crypto dgram
diagnostics_channel dns dns/promises domain events fs fs/promises http http2 https inspector inspector/promises module
net os path path/posix path/win32 perf_hooks process punycode querystring readline readline/promises repl stream
stream/consumers stream/promises stream/web string_decoder sys timers timers/promises tls trace_events tty url util
util/types v8 vm wasi worker_threads zlib`)

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}
