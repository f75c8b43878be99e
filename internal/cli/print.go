package cli

// How regreen speaks to a person. All that goes to standard output as text is
// printed in this file, its numbers worded by words.go; live.go prints what is said while it works.
//
//   - Standard output is the result and nothing else; it reads the same piped.
//   - The last line is the summary: outcome first, then numbers, then time.
//   - Places are file:line:column from the repository's root, first on the
//     line, so that a terminal or editor can jump to them.
//   - Bad news is complete (every failure, every refusal); good news is short,
//     and what a repair cures is good news: a few, and how many more.
//   - Everything that can be undone or applied says with which command.
//   - Colour repeats what words say, never more. Text of others is made
//     harmless first (printable).

import (
	"fmt"
	"slices"
	"strings"

	"regreen/cycle"
	"regreen/internal/runner"
)

// maxValueLines bounds what is shown of an expected or received value; the
// whole is in --json and show.
const maxValueLines = 12

// maxNames bounds the tests named under one failure that they share.
const maxNames = 12

// maxCured bounds the failures shown that a repair cures: one lost name can be
// the cause of hundreds. show has them all.
const maxCured = 12

// printer writes sections with one empty line between them.
type printer struct {
	screen
	any bool
}

func printResult(s screen, d *cycle.Document) { (&printer{screen: s}).result(d) }

// rounds tells what was run, tried and refused, in order.
func (p *printer) rounds(d *cycle.Document) {
	if len(d.AffectedTests) > 0 {
		p.section("tests")
	}
	for i, t := range d.AffectedTests {
		if i == maxNames {
			p.line("… %s", count(len(d.AffectedTests)-i, "more test file"))
			break
		}
		why := ""
		if len(t.Why) > 0 {
			why = t.Why[0]
		}
		p.line("%s%s", printable(t.File), because(why))
	}
	if len(d.Iterations) == 0 {
		return
	}
	p.section("what was tried")
	for _, it := range d.Iterations {
		p.line("%s", iterationLine(it))
		for _, c := range it.Causes {
			p.line("  %s:%d: %s: %s", printable(c.File), c.Line, c.Kind, headline(c.Message, c.Symbol))
		}
		for _, f := range it.Fixes {
			word := p.paint(dim, "dropped:")
			if f.Kept {
				word = p.paint(green, "kept:")
			}
			p.line("  %s %s%s", word, oneLine(f.Title), because(f.Why))
		}
	}
}

func (p *printer) result(d *cycle.Document) {
	hidden := len(d.Remaining) > 0 && d.Outcome != cycle.Repaired
	if !hidden {
		p.causes("what was wrong", d)
	}
	p.merged(d)
	p.proposals(d)
	p.refused(d)
	if d.Outcome == cycle.Proposed && d.BestPassRate == 100 {
		p.cured(d)
	} else {
		p.failures("still failing", d.Remaining)
	}
	p.guilty(d.Cause)
	if hidden {
		p.causes("hidden behind these", d)
	}
	p.failures("failed before, not counted", d.FailedBefore)
	p.warnings(d)
	p.section("")
	if h := hint(d); h != "" {
		p.line("hint: %s", h)
	}
	p.line("%s", p.summary(d))
}

// hint is the next step, where there is one that the outcome does not name.
func hint(d *cycle.Document) string {
	switch d.Reason {
	case cycle.NothingModified:
		return "regreen run --all runs every test"
	case cycle.NoTestSees:
		return "regreen affected --why tells more, and with FILE what depends on it; regreen run --all runs every test"
	}
	for _, r := range d.Remaining {
		if r.Kind == string(runner.SnapshotMismatch) && len(d.Merged) == 0 {
			return "if a snapshot is meant to change, regreen run --update-assertions rewrites it"
		}
	}
	return ""
}

// section begins a section; an empty title only parts it from the last.
func (p *printer) section(title string) {
	if p.any {
		fmt.Fprintln(p.w)
	}
	p.any = true
	if title != "" {
		fmt.Fprintln(p.w, p.paint(bold, title+":"))
	}
}

