package cycle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"regreen/fixers"
	"regreen/internal/runner"
)

// newDocument has every list in place: the contract knows no null lists.
func newDocument(opts Options, sel Selection, deps Deps) *Document {
	d := &Document{Schema: Schema, ID: opts.ID, Isolation: deps.Box.Level(), Frameworks: []string{},
		ModifiedFiles: append([]string{}, sel.Modified...), AffectedTests: []Affected{}, Iterations: []Iteration{},
		Merged: []Merged{}, Proposals: []Proposal{}, Refused: []Refused{}, Remaining: []Remaining{},
		FailedBefore: []Remaining{}, Flaky: []TestRef{}, HalfWritten: []HalfWritten{}, Warnings: []string{}}
	for _, u := range deps.Units {
		if !slices.Contains(d.Frameworks, u.Project.Framework) {
			d.Frameworks = append(d.Frameworks, u.Project.Framework)
		}
	}
	for _, t := range sel.Tests {
		d.AffectedTests = append(d.AffectedTests, Affected{File: t.File, Why: append([]string{}, t.Why...)})
	}
	d.Timings.Snapshot = opts.Snapshot.Milliseconds()
	d.Timings.Affected = opts.Affected.Milliseconds()
	return d
}

// begin opens an iteration's record and tells it, with the strategy that the
// round begins with.
func (c *run) begin(n int, causes []cause, want Strategy) {
	k := c.now.counts
	scope := "affected"
	if c.sel.All {
		scope = "full"
	}
	it := &Iteration{N: n, Strategy: string(want), Scope: scope, PassRate: round1(c.now.passRate()), Total: k.Total, Passed: k.Passed, Failed: k.Failed,
		Errored: k.Errored, Skipped: k.Skipped, NotRun: k.NotRun, Causes: []Cause{}, Fixes: []Fix{}}
	for _, x := range causes {
		it.Causes = append(it.Causes, Cause{Kind: string(x.Kind), Severity: x.severity.String(), File: x.Place.File, Line: x.Place.Line,
			Column: x.Place.Column, Symbol: x.Symbol, Victims: x.victims, Message: firstLine(x.Message)})
	}
	c.iter = it
	told := *it
	c.emit(Event{Kind: EventIteration, Iteration: &told})
	if n > 5 {
		c.emit(Event{Kind: EventProgress, PassRate: it.PassRate, Passed: it.Passed, Failed: it.Failed, Total: it.Total, Done: n})
	}
}

// close ends the iteration's record.
func (c *run) close(s Strategy) {
	if c.iter == nil {
		return
	}
	c.iter.Strategy = string(s)
	c.doc.Iterations = append(c.doc.Iterations, *c.iter)
	c.iter = nil
}

// note records a candidate that was tried.
func (c *run) note(f fixers.Fix, kept bool, why string) *Fix {
	rec := Fix{ID: f.ID, Title: f.Title, Kind: string(f.Kind), Applicability: f.Applicability.String(),
		Files: editedFiles(f), Kept: kept, Why: why, By: f.By}
	if rec.Files == nil {
		rec.Files = []string{}
	}
	c.emit(Event{Kind: EventFix, Fix: &rec})
	if c.iter == nil {
		return &rec
	}
	c.iter.Fixes = append(c.iter.Fixes, rec)
	return &rec
}

// settle records whether an applied fix stays. A record may be of an earlier
// iteration.
func (c *run) settle(a *applied, kept bool, why string) {
	if a.record == nil {
		a.record = c.note(a.fix, kept, why)
		return
	}
	a.record.Kept, a.record.Why = kept, why
	for i := range c.doc.Iterations {
		for j := range c.doc.Iterations[i].Fixes {
			if c.doc.Iterations[i].Fixes[j].ID == a.fix.ID {
				c.doc.Iterations[i].Fixes[j].Kept, c.doc.Iterations[i].Fixes[j].Why = kept, why
			}
		}
	}
	if c.iter != nil {
		for j := range c.iter.Fixes {
			if c.iter.Fixes[j].ID == a.fix.ID {
				c.iter.Fixes[j].Kept, c.iter.Fixes[j].Why = kept, why
			}
		}
	}
}

