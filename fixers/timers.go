package fixers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// fakeTimers mends tests that wait for a clock that a test stopped.
type fakeTimers struct{}

func (fakeTimers) Name() string { return RuleTimers }

// RuleTimers is the Rule of a fix that handles fake timers in a test: how far
// they advance is no expectation.
const RuleTimers = "fake_timers"

func (fakeTimers) Kinds() []runner.Kind {
	return []runner.Kind{runner.Timeout, runner.AssertionMismatch, runner.HookError, runner.AttributeError}
}

// timerCalls are what turns a stopped clock on, or back into the real one:
// jest's and vitest's, sinon's and node's.
var timerCalls = []string{"useRealTimers", "advanceTimersByTime", "advanceTimersByTimeAsync", "advanceTimersToNextTimer",
	"advanceTimersToNextTimerAsync", "runAllTimers", "runAllTimersAsync", "runOnlyPendingTimers", "runOnlyPendingTimersAsync",
	"runAllTicks", "advanceTimersToNextFrame", "tick", "tickAsync", "runAll", "runAllAsync", "restore", "reset"}

// Fix gives back what the user's diff took away from the handling of fake
// timers; where nothing was taken it only proposes to turn them off.
func (fakeTimers) Fix(ctx context.Context, c Cause, w Workspace) ([]Fix, error) {
	v := look(w)
	var out []Fix
	seen := map[string]bool{}
	for _, p := range v.places(c) {
		t := v.text(p.File)
		if t == nil || seen[p.File] || t.lang.Name() != "js" || !v.IsTest(p.File) || !v.editable(p.File) {
			continue
		}
		seen[p.File] = true
		if b := v.before(p.File); b != nil {
			out = append(out, v.lostTimerCalls(c, t, b)...)
		}
		if len(out) == 0 && c.Kind == runner.Timeout {
			out = append(out, leftFake(t)...)
		}
	}
	return out, ctx.Err()
}

// lostTimerCalls finds the statements that the diff took away and that do
// nothing but handle fake timers. Where a value is another without them, time
// may be meant not to pass: what advances it is only proposed.
func (v *view) lostTimerCalls(c Cause, t, b *text) []Fix {
	if !b.mentions("akeTimers") && !b.mentions("timers.enable") {
		return nil // nobody stops the clock
	}
	m := &mender{v: v, t: t, base: b}
	bs, ts := structure(b), structure(t)
	var edits []lang.TextEdit
	level := Likely
	for _, h := range diffTokens(b, bs, t, ts) {
		if h.B0 != h.B1 || !handlesTimers(b, bs[h.A0:h.A1]) {
			continue
		}
		if c.Kind == runner.AssertionMismatch && advances(b, bs[h.A0:h.A1]) {
			level = Propose
		}
		edits = append(edits, m.gap(bs, ts, h, b.at(lang.Span{Start: bs[h.A0].Start, End: bs[h.A1-1].End})))
	}
	if len(edits) == 0 {
		return nil
	}
	return []Fix{{Title: "handle the fake timers again in " + t.path, Applicability: level, Rank: 1, Edits: inFile(t.path, edits),
		Evidence: t.path + " did so at the base"}}
}

// handlesTimers tells whether tokens are whole statements of which each calls
// what handles fake timers, or hooks that hold nothing else.
func handlesTimers(b *text, ks []lang.Token) bool {
	calls := 0
	for i, k := range ks {
		w := b.str(k)
		next := ""
		if i+1 < len(ks) {
			next = b.str(ks[i+1])
		}
		switch {
		case k.Kind == lang.Number || k.Kind == lang.Punct:
		case w == "await" || w == "async" || w == "vi" || w == "jest" || w == "clock" || w == "timers" || w == "this" || w == "mock":
		case isTestCallee(w) && next == "(" && !slices.Contains([]string{"it", "test", "specify"}, w):
		case slices.Contains(timerCalls, w) && next == "(" && i > 0 && b.str(ks[i-1]) == ".":
			calls++
		default:
			return false
		}
	}
	return calls > 0 && balanced(b, ks)
}

// advances tells whether one of the calls lets the stopped time pass.
func advances(b *text, ks []lang.Token) bool {
	return slices.ContainsFunc(ks, func(k lang.Token) bool {
		w := b.str(k)
		return slices.Contains(timerCalls, w) && !slices.Contains([]string{"useRealTimers", "restore", "reset"}, w)
	})
}

// balanced tells whether every bracket of the tokens is closed among them.
func balanced(t *text, ks []lang.Token) bool {
	var open []string
	for _, k := range ks {
		switch w := t.str(k); w {
		case "(", "[", "{":
			open = append(open, w)
		case ")", "]", "}":
			n := len(open) - 1
			if n < 0 || !strings.Contains("()[]{}", open[n]+w) {
				return false
			}
			open = open[:n]
		}
	}
	return len(open) == 0
}

// leftFake proposes to turn the timers of a file real again behind each test,
// where a hook or a test fakes them and nothing does that.
func leftFake(t *text) []Fix {
	if len(t.idents("useRealTimers", 0)) > 0 {
		return nil
	}
	for _, i := range t.idents("useFakeTimers", 0) {
		tool := t.word(i - 2)
		f, ok := functionAround(t, i)
		if !t.isMember(i) || tool != "vi" && tool != "jest" || !ok || !f.argument || t.word(f.first-1) != "{" {
			continue
		}
		indent := t.indentOf(f.header)
		after, text := f.last+1, "" // the body's closing bracket
		end := t.significant()[after]
		switch {
		case f.callee == "beforeEach" || f.callee == "beforeAll":
			hook := strings.Replace(f.callee, "before", "after", 1)
			if close := t.matching(t.around(f.first - 1)); close > 0 {
				end = t.significant()[close]
				if t.word(close+1) == ";" {
					end = t.significant()[close+1]
				}
			}
			text = t.eol() + indent + hook + "(() => {" + t.eol() + indent + "  " + tool + ".useRealTimers();" + t.eol() + indent + "});"
		case isTestCallee(f.callee):
			end = t.significant()[f.last]
			text = t.eol() + indent + "  " + tool + ".useRealTimers();"
		default:
			continue
		}
		return []Fix{{Title: fmt.Sprintf("turn the timers of %s real again", t.path), Applicability: Propose, Rank: 30,
			Edits:    inFile(t.path, []lang.TextEdit{{Span: lang.Span{Start: end.End, End: end.End}, New: text}}),
			Evidence: fmt.Sprintf("%s:%d fakes them and nothing turns them back", t.path, t.lineOf(t.significant()[i].Start))}}
	}
	return nil
}

// indentOf is the white space in front of the line of an offset.
func (t *text) indentOf(offset int) string {
	line := t.at(t.line(t.lineOf(offset)))
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
