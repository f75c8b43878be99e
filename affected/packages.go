package affected

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/lock"
)

// packageKey begins the name of a package's node; the name a person reads
// stands behind the last space.
const packageKey = "\x00package "

// pkg gives the node of a package: files of a language depend on it by the
// name that they import.
func (g *Graph) pkg(language int, name string) int32 {
	id := g.virtual(fmt.Sprintf("package %d %s", language, name))
	g.nodes[id].pkg = true
	return id
}

// shown is a node's name for a person.
func (n *node) shown() string {
	if n.pkg {
		return n.name[strings.LastIndexByte(n.name, ' ')+1:]
	}
	return n.name
}

// imports makes a file depend on a package; modules of the language itself
// ("node:fs") cannot change, but who starts programs is asked for.
func (g *Graph) imports(id int32, language int, name string, label int32) {
	if name != "" && (!strings.HasPrefix(name, "node:") || name == childProcess) {
		g.depends(id, g.pkg(language, name), label)
	}
}

// languageOf is the index of the language whose packages a lock file names.
func (g *Graph) languageOf(name string) int {
	for i, l := range g.in.Languages {
		if l.Name() == name || name == "py" && l.Name() == "python" {
			return i
		}
	}
	return -1
}

// diff is what two states of what is installed below a folder differ in.
type diff struct {
	file     string // that tells it
	dir      string
	language int
	changed  []string            // as they are installed
	needs    map[string][]string // who needs a package
	// modules gives the names that code imports a package by; sure is false
	// where they are guessed.
	modules func(name string) (names []string, sure bool)
	plugin  func(name string) bool
}

func (g *Graph) lockEffect(file string, before, now []byte) effect {
	a, err := lock.Parse(file, before)
	if err != nil {
		return effect{note: fmt.Sprintf("%s cannot be compared: its base: %v", file, err)}
	}
	b, err := lock.Parse(file, now)
	if err != nil {
		return effect{note: fmt.Sprintf("%s cannot be compared: %v", file, err)}
	}
	changed := lock.Diff(a, b)
	if len(changed) == 0 {
		return effect{narrow: true, note: file + " installs the same packages"}
	}
	if slices.Contains(changed, "") {
		return effect{note: file + " differs in more than packages"}
	}
	d := diff{file: file, dir: path.Dir(file), language: g.languageOf(a.Language), changed: changed}
	if !a.Flat {
		d.needs = lock.Dependents(a, b)
	}
	return g.packageEffect(d)
}

func (g *Graph) manifestEffect(file string, before, now []byte) effect {
	m, err := lock.DiffManifest(file, before, now)
	switch {
	case err == lock.ErrUnknown:
		return effect{}
	case err != nil:
		return effect{note: fmt.Sprintf("%s cannot be compared: %v", file, err)}
	case len(m.Keys) > 0:
		return effect{note: fmt.Sprintf("%s differs in %s", file, some(m.Keys))}
	case len(m.Packages) == 0:
		return effect{narrow: true, note: file + " differs in nothing that a test run reads"}
	}
	d := diff{file: file, dir: path.Dir(file), language: g.languageOf(m.Language), changed: m.Packages}
	if l := g.nearestLock(d.dir, m.Language); l != nil {
		d.needs = lock.Dependents(l)
	}
	return g.packageEffect(d)
}

// nearestLock reads the lock file that holds for a folder and tells who needs
// whom; nil where there is none.
func (g *Graph) nearestLock(dir, language string) *lock.File {
	names := []string{"package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "npm-shrinkwrap.json"}
	if language == "py" {
		names = []string{"uv.lock", "poetry.lock", "pdm.lock"}
	}
	for ; ; dir = path.Dir(dir) {
		for _, name := range names {
			src, err := g.in.Tree.ReadFile(path.Join(dir, name))
			if err != nil {
				continue
			}
			if f, err := lock.Parse(name, src); err == nil && len(f.Packages) > 0 {
				return f
			}
		}
		if dir == "." || dir == "/" {
			return nil
		}
	}
}

// packageEffect narrows a change to those who reach the packages that differ,
// where all are known.
func (g *Graph) packageEffect(d diff) effect {
	whole := func(format string, args ...any) effect {
		return effect{note: d.file + " changes " + some(d.changed) + ": " + fmt.Sprintf(format, args...)}
	}
	if d.language < 0 {
		return whole("no language knows such packages")
	}
	d.know(g.in.Languages[d.language])
	if d.needs == nil {
		return whole("nothing tells which packages need it")
	}
	js := g.in.Languages[d.language].Name() == "js"
	asked := g.asked(d)
	// All packages that need a changed one, each with the one it was found by.
	because := map[string]string{}
	queue := slices.Clone(d.changed)
	for _, name := range queue {
		because[name] = ""
	}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		for _, dep := range d.needs[name] {
			if _, ok := because[dep]; !ok {
				because[dep] = name
				queue = append(queue, dep)
			}
		}
	}
	names := make([]string, 0, len(because))
	for name := range because {
		names = append(names, name)
	}
	sort.Strings(names)
	var out effect
	needs := g.label("needs", "")
	for _, name := range names {
		if machinery(js, name, g.in.Projects) || d.plugin(name) {
			return whole("%s takes part in every test", trail(because, name))
		}
		if at := g.named(d, name); at != "" {
			return whole("%s is named in %s", trail(because, name), at)
		}
		modules, sure := d.modules(name)
		imported := false
		for _, m := range modules {
			if id, ok := g.ids[fmt.Sprintf("%s%d %s", packageKey, d.language, m)]; ok && len(g.nodes[id].rev) > 0 {
				imported = true
			}
		}
		if !imported && !sure && asked[name] && !harmless(js, name) {
			return whole("nobody is seen to import %s, which may be used by its name", name)
		}
		for _, m := range modules {
			id := g.pkg(d.language, m)
			g.scope[id] = append(g.scope[id], d.dir)
			from := because[name]
			if from == "" {
				out.packages = append(out.packages, id)
				continue
			}
			froms, _ := d.modules(from)
			for _, f := range froms {
				to := g.pkg(d.language, f)
				g.needs[to] = append(g.needs[to], edge{id, needs})
			}
		}
	}
	out.narrow = true
	out.note = fmt.Sprintf("%s changes %s: only the tests that reach it", d.file, some(d.changed))
	return out
}

