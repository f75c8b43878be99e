package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"regreen/cycle"
	"regreen/internal/daemon"
	"regreen/internal/engine"
)

// view is what `watch` shows. A cycle is one begin line, the problems that are
// left, what was repaired, and one end line, so that an editor's problem
// matcher knows where it begins and ends. On a terminal a cycle in which all is
// well is one line at the bottom, which the next one replaces.
type view struct {
	*live
	quiet   bool
	open    bool // a begin line without its end line
	files   []string
	failing daemon.Failing
	calm    string // the line at the bottom while nothing happens
}

func newView(s screen, quiet bool) *view {
	return &view{live: newLive(s, false, false), quiet: quiet}
}

// maxPatch is how much of a repair's diff is shown; regreen show has it all.
const maxPatch = 40

// event is the daemon's sink: one goroutine at a time calls it, but for the
// events of a cycle, which come from the cycle's.
func (v *view) event(e daemon.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e.Kind {
	case daemon.EventBatch:
		v.files = append(append([]string{}, e.Files...), e.Deleted...)
		v.failing.Gone(e.Deleted)
	case cycle.EventPhase:
		if e.Text == "snapshot" {
			v.begin()
		}
		v.rewrite(e.Time, true, "%s …", oneLine(e.Text))
	case cycle.EventTest:
		v.test(e.Event)
	case cycle.EventTry:
		if e.Fix != nil {
			v.rewrite(e.Time, true, "trying: %s", oneLine(e.Fix.Title))
		}
	case cycle.EventVerdict:
		if e.Document != nil {
			v.verdict(e.Document)
		}
	case daemon.EventError:
		v.trouble("error", e.Text, e.Hint)
		if v.open {
			if !v.tty && !v.quiet {
				v.before(nil)
			}
			v.close("error")
		}
	case cycle.EventWarning:
		v.trouble("warning", e.Text, e.Hint)
	case cycle.EventAudit:
		if e.Done == 0 {
			v.rewrite(e.Time, true, "%s", oneLine(e.Text))
		} else {
			v.rest(v.calm)
		}
	case cycle.EventMissed:
		if e.Miss != nil {
			v.trouble("warning", e.Miss.String(), missHint(*e.Miss))
		}
	case daemon.EventState:
		v.stateNow(e)
	}
}

func (v *view) trouble(kind, text, hint string) {
	v.say("regreen: %s: %s", kind, oneLine(text))
	if hint != "" {
		v.say("regreen: hint: %s", oneLine(hint))
	}
}

// missHint says what a person can do about a test that the selection missed.
func missHint(m cycle.Miss) string {
	if m.Known {
		return "that is a defect of regreen; the audit saw how the test depends on it, and from now on it is selected"
	}
	return "that is a defect of regreen: please report it; all tests run until you say `regreen affected --understood`"
}

func (v *view) begin() {
	v.open = true
	if v.tty || v.quiet {
		return // said when there is something to say
	}
	v.beginLine()
}

func (v *view) beginLine() {
	what := "what differs from the last commit"
	if n := len(v.files); n > 0 {
		what = printable(v.files[0])
		if n > 1 {
			what += fmt.Sprintf(" and %d more", n-1)
		}
	}
	v.say("regreen: begin: %s", oneLine(what))
}

// close ends a cycle's block.
func (v *view) close(summary string) {
	v.open = false
	if v.tty || !v.quiet {
		v.say("regreen: end: %s", summary)
	}
}

func (v *view) verdict(d *cycle.Document) {
	v.failing.Update(d)
	if !v.open { // a command beside us ran it
		v.files = d.ModifiedFiles
		v.begin()
	}
	p := &printer{screen: v.screen}
	summary := p.summary(d)
	if n := v.elsewhere(d); n > 0 {
		summary += fmt.Sprintf("; %s from before", count(n, "failure"))
	}
	well := d.Outcome == cycle.Passed || d.Outcome == cycle.NoTests || d.Outcome == cycle.Cancelled
	if well && (v.tty || v.quiet) {
		v.open = false
		v.rest(summary)
		return
	}
	if v.tty || v.quiet {
		v.beginLine()
	}
	for _, r := range d.Remaining {
		v.say("%s", problemLine(r, func(rel string) string { return rel }))
	}
	if !v.tty {
		v.before(d.Remaining)
	}
	v.repair(d)
	if v.quiet && !v.tty {
		v.say("regreen: end: %s", summary)
		v.open = false
		return
	}
	v.close(summary)
	v.rest(summary)
}