func (p *printer) line(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

// causes lists the causes that were seen and are not among the failures that
// are left. A later round may show what an earlier cause hid: where nothing was
// merged, these are no more than that.
func (p *printer) causes(title string, d *cycle.Document) {
	seen := map[string]bool{}
	for _, r := range d.Remaining {
		seen[fmt.Sprintf("%s:%d:%s", r.File, r.Line, r.Kind)] = true
	}
	shown := 0
	for _, it := range d.Iterations {
		for _, c := range it.Causes {
			key := fmt.Sprintf("%s:%d:%s", c.File, c.Line, c.Kind)
			if seen[key] {
				continue
			}
			seen[key] = true
			if title != "" {
				p.section(title)
				title = ""
			}
			if shown++; shown <= maxCured {
				p.cause(c)
			}
		}
	}
	p.more(d, shown, "cause")
}

// more tells of what is beyond maxCured.
func (p *printer) more(d *cycle.Document, n int, noun string) {
	if n > maxCured {
		p.line("… %s; regreen show %s has all", count(n-maxCured, "more "+noun), d.ID)
	}
}

// cured lists failures that pass once the proposal is applied: their places,
// and how many tests each takes down.
func (p *printer) cured(d *cycle.Document) {
	if len(d.Remaining) == 0 {
		return
	}
	p.section("failing until it is applied")
	all := alike(d.Remaining)
	for _, same := range all[:min(len(all), maxCured)] {
		r := same[0]
		if r.File == "" {
			r.File = r.Test.File
		}
		p.cause(cycle.Cause{Kind: r.Kind, File: r.File, Line: r.Line, Column: r.Column, Symbol: r.Symbol, Message: r.Message, Victims: len(same)})
	}
	p.more(d, len(all), "failure")
}

func (p *printer) cause(c cycle.Cause) {
	victims := ""
	if c.Victims > 1 {
		victims = fmt.Sprintf(" (%s)", count(c.Victims, "test"))
	}
	p.line("%s: %s: %s%s", p.place(c.File, c.Line, c.Column), p.paint(yellow, c.Kind), headline(c.Message, c.Symbol), victims)
}

func (p *printer) merged(d *cycle.Document) {
	if len(d.Merged) == 0 {
		return
	}
	p.section("merged into your files")
	if d.Patch != "" {
		p.patch(d.Patch)
	} else {
		for _, m := range d.Merged {
			p.line("%s", printable(m.File))
		}
	}
	for _, f := range keptFixes(d) {
		p.line("%s %s%s", p.paint(green, "fixed:"), oneLine(f.Title), because(f.Why))
	}
	if d.Undo != "" {
		p.line("undo: regreen undo %s", d.Undo)
	}
}

func keptFixes(d *cycle.Document) []cycle.Fix {
	var out []cycle.Fix
	for _, it := range d.Iterations {
		for _, f := range it.Fixes {
			if f.Kept {
				out = append(out, f)
			}
		}
	}
	return out
}

func (p *printer) proposals(d *cycle.Document) {
	for _, pr := range d.Proposals {
		p.section("proposed, not merged")
		p.line("%s%s", oneLine(pr.Title), because(pr.Reason))
		p.patch(pr.Patch)
		p.line("apply: regreen apply %s", pr.ID)
	}
}

func (p *printer) refused(d *cycle.Document) {
	if len(d.Refused) == 0 {
		return
	}
	p.section("refused")
	for _, r := range d.Refused {
		by := ""
		if r.By != "" {
			by = " (" + oneLine(r.By) + ")"
		}
		if r.File == "" {
			p.line("%s%s", oneLine(r.Rule), by)
			continue
		}
		p.line("%s: %s%s", printable(r.File), oneLine(r.Rule), by)
	}
}

// failures lists them; those that say the same of the same place share a block.
func (p *printer) failures(title string, rs []cycle.Remaining) {
	if len(rs) == 0 {
		return
	}
	p.section(title)
	for _, same := range alike(rs) {
		r := same[0]
		file := r.File
		if file == "" {
			file = r.Test.File
		}
		p.line("%s: %s: %s", p.place(file, r.Line, r.Column), p.paint(red, r.Kind), headline(r.Message, r.Symbol))
		for i, r := range same {
			if i == maxNames {
				p.line("              … %s", count(len(same)-i, "more test"))
				break
			}
			if t := testName(r); t != "" {
				p.line("    test:     %s", t)
			}
		}
		p.value("expected", r.Expected)
		p.value("received", r.Received)
	}
}

// severities orders failures: what others are likely to follow from comes first.
var severities = []string{cycle.Critical.String(), cycle.High.String(), cycle.Medium.String(), cycle.Low.String()}

// alike groups failures that differ in nothing but the test, the most severe
// first and then in the order of their first. One without a place stands alone.
func alike(rs []cycle.Remaining) [][]cycle.Remaining {
	type key struct{ file, kind, message, symbol, expected, received, line string }
	at := map[key]int{}
	var out [][]cycle.Remaining
	for _, r := range rs {
		k := key{r.File, r.Kind, headline(r.Message, r.Symbol), r.Symbol, r.Expected, r.Received, fmt.Sprint(r.Line, ":", r.Column)}
		if i, ok := at[k]; ok && r.Line > 0 {
			out[i] = append(out[i], r)
			continue
		}
		at[k] = len(out)
		out = append(out, []cycle.Remaining{r})
	}
	slices.SortStableFunc(out, func(a, b []cycle.Remaining) int {
		return slices.Index(severities, a[0].Severity) - slices.Index(severities, b[0].Severity)
	})
	return out
}

// testName is a test for people: titles joined, and its file where that is not
// the place of the failure.
func testName(r cycle.Remaining) string {
	name := oneLine(strings.Join(r.Test.Path, " › "))
	switch {
	case name == "" && (r.Test.File == r.File || r.File == ""):
		return ""
	case name == "":
		return printable(r.Test.File)
	case r.Test.File == r.File || r.Test.File == "":
		return name
	}
	return printable(r.Test.File) + " › " + name
}

func (p *printer) value(name, v string) {
	if v == "" {
		return
	}
	lines := strings.Split(strings.TrimRight(printable(v), "\n"), "\n")
	if len(lines) > maxValueLines {
		lines = append(lines[:maxValueLines], fmt.Sprintf("… %d more lines", len(lines)-maxValueLines))
	}
	p.line("    %-9s %s", name+":", cut(lines[0], 400))
	for _, l := range lines[1:] {
		p.line("              %s", cut(l, 400))
	}
}

func (p *printer) warnings(d *cycle.Document) {
	if len(d.Warnings) == 0 {
		return
	}
	p.section("warnings")
	for _, w := range d.Warnings {
		p.line("%s", oneLine(w))
	}
}

// patch prints a unified diff, in git's colours.
func (p *printer) patch(text string) {
	if text == "" {
		return
	}
	for _, l := range strings.Split(strings.TrimRight(printable(text), "\n"), "\n") {
		style := ""
		switch {
		case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"), strings.HasPrefix(l, "diff "):
			style = bold
		case strings.HasPrefix(l, "@@"):
			style = cyan
		case strings.HasPrefix(l, "+"):
			style = green
		case strings.HasPrefix(l, "-"):
			style = red
		}
		if style != "" {
			l = p.paint(style, l)
		}
		p.line("%s", l)
	}
}

func (p *printer) place(file string, line, column int) string {
	s := printable(file)
	if s == "" {
		s = "regreen"
	}
	if line > 0 {
		s += fmt.Sprintf(":%d", line)
		if column > 0 {
			s += fmt.Sprintf(":%d", column)
		}
	}
	return p.paint(bold, s)
}

// summary is the last line.
func (p *printer) summary(d *cycle.Document) string {
	style := red
	switch d.Outcome {
	case cycle.Passed, cycle.Repaired:
		style = green
	case cycle.Proposed, cycle.NoTests, cycle.Cancelled:
		style = yellow
	}
	parts := []string{}
	if t := tests(d); t != "" {
		parts = append(parts, t)
	}
	if n := len(d.Merged); n > 0 {
		parts = append(parts, count(n, "file")+" changed")
	}
	if d.FullSuiteRun {
		parts = append(parts, "full suite")
	}
	if d.Timings.Total > 0 {
		parts = append(parts, span(d.Timings.Total))
	}
	text := strings.Join(parts, ", ")
	word := strings.ReplaceAll(string(d.Outcome), "_", " ")
	if d.Reason != word && d.Outcome != cycle.Passed && len(d.Merged) == 0 && d.Reason != "" {
		text = strings.TrimSuffix(oneLine(d.Reason)+"; "+text, "; ")
	}
	if text == "" {
		return p.paint(style, word)
	}
	return p.paint(style, word+":") + " " + text
}

// tests tells the numbers. An iteration has those from before its fixes, so
// after a repair only the best pass rate tells how it is now.
func tests(d *cycle.Document) string {
	if len(d.Iterations) == 0 {
		return ""
	}
	if d.Outcome == cycle.Repaired || d.Outcome == cycle.Proposed {
		first := d.Iterations[0]
		return fmt.Sprintf("%s of the tests pass (before: %d of %d)", percent(d.BestPassRate), first.Passed, counted(first))
	}
	return numbers(d.Iterations[0]) // nothing was merged: the files are as they were
}
