package fixers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// missingAwait waits for what was started and not waited for.
type missingAwait struct{}

func (missingAwait) Name() string { return "missing_await" }

func (missingAwait) Kinds() []runner.Kind {
	return []runner.Kind{runner.Timeout, runner.AssertionMismatch, runner.ThrownError, runner.UnhandledRejection, runner.AttributeError,
		runner.HookError, runner.Crash}
}

// Fix gives back a lost await first, then waits for calls of functions that
// are known to be asynchronous.
func (missingAwait) Fix(ctx context.Context, c Cause, w Workspace) ([]Fix, error) {
	v := look(w)
	out := v.lostAwaits(c)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	asks := map[string]bool{}
	for _, f := range out {
		for _, e := range f.Edits {
			asks[e.File] = asks[e.File] || f.Applicability == Propose
		}
	}
	for _, f := range v.unawaited(c) {
		for _, e := range f.Edits {
			if asks[e.File] {
				f.Applicability = Propose
			}
		}
		out = append(out, f)
	}
	return append(out, v.asyncFixtures(c)...), nil
}

// promiseSigns are how a promise or a coroutine shows where a value should be.
var promiseSigns = []string{"[object Promise]", "Promise {", "Promise<", "coroutine", "never awaited", "AsyncFunction", "async_generator",
	"a Promise", "Promise resolved", "thenable"}

// looksAsync tells whether a cause shows a promise in a value's place, or is
// of a kind that a missing wait explains: a rejection that nobody waits for
// ends a process, too.
func looksAsync(c Cause) bool {
	if c.Kind == runner.Timeout || c.Kind == runner.UnhandledRejection || c.Kind == runner.Crash {
		return true
	}
	for _, f := range c.Failures {
		for _, s := range promiseSigns {
			if strings.Contains(f.Received, s) || strings.Contains(f.Message, s) {
				return true
			}
		}
		if f.Received == "{}" {
			return true
		}
	}
	return false
}

// lostAwaits gives back the waits that the base has and the text has not.
func (v *view) lostAwaits(c Cause) []Fix {
	var rels []string
	for _, p := range v.places(c) {
		rels = append(rels, p.File)
	}
	for _, rel := range v.Changed() {
		if slices.ContainsFunc(rels, func(p string) bool { return p != "" && v.reaches(p, rel) }) {
			rels = append(rels, rel)
		}
	}
	seen := map[string]bool{}
	var out []Fix
	for _, rel := range rels {
		t, b := v.text(rel), v.before(rel)
		if t == nil || b == nil || seen[rel] || !v.editable(rel) {
			continue
		}
		seen[rel] = true
		groups := v.lostWaits(t, b, looksAsync(c))
		var all []lang.TextEdit
		for _, g := range groups {
			all = merge(all, g)
		}
		if len(all) == 0 {
			continue
		}
		whole, each := Safe, Likely
		if v.IsTest(rel) && slices.ContainsFunc(groups, losesAsync) {
			// Who takes both away writes a test of a call that nobody waits for.
			whole, each = Propose, Propose
		}
		out = append(out, Fix{Title: "wait again in " + rel, Applicability: whole, Rank: 0, Edits: inFile(rel, all),
			Evidence: rel + " waited here at the base"})
		for _, g := range groups {
			if len(groups) > 1 && len(groups) < 6 && !losesAsync(g) {
				out = append(out, Fix{Title: fmt.Sprintf("wait again in %s:%d", rel, t.lineOf(g[0].Start)), Applicability: each, Rank: 1,
					Edits: inFile(rel, g), Evidence: rel + " waited here at the base"})
			}
		}
	}
	return out
}

// losesAsync tells whether the edits of one hunk give a function its async back.
func losesAsync(edits []lang.TextEdit) bool { return strings.TrimSpace(edits[0].New) == "async" }

// lostWaits finds the hunks of which nothing is lost but waiting: await, the
// brackets around it, async, and a return before a call.
func (v *view) lostWaits(t, b *text, sure bool) [][]lang.TextEdit {
	m := &mender{v: v, t: t, base: b}
	bs, ts := structure(b), structure(t)
	hs := diffTokens(b, bs, t, ts)
	lost := func(h hunk) string {
		var w []string
		for _, k := range bs[h.A0:h.A1] {
			w = append(w, b.str(k))
		}
		return strings.Join(w, " ")
	}
	var out [][]lang.TextEdit
	waits := false
	for i, h := range hs {
		if h.B0 != h.B1 {
			continue
		}
		what := lost(h)
		var edits []lang.TextEdit
		switch what {
		case "await", "async", "await async", "return await":
		case "( await":
			if i+1 >= len(hs) || lost(hs[i+1]) != ")" || hs[i+1].B0 != hs[i+1].B1 {
				continue
			}
			edits = append(edits, m.gap(bs, ts, hs[i+1], ")"))
		case "return":
			if !sure || !v.returnsCall(t, ts, h.B0) {
				continue
			}
		default:
			if !sure || !callsDone(b, bs[h.A0:h.A1]) {
				continue
			}
		}
		if strings.Contains(what, "await") && !sure && !v.waitsForAsync(t, ts, h.B0, sure) {
			continue
		}
		text := b.at(lang.Span{Start: bs[h.A0].Start, End: bs[h.A1-1].End})
		e := m.gap(bs, ts, h, text)
		if isWait(what) && e.Start == e.End && h.B0 < len(ts) && !strings.HasSuffix(e.New, " ") && !strings.HasPrefix(t.at(lang.Span{Start: e.End, End: len(t.src)}), " ") && strings.TrimSpace(e.New) == e.New {
			e.New += " "
		}
		waits = waits || what != "async"
		out = append(out, append(edits, e))
	}
	if !waits {
		return nil // async alone waits for nothing
	}
	return out
}

