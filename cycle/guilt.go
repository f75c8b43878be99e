package cycle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff/lcs"

	"regreen/internal/runner"
)

// Delta debugging (DESIGN.md section 5): of tests that no repair turned green,
// the smallest part of the user's own diff without which they pass. The diff is
// that from the last state in which they passed, or else the one from the base.
// First in hunks, then in the lines of those. What is found is told, never applied.

// maxAtoms bounds the parts of a diff that are searched.
const maxAtoms = 400

// atom is one part of the difference of a file from the earlier state: the
// lines [b0, b1) of it stand for [n0, n1) of the present text.
type atom struct {
	file           string
	b0, b1, n0, n1 int
	whole          bool // the file came or went as a whole
}

// delta is what the search knows.
type delta struct {
	c     *run
	since string
	ref   Reference
	base  map[string][]string // lines, each with its end; nil: not there
	now   map[string][]string
	all   []atom
	// notLoaded are the test files that the run could not load, by unit.
	notLoaded map[int][]string
	target    []failure
	plan      plan
	alone     bool                    // only the targets run, not all tests of their files
	only      map[int][]runner.TestID // what runs then
	runs      int
	tried     map[string]*result // what came of runs, by what was reverted
	stopped   bool               // the budget ran out
}

// guilt looks for the cause of what failed in r, a run on the present tree.
// Failures that a revert of everything does not mend are left out; where none
// is left, or the present tree's failures come and go, there is no cause.
func (c *run) guilt(ctx context.Context, r *result) error {
	budget := c.opts.Config.Cycle.CauseBudget.Std()
	if budget <= 0 || r == nil || len(r.failures) == 0 || len(c.doc.HalfWritten) > 0 || c.conflict != "" {
		return nil
	}
	target := slices.DeleteFunc(slices.Clone(r.failures), func(f failure) bool {
		return f.Kind == runner.UnhandledRejection || len(filesOf(f, r.notLoaded)) == 0
	})
	if len(target) == 0 {
		return nil
	}
	states, err := c.earlier(ctx)
	if err != nil || len(states) == 0 {
		return err
	}
	c.emit(Event{Kind: EventPhase, Text: "find the cause"})
	start := time.Now()
	defer func() { c.doc.Timings.Cause = time.Since(start).Milliseconds() }()
	within, cancel := context.WithTimeoutCause(ctx, budget, &BudgetError{Name: "budget for finding a cause (cycle.cause_budget)", Limit: budget})
	defer cancel()
	for _, d := range states {
		d.notLoaded = r.notLoaded
		d.alone = !r.timedOut && aloneSaves(r, target)
		d.aim(target)
		done, err := d.blame(within)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || done {
			return err
		}
	}
	return nil
}

// earlier are the states that the present one is compared with, in order. Those
// that do not differ from it, or in too much, are left out.
func (c *run) earlier(ctx context.Context) ([]*delta, error) {
	w := c.deps.Workspace
	states := []*delta{{since: SinceBase, ref: Reference{Changed: w.Changed(), Text: w.Base}}}
	if c.deps.Green != nil {
		green, err := c.deps.Green(ctx)
		if err != nil {
			return nil, fmt.Errorf("look up when the tests passed: %w", err)
		}
		if green != nil {
			states = append([]*delta{{since: SinceGreen, ref: *green}}, states...)
		}
	}
	for _, d := range states {
		d.c, d.base, d.now, d.tried = c, map[string][]string{}, map[string][]string{}, map[string]*result{}
		d.all = d.atoms()
	}
	return slices.DeleteFunc(states, func(d *delta) bool { return len(d.all) == 0 || len(d.all) > maxAtoms }), nil
}

