package jest

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
	"regreen/internal/runner/node"
)

// config is one project of jest's own configuration, as --showConfig prints
// it: normalized, with absolute paths.
type config struct {
	RootDir                string
	Roots                  []string
	TestMatch              []string
	TestRegex              any // a list; in old versions one pattern
	TestPathIgnorePatterns []string
	SetupFiles             []string
	SetupFilesAfterEnv     []string
	SnapshotSerializers    []string
	SnapshotResolver       string
	GlobalSetup            string
	GlobalTeardown         string
	TestEnvironment        string
	Resolver               string
	Runner                 string
	DependencyExtractor    string
	Transform              [][]any
	ModuleNameMapper       [][]any
	ModuleDirectories      []string
	ModulePaths            []string
	Haste                  struct{ HasteImplModulePath string }
}

type shown struct {
	Configs      []config
	GlobalConfig struct {
		GlobalSetup, GlobalTeardown string
	}
}

// Layout asks jest for its configuration; where jest cannot be asked, its
// defaults stand in and the layout says that it is a guess.
func (f Framework) Layout(ctx context.Context, env runner.Env, p runner.Project) (runner.Layout, error) {
	c := node.NewContext(env, p, js.Language{})
	s := session{env: env, project: p, context: c}
	cmd := parse(p.Args)
	args := append(cmd.kept(selecting...), "--showConfig")
	out, err := node.Remember(env, p, args, func() ([]byte, error) { return s.ask(ctx, args) })
	var sh shown
	if err == nil {
		err = json.Unmarshal(out, &sh)
	}
	if ctx.Err() != nil {
		return runner.Layout{}, context.Cause(ctx)
	}
	r := reading{context: c, env: env, project: p}
	silent := err != nil || len(sh.Configs) == 0
	if silent {
		r.blind("jest did not show its configuration: %v", err)
		sh = shown{Configs: []config{{RootDir: node.Dir(env, p), Roots: []string{node.Dir(env, p)}, TestMatch: defaultMatch}}}
	}
	r.read(sh, cmd)
	if silent {
		r.layout.IsTest = node.OrLooksLike(p.Root, r.layout.IsTest)
	}
	return r.layout, nil
}

var defaultMatch = []string{"**/__tests__/**/*.?([mc])[jt]s?(x)", "**/?(*.)+(spec|test).?([mc])[jt]s?(x)"}

// reading is a layout in the making.
type reading struct {
	context node.Context
	env     runner.Env
	project runner.Project
	layout  runner.Layout
}

func (r *reading) guess(format string, args ...any) {
	if r.layout.Uncertain == "" {
		r.layout.Uncertain = fmt.Sprintf(format, args...)
	}
}

// blind is for what keeps from telling what tests depend on.
func (r *reading) blind(format string, args ...any) {
	r.guess(format, args...)
	r.layout.Blind = fmt.Sprintf(format, args...)
}

func (r *reading) read(sh shown, cmd command) {
	base := filepath.ToSlash(r.env.Root)
	if real, err := filepath.EvalSymlinks(r.env.Root); err == nil {
		base = filepath.ToSlash(real)
	}
	tests := make([]matcher, 0, len(sh.Configs))
	for _, c := range sh.Configs {
		tests = append(tests, r.matcher(c))
		r.globals(c)
		r.aliases(c)
	}
	r.layout.Aliases = append(r.layout.Aliases, node.NodePath(r.context, r.project)...)
	for _, g := range []string{sh.GlobalConfig.GlobalSetup, sh.GlobalConfig.GlobalTeardown} {
		r.global(g)
	}
	only := r.patterns(append(slices.Clone(cmd.patterns), cmd.values("testPathPattern", "testPathPatterns")...), "(?i)")
	r.layout.IsTest = func(rel string) bool {
		abs := base + "/" + rel
		if len(only) > 0 && !anyMatch(only, abs) {
			return false
		}
		return slices.ContainsFunc(tests, func(m matcher) bool { return m.match(abs) })
	}
	for _, f := range node.Hooks(r.env, r.project) {
		r.global(f)
	}
	mocks := r.files(sh, cmd)
	r.layout.Implicit = func(test string) []string {
		dir, base := path.Split(test)
		return append([]string{dir + "__snapshots__/" + base + ".snap"}, mocks...)
	}
	slices.Sort(r.layout.Global)
	r.layout.Global = slices.Compact(r.layout.Global)
}

// matcher tells the tests of one of jest's projects by absolute slash paths.
type matcher struct {
	roots   []string
	globs   node.Globs
	regexes []*regexp.Regexp
	ignored []*regexp.Regexp
	named   bool // by their names alone, as far as patterns are not understood
}

func (m matcher) match(abs string) bool {
	if len(m.roots) > 0 && !slices.ContainsFunc(m.roots, func(root string) bool {
		return strings.HasPrefix(abs, strings.TrimSuffix(root, "/")+"/")
	}) {
		return false
	}
	if strings.Contains(abs, "/node_modules/") || anyMatch(m.ignored, abs) {
		return false
	}
	return m.globs.Match(strings.TrimPrefix(abs, "/")) || anyMatch(m.regexes, abs) || m.named && node.LooksLikeTest(abs)
}

