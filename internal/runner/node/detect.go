package node

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"regreen/internal/runner"
)

// Strengths of evidence, as runner.Candidate has them.
const (
	strengthScript    = 40
	strengthConfig    = 30
	strengthManifest  = 20
	strengthInstalled = 10
	strengthContent   = 5
)

// Spec says how one framework shows itself in a repository.
type Spec struct {
	// Name is the framework's name ("vitest").
	Name string
	// Packages are the npm packages that hold it, the preferred one first.
	Packages []string
	// Bins are its binaries' names as scripts write them.
	Bins []string
	// Configs are globs on the base names of its own configuration files.
	Configs []string
	// MaybeConfigs are globs on base names of files that configure it only if
	// ConfigText says so (vite.config.* with a test key).
	MaybeConfigs []string
	// ConfigText judges the text of a file of MaybeConfigs.
	ConfigText func(src []byte) bool
	// ManifestKey is the key of package.json that configures it, "" for none.
	ManifestKey string
	// Oldest is the first major version that is tested; an older one is run
	// with a warning.
	Oldest int
	// Covers says that a run in a folder takes in the test files of the
	// packages below it, so that these are no projects of their own.
	Covers bool
	// Skip tells that an invocation with these arguments runs no tests
	// ("vitest bench"). May be nil.
	Skip func(args []string) bool
	// Content tells from a test file's text that it is written for the framework.
	Content func(src []byte) bool
}

// found is a candidate while the evidence is weighed.
type found struct {
	dir       string
	strength  int
	source    string
	call      invocation
	delegates bool // the script that led here also starts the packages below
	named     bool // the manifest, a script or a configuration file names the framework
}

// Detect looks for projects of the framework that s describes: in the scripts
// of every package.json, in configuration files, in dependencies, and last in
// what is installed. A project that is named but cannot be started is returned
// with a Problem. Where two folders of one framework would run the same files,
// only the one that the project's own script uses is returned.
func Detect(ctx context.Context, in runner.DetectInput, s Spec) ([]runner.Candidate, error) {
	r, err := readRepo(in)
	if err != nil {
		return nil, err
	}
	d := &detector{repo: r, spec: s, at: map[string]*found{}}
	d.scripts()
	d.configs()
	d.dependencies()
	d.prune()
	if len(d.all) == 0 {
		d.installed()
	}
	nodes := newNodeFinder(in)
	var out []runner.Candidate
	for _, f := range d.all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out = append(out, d.candidate(ctx, nodes, f))
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Project.Root < out[j].Project.Root })
	return out, nil
}

type detector struct {
	*repo
	spec Spec
	all  []*found
	at   map[string]*found // the first of a folder
}

func (d *detector) add(f *found) {
	for _, have := range d.all {
		if have.dir == f.dir && slices.Equal(have.call.args, f.call.args) {
			return
		}
	}
	d.all = append(d.all, f)
	if d.at[f.dir] == nil {
		d.at[f.dir] = f
	}
}

// scripts takes from each manifest the first script, in order of preference,
// that starts the framework.
func (d *detector) scripts() {
	for _, dir := range d.dirs {
		m := d.manifests[dir]
		if d.foreign(m) {
			continue
		}
		for _, name := range scriptOrder(m.scripts) {
			w := &walker{repo: d.repo, spec: d.spec, seen: map[string]bool{}}
			w.script(dir, name, nil, nil)
			for i := range w.out {
				c := w.out[i]
				d.add(&found{dir: c.dir, strength: strengthScript, named: true, call: c,
					source:    path.Join(dir, "package.json") + " scripts." + name,
					delegates: w.delegated})
			}
			if len(w.out) > 0 {
				break
			}
			if w.delegated {
				m.delegates = true
			}
		}
	}
}

// configs adds folders that hold a configuration file of the framework.
func (d *detector) configs() {
	for _, rel := range d.in.Files {
		dir, base := path.Split(rel)
		dir = path.Clean(dir)
		if d.at[dir] != nil || !d.isConfig(rel, base) {
			continue
		}
		m := d.manifests[dir]
		if (m == nil && dir != "." && d.covered(dir)) || d.foreignDir(dir) {
			continue
		}
		d.add(&found{dir: dir, strength: strengthConfig, source: rel, named: true})
	}
	if d.spec.ManifestKey == "" {
		return
	}
	for _, dir := range d.dirs {
		m := d.manifests[dir]
		if _, ok := m.raw[d.spec.ManifestKey]; ok && d.at[dir] == nil && !d.foreign(m) {
			d.add(&found{dir: dir, strength: strengthConfig, named: true,
				source: path.Join(dir, "package.json") + " " + d.spec.ManifestKey})
		}
	}
}

func (d *detector) isConfig(rel, base string) bool {
	for _, g := range d.spec.Configs {
		if matches(g, base) {
			return true
		}
	}
	if d.spec.ConfigText == nil {
		return false
	}
	for _, g := range d.spec.MaybeConfigs {
		if matches(g, base) {
			src, err := d.read(rel)
			return err == nil && d.spec.ConfigText(src)
		}
	}
	return false
}

