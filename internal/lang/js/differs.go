package js

import (
	"context"
	"maps"
	"path"
	"slices"

	"github.com/evanw/esbuild/pkg/api"

	"regreen/internal/lang"
)

var _ lang.Linker = Language{}

// Checked are the loaders that check types, runners of tests of types, and
// transformers that turn types into code.
func (Language) Checked() []string {
	return []string{"ts-jest", "ts-node", "ts-mocha", "jest-preset-angular", "rollup-plugin-typescript2", "@rollup/plugin-typescript",
		"tsd", "tsd-lite", "jest-runner-tsd", "jest-runner-tsc", "jest-runner-eslint", "tstyche",
		"typia", "@ryoppippi/unplugin-typia", "ts-auto-mock", "ttypescript", "ts-patch", "ts-transformer-keys", "typescript-is", "ts-runtime-checks", "typescript-transform-paths",
		"tst-reflect-transformer", "rttist", "@deepkit/type-compiler", "@automapper/transformer-plugin", "babel-plugin-typescript-to-proptypes", "vite-plugin-react-docgen-typescript",
		"@vue/babel-plugin-resolve-type", "vue-macros", "unplugin-vue-macros", "@vue-macros/volar"}
}

// Components are files of Vue: what a component takes may be a type of another
// file (https://vuejs.org/guide/typescript/composition-api.html).
func (Language) Components() []string { return []string{".vue"} }

// Differs compares two versions of a module with import and export statements
// as esbuild prints them, without types and comments.
//
// What both begin and end with is left aside: the statements between must be
// inert, which is to say that to run them does nothing but bind names
// (inert.go). A name that one of them binds differs, and so does every name
// bound by a statement that mentions one that differs. If a statement that is
// not inert mentions such a name, it may do something else than before.
//
// What an edit may do beside that is held off too: other imports (those that
// are dropped for being types alone included), other exports, a regular
// expression that may not be one, comments that a tool obeys, and elements,
// which are compiled to imports, where there were none.
func (l Language) Differs(ctx context.Context, p string, before, after []byte) (lang.Names, bool) {
	if ctx.Err() != nil || isComponent(p) || isTypes(p) || !l.sameShell(p, before, after) {
		return nil, false
	}
	a, ok := readModule(p, before)
	if !ok {
		return nil, false
	}
	b, ok := readModule(p, after)
	if !ok {
		return nil, false
	}
	return a.differs(b)
}

// sameShell compares what the printed texts do not tell.
func (l Language) sameShell(p string, before, after []byte) bool {
	x, y := l.Scan(p, before), l.Scan(p, after)
	if x.CommonJS || y.CommonJS || !slices.EqualFunc(valueImports(x), valueImports(y), sameImport) {
		return false
	}
	a, b := string(before), string(after)
	s, t := lex(a, 0, len(a), dialectOf(p)), lex(b, 0, len(b), dialectOf(p))
	if s.broken || t.broken || s.hasElements() != t.hasElements() || typesRun(p, s) || typesRun(p, t) {
		return false
	}
	return slices.Equal(s.obeyed(), t.obeyed()) && t.known(s) && t.spoken(s) && s.closed() && t.closed()
}

// typesRun tells whether types may be there when the text runs: compilers may
// hand those of decorated members to Reflect.metadata (emitDecoratorMetadata),
// so that names are used as values where esbuild prints none.
func typesRun(p string, t *text) bool {
	return isTypeScript(p) && slices.Contains(t.dialects(), "a decorator")
}

// valueImports leaves out those that are types alone.
func valueImports(f *lang.File) []lang.Import {
	var out []lang.Import
	for _, i := range f.Imports {
		if i.Kind == lang.TypeOnly {
			continue
		}
		i.Names = slices.DeleteFunc(slices.Clone(i.Names), func(n lang.Name) bool { return n.TypeOnly })
		out = append(out, i)
	}
	return out
}

func sameImport(a, b lang.Import) bool {
	return a.Kind == b.Kind && a.Specifier == b.Specifier && a.Lazy == b.Lazy &&
		slices.EqualFunc(a.Names, b.Names, func(m, n lang.Name) bool { return m.Imported == n.Imported && m.Local == n.Local })
}

// obeyed are the comments that a tool obeys, in order.
func (t *text) obeyed() []string {
	var out []string
	for i := range t.comments {
		if c := t.src[t.comments[i].start:t.comments[i].end]; isPragma(c) {
			out = append(out, c)
		}
	}
	return out
}

// known tells whether the text has no regular expression that the other has
// not: one that does not parse stops the whole file, and esbuild lets it pass.
func (t *text) known(other *text) bool {
	had := map[string]bool{}
	for i := range other.toks {
		if other.toks[i].kind == kRegexp {
			had[other.str(i)] = true
		}
	}
	for i := range t.toks {
		if t.toks[i].kind == kRegexp && !had[t.str(i)] {
			return false
		}
	}
	return true
}