// blame searches one state. It is done when it found the cause, or that there
// is none, or when the time is over.
func (d *delta) blame(ctx context.Context) (done bool, err error) {
	c := d.c
	target := d.target
	found, err := d.search(ctx, d.all)
	if err == nil && d.alone && !d.stopped {
		// What needs the tests beside it fails with nothing changed, or passes
		// with everything in place.
		passed := func(failure) bool { return true }
		if len(found) > 0 {
			passed, err = d.without(ctx, nil)
		}
		if err == nil && !d.stopped && slices.ContainsFunc(d.target, passed) {
			d.together(target)
			found, err = d.search(ctx, d.all)
		}
	}
	if d.alone && d.stopped {
		return true, err // what was seen of tests on their own is not confirmed
	}
	if err != nil || len(found) == 0 {
		return d.stopped, err
	}
	if !d.stopped {
		// They fail again with everything in place, or they come and go.
		passed, err := d.without(ctx, nil)
		if err != nil {
			return false, err
		}
		if passed != nil && slices.ContainsFunc(d.target, passed) {
			for _, f := range d.target {
				if passed(f) {
					c.flaky(f)
				}
			}
			return true, nil
		}
	}
	c.doc.Cause, c.blamed = d.tell(found), d.target
	return true, nil
}

// search narrows the atoms down; nil when the diff does not explain the
// failures.
func (d *delta) search(ctx context.Context, atoms []atom) ([]atom, error) {
	// The tests themselves are the last to be blamed.
	source := slices.DeleteFunc(slices.Clone(atoms), func(a atom) bool { return d.isTest(a.file) })
	groups := [][]atom{source, atoms}
	if len(source) == len(atoms) || len(source) == 0 {
		groups = groups[1:]
	}
	// What is suspected most often explains it all, which saves the run of the rest.
	part, err := d.firstGood(ctx, d.suspects(groups[0]))
	if err != nil || d.stopped {
		return nil, err
	}
	if part != nil {
		return d.narrow(ctx, part)
	}
	for _, g := range groups {
		passed, err := d.without(ctx, g)
		if err != nil || d.stopped {
			return nil, err
		}
		left := slices.DeleteFunc(slices.Clone(d.target), func(f failure) bool { return !passed(f) })
		if len(left) == 0 {
			continue
		}
		d.aim(left)
		if part, err = d.firstGood(ctx, d.suspects(g)); err != nil {
			return nil, err
		}
		if part != nil {
			g = part
		}
		return d.narrow(ctx, g)
	}
	return nil, nil
}

// narrow takes from atoms what can be left out, in hunks and then in lines.
func (d *delta) narrow(ctx context.Context, atoms []atom) ([]atom, error) {
	found, err := d.minimize(ctx, atoms)
	if err != nil {
		return nil, err
	}
	if fine, split := d.split(found); split && !d.stopped {
		return d.minimize(ctx, fine)
	}
	return found, nil
}

func (d *delta) aim(left []failure) {
	d.target, d.plan, d.only = left, plan{}, nil
	if d.alone {
		d.only = idsOf(left)
	}
	for _, f := range left {
		for _, file := range filesOf(f, d.notLoaded) {
			d.plan[f.unit] = appendNew(d.plan[f.unit], file)
		}
	}
}

// filesOf are the test files that tell whether a failure is gone: its own, or
// those that it kept from being loaded.
func filesOf(f failure, notLoaded map[int][]string) []string {
	if f.Test.File == "" {
		return notLoaded[f.unit]
	}
	return []string{f.Test.File}
}

func (d *delta) isTest(file string) bool { return d.c.discover(file) != nil }

// minimize is ddmin over what is reverted: it gives a part of the atoms
// without which the targets pass and of which nothing can be left out.
func (d *delta) minimize(ctx context.Context, atoms []atom) ([]atom, error) {
	n := 2
	for len(atoms) > 1 {
		size := (len(atoms) + n - 1) / n
		var chunks [][]atom
		for i := 0; i < len(atoms); i += size {
			chunks = append(chunks, atoms[i:min(i+size, len(atoms))])
		}
		next, err := d.firstGood(ctx, chunks)
		if err != nil {
			return nil, err
		}
		if next != nil {
			atoms, n = next, 2
			continue
		}
		if len(chunks) > 2 {
			var rests [][]atom
			for i := range chunks {
				rests = append(rests, slices.Concat(slices.Concat(chunks[:i]...), slices.Concat(chunks[i+1:]...)))
			}
			if next, err = d.firstGood(ctx, rests); err != nil {
				return nil, err
			}
			if next != nil {
				atoms, n = next, max(2, n-1)
				continue
			}
		}
		if d.stopped || n >= len(atoms) {
			break
		}
		n = min(2*n, len(atoms))
	}
	return atoms, nil
}