// totalsOf are a result's numbers.
func totalsOf(r *result) Totals {
	k := r.counts
	return Totals{PassRate: round1(r.passRate()), Total: k.Total, Passed: k.Passed, Failed: k.Failed, Errored: k.Errored,
		Skipped: k.Skipped, NotRun: k.NotRun}
}

func (c *run) refuse(r Refused) {
	if slices.Contains(c.doc.Refused, r) {
		return
	}
	c.doc.Refused = append(c.doc.Refused, r)
	text := r.Rule
	if r.By != "" {
		text = r.By + ": " + text
	}
	c.emit(Event{Kind: EventRefused, Text: text, File: r.File})
}

func (c *run) remaining(f failure) Remaining {
	return Remaining{
		Test:  TestRef{Framework: c.deps.Units[f.unit].Project.Framework, File: f.Test.File, Path: append([]string{}, f.Test.Path...)},
		Scope: string(f.Scope), Kind: string(f.Kind), Severity: severityOf(f.Failure, c.opts.Config.Severity).String(),
		File: f.Place.File, Line: f.Place.Line, Column: f.Place.Column, Symbol: f.Symbol,
		Expected: f.Expected, Received: f.Received, Message: f.Message,
	}
}

func (c *run) emit(e Event) {
	if c.deps.Sink == nil {
		return
	}
	e.Cycle, e.Time = c.opts.ID, time.Now()
	c.deps.Sink(e)
}

// Patch is the changes as a unified diff that git apply reads.
func Patch(changes []Change) string {
	var b strings.Builder
	for _, ch := range changes {
		from, to := "a/"+ch.File, "b/"+ch.File
		b.WriteString(header(ch))
		if ch.Created {
			from = "/dev/null"
		}
		if ch.Deleted {
			to = "/dev/null"
		}
		b.WriteString(udiff.Unified(from, to, string(ch.Before), string(ch.After)))
	}
	return b.String()
}

// header is what git writes above the lines of a file that comes, goes or
// changes its mode; "" for any other.
func header(ch Change) string {
	h := fmt.Sprintf("diff --git a/%s b/%s\n", ch.File, ch.File)
	switch {
	case ch.Created:
		return h + "new file mode " + gitMode(ch.Mode) + "\n"
	case ch.Deleted:
		return h + "deleted file mode " + gitMode(ch.BeforeMode) + "\n"
	case gitMode(ch.Mode) != gitMode(ch.BeforeMode):
		return h + "old mode " + gitMode(ch.BeforeMode) + "\nnew mode " + gitMode(ch.Mode) + "\n"
	}
	return ""
}

// gitMode knows of a file's mode only whether it can be run.
func gitMode(m fs.FileMode) string {
	if m&0o100 != 0 {
		return "100755"
	}
	return "100644"
}

func mergedOf(ch Change) Merged {
	m := Merged{File: ch.File}
	if !ch.Created {
		m.Before = hashOf(ch.Before)
	}
	if !ch.Deleted {
		m.After = hashOf(ch.After)
	}
	return m
}

func hashOf(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

func round1(f float64) float64 { return math.Round(f*10) / 10 }

func firstLine(s string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return first
}

func testName(t runner.TestID) string {
	if len(t.Path) == 0 {
		return t.File
	}
	return t.File + ": " + strings.Join(t.Path, " > ")
}

// ExitCode is the process's exit code for the document (DESIGN.md section 8).
// A selection that is rightly empty is no failure; tests that were to run and
// did not are.
func (d *Document) ExitCode() int {
	if d.Error != nil && (d.Error.Code == "budget" || d.Error.Code == "timeout") {
		return 124
	}
	switch d.Outcome {
	case Passed, Repaired:
		return 0
	case Proposed:
		return 4
	case NoTests:
		if len(d.Iterations) == 0 && len(d.AffectedTests) == 0 {
			return 0
		}
		return 1
	case Errored:
		return 3
	case Cancelled:
		if len(d.Proposals) > 0 {
			return 4
		}
	}
	return 1
}