func (r *reading) matcher(c config) matcher {
	var m matcher
	for _, root := range c.Roots {
		m.roots = append(m.roots, filepath.ToSlash(root))
	}
	globs := make([]string, 0, len(c.TestMatch))
	for _, g := range c.TestMatch {
		not := ""
		if strings.HasPrefix(g, "!") && !strings.HasPrefix(g, "!(") {
			not, g = "!", g[1:]
		}
		globs = append(globs, not+strings.TrimPrefix(filepath.ToSlash(g), "/"))
	}
	var bad []string
	m.globs, bad = node.CompileGlobs(globs, true)
	var regexes []string
	switch v := c.TestRegex.(type) {
	case string:
		regexes = []string{v}
	case []any:
		for _, e := range v {
			if s, ok := e.(string); ok {
				regexes = append(regexes, s)
			}
		}
	}
	m.regexes = r.patterns(regexes, "")
	m.ignored = r.patterns(c.TestPathIgnorePatterns, "")
	m.named = len(bad) > 0 || len(m.regexes) < len(regexes)
	for _, b := range bad {
		r.guess("the pattern %s of testMatch is not understood", b)
	}
	return m
}

// patterns compiles JavaScript's regular expressions; one that Go has no like
// for makes the layout a guess.
func (r *reading) patterns(list []string, flags string) []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, p := range list {
		if p == "" {
			continue
		}
		re, err := regexp.Compile(flags + strings.ReplaceAll(p, `\/`, "/"))
		if err != nil {
			r.guess("the pattern %s is not understood", p)
			continue
		}
		out = append(out, re)
	}
	return out
}

func anyMatch(list []*regexp.Regexp, s string) bool {
	return slices.ContainsFunc(list, func(re *regexp.Regexp) bool { return re.MatchString(s) })
}

func (r *reading) global(file string) {
	if rel, ok := node.Rel(r.context, file); ok && file != "" {
		r.layout.Global = append(r.layout.Global, rel)
	}
}

func (r *reading) globals(c config) {
	if impl := c.Haste.HasteImplModulePath; impl != "" {
		r.global(impl)
		r.blind("modules are found by the names that %s gives them", filepath.Base(impl))
	}
	lists := [][]string{c.SetupFiles, c.SetupFilesAfterEnv, c.SnapshotSerializers,
		{c.SnapshotResolver, c.GlobalSetup, c.GlobalTeardown, c.TestEnvironment, c.Resolver, c.Runner, c.DependencyExtractor}}
	for _, l := range lists {
		for _, f := range l {
			r.global(f)
		}
	}
	for _, t := range c.Transform {
		if len(t) > 1 {
			if s, ok := t[1].(string); ok {
				r.global(s)
			}
		}
	}
}

// configFiles are files of a project's root that say how its tests are run.
var configFiles = lazyregexp.New(`^(?:jest\.config\.\w+|package\.json|babel\.config\.\w+|\.babelrc(?:\.\w+)?|\.swcrc|tsconfig[\w.-]*\.json)$`)

// files looks at the project's folder: the configuration files of it and of
// jest's own projects, presets and root mocks are global, the other manual mocks
// are returned.
func (r *reading) files(sh shown, cmd command) (mocks []string) {
	for _, v := range cmd.values("config", "c") {
		r.global(filepath.Join(node.Dir(r.env, r.project), v))
	}
	const limit = 200_000
	root, n := node.Dir(r.env, r.project), 0
	roots, inside := map[string]bool{}, true // inside: what holds for the folder holds for all tests
	for _, c := range sh.Configs {
		roots[c.RootDir] = true
		for _, r := range c.Roots {
			inside = inside && (r == root || strings.HasPrefix(r, root+string(filepath.Separator)))
		}
	}
	_ = filepath.WalkDir(root, func(abs string, d fs.DirEntry, err error) error {
		if n++; n > limit {
			r.blind("the project has too many files to look for mocks")
			return fs.SkipAll
		}
		if err != nil { // what cannot be read is no file of the tests
			return nil
		}
		if d.IsDir() {
			if d.Name() == "node_modules" || d.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		switch dir := filepath.Dir(abs); {
		case (dir == root || roots[dir]) && configFiles.MatchString(d.Name()) && !(inside && lang.ForBuild(d.Name())), strings.HasPrefix(d.Name(), "jest-preset."):
			r.global(abs)
		case filepath.Base(dir) == "__mocks__" && r.isRoot(sh, filepath.Dir(dir)):
			r.global(abs)
		case filepath.Base(dir) == "__mocks__":
			if rel, ok := node.Rel(r.context, abs); ok {
				mocks = append(mocks, rel)
			}
		}
		return nil
	})
	return mocks
}

// isRoot tells whether mocks below the folder are of installed packages, which
// jest uses unasked.
func (r *reading) isRoot(sh shown, dir string) bool {
	return slices.ContainsFunc(sh.Configs, func(c config) bool {
		return slices.Contains(append(slices.Clone(c.Roots), c.RootDir), dir)
	})
}