func (d *delta) firstGood(ctx context.Context, sets [][]atom) ([]atom, error) {
	for _, s := range sets {
		good, err := d.good(ctx, s)
		if err != nil || d.stopped {
			return nil, err
		}
		if good {
			return s, nil
		}
	}
	return nil, nil
}

// good tells whether all targets pass without the atoms.
func (d *delta) good(ctx context.Context, atoms []atom) (bool, error) {
	passed, err := d.without(ctx, atoms)
	if err != nil || d.stopped {
		return false, err
	}
	return !slices.ContainsFunc(d.target, func(f failure) bool { return !passed(f) }), nil
}

// without runs the targets' files with the atoms reverted and tells which
// failures are gone.
func (d *delta) without(ctx context.Context, atoms []atom) (passed func(failure) bool, err error) {
	// The targets only become fewer: an earlier run had the files of all of them.
	key := fmt.Sprint(atoms)
	if res := d.tried[key]; res != nil {
		return func(f failure) bool { return gone(res, f) }, nil
	}
	edits := d.c.ledger.edits()
	for file, f := range d.reverted(atoms) {
		edits[file] = f
	}
	if err := d.c.reset(ctx, edits); err == nil {
		d.c.littered = true
		var res *result
		o := d.c.tryOptions()
		o.tests = d.only
		if res, err = d.c.suite.run(ctx, d.plan, o); err == nil {
			d.runs++
			d.tried[key] = res
			return func(f failure) bool { return gone(res, f) }, nil
		}
		if !d.over(ctx, err) {
			return nil, err
		}
	} else if !d.over(ctx, err) {
		return nil, err
	}
	d.stopped = true
	return nil, nil
}

// over tells whether an error is the end of the search's own budget.
func (d *delta) over(ctx context.Context, err error) bool {
	d.c.littered = true
	var b *BudgetError
	return ctx.Err() != nil && (errors.As(context.Cause(ctx), &b) || errors.As(err, &b))
}

// gone: the test passes, be it the one that the whole run hung in, or its file
// and its hooks have nothing to complain of; of a failure of the whole run, that
// tests ran without it.
func gone(res *result, f failure) bool {
	if res.timedOut || res.distrust != "" {
		return false
	}
	if f.Scope == runner.ScopeTest || f.Kind == runner.Timeout && len(f.Test.Path) > 0 {
		return res.passed(testKey{f.unit, f.Test.Key()})
	}
	ran := false
	for k, t := range res.tests {
		ran = ran || k.unit == f.unit && (f.Test.File == "" || t.ID.File == f.Test.File) && t.Verdict == runner.Passed
	}
	return ran && !slices.ContainsFunc(res.failures, func(g failure) bool { return g.unit == f.unit && g.Test.File == f.Test.File })
}

// atoms are the hunks of the changed files' differences from the earlier state.
func (d *delta) atoms() []atom {
	files := slices.Clone(d.ref.Changed)
	for file := range d.c.ledger.edits() {
		files = append(files, file)
	}
	sort.Strings(files)
	var out []atom
	for _, file := range slices.Compact(files) {
		base, had := d.ref.Text(file)
		now, err := d.c.ledger.text(file)
		has := err == nil
		if bytes.IndexByte(base, 0) >= 0 || bytes.IndexByte(now, 0) >= 0 || len(base)+len(now) > 4<<20 || !had && !has {
			continue
		}
		b, n := lines(base), lines(now)
		if had {
			d.base[file] = b
		}
		if has {
			d.now[file] = n
		}
		if had != has {
			out = append(out, atom{file, 0, len(b), 0, len(n), true})
			continue
		}
		for _, x := range lcs.DiffLines(b, n) {
			a := atom{file, x.Start, x.End, x.ReplStart, x.ReplEnd, false}
			if k := len(out) - 1; k >= 0 && out[k].file == file && out[k].b1 == a.b0 && out[k].n1 == a.n0 {
				out[k].b1, out[k].n1 = a.b1, a.n1
				continue
			}
			out = append(out, a)
		}
	}
	return out
}

