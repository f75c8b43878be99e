package vitest

import (
	"context"
	_ "embed"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/runner"
	"regreen/internal/runner/node"
)

//go:embed layout.mjs
var layoutSource []byte

// resolved is what the layout script answers. Paths are absolute.
type resolved struct {
	Projects []resolvedProject
	Config   []string
	Filter   []string
	Files    []string
}

type resolvedProject struct {
	Root, Dir           string
	Include, Exclude    []string
	IncludeSource       []string
	TypeInclude         []string // files of type tests; none where types are not checked
	TypeExclude         []string
	SetupFiles          []string
	Programs            []string
	GlobalSetup         []string
	SnapshotSerializers []string
	OwnSnapshots        bool
	Environment         string
	Config              []string
	EnvDir              string
	Aliases             []struct{ Find, Pattern, Replacement string }
}

// defaultInclude and defaultExclude are vitest's own.
var (
	defaultInclude = []string{"**/*.{test,spec}.?(c|m)[jt]s?(x)"}
	defaultExclude = []string{"**/node_modules/**", "**/dist/**", "**/cypress/**", "**/.{idea,git,cache,output,temp}/**"}
)

// Layout asks vitest for the project's configuration; where it cannot be
// asked, vitest's defaults stand in and the layout says that it is a guess.
func (Framework) Layout(ctx context.Context, env runner.Env, p runner.Project) (runner.Layout, error) {
	c := node.NewContext(env, p, js.Language{})
	cmd, err := node.Command(env, p)
	if err != nil {
		return runner.Layout{}, err
	}
	bin := cmd[len(cmd)-1]
	if real, err := filepath.EvalSymlinks(bin); err == nil {
		bin = real
	}
	flags, filters := kept(p.Args)
	args := append([]string{filepath.Dir(bin)}, append(flags, filters...)...)
	var got resolved
	err = node.Ask(ctx, env, p, "regreen-vitest-layout.mjs", layoutSource, args, &got)
	if ctx.Err() != nil {
		return runner.Layout{}, context.Cause(ctx)
	}
	l := &layout{context: c, env: env, project: p}
	if err != nil || len(got.Projects) == 0 {
		root := node.Dir(env, p)
		got = resolved{Filter: filters, Projects: []resolvedProject{{Root: root, Dir: root, Include: defaultInclude, Exclude: defaultExclude, EnvDir: root}}}
		l.guess("vitest did not show its configuration")
		l.out.Blind, l.silent = l.out.Uncertain, true
		l.search()
	}
	return l.read(got), nil
}

// layout is a layout in the making.
type layout struct {
	context node.Context
	env     runner.Env
	project runner.Project
	out     runner.Layout
	silent  bool // vitest did not show its configuration
}

func (l *layout) guess(why string) {
	if l.out.Uncertain == "" {
		l.out.Uncertain = why
	}
}

func (l *layout) global(files ...string) {
	for _, f := range files {
		if rel, ok := node.Rel(l.context, f); f != "" && ok && !slices.Contains(l.out.Global, rel) {
			if st, err := os.Stat(filepath.Join(l.env.OnDisk(), filepath.FromSlash(rel))); err == nil && st.Mode().IsRegular() {
				l.out.Global = append(l.out.Global, rel)
			}
		}
	}
}

// tests tells the test files of one of vitest's projects.
type tests struct {
	dir              string // rel
	include, exclude node.Globs
}

func (t tests) match(rel string) bool {
	p, ok := node.Under(t.dir, rel)
	return ok && t.include.Match(p) && !t.exclude.Match(p)
}

func (l *layout) tests(dir string, include, exclude []string) tests {
	t := tests{dir: dir}
	var bad, bad2 []string
	t.include, bad = node.CompileGlobs(include, true)
	t.exclude, bad2 = node.CompileGlobs(exclude, true)
	if len(bad)+len(bad2) > 0 {
		l.guess("a pattern of test files is not understood: " + strings.Join(append(bad, bad2...), " "))
	}
	return t
}

func (l *layout) read(got resolved) runner.Layout {
	l.global(got.Config...)
	l.global(node.Hooks(l.env, l.project)...)
	var all []tests
	for _, p := range got.Projects {
		l.global(p.Config...)
		l.global(p.SetupFiles...)
		l.global(p.Programs...)
		l.global(p.GlobalSetup...)
		l.global(p.SnapshotSerializers...)
		if strings.HasPrefix(p.Environment, ".") || filepath.IsAbs(p.Environment) {
			l.global(filepath.Join(p.Root, p.Environment))
		}
		l.dotenv(p.EnvDir)
		l.aliases(p)
		dir, ok := node.Folder(l.context, p.Dir)
		if !ok {
			continue
		}
		all = append(all, l.tests(dir, append(slices.Clone(p.Include), p.IncludeSource...), p.Exclude))
		if len(p.TypeInclude) > 0 {
			all = append(all, l.tests(dir, p.TypeInclude, p.TypeExclude))
		}
		if p.OwnSnapshots {
			l.guess("the project keeps its snapshots in places of its own")
		}
	}
	l.out.Aliases = append(l.out.Aliases, node.NodePath(l.context, l.project)...)
	l.manifests()
	listed := map[string]bool{}
	for _, f := range got.Files {
		if rel, ok := node.Rel(l.context, f); ok {
			listed[rel] = true
		}
	}
	matches := func(rel string) bool { return slices.ContainsFunc(all, func(t tests) bool { return t.match(rel) }) }
	if l.silent {
		matches = node.OrLooksLike(l.project.Root, matches)
	}
	l.out.IsTest = func(rel string) bool {
		if listed[rel] {
			return true
		}
		if len(got.Filter) > 0 && !slices.ContainsFunc(got.Filter, func(f string) bool { return l.filtered(rel, f) }) {
			return false
		}
		return matches(rel)
	}
	l.out.Implicit = func(test string) []string {
		dir, base := path.Split(test)
		return []string{dir + "__snapshots__/" + base + ".snap"}
	}
	slices.Sort(l.out.Global)
	return l.out
}

