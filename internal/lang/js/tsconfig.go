package js

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// tsconfig is what a tsconfig.json or jsconfig.json says, its bases merged in.
// All paths are rel to the repository.
type tsconfig struct {
	path            string
	baseURL         string // "" when not set
	paths           []alias
	outDir, rootDir string
	moduleMode      string // module and moduleResolution, lower case
	tsExtensions    bool   // allowImportingTsExtensions
	references      []string
	parts           []string // the files that it extends, and those that they extend, there or not
}

// rawConfig is the file's own text.
type rawConfig struct {
	Extends         json.RawMessage `json:"extends"`
	CompilerOptions struct {
		BaseURL                    *string             `json:"baseUrl"`
		Paths                      map[string][]string `json:"paths"`
		OutDir                     string              `json:"outDir"`
		RootDir                    string              `json:"rootDir"`
		Module                     string              `json:"module"`
		ModuleResolution           string              `json:"moduleResolution"`
		AllowImportingTsExtensions *bool               `json:"allowImportingTsExtensions"`
	} `json:"compilerOptions"`
	Include    []string `json:"include"`
	References []struct {
		Path string `json:"path"`
	} `json:"references"`
}

// tsconfigs are the configurations that may hold for files in dir: the
// nearest one and those it refers to, then the next one up, and so on.
func (r *resolver) tsconfigs(dir string) []*tsconfig {
	if c, ok := r.nearest[dir]; ok {
		return c
	}
	var out []*tsconfig
	for _, name := range []string{"tsconfig.json", "jsconfig.json"} {
		c := r.tsconfig(path.Join(dir, name), 0)
		if c == nil {
			continue
		}
		out = append(out, c.placed())
		for _, ref := range c.references {
			if rc := r.tsconfig(ref, 0); rc != nil && rc != c {
				out = append(out, rc.placed())
			}
		}
		break
	}
	if dir != "." && dir != "/" {
		out = append(out, r.tsconfigs(path.Dir(dir))...)
	}
	r.nearest[dir] = out
	return out
}

// tsconfig reads one configuration; nil when it is not there or not JSON.
func (r *resolver) tsconfig(p string, depth int) *tsconfig {
	if c, ok := r.configs[p]; ok {
		return c
	}
	r.configs[p] = nil // an endless chain of extends finds this
	if depth > 16 || !r.tree.Exists(p) {
		return nil
	}
	raw, ok := readJSONC[rawConfig](r, p)
	if !ok {
		return nil
	}
	dir := path.Dir(p)
	c := &tsconfig{path: p}
	for _, e := range stringList(raw.Extends) {
		from := r.extended(dir, e)
		if from == "" {
			continue
		}
		c.parts = append(c.parts, from)
		if base := r.tsconfig(from, depth+1); base != nil {
			c.inherit(base)
			c.parts = append(c.parts, base.parts...)
		}
	}
	o := raw.CompilerOptions
	join := func(s string) string { return under(dir, s) }
	if o.BaseURL != nil {
		c.baseURL = join(*o.BaseURL)
	}
	if o.Paths != nil {
		from := dir
		if c.baseURL != "" {
			from = c.baseURL
		}
		c.paths = nil
		for k, ts := range o.Paths {
			targets := make([]string, 0, len(ts))
			for _, t := range ts {
				targets = append(targets, under(from, t))
			}
			c.paths = append(c.paths, newAlias(k, targets))
		}
		sortAliases(c.paths)
	}
	if o.OutDir != "" {
		c.outDir = join(o.OutDir)
	}
	if o.RootDir != "" {
		c.rootDir = join(o.RootDir)
	} else if len(raw.Include) == 1 { // the compiler takes the common folder
		root, _, _ := strings.Cut(raw.Include[0], "*")
		if path.Ext(root) == "" {
			c.rootDir = join(root)
		}
	}
	if o.ModuleResolution != "" {
		c.moduleMode = strings.ToLower(o.ModuleResolution)
	} else if o.Module != "" {
		c.moduleMode = strings.ToLower(o.Module)
	}
	if o.AllowImportingTsExtensions != nil {
		c.tsExtensions = *o.AllowImportingTsExtensions
	}
	for _, ref := range raw.References {
		t := path.Join(dir, ref.Path)
		if !strings.HasSuffix(t, ".json") {
			t = path.Join(t, "tsconfig.json")
		}
		c.references = append(c.references, t)
	}
	r.configs[p] = c
	return c
}

// configDir stands for the folder of the configuration that extends the others.
const configDir = "${configDir}"

// under joins a path of a configuration to its folder, unless it begins with
// configDir: then it is settled by placed.
func under(dir, s string) string {
	if strings.HasPrefix(s, configDir) {
		return path.Clean(s)
	}
	return path.Join(dir, s)
}

