package node

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"regreen/internal/lazyregexp"
)

// invocation is one start of the framework as a script writes it.
type invocation struct {
	dir      string // rel folder it starts in
	env      map[string]string
	nodeArgs []string // flags of an explicit node
	args     []string
}

// scriptNames are tried first, in this order.
var scriptNames = []string{"test", "test:unit", "unit", "test:units", "unit-test", "unit-tests", "tests", "test:all",
	"test:ci", "ci:test", "test:run", "test:node", "test:js", "test:src", "test-unit", "test:only", "jest", "vitest", "mocha"}

var (
	testLike = lazyregexp.New(`(^|[:\-_.])(tests?|spec|specs|unit)($|[:\-_.])`)
	// notUnit are parts of script names that stand for something else than the
	// project's tests.
	notUnit = lazyregexp.New(`(?i)(^|[:\-_.])(e2e|lint|eslint|build|types?|typecheck|type-check|tsc|tsd|bench|benchmark|perf|cypress|playwright|browser|format|prettier|docs?|release|deploy|storybook|visual)($|[:\-_.])`)
)

// scriptOrder lists the scripts that may be the project's tests, the likeliest
// first.
func scriptOrder(scripts map[string]string) []string {
	var out, cover, watch []string
	for _, n := range scriptNames {
		if _, ok := scripts[n]; ok {
			out = append(out, n)
		}
	}
	rest := slices.Sorted(maps.Keys(scripts))
	for _, n := range rest {
		if slices.Contains(out, n) || notUnit.MatchString(n) || !testLike.MatchString(n) {
			continue
		}
		switch {
		case strings.Contains(n, "watch") || strings.Contains(n, "debug") || strings.Contains(n, "update"):
			watch = append(watch, n)
		case strings.Contains(n, "cov"):
			cover = append(cover, n)
		default:
			out = append(out, n)
		}
	}
	for _, n := range []string{"coverage", "cov", "cover"} {
		if _, ok := scripts[n]; ok && !slices.Contains(cover, n) {
			cover = append(cover, n)
		}
	}
	return append(append(out, cover...), watch...)
}

// word is one expanded word of a script.
type word struct {
	text string
	glob bool // it holds a pattern that the shell would expand
}

// walker follows scripts to the invocations of one framework.
type walker struct {
	repo      *repo
	spec      Spec
	seen      map[string]bool // scripts on the way, so that a ring ends
	out       []invocation
	delegated bool // a script starts those of other packages
	depth     int
}

// maxDepth bounds how far scripts are followed through each other.
const maxDepth = 12

// script follows one script of a folder's manifest. extra is what the caller
// appends to it.
func (w *walker) script(dir, name string, env map[string]string, extra []word) {
	m := w.repo.manifests[dir]
	if m == nil || w.depth > maxDepth {
		return
	}
	text, ok := m.scripts[name]
	key := dir + "\x00" + name
	if !ok || w.seen[key] {
		return
	}
	w.seen[key] = true
	w.depth++
	if strings.TrimSpace(text) == "wireit" {
		text = wireit(m, name)
	}
	w.shell(dir, text, env, extra)
	w.depth--
	delete(w.seen, key)
}

// shell walks the commands of a script's text. Of a || b only a counts.
func (w *walker) shell(dir, text string, env map[string]string, extra []word) {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return
	}
	st := &state{w: w, dir: dir, env: maps.Clone(env)}
	if st.env == nil {
		st.env = map[string]string{}
	}
	if len(f.Stmts) == 0 {
		return
	}
	for i, s := range f.Stmts {
		if i == len(f.Stmts)-1 {
			st.extra = extra
		}
		st.stmt(s)
	}
}

// state is a shell's folder and environment on the way through a script.
type state struct {
	w     *walker
	dir   string
	env   map[string]string
	extra []word // appended to the last command
}