// before lists the failures that a cycle, which left those given, did not look
// at: at its begin line a problem matcher forgets all that it had.
func (v *view) before(remaining []cycle.Remaining) {
	now := map[string]bool{}
	for _, r := range remaining {
		now[r.Test.File] = true
	}
	for _, r := range v.failing.List() {
		if !now[r.Test.File] {
			v.say("%s", problemLine(r, func(rel string) string { return rel }))
		}
	}
}

// repair shows what was merged or is proposed.
func (v *view) repair(d *cycle.Document) {
	if len(d.Merged) > 0 { // else it is proposed
		for _, f := range keptFixes(d) {
			v.say("  %s %s", v.paint(green, "repaired:"), oneLine(f.Title))
		}
	}
	if d.Undo != "" {
		v.diff(d.Patch)
		v.say("  undo: regreen undo %s", d.Undo)
	}
	for _, pr := range d.Proposals {
		v.say("  %s %s%s", v.paint(yellow, "proposed:"), oneLine(pr.Title), because(pr.Reason))
		v.diff(pr.Patch)
		v.say("  apply: regreen apply %s", pr.ID)
	}
}

func (v *view) diff(patch string) {
	if patch == "" {
		return
	}
	lines := strings.Split(strings.TrimRight(printable(patch), "\n"), "\n")
	more := len(lines) - maxPatch
	if more > 0 {
		lines = lines[:maxPatch]
	}
	for _, l := range lines {
		style := ""
		switch {
		case strings.HasPrefix(l, "+"):
			style = green
		case strings.HasPrefix(l, "-"):
			style = red
		}
		if style != "" {
			l = v.paint(style, l)
		}
		v.say("  %s", l)
	}
	if more > 0 {
		v.say("  … %d more lines", more)
	}
}

// elsewhere counts failures that the last cycle did not look at.
func (v *view) elsewhere(d *cycle.Document) int {
	if d.Outcome == cycle.Cancelled || d.Outcome == cycle.Errored {
		return 0
	}
	return len(v.failing.List()) - len(d.Remaining)
}

// rest is the line at the bottom while nothing happens.
func (v *view) rest(summary string) {
	v.calm = summary
	v.rewrite(time.Now(), true, "watching, ? helps; %s", uncoloured(summary))
}

func (v *view) stateNow(e daemon.Event) {
	switch e.State {
	case daemon.Waiting:
		if !v.tty && !v.quiet {
			v.say("regreen: waiting: %s", oneLine(e.Text))
		}
		v.rewrite(time.Now(), true, "waiting: %s", oneLine(e.Text))
	case daemon.Paused:
		v.rewrite(time.Now(), true, "paused, p goes on")
	case daemon.Idle:
		v.rewrite(time.Now(), true, "watching, ? helps; %s", uncoloured(v.calm))
	}
}

// keyHelp is what ? shows.
const keyHelp = "Enter: run all tests   u: undo the last merge   a: apply the last proposal   p: pause   q: quit"

// key does what a key stands for; it is false when the daemon is to end.
func (v *view) key(ctx context.Context, d *daemon.Daemon, k byte) bool {
	var err error
	switch k {
	case '\r', '\n':
		err = d.RunAll(ctx)
	case 'u':
		w, uerr := d.Undo(ctx, "")
		err = v.written("undone", w, uerr)
	case 'a':
		w, aerr := d.Apply(ctx, "")
		err = v.written("applied", w, aerr)
	case 'p':
		_, err = d.Pause(ctx)
	case 'q', 3, 4: // Ctrl-C and Ctrl-D where the terminal does not make signals of them
		return false
	case '?', 'h':
		v.tell("%s", keyHelp)
	}
	if err != nil && ctx.Err() == nil {
		v.tell("regreen: error: %s", oneLine(err.Error()))
	}
	return true
}

// written tells what an undo or an apply did.
func (v *view) written(word string, w *engine.Written, err error) error {
	switch {
	case err != nil:
		return err
	case w.Refused != "":
		return errors.New(w.Refused)
	case w.Nothing != "":
		v.tell("%s", oneLine(w.Nothing))
		return nil
	}
	v.tell("%s %s: %s changed", v.paint(green, word), w.ID, count(len(w.Files), "file"))
	for _, f := range w.Files {
		v.tell("  %s", printable(f.File))
	}
	if w.Undo != "" {
		v.tell("  undo: regreen undo %s", w.Undo)
	}
	return nil
}

func (v *view) tell(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.say(format, args...)
}
