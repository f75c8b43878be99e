package pytest

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/plain"
	"regreen/internal/runner"

	"github.com/bmatcuk/doublestar/v4"
)

// layout answers what a project's configuration says about its files.
type layout struct {
	root      string // abs
	project   string // rel
	config    config
	under     []string // rel folders and files the project's own command runs
	ignored   []string // rel, --ignore
	globs     []string // --ignore-glob
	doctests  bool     // --doctest-modules
	textGlobs []string // --doctest-glob
	coverage  string   // the configuration that --cov makes pytest-cov read
	uncertain string
}

func readLayout(root string, p runner.Project) (runner.Layout, error) {
	c, err := readConfig(root, p.Root)
	l := &layout{root: root, project: p.Root, config: c}
	if err != nil {
		l.config = newConfig("", nil)
		l.uncertain = err.Error()
	}
	l.options(slices.Concat(l.config.addopts, p.Args))
	l.paths(p)
	global := []string{}
	if l.config.file != "" {
		global = append(global, l.config.file)
	}
	if l.coverage != "" {
		global = append(global, l.coverage)
	}
	plugins := pluginOptions(slices.Concat(l.config.addopts, p.Args))
	for _, module := range slices.Concat(plugins, l.entryPoints(), l.settings(p)) {
		for _, f := range l.moduleFiles(module) {
			if !slices.Contains(global, f) {
				global = append(global, f)
			}
		}
	}
	return runner.Layout{IsTest: l.isTest, Global: global, Implicit: l.implicit, Unread: l.unread(p), Uncertain: l.uncertain}, nil
}

// settings are the modules of Django's settings that pytest-django loads before
// any test: --ds, then the environment, then the ini file.
func (l *layout) settings(p runner.Project) []string {
	out := slices.Clone(l.config.django)
	if v := p.Env["DJANGO_SETTINGS_MODULE"]; v != "" {
		out = append(out, v)
	}
	args := slices.Concat(l.config.addopts, p.Args)
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, "--ds="); ok {
			out = append(out, v)
		} else if a == "--ds" && i+1 < len(args) {
			out = append(out, args[i+1])
		}
	}
	return out
}

// options takes from the arguments what changes which files are tests.
func (l *layout) options(args []string) {
	for i := 0; i < len(args); i++ {
		name, value, glued := strings.Cut(args[i], "=")
		if !glued && i+1 < len(args) {
			value = args[i+1]
		}
		switch name {
		case "--cov":
			if l.coverage == "" {
				l.coverage = l.in(".coveragerc") // pytest-cov's default
			}
		case "--cov-config":
			l.coverage = l.in(value)
		case "--doctest-modules":
			l.doctests = true
		case "--doctest-glob":
			l.textGlobs = append(l.textGlobs, value)
		case "--ignore":
			l.ignored = append(l.ignored, l.in(value))
		case "--ignore-glob":
			l.globs = append(l.globs, l.in(value))
		}
	}
	if l.textGlobs == nil {
		l.textGlobs = []string{"test*.txt"}
	}
}

// in makes a path of the configuration rel; patterns pass through.
func (l *layout) in(value string) string {
	if filepath.IsAbs(value) {
		if rel, err := filepath.Rel(l.root, value); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return path.Join(l.project, filepath.ToSlash(value))
}

// paths finds what the project's command runs: paths in its arguments, else
// testpaths, else the whole project.
func (l *layout) paths(p runner.Project) {
	for _, a := range p.Args {
		file, _, _ := strings.Cut(a, "::")
		rel := l.in(file)
		if _, err := os.Stat(filepath.Join(l.root, filepath.FromSlash(rel))); err == nil && !strings.HasPrefix(a, "-") {
			l.under = append(l.under, rel)
		}
	}
	if l.under == nil && (l.config.file == "" || path.Dir(l.config.file) == path.Clean(l.project)) {
		for _, pattern := range l.config.testpaths {
			found, err := doublestar.Glob(os.DirFS(l.root), l.in(pattern))
			if err == nil {
				l.under = append(l.under, found...)
			}
		}
	}
	if l.under == nil {
		l.under = []string{path.Clean(l.project)}
	}
}

func within(rel, dir string) bool {
	return dir == "." || rel == dir || strings.HasPrefix(rel, dir+"/")
}

func (l *layout) isTest(rel string) bool {
	top := ""
	for _, u := range l.under {
		if within(rel, u) && len(u) >= len(top) {
			top = u
		}
	}
	if top == "" || slices.ContainsFunc(l.ignored, func(dir string) bool { return within(rel, dir) }) {
		return false
	}
	for _, g := range l.globs {
		if ok, err := doublestar.Match(g, rel); err == nil && ok {
			return false
		}
	}
	if rel == top {
		return true
	}
	for dir := path.Dir(rel); dir != "." && dir != top; dir = path.Dir(dir) {
		if matchesAny(l.config.norecurse, path.Base(dir)) || isVenv(filepath.Join(l.root, filepath.FromSlash(dir))) {
			return false
		}
	}
	name := path.Base(rel)
	if strings.HasSuffix(name, ".py") {
		if matchesPath(l.config.files, rel) || l.uncertain != "" && looksLikeTest(rel) {
			return true
		}
		return l.doctests && name != "setup.py" && name != "conftest.py" && name != "__main__.py" && l.hasDoctest(rel)
	}
	return matchesAny(l.textGlobs, name) && l.hasDoctest(rel)
}

// looksLikeTest stands in for patterns that cannot be read: settings that do not
// parse stop every test, whatever it is called, and must not select nothing.
func looksLikeTest(rel string) bool {
	name := strings.TrimSuffix(path.Base(rel), ".py")
	if name == "conftest" || name == "__init__" || name == "setup" {
		return false
	}
	for _, word := range []string{"test", "check", "spec"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return slices.ContainsFunc(strings.Split(path.Dir(rel), "/"), func(dir string) bool {
		return slices.Contains([]string{"test", "tests", "testing", "spec", "specs", "checks"}, dir)
	})
}

func (l *layout) hasDoctest(rel string) bool {
	text, err := plain.ReadFile(filepath.Join(l.root, filepath.FromSlash(rel)))
	return err == nil && bytes.Contains(text, []byte(">>> "))
}

func matchesAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if ok, err := path.Match(p, name); err == nil && ok {
			return true
		}
	}
	return false
}