// filtered tells whether vitest's substring filter takes the file in.
func (l *layout) filtered(rel, filter string) bool {
	p, ok := node.Under(l.project.Root, rel)
	if !ok {
		p = rel
	}
	return strings.Contains(strings.ToLower(p), strings.ToLower(strings.TrimPrefix(path.Clean(filter), "./")))
}

// dotenv adds the environment files that vite loads in mode test.
func (l *layout) dotenv(dir string) {
	if dir == "" {
		return
	}
	for _, name := range []string{".env", ".env.local", ".env.test", ".env.test.local"} {
		l.global(filepath.Join(dir, name))
	}
}

// aliases reads resolve.alias. A text stands for itself and for what lies
// below it; of what a regular expression matches the text alone is replaced.
func (l *layout) aliases(p resolvedProject) {
	scope, ok := node.Folder(l.context, p.Root)
	if !ok {
		return
	}
	for _, a := range p.Aliases {
		to := lang.Alias{Scope: scope}
		target := strings.TrimSuffix(a.Replacement, "/")
		if spec, ok := node.Installed(target); ok {
			to.Modules = []string{spec}
		} else if !filepath.IsAbs(target) {
			to.Modules = []string{target}
		} else if rel, ok := node.Folder(l.context, target); ok {
			to.Targets = []string{rel}
		} else {
			continue
		}
		if a.Find != "" {
			l.text(to, a.Find)
		} else {
			l.pattern(to, a.Pattern, strings.HasSuffix(a.Replacement, "/"))
		}
	}
}

// text adds an alias of a text.
func (l *layout) text(a lang.Alias, find string) {
	if !strings.HasSuffix(find, "/") {
		a.Find = find
		l.out.Aliases = append(l.out.Aliases, a)
	}
	a.Find = strings.TrimSuffix(find, "/") + "/*"
	a.Targets, a.Modules = suffixed(a.Targets, "/*"), suffixed(a.Modules, "/*")
	l.out.Aliases = append(l.out.Aliases, a)
}

// pattern adds an alias of a regular expression: by a star where that says it,
// since a star can be read backwards.
func (l *layout) pattern(a lang.Alias, pattern string, folder bool) {
	slash := ""
	if folder {
		slash = "/"
	}
	find, rest, whole, ok := node.PatternPrefix(pattern)
	group := strings.Contains(strings.Join(a.Targets, ""), "$")
	switch {
	case ok && len(a.Targets) == 1 && !group && whole && !rest:
		a.Find = find
	case ok && len(a.Targets) == 1 && !group && !whole && !rest:
		a.Find, a.Targets = find+"*", suffixed(a.Targets, slash+"*")
	case ok && len(a.Targets) == 1 && rest && strings.Count(a.Targets[0], "$") == 1 && strings.Count(a.Targets[0], "$1") == 1:
		a.Find, a.Targets = find+"*", []string{strings.Replace(a.Targets[0], "$1", "*", 1)}
	default:
		re, err := node.Pattern(pattern)
		if err != nil {
			l.guess("an alias is not understood: " + pattern)
			l.out.Blind = "an alias is not understood: " + pattern
			return
		}
		a.Pattern, a.Rest = re, true
		for _, list := range [][]string{a.Targets, a.Modules} {
			for i, t := range list {
				list[i] = node.Groups(t) + slash
			}
		}
	}
	l.out.Aliases = append(l.out.Aliases, a)
}

func suffixed(list []string, suffix string) []string {
	var out []string
	for _, t := range list {
		out = append(out, t+suffix)
	}
	return out
}

// manifests adds the files of the project's folder that every test depends on.
func (l *layout) manifests() {
	entries, err := os.ReadDir(node.Dir(l.env, l.project))
	if err != nil {
		return
	}
	for _, e := range entries {
		n := e.Name()
		if n == "package.json" || strings.HasPrefix(n, "tsconfig") && strings.HasSuffix(n, ".json") {
			l.global(filepath.Join(node.Dir(l.env, l.project), n))
		}
	}
}

// search finds the configuration files by their names.
func (l *layout) search() {
	entries, err := os.ReadDir(node.Dir(l.env, l.project))
	if err != nil {
		return
	}
	for _, e := range entries {
		for _, g := range append(slices.Clone(spec.Configs), spec.MaybeConfigs...) {
			if ok, _ := path.Match(g, e.Name()); ok {
				l.global(filepath.Join(node.Dir(l.env, l.project), e.Name()))
			}
		}
	}
}