// isWait tells whether lost tokens are words before a call.
func isWait(lost string) bool {
	last := lost[strings.LastIndexByte(lost, ' ')+1:]
	return last == "await" || last == "async" || last == "return"
}

// callsDone tells whether lost tokens are one call of what tests call when they
// are done, with at most one plain argument, or hand it to a member: .end(done).
func callsDone(b *text, ks []lang.Token) bool {
	n := len(ks)
	if n > 0 && b.str(ks[n-1]) == ";" {
		n--
	}
	word := func(i int) string {
		if i >= n {
			return ""
		}
		return b.str(ks[i])
	}
	switch {
	case word(0) == ".":
		return n == 5 && word(2) == "(" && isDone(word(3)) && word(4) == ")"
	case n == 3:
		return isDone(word(0)) && word(1) == "(" && word(2) == ")"
	}
	return n == 4 && isDone(word(0)) && word(1) == "(" && word(3) == ")"
}

func isDone(name string) bool {
	return slices.Contains([]string{"done", "cb", "callback", "next", "resolve"}, name)
}

// returnsCall tells whether a promise-like call follows in the present text.
func (v *view) returnsCall(t *text, ts []lang.Token, at int) bool {
	if at >= len(ts) {
		return false
	}
	i := t.index(ts[at].Start)
	if i < 0 {
		return false
	}
	for j := i; j < i+40 && j < len(t.significant()) && t.word(j) != ";"; j++ {
		switch t.word(j) {
		case "then", "catch", "resolves", "rejects", "Promise", "finally":
			return true
		}
	}
	return v.waitsForAsync(t, ts, at, true)
}

// waitsForAsync tells whether the call that begins at a token is of a function
// known to be asynchronous. A name or a member that nobody calls was awaited
// because it holds a promise.
func (v *view) waitsForAsync(t *text, ts []lang.Token, at int, sure bool) bool {
	if at >= len(ts) {
		return false
	}
	i := t.index(ts[at].Start)
	if i > 0 && returnsInTry(t, i) {
		return true
	}
	ks := t.significant()
	for j := i; i >= 0 && j < min(i+12, len(ks)); j++ {
		w := t.word(j)
		member := ks[j].Kind == lang.Ident || w == "." || w == "?."
		switch {
		case t.word(j+1) == "(":
			if b := v.before(t.path); b != nil && alwaysAwaited(b, w) && (sure || !isBuiltinMember(t.lang, w)) {
				return true
			}
			return isCombinator(t, j) || v.isAsyncCall(t, j, sure)
		case w == "=":
			return false
		case j > i && !member, j > i && w != "." && w != "?." && t.lineOf(ks[j].Start) > t.lineOf(ks[j-1].Start):
			return w == ";" || t.lineOf(ks[j].Start) > t.lineOf(ks[j-1].Start)
		}
	}
	return false
}

// isCombinator tells whether token j makes one promise of several.
func isCombinator(t *text, j int) bool {
	return t.isMember(j) && t.word(j-2) == "Promise" && slices.Contains([]string{"all", "allSettled", "any", "race"}, t.word(j))
}

// isAsyncCall tells whether the callee at token j is a function of the project
// that gives a promise or a coroutine. A method that builtin types have too
// counts only when the failure itself shows a promise.
func (v *view) isAsyncCall(t *text, j int, sure bool) bool {
	name := t.word(j)
	ks := t.significant()
	if j < 0 || j >= len(ks) || ks[j].Kind != lang.Ident || t.word(j+1) != "(" {
		return false
	}
	if !t.isMember(j) {
		for _, imp := range t.scan().Imports {
			for _, n := range imp.Names {
				if n.Local == name && n.Imported != "*" {
					m, exported := v.source(primary(imp, v.resolve(t, imp)), n.Imported)
					if mt := v.text(m); mt != nil && mt.lang.Name() == t.lang.Name() {
						local := localName(mt, exported)
						return asyncNames(mt)[local] || local == "default" && defaultIsAsync(mt)
					}
					return false
				}
			}
		}
		return asyncNames(t)[name]
	}
	// A member: asynchronous in a file that this one loads, and nowhere
	// otherwise.
	found := false
	files := []string{t.path}
	for _, imp := range t.scan().Imports {
		if imp.Kind != lang.Mock && imp.Kind != lang.TypeOnly {
			files = append(files, v.resolve(t, imp).Files...)
		}
	}
	for _, f := range files {
		mt := v.text(f)
		if mt == nil || !mt.mentions(name) {
			continue
		}
		if asyncNames(mt)[name] {
			found = true
			continue
		}
		for _, i := range mt.idents(name, 0) {
			if definesMember(mt, i) && mt.word(i+1) == "(" {
				return false
			}
		}
	}
	return found && (sure || !isBuiltinMember(t.lang, name))
}

func defaultIsAsync(t *text) bool {
	for i := range t.significant() {
		if t.word(i) == "default" && t.word(i-1) == "export" && t.word(i+1) == "async" {
			return true
		}
	}
	return false
}
