package fixers

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// syntaxError mends a text that does not parse by one token.
type syntaxError struct{}

func (syntaxError) Name() string { return "syntax_error" }

func (syntaxError) Kinds() []runner.Kind { return []runner.Kind{runner.SyntaxError} }

// attempt is one edit that may make a text parse.
type attempt struct {
	edits []lang.TextEdit
	what  string // "insert )"
	// class orders guesses that the base cannot tell apart, lowest first.
	class int
	// weak marks a guess that is only ever shown: it takes something away, or
	// opens what was closed, and nothing in the base says so.
	weak bool
	// vouched marks an edit that takes the text back to the base.
	vouched bool
	// layout marks a change of indentation, which changes meaning: it counts
	// only where the result is laid out as the base is.
	layout bool
}

// maxChecks bounds how often a text is parsed for one cause.
const maxChecks = 400

// Fix diffs against the last good version first; guesses follow only when that
// leads to nothing.
func (syntaxError) Fix(ctx context.Context, c Cause, w Workspace) ([]Fix, error) {
	v := look(w)
	t, bad, err := v.notParsing(ctx, c)
	if t == nil || err != nil {
		return nil, err
	}
	base := v.before(t.path)
	parses := false
	if base != nil {
		b, err := base.lang.Check(ctx, base.path, base.src)
		parses = err == nil && b == nil
	}
	s := &mender{v: v, t: t, bad: bad, left: max(60, min(maxChecks, (24<<20)/(len(t.src)+1)))}
	if parses {
		s.base = base
		s.try(ctx, s.fromBase())
		if len(s.good) == 0 {
			s.tryTogether(ctx)
		}
	}
	if len(s.good) == 0 {
		s.try(ctx, s.guesses())
	}
	if len(s.good) == 0 && base != nil && !parses && v.saysOf(c, t.path) {
		s = &mender{v: v, t: t, bad: bad, base: base, unread: true, left: maxUnread}
		s.try(ctx, s.fromBase())
	}
	return s.fixes(), ctx.Err()
}

// maxUnread bounds the edits that no parser of ours can judge.
const maxUnread = 8

// saysOf tells whether the framework itself names a file as the one that does
// not parse.
func (v *view) saysOf(c Cause, rel string) bool {
	return c.Place.File == rel || slices.ContainsFunc(c.Failures, func(f runner.Failure) bool { return f.Place.File == rel })
}

