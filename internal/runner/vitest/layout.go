package vitest

import (
	"context"
	_ "embed"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/lang/js"
	"regreen/internal/lazyregexp"
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

// folder is the rel path of an absolute folder.
func (l *layout) folder(abs string) (string, bool) {
	for _, root := range []string{l.env.Root, l.env.Origin, realpath(l.env.Root)} {
		if rel, err := filepath.Rel(root, filepath.FromSlash(abs)); root != "" && err == nil && (rel == "." || filepath.IsLocal(rel)) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

func realpath(p string) string {
	if r, err := filepath.EvalSymlinks(p); err == nil {
		return r
	}
	return p
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
	var all []tests
	for _, p := range got.Projects {
		l.global(p.Config...)
		l.global(p.SetupFiles...)
		l.global(p.GlobalSetup...)
		l.global(p.SnapshotSerializers...)
		if strings.HasPrefix(p.Environment, ".") || filepath.IsAbs(p.Environment) {
			l.global(filepath.Join(p.Root, p.Environment))
		}
		l.dotenv(p.EnvDir)
		l.aliases(p)
		dir, ok := l.folder(p.Dir)
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
	l.manifests()
	listed := map[string]bool{}
	for _, f := range got.Files {
		if rel, ok := node.Rel(l.context, f); ok {
			listed[rel] = true
		}
	}
	l.out.IsTest = func(rel string) bool {
		if listed[rel] {
			return true
		}
		if len(got.Filter) > 0 && !slices.ContainsFunc(got.Filter, func(f string) bool { return l.filtered(rel, f) }) {
			return false
		}
		return slices.ContainsFunc(all, func(t tests) bool { return t.match(rel) })
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

var capture = lazyregexp.New(`\$\d`)

// aliases reads resolve.alias. A text stands for itself and for what lies
// below it; a regular expression is replaced where it matches, so one without
// an end keeps what follows.
func (l *layout) aliases(p resolvedProject) {
	set := func(key, target string) {
		if l.out.Aliases == nil {
			l.out.Aliases = map[string]string{}
		}
		if _, ok := l.out.Aliases[key]; !ok { // the first that matches counts
			l.out.Aliases[key] = target
		}
	}
	for _, a := range p.Aliases {
		target, ok := l.folder(a.Replacement)
		if !ok || strings.Contains(target, "node_modules/") {
			continue
		}
		if a.Find != "" {
			if strings.HasSuffix(a.Find, "/") {
				set(a.Find+"*", target+"/*")
				continue
			}
			set(a.Find, target)
			set(a.Find+"/*", target+"/*")
			continue
		}
		find, rest, whole, ok := node.PatternPrefix(a.Pattern)
		at := capture.FindStringIndex(target)
		switch {
		case !ok, at != nil && !rest:
			l.guess("an alias is not understood: " + a.Pattern)
		case at != nil:
			set(find+"*", target[:at[0]]+"*"+target[at[1]:])
		case whole || rest:
			if rest {
				find += "*"
			}
			set(find, target)
		case strings.HasSuffix(a.Replacement, "/"):
			set(find+"*", target+"/*")
		default:
			set(find+"*", target+"*")
		}
	}
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
