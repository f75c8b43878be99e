package cli

import (
	"fmt"
	"sync"
	"time"

	"regreen/cycle"
)

// live tells on standard error what is happening. On a terminal one line at
// the bottom is rewritten while tests run; elsewhere only what matters later
// is said, a line each.
type live struct {
	screen
	quiet, verbose bool

	mu     sync.Mutex // guards the fields below and the order of output
	status string     // what stands on the rewritten line
	last   time.Time  // when it was last rewritten
	phase  string
}

// statusEvery keeps a fast suite from spending its time on the terminal.
const statusEvery = 50 * time.Millisecond

func newLive(s screen, quiet, verbose bool) *live {
	return &live{screen: s, quiet: quiet, verbose: verbose}
}

// event is the sink of a cycle's events.
func (l *live) event(e cycle.Event) {
	if l.quiet {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e.Kind {
	case cycle.EventPhase:
		l.phase = e.Text
		if l.verbose && !l.tty {
			l.say("%s", oneLine(e.Text))
		}
		l.rewrite(e.Time, true, "%s …", oneLine(e.Text))
	case cycle.EventSelected:
		s := count(e.Total, "test file") + " to run"
		if e.Text != "" {
			s += ": " + oneLine(e.Text)
		}
		l.say("%s", s)
	case cycle.EventTest:
		l.test(e)
	case cycle.EventIteration:
		if e.Iteration != nil {
			l.say("%s", iterationLine(*e.Iteration))
		}
	case cycle.EventProgress:
		n := e.Done
		if e.Iteration != nil {
			n = e.Iteration.N
		}
		l.say("iteration %d: %s, %d passed, %d failed", n, percent(e.PassRate), e.Passed, e.Failed)
	case cycle.EventTry:
		if e.Fix != nil {
			if l.verbose {
				l.say("  trying: %s", oneLine(e.Fix.Title))
			}
			l.rewrite(e.Time, true, "trying: %s", oneLine(e.Fix.Title))
		}
	case cycle.EventFix:
		l.fix(e.Fix)
	case cycle.EventRefused:
		l.say("  %s %s%s", l.paint(yellow, "refused:"), oneLine(e.Text), inFile(e.File))
	case cycle.EventMerged:
		l.say("%s", l.paint(green, "merged"))
	case cycle.EventProposed:
		l.say("kept as a proposal%s", because(e.Text))
	case cycle.EventWarning:
		l.say("%s %s", l.paint(yellow, "warning:"), oneLine(e.Text))
	}
}

func (l *live) test(e cycle.Event) {
	at := fmt.Sprintf("%d", e.Done)
	if e.Total > 0 {
		at = fmt.Sprintf("%d/%d", e.Done, e.Total)
	}
	failed := ""
	if e.Failed > 0 {
		failed = fmt.Sprintf(", %d failed", e.Failed)
	}
	l.rewrite(e.Time, false, "%s: %s%s  %s %s", l.phaseName(), at, failed, oneLine(e.File), oneLine(e.Test))
}

func (l *live) phaseName() string {
	if l.phase == "" {
		return "tests"
	}
	return oneLine(l.phase)
}

func (l *live) fix(f *cycle.Fix) {
	if f == nil {
		return
	}
	l.clear()
	l.status = ""
	if f.Kept {
		l.say("  %s %s%s", l.paint(green, "kept:"), oneLine(f.Title), because(f.Why))
		return
	}
	l.say("  %s %s%s", l.paint(dim, "dropped:"), oneLine(f.Title), because(f.Why))
}

// iterationLine is one round in one line.
func iterationLine(i cycle.Iteration) string {
	scope := "affected tests"
	if i.Scope == "full" {
		scope = "full suite"
	}
	s := fmt.Sprintf("iteration %d, %s: %s, %s", i.N, scope, percent(i.PassRate), numbers(i))
	if i.Strategy != "" {
		s += "; " + count(len(i.Causes), "cause")
		if how := strategyWords[i.Strategy]; how != "" && len(i.Causes) > 1 {
			s += ", taken " + how
		}
	}
	return s
}

// strategyWords say in a round's line what its strategy takes on.
var strategyWords = map[string]string{
	string(cycle.Conservative): "one at a time",
	string(cycle.Surgical):     "a kind at a time",
	string(cycle.Aggressive):   "all at once",
}

func inFile(file string) string {
	if file == "" {
		return ""
	}
	return " in " + oneLine(file)
}

// say prints a line that stays.
func (l *live) say(format string, args ...any) {
	l.clear()
	fmt.Fprintf(l.w, format+"\n", args...)
	if l.status != "" {
		fmt.Fprint(l.w, l.status)
	}
}

// rewrite replaces the line at the bottom of a terminal, not too often unless
// it has to.
func (l *live) rewrite(now time.Time, must bool, format string, args ...any) {
	if !l.tty || !must && now.Sub(l.last) < statusEvery {
		return
	}
	l.last = now
	l.clear()
	l.status = l.paint(dim, cut(fmt.Sprintf(format, args...), l.width-1))
	fmt.Fprint(l.w, l.status)
}

// clear takes the rewritten line away.
func (l *live) clear() {
	if l.tty && l.status != "" {
		fmt.Fprint(l.w, "\r\x1b[2K")
	}
}

// end leaves the terminal clean.
func (l *live) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	l.status = ""
}