// matchesPath matches as pytest's fnmatch_ex: a pattern without a slash is for
// the name, one with a slash for the end of the path.
func matchesPath(patterns []string, rel string) bool {
	for _, p := range patterns {
		if !strings.Contains(p, "/") {
			if ok, err := path.Match(p, path.Base(rel)); err == nil && ok {
				return true
			}
			continue
		}
		if ok, err := doublestar.Match("**/"+strings.TrimPrefix(p, "/"), rel); err == nil && ok {
			return true
		}
	}
	return false
}

// implicit gives the conftest files from the test's folder up to the root, with
// the modules that they load by name, and those of the test file itself.
func (l *layout) implicit(test string) []string {
	var out []string
	add := func(rel string) {
		if !slices.Contains(out, rel) {
			out = append(out, rel)
		}
	}
	plugins := func(rel string) {
		for _, module := range pytestPlugins(l.read(rel)) {
			for _, f := range l.moduleFiles(module) {
				add(f)
			}
		}
	}
	for dir := path.Dir(test); ; dir = path.Dir(dir) {
		rel := path.Join(dir, "conftest.py")
		if text := l.read(rel); text != nil {
			add(rel)
			plugins(rel)
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	plugins(test)
	return out
}

func (l *layout) read(rel string) []byte {
	text, err := plain.ReadFile(filepath.Join(l.root, filepath.FromSlash(rel)))
	if err != nil {
		return nil
	}
	if text == nil {
		text = []byte{}
	}
	return text
}

// moduleFiles finds a module of the project, with the packages above it that
// are loaded on the way, by its dotted name.
func (l *layout) moduleFiles(module string) []string {
	parts := strings.ReplaceAll(module, ".", "/")
	var out []string
	tops := []string{l.project, path.Join(l.project, "src"), ".", "src"}
	for _, p := range l.config.pythonpath {
		tops = append(tops, l.in(p))
	}
	for _, t := range l.config.testpaths {
		tops = append(tops, l.in(t))
	}
	add := func(rel string) {
		if !slices.Contains(out, rel) {
			out = append(out, rel)
		}
	}
	for _, top := range tops {
		module, packages := path.Join(top, parts+".py"), []string{path.Join(top, parts, "__init__.py")}
		for dir := path.Dir(parts); dir != "."; dir = path.Dir(dir) {
			packages = append(packages, path.Join(top, dir, "__init__.py"))
		}
		packages = slices.DeleteFunc(packages, func(rel string) bool { return l.read(rel) == nil })
		// A module that is gone from its package is named all the same: the
		// tests that need it are to fail.
		if l.read(module) != nil || len(packages) > 0 && packages[0] == path.Join(top, path.Dir(parts), "__init__.py") {
			add(module)
		}
		for _, rel := range packages {
			add(rel)
		}
	}
	return out
}

// pluginOptions are the modules of -p options.
func pluginOptions(args []string) []string {
	var out []string
	for i, a := range args {
		value := ""
		if a == "-p" && i+1 < len(args) {
			value = args[i+1]
		} else if strings.HasPrefix(a, "-p") && len(a) > 2 {
			value = a[2:]
		}
		if value != "" && !strings.HasPrefix(value, "no:") {
			out = append(out, value)
		}
	}
	return out
}

// pytestPlugins are the literal names that a file assigns to pytest_plugins.
func pytestPlugins(src []byte) []string {
	if !bytes.Contains(src, []byte("pytest_plugins")) {
		return nil
	}
	var out []string
	for _, s := range scan(src) {
		if !s.is("pytest_plugins") {
			continue
		}
		for _, t := range s.toks {
			if t.kind == tokString {
				out = append(out, stringText(t.text))
			}
		}
	}
	return out
}

// stringText is a string token's content, for those without escapes.
func stringText(tok string) string {
	tok = strings.TrimLeft(tok, "rRbBuUfF")
	for _, q := range []string{`"""`, `'''`, `"`, `'`} {
		if rest, ok := strings.CutPrefix(tok, q); ok {
			return strings.TrimSuffix(rest, q)
		}
	}
	return tok
}