// spoken tells whether the text uses no syntax that esbuild reads, but not every
// tool, unless the other uses it too: it would stop the whole file.
func (t *text) spoken(other *text) bool {
	had := other.dialects()
	return !slices.ContainsFunc(t.dialects(), func(d string) bool { return !slices.Contains(had, d) })
}

// dialects names the syntax of a text that some tools do not read: Node, Babel
// and Vite fail at decorators, accessors and using, Node at what is more than to
// strip types (https://nodejs.org/api/typescript.html#typescript-features).
func (t *text) dialects() []string {
	var out []string
	for i := range t.toks {
		d := ""
		switch next := t.word(i + 1); {
		case t.kindAt(i) == kPunct && t.is(i, "@"):
			d = "a decorator"
		case !t.word(i) || !next && t.kindAt(i+1) != kPrivate && !t.is(i+1, "["):
		case t.is(i, "using"), t.is(i, "accessor"), t.is(i, "enum") && next, t.is(i, "namespace") && next:
			d = t.str(i)
		case next && (t.is(i-1, "(") || t.is(i-1, ",")) && slices.Contains([]string{"public", "private", "protected", "readonly", "override"}, t.str(i)):
			d = "a parameter that is a property"
		}
		if d != "" && !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// closed tells whether no code may see all names, or the module as an object.
func (t *text) closed() bool {
	for i := range t.toks {
		if t.toks[i].kind == kIdent && !t.is(i-1, ".") && (t.is(i, "eval") || t.is(i, "exports") || t.is(i, "module") && !t.is(i+1, ":")) {
			return false
		}
	}
	return true
}

// Module reads what the names of other modules mean to a text with import and
// export statements.
func (l Language) Module(p string, src []byte) (lang.Module, bool) {
	if isComponent(p) || isTypes(p) || l.Scan(p, src).CommonJS {
		return nil, false
	}
	s := string(src)
	if t := lex(s, 0, len(s), dialectOf(p)); t.broken || !t.closed() || typesRun(p, t) {
		return nil, false
	}
	m, ok := readModule(p, src)
	if !ok {
		return nil, false
	}
	m.shrink()
	return m, true
}

// readModule reads a text as it runs; false where it does not parse.
func readModule(p string, src []byte) (*module, bool) {
	loader := api.LoaderJSX
	switch path.Ext(p) {
	case ".ts", ".mts", ".cts":
		loader = api.LoaderTS
	case ".tsx":
		loader = api.LoaderTSX
	}
	r := api.Transform(string(src), api.TransformOptions{
		Loader:        loader,
		Sourcefile:    p,
		LogLevel:      api.LogLevelSilent,
		Target:        api.ESNext,
		JSX:           api.JSXPreserve,
		TreeShaking:   api.TreeShakingFalse,
		LegalComments: api.LegalCommentsNone,
		Charset:       api.CharsetUTF8,
		TsconfigRaw:   `{}`,
	})
	if len(r.Errors) > 0 {
		return nil, false
	}
	out := string(r.Code)
	t := lex(out, 0, len(out), dialect{jsx: true})
	if t.broken {
		return nil, false
	}
	return newModule(t), true
}

// differs tells the exported names that differ from those of a later version.
func (m *module) differs(n *module) (lang.Names, bool) {
	same := func(i, j int) bool { return m.statements[i].text == n.statements[j].text }
	x, y := len(m.statements), len(n.statements)
	head := 0
	for head < x && head < y && same(head, head) {
		head++
	}
	tail := 0
	for tail < x-head && tail < y-head && same(x-1-tail, y-1-tail) {
		tail++
	}
	differ := lang.Names{}
	for _, side := range []struct{ of, against *module }{{m, n}, {n, m}} {
		for _, s := range side.of.statements[head : len(side.of.statements)-tail] {
			if !s.inert || len(s.reads) > 0 || !side.against.extends(s.heritage) {
				return nil, false
			}
			for _, name := range s.binds {
				// In a cycle, what a function statement declares is there early.
				if side.against.defines(name) && side.of.functions[name] != side.against.functions[name] {
					return nil, false
				}
				differ.Add(name, m.classes[name] && n.classes[name])
			}
		}
	}
	for before := lang.Names(nil); !maps.Equal(before, differ); {
		before = maps.Clone(differ)
		if !m.spread(differ) || !n.spread(differ) {
			return nil, false
		}
	}
	a, b := m.exports(), n.exports()
	if len(a) != len(b) {
		return nil, false
	}
	out := lang.Names{}
	for name, local := range a {
		now, ok := b[name]
		if !ok {
			return nil, false
		}
		if class, differs := differ[local]; differs || now != local {
			out.Add(name, class && now == local)
		}
	}
	return out, true
}