// notParsing finds the text that a cause is about: at its places, else among
// the changed files.
func (v *view) notParsing(ctx context.Context, c Cause) (*text, *lang.SyntaxError, error) {
	var rels []string
	for _, p := range v.places(c) {
		rels = append(rels, p.File)
	}
	rels = append(rels, v.Changed()...)
	seen := map[string]bool{}
	for _, rel := range rels {
		t := v.text(rel)
		if t == nil || seen[rel] || !v.editable(rel) {
			continue
		}
		if seen[rel] = true; len(seen) > 40 {
			break
		}
		bad, err := v.check(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		if bad != nil {
			return t, bad, nil
		}
	}
	return nil, nil, nil
}

// mender collects what makes one text parse.
type mender struct {
	v    *view
	t    *text
	bad  *lang.SyntaxError
	base *text
	// unread marks a text of a dialect that our parser does not know, whose
	// base does not parse either: the one mark that takes the text's tokens
	// back to the base is tried, and the framework is the parser.
	unread bool
	left   int
	done   map[string]bool // results tried
	good   []mended
}

// mended is an attempt whose result parses.
type mended struct {
	attempt
	dist  int // tokens between the result and the base, -1 without a base
	chars int // letters between them
	group [4]int
}

// try parses the results of attempts, in order, within the budget.
func (m *mender) try(ctx context.Context, as []attempt) {
	if m.done == nil {
		m.done = map[string]bool{}
	}
	sort.SliceStable(as, func(i, j int) bool { return as[i].class < as[j].class })
	for _, a := range as {
		if ctx.Err() != nil {
			return
		}
		src := lang.Apply(m.t.src, a.edits)
		r := &text{path: m.t.path, src: src, lang: m.t.lang}
		key := tokenLine(r)
		if m.done[key] && !a.layout {
			continue
		}
		m.done[key] = true
		if m.left--; m.left < 0 {
			return
		}
		if !m.unread {
			if bad, err := m.t.lang.Check(ctx, m.t.path, src); err != nil || bad != nil {
				continue
			}
		}
		g := mended{attempt: a, dist: -1}
		if m.base != nil {
			hs := diffTokens(m.base, structure(m.base), r, structure(r))
			g.dist = editDistance(hs)
			g.chars = editDistance(diffStrings(letters(m.base.src), letters(src)))
			if a.layout && (m.unread || !sameLayout(m.base, r, hs)) || m.unread && g.dist > 0 {
				continue
			}
		}
		m.good = append(m.good, g)
	}
}

// tokenLine is a text's tokens with single spaces between: results that differ
// in white space alone are one.
func tokenLine(t *text) string {
	var b strings.Builder
	for _, k := range structure(t) {
		b.WriteString(tokenKey(t, k))
		b.WriteByte('\x01')
	}
	return b.String()
}

// structure are a text's tokens without comments.
func structure(t *text) []lang.Token {
	return slices.DeleteFunc(slices.Clone(t.tokens()), func(k lang.Token) bool { return k.Kind == lang.Comment })
}

// sameLayout tells whether no difference between two texts is one of
// indentation.
func sameLayout(a, b *text, hs []hunk) bool {
	as, bs := structure(a), structure(b)
	layout := func(k lang.Token) bool { return k.Kind == lang.Indent || k.Kind == lang.Dedent }
	for _, h := range hs {
		if slices.ContainsFunc(as[h.A0:h.A1], layout) || slices.ContainsFunc(bs[h.B0:h.B1], layout) {
			return false
		}
	}
	return true
}

// tryTogether applies the base's own edits at once, where one alone does not
// do: two tokens were lost.
func (m *mender) tryTogether(ctx context.Context) {
	for _, set := range [][]attempt{m.byTokens(), m.byLines()} {
		var all []lang.TextEdit
		var what []string
		for _, a := range set {
			if before := len(all); !a.layout {
				if all = merge(all, a.edits); len(all) > before {
					what = append(what, a.what)
				}
			}
		}
		if len(what) > 1 && len(what) < 5 {
			m.try(ctx, []attempt{{edits: all, what: strings.Join(what, ", "), vouched: true}})
		}
	}
}

// letters are a text's characters, one string each.
func letters(src []byte) []string { return strings.Split(string(src), "") }

// maxAlternatives bounds the guesses that the tests choose among.
const maxAlternatives = 4

// The groups of what parses, best first.
const (
	byBase   = iota // the base says so
	byTests         // guesses: only the tests can tell them apart
	unlikely        // more guesses than anyone would try
	byUser          // weak ones
)

// fixes ranks what parses. What the base vouches for comes first, the nearest
// to it in front. Without that the best guesses are alternatives of one rank,
// whichever is the likeliest: where a place is not run by any test, all of them
// pass, and then none may be applied.
func (m *mender) fixes() []Fix {
	if len(m.good) == 0 {
		return nil
	}
	vouched := m.rank()
	var out []Fix
	rank, size := 0, map[[4]int]int{}
	for _, g := range m.good {
		size[g.group]++
	}
	for i, g := range m.good {
		if i > 0 && g.group != m.good[i-1].group {
			rank++
		}
		if rank > 3 {
			break
		}
		f := Fix{Title: fmt.Sprintf("%s in %s:%d", g.what, m.t.path, m.t.lineOf(g.edits[0].Start)), Applicability: Likely, Rank: rank,
			Edits: inFile(m.t.path, g.edits), Evidence: "the file parses then"}
		if g.group[0] == byBase {
			f.Evidence = "the base has it so, and the file parses"
			if m.unread {
				f.Evidence = "the base has it so"
			}
		}
		if g.group[0] > byTests || g.group[0] == byTests && vouched || size[g.group] > maxAlternatives {
			f.Applicability = Propose
		}
		out = append(out, f)
	}
	return out
}

// rank sorts what parses into its groups, and tells whether the base vouches
// for any of it.
func (m *mender) rank() (vouched bool) {
	now, nowChars := -1, -1
	if m.base != nil {
		now = editDistance(diffTokens(m.base, structure(m.base), m.t, structure(m.t)))
		nowChars = editDistance(diffStrings(letters(m.base.src), letters(m.t.src)))
	}
	for i := range m.good {
		g := &m.good[i]
		// A guess that makes the text nearer to the base by each letter that it
		// adds is the base's own, beside other changes.
		own := g.vouched || g.dist >= 0 && g.dist < now && g.chars == nowChars-g.letters()
		switch {
		case g.weak:
			g.group = [4]int{byUser, g.class}
		case own && m.base != nil:
			g.group = [4]int{byBase, g.dist, g.chars}
			vouched = true
		default:
			g.group = [4]int{byTests, g.class, g.dist}
		}
	}
	order := func(a, b mended) int { return slices.Compare(a.group[:], b.group[:]) }
	slices.SortStableFunc(m.good, order)
	n := 0
	for i := range m.good {
		g := &m.good[i]
		if g.group[0] != byTests {
			continue
		}
		if n++; n <= maxAlternatives {
			g.group = [4]int{byTests}
		} else {
			g.group = [4]int{unlikely}
		}
	}
	slices.SortStableFunc(m.good, order)
	return vouched
}

// letters are how many an attempt adds.
func (a attempt) letters() int {
	n := 0
	for _, e := range a.edits {
		n += len([]rune(e.New)) - e.Len()
	}
	return n
}
