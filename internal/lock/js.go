package lock

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"
)

// npmEntry is one entry of a package-lock.json, of any version.
type npmEntry struct {
	Name, Version, Resolved, Integrity string
	Link                               bool
	Dependencies                       json.RawMessage
	OptionalDependencies               map[string]string
	PeerDependencies                   map[string]string
	Requires                           json.RawMessage
}

func (e npmEntry) content() string {
	if e.Integrity != "" {
		return e.Version + " " + e.Integrity
	}
	return e.Version + " " + e.Resolved
}

func npm(src []byte) (*File, error) {
	var doc struct {
		LockfileVersion int
		Packages        map[string]npmEntry
		Dependencies    map[string]npmEntry
	}
	if err := json.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	f := newFile("js")
	if doc.Packages == nil {
		return f, f.npm1("", doc.Dependencies, 0)
	}
	for at, e := range doc.Packages {
		i := strings.LastIndex(at, "node_modules/")
		if i < 0 { // the root, or a workspace
			name := e.Name
			if name == "" {
				name = "./" + at
			}
			f.add(name, "").Local = true
			continue
		}
		name := at[i+len("node_modules/"):]
		if e.Link {
			f.add(name, "").Local = true
			continue
		}
		var deps map[string]string
		if len(e.Dependencies) > 0 {
			if err := json.Unmarshal(e.Dependencies, &deps); err != nil {
				return nil, fmt.Errorf("%s: %w", at, err)
			}
		}
		f.add(name, at+" "+e.Name+" "+e.content(), keys(deps, e.OptionalDependencies, e.PeerDependencies)...)
	}
	return f, nil
}

// npm1 reads the nested dependencies of lockfile version 1.
func (f *File) npm1(prefix string, deps map[string]npmEntry, depth int) error {
	if depth > 100 {
		return errors.New("nested too deeply")
	}
	for name, e := range deps {
		var requires map[string]string
		if len(e.Requires) > 0 && e.Requires[0] == '{' {
			if err := json.Unmarshal(e.Requires, &requires); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		f.add(name, prefix+name+" "+e.content(), keys(requires)...)
		var nested map[string]npmEntry
		if len(e.Dependencies) > 0 {
			if err := json.Unmarshal(e.Dependencies, &nested); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if err := f.npm1(prefix+name+">", nested, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// pnpmEntry is an entry of packages or snapshots.
type pnpmEntry struct {
	Name         string // old versions, for what is not from the registry
	Resolution   map[string]any
	Dependencies map[string]string `yaml:"dependencies"`
	Optional     map[string]string `yaml:"optionalDependencies"`
	Peers        map[string]string `yaml:"peerDependencies"`
}

// pnpmImporter is what one package of the repository asks for: name to a
// version, or to an object with it.
type pnpmImporter struct {
	Dependencies map[string]any `yaml:"dependencies"`
	Dev          map[string]any `yaml:"devDependencies"`
	Optional     map[string]any `yaml:"optionalDependencies"`
}

func pnpm(src []byte) (*File, error) {
	var doc struct {
		LockfileVersion any                     `yaml:"lockfileVersion"`
		Importers       map[string]pnpmImporter `yaml:"importers"`
		pnpmImporter    `yaml:",inline"`
		Packages        map[string]pnpmEntry `yaml:"packages"`
		Snapshots       map[string]pnpmEntry `yaml:"snapshots"`
	}
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	if doc.LockfileVersion == nil {
		return nil, errors.New("no lockfileVersion")
	}
	f := newFile("js")
	for _, entries := range []map[string]pnpmEntry{doc.Packages, doc.Snapshots} {
		for key, e := range entries {
			name := pnpmName(key)
			if e.Name != "" {
				name = e.Name
			}
			if name == "" {
				return nil, fmt.Errorf("%s is no package's key", key)
			}
			content, err := json.Marshal(e.Resolution)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			f.add(name, key+" "+string(content), keys(e.Dependencies, e.Optional, e.Peers)...)
		}
	}
	if doc.Importers == nil {
		doc.Importers = map[string]pnpmImporter{".": doc.pnpmImporter}
	}
	for at, imp := range doc.Importers {
		for _, deps := range []map[string]any{imp.Dependencies, imp.Dev, imp.Optional} {
			for name, v := range deps {
				version := pnpmVersion(v)
				local := strings.HasPrefix(version, "link:")
				p := f.add(name, at+" "+version)
				p.Local = p.Local || local
			}
		}
	}
	return f, nil
}

func pnpmVersion(v any) string {
	if m, ok := v.(map[string]any); ok {
		v = m["version"]
	}
	return fmt.Sprint(v)
}

// pnpmName reads /name@1.0.0(peer@2), name@1.0.0 and /name/1.0.0_peer@2.
func pnpmName(key string) string {
	key = strings.TrimPrefix(key, "/")
	key, _, _ = strings.Cut(key, "(")
	scope := ""
	if strings.HasPrefix(key, "@") {
		var ok bool
		if scope, key, ok = strings.Cut(key, "/"); !ok {
			return ""
		}
		scope += "/"
	}
	i := strings.IndexAny(key, "@/")
	if i <= 0 {
		return ""
	}
	return scope + key[:i]
}

func bun(src []byte) (*File, error) {
	std, err := hujson.Standardize(append([]byte(nil), src...))
	if err != nil {
		return nil, err
	}
	var doc struct {
		LockfileVersion *int
		Packages        map[string][]json.RawMessage
	}
	if err := json.Unmarshal(std, &doc); err != nil {
		return nil, err
	}
	if doc.LockfileVersion == nil {
		return nil, errors.New("no lockfileVersion")
	}
	f := newFile("js")
	for key, parts := range doc.Packages {
		if len(parts) == 0 {
			return nil, fmt.Errorf("%s is empty", key)
		}
		var id string
		if err := json.Unmarshal(parts[0], &id); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		i := strings.LastIndex(id, "@")
		if j := strings.Index(id[min(1, len(id)):], "@"); j >= 0 {
			i = j + 1
		}
		if i <= 0 {
			return nil, fmt.Errorf("%s: %s is no package", key, id)
		}
		var needs []string
		content := ""
		for _, p := range parts[1:] {
			var e npmEntry
			if len(p) > 0 && p[0] == '{' && json.Unmarshal(p, &e) == nil {
				var deps map[string]string
				_ = json.Unmarshal(e.Dependencies, &deps)
				needs = append(needs, keys(deps, e.OptionalDependencies, e.PeerDependencies)...)
				continue
			}
			content += " " + string(p)
		}
		// The key is where it is installed, and may be another name for it.
		name := key
		if j := strings.LastIndex(key, "/"); j >= 0 {
			name = key[j+1:]
			if k := strings.LastIndex(key[:j], "/"); strings.HasPrefix(key[k+1:], "@") {
				name = key[k+1:]
			}
		}
		p := f.add(name, key+" "+id+content, needs...)
		p.Local = p.Local || strings.Contains(id[i:], "workspace:")
	}
	return f, nil
}
