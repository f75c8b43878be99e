package cycle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"regreen/fixers"
	"regreen/internal/runner"
)

// Program is a fixer that is no part of regreen: a command, or a model behind
// a server. It is asked last, and what it makes is held to the same proof.
type Program interface {
	Name() string
	Takes(kind runner.Kind) bool
	Limits() fixers.Limits
	// Ask lets the program work once. What it does wrong is in the answer; the
	// error is set when ctx ended or something of ours did.
	Ask(ctx context.Context, t fixers.Task) (fixers.Answer, error)
}

// asked is what a program spent of its budget in this cycle.
type asked struct {
	rounds int
	off    bool // asking again is of no use
}

// handOver is after how many different changes that did not help a cause is
// left to the user (facts/fixers.md 4).
const handOver = 2

// programs asks the programs for the causes that nothing else could repair,
// until one of their changes is kept.
func (c *run) programs(ctx context.Context, causes []cause) (bool, error) {
	for _, p := range c.deps.Programs {
		st := c.asked[p.Name()]
		if st == nil {
			st = &asked{}
			c.asked[p.Name()] = st
		}
		for !st.off && st.rounds < p.Limits().Rounds {
			mine := slices.DeleteFunc(slices.Clone(causes), func(x cause) bool { return !p.Takes(x.Kind) || c.failed[x.same] >= handOver })
			if len(mine) == 0 {
				break
			}
			st.rounds++
			kept, again, err := c.ask(ctx, p, st, mine)
			if err != nil || kept {
				return kept, err
			}
			if !again {
				break
			}
		}
	}
	return false, nil
}

// ask runs one program once and tries what it made. again tells that it made
// something, and may do better when it knows why that did not hold.
func (c *run) ask(ctx context.Context, p Program, st *asked, mine []cause) (kept, again bool, err error) {
	if err := c.tidy(ctx); err != nil {
		return false, false, err
	}
	c.emit(Event{Kind: EventPhase, Text: "ask " + p.Name()})
	ans, err := p.Ask(ctx, c.task(p, st.rounds, mine))
	if err != nil {
		return false, false, fmt.Errorf("ask %s: %w", p.Name(), err)
	}
	st.off = st.off || ans.Off
	ans.Title, ans.Notes = c.deps.Secrets.Text(ans.Title), c.deps.Secrets.Text(ans.Notes)
	for _, w := range ans.Warnings {
		c.warn(p.Name() + ": " + c.deps.Secrets.Text(w))
	}
	if ans.Rule != "" {
		c.refuse(Refused{Rule: ans.Rule, File: ans.File, By: p.Name()})
	}
	if ans.Failed != "" {
		why := c.deps.Secrets.Text(ans.Failed)
		c.warn(fmt.Sprintf("%s made no repair: %s", p.Name(), why))
		if ans.Again {
			c.noteTried(fixers.Fix{By: p.Name(), Title: "an answer of which nothing came"}, ans.Rule, why)
		}
		return false, ans.Again, nil
	}
	f := c.programFix(p, ans, mine)
	key := p.Name() + "\x00" + f.ID
	if c.tried[key] {
		c.warn(p.Name() + " gave the same change again")
		return false, false, nil
	}
	c.tried[key] = true
	kept, guarded := false, false
	var why, rule string
	if refused, doubts := c.guardProgram(f, p.Limits()); len(refused) > 0 {
		for _, r := range refused {
			c.refuse(r)
		}
		guarded, rule, why = true, refused[0].Rule, "refused: "+refused[0].Rule
		c.note(f, false, why)
	} else if kept, why, rule, err = c.tryProgram(ctx, p, f, mine, doubts); err != nil || kept {
		return kept, false, err
	}
	for _, x := range mine {
		if guarded {
			break // it was never tried
		}
		c.failed[x.same]++
		if c.failed[x.same] == handOver {
			c.warn(fmt.Sprintf("%s: %d different changes did not repair it; it is left to you", x.title(), handOver))
		}
	}
	c.noteTried(f, rule, why)
	return false, true, nil
}

func (c *run) warn(text string) {
	if !slices.Contains(c.doc.Warnings, text) {
		c.doc.Warnings = append(c.doc.Warnings, text)
		c.emit(Event{Kind: EventWarning, Text: text})
	}
}