// lines splits a text, each line with its end.
func lines(src []byte) []string { return slices.Collect(strings.Lines(string(src))) }

// reverted are the files with the atoms as they were in the earlier state.
func (d *delta) reverted(atoms []atom) map[string]File {
	out := map[string]File{}
	byFile := map[string][]atom{}
	for _, a := range atoms {
		byFile[a.file] = append(byFile[a.file], a)
	}
	for file, as := range byFile {
		if as[0].whole {
			if b, ok := d.base[file]; ok {
				out[file] = File{Data: []byte(strings.Join(b, ""))}
			} else {
				out[file] = File{Gone: true}
			}
			continue
		}
		sort.Slice(as, func(i, j int) bool { return as[i].n0 < as[j].n0 || as[i].n0 == as[j].n0 && as[i].b0 < as[j].b0 })
		var text strings.Builder
		at := 0
		for _, a := range as {
			text.WriteString(strings.Join(d.now[file][at:a.n0], ""))
			text.WriteString(strings.Join(d.base[file][a.b0:a.b1], ""))
			at = a.n1
		}
		text.WriteString(strings.Join(d.now[file][at:], ""))
		out[file] = File{Data: []byte(text.String())}
	}
	return out
}

// split cuts hunks into lines: a line for a line where there are as many, each
// line of what was only added or only removed.
func (d *delta) split(atoms []atom) (fine []atom, split bool) {
	for _, a := range atoms {
		nb, nn := a.b1-a.b0, a.n1-a.n0
		if a.whole || nb+nn < 2 || nb != nn && nb > 0 && nn > 0 || nb == nn && nb < 2 {
			fine = append(fine, a)
			continue
		}
		split = true
		for i := range max(nb, nn) {
			x := a
			if nb > 0 {
				x.b0, x.b1 = a.b0+i, a.b0+i+1
			}
			if nn > 0 {
				x.n0, x.n1 = a.n0+i, a.n0+i+1
			}
			fine = append(fine, x)
		}
	}
	return fine, split
}

// tell puts the found part into words.
func (d *delta) tell(found []atom) *Guilt {
	g := &Guilt{Since: d.since, Runs: d.runs, Smallest: !d.stopped, Tests: []TestRef{}, Parts: []Part{}}
	for _, f := range d.target {
		g.Tests = append(g.Tests, TestRef{Framework: d.c.deps.Units[f.unit].Project.Framework, File: f.Test.File, Path: append([]string{}, f.Test.Path...)})
	}
	sort.SliceStable(found, func(i, j int) bool {
		return found[i].file < found[j].file || found[i].file == found[j].file && found[i].n0 < found[j].n0
	})
	for _, a := range found {
		p := Part{File: a.file, Line: a.n0 + 1, EndLine: a.n1, Before: strings.Join(d.base[a.file][a.b0:a.b1], ""), After: strings.Join(d.now[a.file][a.n0:a.n1], "")}
		if k := len(g.Parts) - 1; k >= 0 && g.Parts[k].File == p.File && g.Parts[k].EndLine+1 == p.Line && found[k].b1 == a.b0 {
			g.Parts[k].EndLine, g.Parts[k].Before, g.Parts[k].After = p.EndLine, g.Parts[k].Before+p.Before, g.Parts[k].After+p.After
			continue
		}
		g.Parts = append(g.Parts, p)
	}
	var changes []Change
	for file, f := range d.reverted(found) {
		ch := Change{File: file, Before: f.Data, After: []byte(strings.Join(d.now[file], ""))}
		changes = append(changes, ch)
	}
	sort.Slice(changes, func(i, j int) bool { return changes[i].File < changes[j].File })
	g.Patch = Patch(changes)
	return g
}

// String is the cause in one line.
func (g *Guilt) String() string {
	if g == nil || len(g.Parts) == 0 {
		return ""
	}
	p := g.Parts[0]
	s := fmt.Sprintf("%s:%d", p.File, p.Line)
	if len(g.Parts) > 1 {
		s += fmt.Sprintf(" and %d other places", len(g.Parts)-1)
	}
	return s
}
