package fixers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// changedArguments brings calls up to a signature that the user's own diff
// changed: parameters that changed places, were renamed, came or went. A new
// argument's value is only ever one that the diff itself gives at another call.
type changedArguments struct{}

func (changedArguments) Name() string { return RuleArguments }

// RuleArguments is the Rule of a fix that changes what calls give to a
// function: in a test that is no expectation.
const RuleArguments = "changed_arguments"

func (changedArguments) Kinds() []runner.Kind {
	return []runner.Kind{runner.AssertionMismatch, runner.ThrownError, runner.AttributeError, runner.HookError, runner.Timeout,
		runner.UnhandledRejection, runner.SnapshotMismatch, runner.UndefinedVariable, runner.Crash, runner.Unknown}
}

// Fix compares the signatures in the changed files with the base's.
func (changedArguments) Fix(ctx context.Context, c Cause, w Workspace) ([]Fix, error) {
	v := look(w)
	var out []Fix
	for _, rel := range v.Changed() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t, b := v.text(rel), v.before(rel)
		if t == nil || b == nil {
			continue
		}
		for _, ch := range signatureChanges(b, t) {
			f, ok := v.followSignature(ch)
			if !ok {
				continue
			}
			f.Rank = 30
			out = append(out, f)
			// Where no call speaks for the new order, the slip may as well be in
			// the signature: what holds of the two, the tests have to say.
			if back, ok := v.orderBack(ch); ok && !v.confirmed(ch) {
				back.Rank = f.Rank
				out = append(out, back)
			}
		}
	}
	return out, nil
}

// signatureChange is a function with other parameters than at the base.
type signatureChange struct {
	signature
	t, b     *text // now, and at the base
	old, new []parameter
}

func signatureChanges(b, t *text) []signatureChange {
	was, is := signatures(b), signatures(t)
	var out []signatureChange
	for _, name := range slices.Sorted(maps.Keys(is)) {
		s, ok := was[name]
		n := is[name]
		if !ok || s.method != n.method || slices.EqualFunc(s.params, n.params, sameParameter) {
			continue
		}
		out = append(out, signatureChange{signature: n, t: t, b: b, old: s.params, new: n.params})
	}
	return out
}

// called is the function's name for a person.
func (s signatureChange) called() string {
	if s.name == anonymous {
		return "the default export of " + s.t.path
	}
	return s.name
}

func namesOf(ps []parameter) []string {
	var out []string
	for _, p := range ps {
		out = append(out, p.name)
	}
	return out
}

// followSignature mends all calls that still fit the old signature.
func (v *view) followSignature(s signatureChange) (Fix, bool) {
	calls, what := v.callsOf(s), s.called()
	old, now := namesOf(s.old), namesOf(s.new)
	at, isNew := added(old, now)
	var mend func(c callSite) []lang.TextEdit
	f := Fix{Applicability: Likely, Evidence: fmt.Sprintf("%s took (%s) at the base and takes (%s) now", what, strings.Join(old, ", "), strings.Join(now, ", "))}
	switch {
	case permuted(old, now):
		mend = func(c callSite) []lang.TextEdit { return permute(c, old, now) }
		f.Title = fmt.Sprintf("put the arguments of %s in their new order", what)
	case isNew:
		value, ok := v.valueInDiff(s, calls, at, len(old))
		if !ok {
			return Fix{}, false
		}
		mend = func(c callSite) []lang.TextEdit { return insertArgument(c, at, len(old), value) }
		f.Title = fmt.Sprintf("give %s its new argument %s: %s", what, now[at], value)
		f.Evidence += "; another call in your changes gives " + value
	case len(now) < len(old):
		gone, ok := added(now, old)
		if !ok {
			return Fix{}, false
		}
		mend = func(c callSite) []lang.TextEdit { return dropArgument(c, gone, len(old), old[gone]) }
		f.Title = fmt.Sprintf("call %s without %s", what, old[gone])
	default:
		keys := renamedKeys(s)
		if len(keys) == 0 || !v.usedAlike(s.t.path, keys) {
			return Fix{}, false
		}
		mend = func(c callSite) []lang.TextEdit { return renameKeys(c, keys) }
		f.Title = fmt.Sprintf("use the new names of what %s takes", what)
	}
	for _, c := range calls {
		if c.edited {
			continue
		}
		if es := mend(c); len(es) > 0 {
			if !v.editable(c.t.path) {
				return Fix{}, false
			}
			f.Edits = append(f.Edits, inFile(c.t.path, es)...)
		}
	}
	return f, len(f.Edits) > 0
}

// added gives the place of the one name of long that short has not.
func added(short, long []string) (int, bool) {
	if len(long) != len(short)+1 {
		return 0, false
	}
	for i := range long {
		if slices.Equal(slices.Concat(long[:i], long[i+1:]), short) {
			return i, true
		}
	}
	return 0, false
}

func permuted(a, b []string) bool {
	x, y := slices.Clone(a), slices.Clone(b)
	slices.Sort(x)
	slices.Sort(y)
	return len(a) > 1 && !slices.Equal(a, b) && slices.Equal(x, y) && len(slices.Compact(x)) == len(a)
}

// usedAlike tells whether the diff put each new name in the old one's place
// where the function uses it too, and not only in the signature: a parameter
// that means something else now is no renamed one.
func (v *view) usedAlike(rel string, keys map[string]string) bool {
	n := map[string]int{}
	for _, s := range v.swaps(rel) {
		if keys[s.old] == s.new {
			n[s.old]++
		}
	}
	for old := range keys {
		if n[old] < 2 {
			return false
		}
	}
	return true
}

// renamedKeys pairs the names by which calls may give an argument: Python's
// parameters, and the keys of an object that is taken apart.
func renamedKeys(s signatureChange) map[string]string {
	out := map[string]string{}
	if len(s.old) != len(s.new) {
		return nil
	}
	pair := func(a, b []string) bool {
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			if a[i] != b[i] {
				if slices.Contains(b, a[i]) || slices.Contains(a, b[i]) {
					return false
				}
				out[a[i]] = b[i]
			}
		}
		return true
	}
	if s.t.lang.Name() == "python" {
		if !pair(namesOf(s.old), namesOf(s.new)) {
			return nil
		}
		return out
	}
	for i := range s.old {
		if s.old[i].keys != nil && !pair(s.old[i].keys, s.new[i].keys) {
			return nil
		}
	}
	return out
}
