package main

import (
	"context"
	"errors"
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
// drawn. A repair that was merged as it should be has passed the tests itself, so
// only cases without one are asked, and a wrong one counts in any case. The
// answer to a moved file is not made here: each such place counts.

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