// trail tells how a package was come to.
func trail(because map[string]string, name string) string {
	if by := because[name]; by != "" {
		return name + ", which needs " + by + ","
	}
	return name
}

// know asks the language for the names that packages are imported by, and for
// what is installed where the lock file does not tell who needs whom.
func (d *diff) know(l lang.Language) {
	d.modules = func(name string) ([]string, bool) {
		if of, ok := strings.CutPrefix(name, "@types/"); ok {
			scope, rest, scoped := strings.Cut(of, "__")
			if scoped {
				of = "@" + scope + "/" + rest
			}
			return []string{name, of}, true
		}
		return []string{name}, false
	}
	d.plugin = func(string) bool { return false }
	dist, ok := l.(lang.Distributions)
	if !ok {
		return
	}
	installed := dist.Installed()
	d.modules = func(name string) ([]string, bool) {
		if p, ok := installed[name]; ok {
			return p.Modules, true
		}
		return dist.Modules(name), false
	}
	d.plugin = func(name string) bool { return slices.Contains(installed[name].EntryPoints, "pytest11") }
	if d.needs == nil && installed != nil {
		d.needs = map[string][]string{}
		for name, p := range installed {
			for _, need := range p.Requires {
				d.needs[need] = append(d.needs[need], name)
			}
		}
		for _, l := range d.needs {
			sort.Strings(l)
		}
	}
}

// asked are the packages that manifests below the folder ask for by name.
// Where no manifest does, all are.
func (g *Graph) asked(d diff) map[string]bool {
	out := map[string]bool{}
	for _, f := range g.manifestFiles {
		if !within(f, d.dir) && path.Dir(f) != d.dir {
			continue
		}
		src, err := g.in.Tree.ReadFile(f)
		if err != nil {
			continue
		}
		for _, name := range lock.Direct(f, src) {
			out[name] = true
		}
	}
	if len(out) == 0 || lock.Known(d.file) && d.needs != nil && path.Ext(d.file) == ".txt" {
		for _, name := range d.changed {
			out[name] = true
		}
	}
	return out
}

// named finds the configuration file that names a package without importing
// it: a transformer, an environment, a preset.
func (g *Graph) named(d diff, name string) string {
	for _, c := range g.configs() {
		if bytes.Contains(c.text, []byte(name)) && quotes(c.text, name) && (within(c.file, d.dir) || within(d.file, path.Dir(c.file))) {
			return c.file
		}
	}
	return ""
}

// quotes tells whether a text holds the name as a word of its own.
func quotes(text []byte, name string) bool {
	word := func(c byte) bool {
		return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(name))
		if i < 0 {
			return false
		}
		i += at
		end := i + len(name)
		if (i == 0 || !word(text[i-1]) && text[i-1] != '@' && (text[i-1] != '/' || name[0] == '@')) && (end == len(text) || !word(text[end])) {
			return true
		}
		at = i + 1
	}
}

// config is a configuration file's text, as far as it may name packages.
type config struct {
	file string
	text []byte
}

// configs are the files in which a tool may be told a package's name: those
// that every test of a project depends on, those named so, and the manifests
// without the packages they ask for.
func (g *Graph) configs() []config {
	if g.configTexts != nil {
		return g.configTexts
	}
	files := slices.Clone(g.manifestFiles)
	for _, p := range g.in.Projects {
		files = append(files, p.Global...)
	}
	for _, f := range g.in.Tree.Files() {
		if base := path.Base(f); isToolConfig(base) && !g.foreign(f) || strings.HasPrefix(base, "tsconfig") && path.Ext(base) == ".json" {
			files = append(files, f)
		}
	}
	slices.Sort(files)
	g.configTexts = []config{}
	for _, f := range slices.Compact(files) {
		src, err := g.in.Tree.ReadFile(f)
		if err != nil || lock.Known(f) || len(src) > maxScan {
			continue
		}
		if base := path.Base(f); base == "package.json" || base == "pyproject.toml" {
			src = []byte(lock.Rest(f, src))
		}
		g.configTexts = append(g.configTexts, config{f, src})
	}
	return g.configTexts
}

// some lists the first of many names.
func some(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}
