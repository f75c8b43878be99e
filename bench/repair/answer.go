package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"regreen/cycle"
	"regreen/internal/lang"
)

// A place is valid only where the fault has a right answer that passes the
// tests. Most kinds have the original for an answer, which was green to begin
// with. A rename's answer is to follow it, and that of changed parameters to
// bring the calls up to date; there a test may be red with the right answer too,
// for it holds the old name in a text that it expects, or calls what it cannot
// be seen to call. Then there is nothing to repair to, and another place is
// drawn. Of a moved file all that the answer has to do is that whoever asked for
// it gets it: so it is asked with one at the old path that hands it on, and a
// test that is red then looks at where the file lies or what it is called. A
// repair that was merged as it should be has passed the tests itself, so only
// cases without one are asked, and a wrong one counts in any case.

// renamed are the answers to a rename, which differ in how much of the tests'
// strings goes along. what is in own was renamed by the fault, as broken says;
// no own is that the fault renamed a definition alone.
func (s *site) renamed(own, from, to string, broken map[string][]byte) []map[string][]byte {
	follow := func(strings func(rel, quoted string) bool) map[string][]byte {
		out := map[string][]byte{}
		for rel, src := range broken {
			out[rel] = src
		}
		for _, rel := range s.tree.files() {
			if !s.sameLanguage(rel, s.anyOf(broken)) {
				continue
			}
			src := s.tree[rel]
			if rel == own {
				src = broken[rel]
			}
			if edits := renames(s.langs, rel, src, from, to, rel != own, strings); len(edits) > 0 {
				out[rel] = lang.Apply(src, edits)
			}
		}
		return out
	}
	source := func(rel, text string) bool { return text == from && !testPath.MatchString(rel) }
	anywhere := func(_, text string) bool {
		return text == from || strings.HasSuffix(text, "."+from)
	}
	return []map[string][]byte{follow(source), follow(anywhere)}
}

func (s *site) anyOf(files map[string][]byte) string { return sortedKeys(files)[0] }

// renames are the edits that rename a file's identifiers, if asked, and those of
// its strings whose text inside a rule takes.
func renames(ls lang.Set, rel string, src []byte, from, to string, idents bool, inside func(rel, text string) bool) []lang.TextEdit {
	var out []lang.TextEdit
	for _, k := range code(ls, rel, src) {
		text := string(src[k.Start:k.End])
		switch {
		case idents && k.Kind == lang.Ident && text == from:
			out = append(out, lang.TextEdit{Span: k.Span, New: to})
		case k.Kind == lang.String && len(text) > 2 && inside(rel, text[1:len(text)-1]):
			end := k.End - 1
			out = append(out, lang.TextEdit{Span: lang.Span{Start: end - len(from), End: end}, New: to})
		}
	}
	return out
}

// movedToo is the answer to a moved file: its own imports lead where they led,
// and what asks for it at its old path gets the very same module.
func (s *site) movedToo(from, to string, edits map[string][]byte) []map[string][]byte {
	out := map[string][]byte{}
	for rel, src := range edits {
		out[rel] = src
	}
	f := s.scan(from)
	if path.Dir(to) != path.Dir(from) {
		var own []lang.TextEdit
		for _, imp := range f.Imports {
			if !strings.HasPrefix(imp.Specifier, ".") || imp.SpecSpan.Len() == 0 {
				continue
			}
			deeper := "../" + strings.TrimPrefix(imp.Specifier, "./")
			if python(from) {
				deeper = "." + imp.Specifier
			}
			own = append(own, lang.TextEdit{Span: imp.SpecSpan, New: deeper})
		}
		out[to] = lang.Apply(s.tree[from], own)
	}
	rel := strings.TrimPrefix(to, path.Dir(from)+"/")
	switch {
	case python(from):
		out[from] = fmt.Appendf(nil, handOn, strings.ReplaceAll(strings.TrimSuffix(rel, ".py"), "/", "."))
	case f.CommonJS:
		out[from] = fmt.Appendf(nil, "module.exports = require('./%s');\n", rel)
	default:
		if strings.HasPrefix(path.Ext(rel), ".ts") {
			rel = strings.TrimSuffix(rel, path.Ext(rel))
		}
		out[from] = fmt.Appendf(nil, "export * from './%s';\n", rel)
		if slices.ContainsFunc(f.Exports, func(e lang.Export) bool { return e.Name == "default" }) {
			out[from] = fmt.Appendf(out[from], "export { default } from './%s';\n", rel)
		}
	}
	return []map[string][]byte{out}
}

// handOn is a module of Python that is another one from the moment on at which
// that begins to load, so that modules may still import each other in a circle.
const handOn = `import importlib.util, sys
_name = (__package__ + "." if __package__ else "") + "%s"
_spec = importlib.util.find_spec(_name)
_module = importlib.util.module_from_spec(_spec)
sys.modules[_name] = sys.modules[__name__] = _module
_spec.loader.exec_module(_module)
if "." in _name:
    setattr(sys.modules[_name.rpartition(".")[0]], _name.rpartition(".")[2], _module)
`

// unanswered tells whether every known answer to a fault leaves a test red, and
// it has one.
func (r *repo) unanswered(ctx context.Context, f *fault) (bool, error) {
	for _, files := range f.answers {
		red, err := r.redWith(ctx, files)
		if err != nil || !red {
			return false, err
		}
	}
	return len(f.answers) > 0, nil
}

// redWith runs everything on the original with some files changed. It commits
// them for that time: no repair and no cause is looked for in what is not
// modified. What does not end in a verdict is not red.
func (r *repo) redWith(ctx context.Context, files map[string][]byte) (red bool, err error) {
	if err := r.restore(ctx); err != nil {
		return false, err
	}
	if _, err := r.put(files); err != nil {
		return false, err
	}
	if err := r.commit(ctx); err != nil {
		return false, err
	}
	doc, err := r.regreen(ctx, "--all", "--no-merge", "--max-iterations", "1")
	_, back := r.git(ctx, "reset", "-q", "--hard", "HEAD~1")
	if err := errors.Join(err, back); err != nil {
		return false, err
	}
	return slices.Contains([]cycle.Outcome{cycle.Failed, cycle.Proposed}, doc.Outcome), nil
}
