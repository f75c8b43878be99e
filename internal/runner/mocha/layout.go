package mocha

import (
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/lang/js"
	"regreen/internal/runner"
	"regreen/internal/runner/node"
)

// Layout reads the project's options with mocha's own loader; where that
// fails, mocha's defaults stand in and the layout says that it is a guess.
func (Framework) Layout(ctx context.Context, env runner.Env, p runner.Project) (runner.Layout, error) {
	if len(p.Command) == 0 {
		return runner.Layout{}, nil
	}
	opts, err := ask(ctx, env, p)
	if ctx.Err() != nil {
		return runner.Layout{}, context.Cause(ctx)
	}
	l := &layout{context: node.NewContext(env, p, js.Language{}), env: env, project: p}
	if err != nil {
		opts = &options{Spec: slices.DeleteFunc(slices.Clone(p.Args), func(a string) bool { return strings.HasPrefix(a, "-") })}
		l.guess("mocha did not show its options")
		l.out.Blind = l.out.Uncertain
		out := l.read(opts)
		out.IsTest = node.OrLooksLike(p.Root, out.IsTest)
		return out, nil
	}
	return l.read(opts), nil
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

// strs reads an option that is one text or a list.
func strs(src json.RawMessage) []string {
	var many []string
	if json.Unmarshal(src, &many) == nil {
		return many
	}
	var one string
	if json.Unmarshal(src, &one) == nil && one != "" {
		return []string{one}
	}
	return nil
}

func (l *layout) global(file string) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(node.Dir(l.env, l.project), file)
	}
	for _, f := range []string{file, file + ".js", file + ".cjs", file + ".mjs", file + ".ts"} {
		rel, ok := node.Rel(l.context, f)
		if !ok {
			continue
		}
		st, err := os.Stat(filepath.Join(l.env.OnDisk(), filepath.FromSlash(rel)))
		if err == nil && st.Mode().IsRegular() {
			if !slices.Contains(l.out.Global, rel) {
				l.out.Global = append(l.out.Global, rel)
			}
			return
		}
	}
}

func (l *layout) read(o *options) runner.Layout {
	extensions := strs(o.Options["extension"])
	if len(extensions) == 0 {
		extensions = []string{"js", "cjs", "mjs"}
	}
	var recursive bool
	_ = json.Unmarshal(o.Options["recursive"], &recursive)
	specs := o.Spec
	if len(specs) == 0 {
		specs = []string{"test"}
	}
	var takes []func(rel string) bool
	for _, s := range specs {
		takes = append(takes, l.spec(s, extensions, recursive))
	}
	ignore, bad := node.CompileGlobs(strs(o.Options["ignore"]), false)
	if len(bad) > 0 {
		l.guess("a pattern of files to ignore is not understood: " + strings.Join(bad, " "))
	}
	files := strs(o.Options["file"])
	for _, f := range append(append(strs(o.Options["require"]), files...), o.Config, ".mocharc.js", ".mocharc.cjs", ".mocharc.mjs",
		".mocharc.yaml", ".mocharc.yml", ".mocharc.jsonc", ".mocharc.json", "package.json", "tsconfig.json", "tsconfig.test.json",
		"babel.config.js", ".babelrc", ".swcrc") {
		if f != "" {
			l.global(f)
		}
	}
	for _, f := range node.Hooks(l.env, l.project, o.nodeFlags()...) {
		l.global(f)
	}
	listed := map[string]bool{}
	for _, f := range o.Files {
		rel, ok := node.Rel(l.context, f)
		// What --file names is loaded with every run; it holds tests seldom.
		if ok && !slices.Contains(l.out.Global, rel) {
			listed[rel] = true
		}
	}
	l.out.IsTest = func(rel string) bool {
		if listed[rel] {
			return true
		}
		p, ok := node.Under(l.project.Root, rel)
		if !ok || slices.Contains(l.out.Global, rel) || strings.HasPrefix(p, "node_modules/") || ignore.Match(p) {
			return false
		}
		return slices.ContainsFunc(takes, func(f func(string) bool) bool { return f(p) })
	}
	slices.Sort(l.out.Global)
	l.out.Aliases = node.NodePath(l.context, l.project)
	return l.out
}

// spec tells the files that one spec means: a folder's, a pattern's, or
// itself. Paths are relative to the project.
func (l *layout) spec(s string, extensions []string, recursive bool) func(string) bool {
	if filepath.IsAbs(s) {
		if rel, err := filepath.Rel(node.Dir(l.env, l.project), s); err == nil {
			s = rel
		}
	}
	s = path.Clean(filepath.ToSlash(s))
	st, err := os.Stat(filepath.Join(node.Dir(l.env, l.project), filepath.FromSlash(s)))
	if err == nil && !st.IsDir() {
		return func(p string) bool { return p == s }
	}
	known := func(p string) bool {
		return slices.ContainsFunc(extensions, func(e string) bool { return strings.HasSuffix(p, "."+strings.TrimPrefix(e, ".")) })
	}
	if err == nil || !strings.ContainsAny(s, "*?[{(") {
		return func(p string) bool {
			in, ok := node.Under(s, p)
			if !ok {
				return known(p) && strings.TrimSuffix(p, path.Ext(p)) == s
			}
			return known(p) && !strings.HasPrefix(path.Base(p), ".") && (recursive || !strings.Contains(in, "/"))
		}
	}
	g, err := node.CompileGlob(s, false)
	if err != nil {
		l.guess("the pattern " + s + " is not understood")
		return node.LooksLikeTest
	}
	return g.Match
}