// matches is path.Match for a pattern that is right, which it asks only for names
// that begin as the pattern does: each file of the repository is asked about.
func matches(pattern, name string) bool {
	begin := pattern
	if i := strings.IndexAny(pattern, `*?[\`); i >= 0 {
		begin = pattern[:i]
	}
	if !strings.HasPrefix(name, begin) {
		return false
	}
	ok, _ := path.Match(pattern, name)
	return ok
}

// covered tells whether the folder or one above it is a project already.
func (d *detector) covered(dir string) bool {
	for p := dir; ; p = path.Dir(p) {
		if d.at[p] != nil {
			return true
		}
		if m := d.manifests[p]; m != nil && m.depends(d.spec.Packages) {
			return true
		}
		if p == "." {
			return false
		}
	}
}

// dependencies adds folders whose manifest merely depends on the framework.
func (d *detector) dependencies() {
	for _, dir := range d.dirs {
		m := d.manifests[dir]
		if d.at[dir] != nil || d.foreign(m) || !m.depends(d.spec.Packages) {
			continue
		}
		f := &found{dir: dir, strength: strengthManifest, named: true,
			source: path.Join(dir, "package.json") + " dependencies"}
		if d.spec.Content != nil && slices.ContainsFunc(d.testTexts(), d.spec.Content) {
			f.strength += strengthContent
		}
		d.add(f)
	}
}

// installed is the last resort: the framework lies in node_modules and nothing
// names it. Where another one lies there too, the test files decide.
func (d *detector) installed() {
	pkg, ok := d.resolve(".", d.spec.Packages)
	if !ok {
		return
	}
	f := &found{dir: ".", strength: strengthInstalled, source: "node_modules/" + pkg.name}
	tests := d.testTexts()
	switch {
	case pkg.outside && (d.spec.Content == nil || !slices.ContainsFunc(tests, d.spec.Content)):
		return // what lies above the repository counts only if its tests ask for it
	case len(tests) == 0:
	case d.spec.Content != nil && slices.ContainsFunc(tests, d.spec.Content):
		f.strength += strengthContent
		f.source += " and the test files"
	case d.otherInstalled(d.spec.Packages):
		return
	}
	d.add(f)
}

// prune drops folders that a stronger one speaks for.
func (d *detector) prune() {
	var keep []*found
	for _, f := range d.all {
		if !d.spoken(f) {
			keep = append(keep, f)
		}
	}
	d.all = keep
}

func (d *detector) spoken(f *found) bool {
	m := d.manifests[f.dir]
	for _, o := range d.all {
		if o == f || o.dir == f.dir {
			continue
		}
		switch {
		case below(f.dir, o.dir):
			// o stands above f.
			if o.strength < strengthScript || o.delegates {
				if f.strength < strengthScript && o.strength >= f.strength && d.spec.Covers && !o.delegates {
					return true
				}
				continue
			}
			if f.strength < strengthScript {
				return true
			}
			if d.spec.Covers && (d.workspace(m) || !d.ownInstall(f.dir)) {
				return true
			}
		case below(o.dir, f.dir):
			// f stands above o: a root that only holds what its packages share.
			top := m != nil && m.delegates
			if o.strength >= strengthScript && f.strength < strengthScript && (top || d.workspace(d.manifests[o.dir])) {
				return true
			}
		}
	}
	return false
}

// candidate names the program, or says why there is none.
func (d *detector) candidate(ctx context.Context, nodes *nodeFinder, f *found) runner.Candidate {
	c := runner.Candidate{Ecosystem: "node", Strength: f.strength, Project: runner.Project{
		Root: f.dir, Framework: d.spec.Name, Args: f.call.args, Env: f.call.env, Source: f.source,
	}}
	pkg, ok := d.resolve(f.dir, d.spec.Packages)
	if !ok {
		c.Problem, c.Hint = d.notInstalled(f)
		return c
	}
	c.Project.Version = pkg.version
	if major, _, _ := strings.Cut(pkg.version, "."); d.spec.Oldest > 0 {
		if n, err := strconv.Atoi(major); err == nil && n < d.spec.Oldest {
			c.Warning = fmt.Sprintf("%s %s in %s is older than %d, the oldest version that regreen is tested with", d.spec.Name, pkg.version, f.dir, d.spec.Oldest)
		}
	}
	bin, err := pkg.bin(d.spec.Bins)
	if err != nil {
		c.Problem = d.spec.Name + " is installed but incomplete: " + err.Error()
		c.Hint = "run " + d.installCommand(f.dir) + " again"
		return c
	}
	node, err := nodes.find(ctx, d.repo, f.dir)
	if err != nil {
		c.Problem = "node is not on PATH, and " + d.spec.Name + " needs it"
		c.Hint = "install Node.js, or add its folder to PATH"
		return c
	}
	c.Project.Command = append([]string{node}, append(slices.Clone(f.call.nodeArgs), bin)...)
	return c
}

func (d *detector) notInstalled(f *found) (problem, hint string) {
	if d.plugAndPlay(f.dir) {
		return "yarn's Plug'n'Play is used, which is not supported: " + d.spec.Name + " cannot be started without node_modules",
			"set nodeLinker: node-modules in .yarnrc.yml and run yarn install"
	}
	where := f.source
	if i := strings.IndexByte(where, ' '); i > 0 {
		where = where[:i]
	}
	return d.spec.Name + " is named in " + where + " but not installed", "run " + d.installCommand(f.dir)
}

// below tells whether dir lies under top.
func below(dir, top string) bool {
	if dir == top {
		return false
	}
	return top == "." || strings.HasPrefix(dir, top+"/")
}