// placed is the configuration with its own folder for configDir.
func (c *tsconfig) placed() *tsconfig {
	place := func(s string) string {
		if rest, ok := strings.CutPrefix(s, configDir); ok {
			return path.Join(path.Dir(c.path), rest)
		}
		return s
	}
	out := *c
	out.baseURL, out.outDir, out.rootDir = place(c.baseURL), place(c.outDir), place(c.rootDir)
	out.paths = slices.Clone(c.paths)
	for i, a := range out.paths {
		out.paths[i].targets = slices.Clone(a.targets)
		for k, t := range a.targets {
			out.paths[i].targets[k] = place(t)
		}
	}
	return &out
}

func (c *tsconfig) inherit(b *tsconfig) {
	refs, p, parts := c.references, c.path, c.parts
	merged := *c
	if b.baseURL != "" {
		merged.baseURL = b.baseURL
	}
	if b.paths != nil {
		merged.paths = b.paths
	}
	if b.outDir != "" {
		merged.outDir = b.outDir
	}
	if b.rootDir != "" {
		merged.rootDir = b.rootDir
	}
	if b.moduleMode != "" {
		merged.moduleMode = b.moduleMode
	}
	merged.tsExtensions = merged.tsExtensions || b.tsExtensions
	*c = merged
	c.references, c.path, c.parts = refs, p, parts
}

// Configures gives the folders of the configurations that extend a file, whatever
// it is called and wherever it lies, directly or by others.
func (r *resolver) Configures(file string) []string {
	if path.Ext(file) != ".json" {
		return nil
	}
	if r.extending == nil {
		r.extending = map[string][]string{}
		for _, f := range r.tree.Files() {
			base := path.Base(f)
			if path.Ext(f) != ".json" || !strings.HasPrefix(base, "tsconfig") && !strings.HasPrefix(base, "jsconfig") {
				continue
			}
			c := r.tsconfig(f, 0)
			if c == nil {
				continue
			}
			for _, part := range c.parts {
				if dir := path.Dir(f); !slices.Contains(r.extending[part], dir) {
					r.extending[part] = append(r.extending[part], dir)
				}
			}
		}
	}
	return r.extending[file]
}

// extended is the path of the configuration that one in dir extends. One that is
// not there is named where the repository itself would have it.
func (r *resolver) extended(dir, e string) string {
	withExt := func(p string) string {
		if !strings.HasSuffix(p, ".json") && !r.tree.Exists(p) {
			return p + ".json"
		}
		return p
	}
	if ownLooking(e) {
		p := path.Join(dir, e)
		if r.tree.IsDir(p) {
			return path.Join(p, "tsconfig.json")
		}
		return withExt(p)
	}
	name := packageName(e)
	rest := strings.TrimPrefix(strings.TrimPrefix(e, name), "/")
	var roots []string
	own := ""
	if d, ok := r.ownPackage(dir, name); ok { // also where it is linked into node_modules: TypeScript goes by the real path
		roots = append(roots, d)
	}
	for d := dir; ; d = path.Dir(d) {
		roots = append(roots, path.Join(d, "node_modules", name))
		if d == "." || d == "/" {
			break
		}
	}
	for _, root := range roots {
		p := path.Join(root, "tsconfig.json")
		if rest != "" {
			p = withExt(path.Join(root, rest))
			if r.tree.IsDir(path.Join(root, rest)) {
				p = path.Join(root, rest, "tsconfig.json")
			}
		}
		if r.tree.Exists(p) {
			return p
		}
		if own == "" && !strings.HasPrefix(root+"/", "node_modules/") && !strings.Contains(root, "/node_modules/") {
			own = p
		}
	}
	return own
}

// configPaths are the bases that the configurations' paths and baseUrl give.
// A pattern with letters of its own ("@app/*") can mean nothing else unless a
// package of that name is installed.
func (r *resolver) configPaths(dir, spec string) (bases []string, must bool) {
	for _, c := range r.tsconfigs(dir) {
		for _, a := range c.paths {
			rest, ok := a.match(spec)
			if !ok || !a.star && spec != a.prefix {
				continue
			}
			bases = append(bases, a.expand(rest)...)
			if a.prefix != "" && !r.installed(dir, packageName(spec)) {
				must = true
			}
			break
		}
		if c.baseURL != "" && !nodeBuiltin(spec) {
			bases = append(bases, path.Join(c.baseURL, spec))
		}
	}
	return bases, must
}

// installed tells whether a package of that name is installed for, or declared
// by, a folder from dir upwards.
func (r *resolver) installed(dir, name string) bool {
	for d := dir; ; d = path.Dir(d) {
		if r.tree.IsDir(path.Join(d, "node_modules", name)) {
			return true
		}
		if m := r.manifest(d); m != nil && m.declares(name) {
			return true
		}
		if d == "." || d == "/" {
			return false
		}
	}
}

// readJSONC reads JSON with comments and trailing commas.
func readJSONC[T any](r *resolver, p string) (v T, ok bool) {
	b, err := r.tree.ReadFile(p)
	if err != nil {
		return v, false
	}
	std, err := hujson.Standardize(b)
	if err != nil {
		return v, false
	}
	return v, json.Unmarshal(std, &v) == nil
}

// stringList reads a string or a list of strings.
func stringList(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return []string{one}
	}
	var many []string
	if json.Unmarshal(raw, &many) != nil {
		return nil
	}
	return many
}