// programFix makes one fix of all that a program changed.
func (c *run) programFix(p Program, ans fixers.Answer, mine []cause) fixers.Fix {
	f := fixers.Fix{Title: ans.Title, Kind: mine[0].Kind, Rule: p.Name(), By: p.Name(), Applicability: fixers.Likely,
		Whole: ans.Whole, Evidence: ans.Notes, Doubt: ans.Doubt}
	if f.Title == "" {
		f.Title = fmt.Sprintf("change %s", strings.Join(f.Files(), ", "))
	}
	f.Title = p.Name() + ": " + f.Title
	if f.Evidence == "" {
		f.Evidence = "proved by the tests"
	}
	f.Seal()
	return f
}

// tryProgram applies a program's change, runs the victims of all causes that
// it was asked for, and keeps it when it helps one of them and breaks nothing.
func (c *run) tryProgram(ctx context.Context, p Program, f fixers.Fix, mine []cause, doubts []Refused) (kept bool, why, rule string, err error) {
	refuse := func(r Refused) {
		r.By = p.Name()
		c.refuse(r)
		if rule == "" {
			rule, why = r.Rule, "refused: "+r.Rule
		}
	}
	for _, r := range doubts {
		f.Doubt = r.Rule
	}
	n := len(c.ledger.list)
	if _, err := c.apply(f, mine[0]); err != nil {
		return false, "", "", err
	}
	victims := plan{}
	for _, x := range mine {
		for u, files := range x.victimPlan() {
			if old, ok := victims[u]; files == nil || ok && old == nil {
				victims[u] = nil
				continue
			}
			for _, file := range files {
				victims[u] = appendNew(victims[u], file)
			}
		}
	}
	now := c.now
	after, err := c.runTests(ctx, victims, c.tryOptions())
	if err != nil {
		return false, "", "", joinRollback(err, c.ledger, n)
	}
	for _, r := range cheats(now, after, victims, f) {
		refuse(r)
	}
	best, gain := worse, mine[0]
	if rule == "" && !after.timedOut && len(lost(now, after, victims)) == 0 {
		for _, x := range mine {
			if s := c.score(x, now, after); s > best {
				best, gain = s, x
			}
		}
	}
	if err := c.ledger.rollback(n); err != nil {
		return false, "", "", err
	}
	if best < better {
		switch l := lost(now, after, victims); {
		case rule != "":
		case after.timedOut:
			why = "the tests did not end with it"
		case len(l) > 0:
			refuse(Refused{Rule: "breaks another test: " + testName(l[0]), File: strings.Join(f.Files(), ", ")})
		default:
			why = "the failure stayed"
		}
		c.note(f, false, why)
		return false, why, rule, nil
	}
	for _, r := range doubts {
		refuse(r)
	}
	c.lastTry.plan, c.lastTry.fix, c.lastTry.base, c.lastTry.res = victims, f.ID, n, after
	kept, err = c.keep(gain, f)
	return kept, "", "", err
}

func joinRollback(err error, l *ledger, n int) error {
	if rerr := l.rollback(n); rerr != nil {
		return fmt.Errorf("%w; and the change was not taken back: %w", err, rerr)
	}
	return err
}

// redAgain proves that a program's change is what turned its cause green: on
// the tree as it was before the change the same failure comes up again. It
// gives why not, "" when it does.
func (c *run) redAgain(ctx context.Context) (string, error) {
	for i, a := range c.ledger.list {
		if a.fix.By == "" {
			continue
		}
		before := c.ledger.editsUntil(i)
		if len(before) == 0 && !certain(a.cause.Kind) {
			continue // dropFlaky saw just that
		}
		c.emit(Event{Kind: EventPhase, Text: "without the change of " + a.fix.By})
		if err := c.reset(ctx, before); err != nil {
			return "", err
		}
		c.littered = true
		o := c.tryOptions()
		res, err := c.suite.run(ctx, a.cause.victimPlan(), o)
		if err != nil {
			return "", err
		}
		if !slices.ContainsFunc(res.failures, func(f failure) bool { return f.unit == a.cause.unit && sameKey(f.Failure) == a.cause.same }) {
			return fmt.Sprintf("without the change of %s the failure does not come back: the test is flaky, and nothing is credited to the change", a.fix.By), nil
		}
	}
	return "", nil
}

// doubt says why only a person may merge what is in the ledger.
func (c *run) doubt() string {
	for _, a := range c.ledger.list {
		if a.fix.Doubt != "" {
			return a.fix.By + ": " + a.fix.Doubt
		}
	}
	return ""
}
