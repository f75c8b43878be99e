package fixers

import (
	"context"
	"fmt"
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
		runner.UnhandledRejection, runner.SnapshotMismatch, runner.UndefinedVariable, runner.Unknown}
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
			if f, ok := v.followSignature(ch); ok {
				f.Rank = 30
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// parameter is one of a signature.
type parameter struct {
	name  string
	plain bool // a plain name: no default, no pattern, no rest
	keys  []string
}

// signatureChange is a function with other parameters than at the base.
type signatureChange struct {
	t        *text
	name     string
	method   bool
	def      int // the name's token in t
	old, new []parameter
}

// signatures lists the functions that a text declares by name, with their
// parameters. A name that is declared twice is left out.
func signatures(t *text) map[string]signatureChange {
	out := map[string]signatureChange{}
	twice := map[string]bool{}
	for i, k := range t.significant() {
		if k.Kind != lang.Ident || t.word(i+1) != "(" {
			continue
		}
		isFunc := t.word(i-1) == "def" || t.word(i-1) == "function" || t.word(i-1) == "*" && t.word(i-2) == "function"
		if !isFunc && !(t.lang.Name() == "js" && definesMember(t, i) && t.inClass(i)) {
			continue
		}
		name := t.str(k)
		if _, ok := out[name]; ok {
			twice[name] = true
		}
		s := signatureChange{t: t, name: name, def: i, new: parameters(t, i+1)}
		switch {
		case t.lang.Name() == "js":
			s.method = !isFunc
		case len(s.new) > 0 && (s.new[0].name == "self" || s.new[0].name == "cls"):
			s.method, s.new = true, s.new[1:]
		}
		out[name] = s
	}
	for name := range twice {
		delete(out, name)
	}
	return out
}

// parameters reads what stands between the brackets at a token.
func parameters(t *text, open int) []parameter {
	var out []parameter
	for _, a := range arguments(t, open) {
		p := parameter{name: t.word(a.first)}
		p.plain = t.significant()[a.first].Kind == lang.Ident && (a.last == a.first || t.word(a.first+1) == ":")
		for i := a.first; i <= a.last; i++ {
			if t.word(i) == "=" && t.around(i) == open {
				p.plain = false
			}
		}
		if p.name == "{" {
			end := t.matching(a.first)
			for _, k := range arguments(t, a.first) {
				if k.last <= end {
					p.keys = append(p.keys, t.word(k.first))
				}
			}
			p.name = "{}"
		}
		out = append(out, p)
	}
	return out
}

// argument is a range of significant tokens, both included.
type argument struct{ first, last int }

// arguments splits what stands between brackets at its commas.
func arguments(t *text, open int) []argument {
	end := t.matching(open)
	if end < 0 {
		return nil
	}
	var out []argument
	start := open + 1
	for i := open + 1; i <= end; i++ {
		switch w := t.word(i); {
		case i == end || w == ",":
			if i > start {
				out = append(out, argument{start, i - 1})
			}
			start = i + 1
		case w == "(" || w == "[" || w == "{" || w == "${":
			c := t.matching(i)
			if c < 0 {
				return nil
			}
			i = c
		}
	}
	return out
}

func signatureChanges(b, t *text) []signatureChange {
	was, is := signatures(b), signatures(t)
	var out []signatureChange
	for _, name := range sortedNames(is) {
		s, ok := was[name]
		n := is[name]
		if !ok || s.method != n.method || slices.EqualFunc(s.new, n.new, sameParameter) {
			continue
		}
		n.old = s.new
		out = append(out, n)
	}
	return out
}

func sortedNames(m map[string]signatureChange) []string {
	var out []string
	for n := range m {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

func sameParameter(a, b parameter) bool {
	return a.name == b.name && a.plain == b.plain && slices.Equal(a.keys, b.keys)
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
	calls := v.callsOf(s)
	old, now := namesOf(s.old), namesOf(s.new)
	at, isNew := added(old, now)
	var mend func(c callSite) []lang.TextEdit
	f := Fix{Applicability: Likely, Evidence: fmt.Sprintf("%s took (%s) at the base and takes (%s) now", s.name, strings.Join(old, ", "), strings.Join(now, ", "))}
	switch {
	case permuted(old, now):
		mend = func(c callSite) []lang.TextEdit { return permute(c, old, now) }
		f.Title = fmt.Sprintf("put the arguments of %s in their new order", s.name)
	case isNew:
		value, ok := v.valueInDiff(s, calls, at, len(old))
		if !ok {
			return Fix{}, false
		}
		mend = func(c callSite) []lang.TextEdit { return insertArgument(c, at, len(old), value) }
		f.Title = fmt.Sprintf("give %s its new argument %s: %s", s.name, now[at], value)
		f.Evidence += "; another call in your changes gives " + value
	case len(now) < len(old):
		gone, ok := added(now, old)
		if !ok {
			return Fix{}, false
		}
		mend = func(c callSite) []lang.TextEdit { return dropArgument(c, gone, len(old), old[gone]) }
		f.Title = fmt.Sprintf("call %s without %s", s.name, old[gone])
	default:
		keys := renamedKeys(s)
		if len(keys) == 0 || !v.usedAlike(s.t.path, keys) {
			return Fix{}, false
		}
		mend = func(c callSite) []lang.TextEdit { return renameKeys(c, keys) }
		f.Title = fmt.Sprintf("use the new names of what %s takes", s.name)
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
