package fixers

import (
	"context"
	"fmt"
	"slices"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// followDiff mends what the user's own diff visibly broke, where the failure
// does not name it: the error was caught and wrapped, a server answered 500, an
// undefined value went on its way. It asks only for what can be told from the
// texts alone; that it is the cause, the tests have to prove.
type followDiff struct{}

func (followDiff) Name() string { return "follow_diff" }

func (followDiff) Kinds() []runner.Kind {
	return []runner.Kind{runner.AssertionMismatch, runner.ThrownError, runner.Timeout, runner.HookError, runner.UnhandledRejection,
		runner.AttributeError, runner.SnapshotMismatch, runner.Crash, runner.Unknown}
}

// rankFollowDiff is behind what the failure itself points to.
const rankFollowDiff = 40

// Fix looks through the changed files.
func (followDiff) Fix(ctx context.Context, c Cause, w Workspace) ([]Fix, error) {
	v := look(w)
	var out []Fix
	for _, rel := range v.Changed() {
		t, b := v.text(rel), v.before(rel)
		if t == nil || b == nil || !v.editable(rel) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out = append(out, v.unboundByDiff(c, t, b)...)
		out = append(out, v.unreadByDiff(t)...)
		out = append(out, v.renamedByDiff(rel)...)
		out = append(out, v.membersByDiff(t)...)
	}
	out = append(out, v.movesByDiff()...)
	// Each is evident by itself: where two help they mend two things, and the
	// order is that of the files.
	for i := range out {
		out[i].Rank = rankFollowDiff + i
		out[i].Applicability = min(out[i].Applicability, Likely)
	}
	return out, nil
}

// unboundByDiff finds names that the base bound and the present text uses
// unbound: an import that was lost, a slip of the pen.
func (v *view) unboundByDiff(c Cause, t, b *text) []Fix {
	var out []Fix
	seen := map[string]bool{}
	for _, imp := range b.scan().Imports {
		for _, n := range imp.Names {
			if n.Local == "" || n.Local == "*" || seen[n.Local] {
				continue
			}
			seen[n.Local] = true
			if i, ok := unboundUse(t, n.Local); ok {
				out = append(out, v.lostImport(c, unbound{t, n.Local, i})...)
			}
		}
	}
	for _, s := range v.swaps(t.path) {
		if seen[s.new] || t.isMember(s.i) || isKey(t, s.i) || !isTypo(s.old, s.new) || usableAt(t, s.tok.Start, s.new) || definesHere(t, s.i) {
			continue
		}
		seen[s.new] = true
		out = append(out, v.restoredName(c, unbound{t, s.new, s.i})...)
	}
	for _, s := range v.swaps(t.path) {
		if seen[s.old] || t.isMember(s.i) || !boundAt(t, s.tok.End, s.new) {
			continue
		}
		seen[s.old] = true
		if i, ok := unboundUse(t, s.old); ok {
			out = append(out, oneOf(v.renamedDefinition(c, unbound{t, s.old, i}))...)
		}
	}
	return out
}

// oneOf are alternatives: where more than one may be applied, none is.
func oneOf(fs []Fix) []Fix {
	first := slices.IndexFunc(fs, func(f Fix) bool { return f.Applicability != Propose })
	if first < 0 || !slices.ContainsFunc(fs[first+1:], func(f Fix) bool { return f.Applicability != Propose }) {
		return fs
	}
	for i := range fs {
		fs[i].Applicability = Propose
	}
	return fs
}

// movesByDiff follows the moves that the diff left importers behind of: an
// import inside a try, or where another error is expected, fails unseen.
func (v *view) movesByDiff() []Fix {
	var out []Fix
	for _, r := range v.movesOf().list() {
		l := v.Languages().For(r.From)
		if l == nil {
			continue
		}
		if b, ok := v.brokenByMove(l, r.From); ok {
			out = append(out, v.followMoves(b)...)
		}
	}
	return out
}

// brokenByMove is the first import that led to a file which was moved.
func (v *view) brokenByMove(l lang.Language, from string) (broken, bool) {
	for _, rel := range v.sources(l) {
		t := v.text(rel)
		if t == nil || !t.mentions(baseName(from)) {
			continue
		}
		for _, b := range v.brokenImports(t) {
			if b.was == from {
				return b, true
			}
		}
	}
	return broken{}, false
}

// unreadByDiff finds what is assigned to a misspelt variable that nothing
// reads, while the one that was meant keeps its value.
func (v *view) unreadByDiff(t *text) []Fix {
	var out []Fix
	for _, s := range v.swaps(t.path) {
		if t.isMember(s.i) || isKey(t, s.i) || !usableAt(t, s.tok.Start, s.old) || !usableAt(t, s.tok.Start, s.new) {
			continue
		}
		if back, ok := v.misspeltDeclaration(t, s, 0); ok {
			out = append(out, back)
		}
	}
	return out
}

// unboundUse finds a use of a name that nothing binds any more.
func unboundUse(t *text, name string) (int, bool) {
	for _, i := range t.idents(name, 0) {
		if !t.isMember(i) && !isKey(t, i) && !usableAt(t, t.significant()[i].Start, name) {
			return i, true
		}
	}
	return 0, false
}

// definesHere tells whether an identifier is what a declaration binds, or a
// member's name: no use of a variable.
func definesHere(t *text, i int) bool { return definesMember(t, i) }

// renamedByDiff follows the exports that a file's diff renamed to those who
// still take the old name from it.
func (v *view) renamedByDiff(module string) []Fix {
	t := v.text(module)
	was := withPrivate(v.offered(pathOf(v.before(module))), v.before(module))
	var out []Fix
	for _, name := range was.sorted() {
		if name == "default" || was.origin[name] != "" {
			continue
		}
		hs, had := v.heirs(module, name)
		if !had || len(hs) != 1 {
			continue
		}
		all, files := v.followExport(t.lang, module, name, hs[0].name, "")
		if len(all) == 0 {
			continue
		}
		if back, ok := v.misspeltExport(module, name, hs[0].name); ok {
			out = append(out, back)
			continue
		}
		out = append(out, Fix{Title: fmt.Sprintf("rename %s to %s in %s", name, hs[0].name, fileCount(len(files))), Applicability: hs[0].level,
			Edits: all, Evidence: hs[0].why})
	}
	return out
}

// membersByDiff follows the members whose definition a file's diff renamed,
// where nothing else has a member of the old name.
func (v *view) membersByDiff(t *text) []Fix {
	var out []Fix
	seen := map[string]bool{}
	for _, s := range v.swaps(t.path) {
		if seen[s.old] || !definesMember(t, s.i) {
			continue
		}
		seen[s.old] = true
		heirs := v.memberHeirs(s.old)
		if len(heirs) != 1 || len(v.renamed(s.old)) != 1 {
			continue
		}
		edits, files := v.renameMembers(s.old, s.new, heirs[s.new])
		if len(edits) == 0 {
			continue
		}
		if back, ok := v.misspeltDeclaration(t, s, 0); ok {
			out = append(out, back)
			continue
		}
		out = append(out, Fix{Title: fmt.Sprintf("rename .%s to .%s in %s", s.old, s.new, fileCount(len(files))), Applicability: Likely, Edits: edits,
			Evidence: fmt.Sprintf("%s defined %s at the base and %s now", t.path, s.old, s.new)})
	}
	return out
}