func (s *state) stmt(st *syntax.Stmt) {
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		s.call(c)
	case *syntax.BinaryCmd:
		extra := s.extra
		if c.Op == syntax.AndStmt {
			s.extra = nil
			s.stmt(c.X)
			s.extra = extra
			s.stmt(c.Y)
			return
		}
		s.stmt(c.X)
	case *syntax.Subshell:
		sub := &state{w: s.w, dir: s.dir, env: maps.Clone(s.env), extra: s.extra}
		for _, x := range c.Stmts {
			sub.stmt(x)
		}
	case *syntax.Block:
		for _, x := range c.Stmts {
			s.stmt(x)
		}
	case *syntax.IfClause:
		for _, x := range c.Then {
			s.stmt(x)
		}
	case *syntax.DeclClause:
		for _, a := range c.Args {
			if a.Name != nil {
				s.env[a.Name.Value] = s.literal(a.Value)
			}
		}
	}
}

func (s *state) call(c *syntax.CallExpr) {
	env := s.env
	if len(c.Assigns) > 0 {
		env = maps.Clone(s.env)
		for _, a := range c.Assigns {
			if a.Name != nil {
				env[a.Name.Value] = s.literal(a.Value)
			}
		}
		if len(c.Args) == 0 {
			s.env = env
			return
		}
	}
	var words []word
	for _, arg := range c.Args {
		words = append(words, s.words(arg)...)
	}
	words = append(words, s.extra...)
	if len(words) == 0 {
		return
	}
	switch words[0].text {
	case "cd", "pushd":
		if len(words) > 1 {
			s.dir = path.Join(s.dir, words[1].text)
		}
		return
	case "export":
		for _, x := range words[1:] {
			if k, v, ok := strings.Cut(x.text, "="); ok {
				s.env[k] = v
			}
		}
		return
	}
	s.w.command(s.dir, env, words)
}

// config expands with the script's environment over the user's; nothing is run
// and nothing is globbed.
func (s *state) config() *expand.Config {
	pairs := slices.Clone(s.w.repo.in.Environ)
	for k, v := range s.env {
		pairs = append(pairs, k+"="+v)
	}
	sort.Strings(pairs)
	return &expand.Config{Env: expand.ListEnviron(pairs...)}
}

func (s *state) literal(wd *syntax.Word) string {
	if wd == nil {
		return ""
	}
	text, err := expand.Literal(s.config(), wd)
	if err != nil {
		return ""
	}
	return text
}

// words expands one word. "$(npm bin)" stands for node_modules/.bin.
func (s *state) words(wd *syntax.Word) []word {
	glob := false
	parts := make([]syntax.WordPart, len(wd.Parts))
	for i, p := range wd.Parts {
		parts[i] = p
		switch p := p.(type) {
		case *syntax.Lit:
			glob = glob || strings.ContainsAny(p.Value, "*?[")
		case *syntax.ExtGlob:
			glob = true
			parts[i] = &syntax.Lit{Value: p.Op.String() + p.Pattern.Value + ")"}
		case *syntax.CmdSubst:
			parts[i] = &syntax.Lit{Value: "node_modules/.bin"}
		}
	}
	plain := &syntax.Word{Parts: parts}
	fields, err := expand.Fields(s.config(), plain)
	if err != nil {
		return nil
	}
	out := make([]word, 0, len(fields))
	for _, f := range fields {
		if glob {
			f = s.shellGlob(f)
		}
		out = append(out, word{text: f, glob: glob})
	}
	return out
}

// shellGlob gives an unquoted pattern the meaning that sh gives it: "**" is
// "*" there. Where that matches nothing, sh leaves the pattern as it is.
func (s *state) shellGlob(pattern string) string {
	if !strings.Contains(pattern, "**") {
		return pattern
	}
	flat := regexp.MustCompile(`\*\*+`).ReplaceAllString(pattern, "*")
	want := path.Join(s.dir, strings.TrimPrefix(flat, "./"))
	for _, f := range s.w.repo.in.Files {
		if ok, err := doublestar.Match(want, f); err == nil && ok {
			return flat
		}
	}
	return pattern
}
