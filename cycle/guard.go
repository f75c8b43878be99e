package cycle

import (
	"slices"
	"strings"
	"unicode"

	"regreen/fixers"
	"regreen/internal/lang"
	"regreen/internal/runner"
)

// The guard (DESIGN.md section 6) judges every edit before it is tried,
// whoever made it. A rule's name is what the report says aloud.
const (
	ruleProtected   = "protected file"
	ruleOutside     = "outside the repository"
	ruleTestRemoved = "test removed"
	ruleTestSkipped = "test skipped or focused"
	ruleAssertion   = "assertion removed"
	ruleExpectation = "expectation changed"
	ruleSwallowed   = "error swallowed"
)

// skipWords mark tests that will not run, or that keep others from running.
var skipWords = []string{"skip", "only", "todo", "xit", "xdescribe", "xtest", "xcontext", "xspecify", "fit", "fdescribe",
	"xfail", "skipif", "skipIf", "runIf", "importorskip", "skipTest", "expectedFailure", "fails", "failing"}

// swallowWords hide errors instead of mending them.
var swallowWords = []string{"catch", "except", "suppress"}

// silencers are comment marks that hide errors.
var silencers = []string{"@ts-ignore", "@ts-nocheck", "@ts-expect-error", "eslint-disable", "type: ignore", "noqa"}

// guard gives the rule that an edit of a file breaks, "" when it may pass.
// discover is the framework's, nil when no framework runs the file.
func guard(l lang.Language, discover func(file string, src []byte) []runner.Decl,
	fix fixers.Fix, file string, before, after []byte) string {
	switch {
	case file == "" || strings.HasPrefix(file, "/") || slices.Contains(strings.Split(file, "/"), ".."):
		return ruleOutside
	case fixers.IsProtected(file) && !fix.Asserts:
		return ruleProtected
	case l == nil:
		return ""
	}
	old, now := tally(l, file, before), tally(l, file, after)
	switch {
	case now.silencers > old.silencers || now.swallows > old.swallows:
		return ruleSwallowed
	case discover == nil:
		return ""
	case now.skips > old.skips:
		return ruleTestSkipped
	case now.asserts+renamedAsserts(fix, file, before) < old.asserts:
		return ruleAssertion
	}
	if testCount(discover(file, after)) < testCount(discover(file, before)) {
		return ruleTestRemoved
	}
	given := fix.Rule == fixers.RuleArguments || fix.Rule == fixers.RuleTimers
	if !fix.Asserts && fix.Kind != runner.SyntaxError && !given && literalsInEdits(l, fix, file, before, after) {
		return ruleExpectation
	}
	return ""
}

func testCount(ds []runner.Decl) int {
	n := 0
	for _, d := range ds {
		if !d.Skipped {
			n += max(1, d.Count)
		}
	}
	return n
}

type tokenTally struct{ skips, asserts, swallows, silencers int }

func tally(l lang.Language, file string, src []byte) tokenTally {
	var t tokenTally
	for _, tok := range l.Tokens(file, src) {
		text := string(src[tok.Start:tok.End])
		switch tok.Kind {
		case lang.Ident, lang.Keyword:
			switch {
			case slices.Contains(skipWords, text):
				t.skips++
			case slices.Contains(swallowWords, text):
				t.swallows++
			case isAssert(text):
				t.asserts++
			}
		case lang.Comment:
			for _, s := range silencers {
				if strings.Contains(text, s) {
					t.silencers++
				}
			}
		case lang.Punct:
			if text == "?." {
				t.swallows++
			}
		}
	}
	return t
}

func isAssert(word string) bool {
	return word == "expect" || strings.HasPrefix(word, "assert") || word == "should" || word == "raises"
}

// renamedAsserts counts the uses of an assertion of the project's own that a
// certain repair renames as the project renamed its definition.
func renamedAsserts(fix fixers.Fix, file string, before []byte) int {
	n := 0
	for _, e := range fix.Edits {
		if fix.By == "" && fix.Applicability == fixers.Safe && e.File == file && e.End <= len(before) &&
			isAssert(string(before[e.Start:e.End])) && !isAssert(e.New) && isWord(e.New) {
			n++
		}
	}
	return n
}

func isWord(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// literalsInEdits tells whether an edit of a test file changes a number, or a
// string that names neither a module nor a member that the test replaces: what a
// test expects is the user's. A module's name inside a longer string (a filter
// of warnings) may follow a rename that is certain, of ours alone: another name
// there is another filter.
func literalsInEdits(l lang.Language, fix fixers.Fix, file string, before, after []byte) bool {
	specs := map[string]bool{}
	certain := fix.By == "" && fix.Applicability == fixers.Safe
	var within [2][]lang.Span
	for i, src := range [][]byte{before, after} {
		for _, imp := range l.Scan(file, src).Imports {
			specs[imp.Specifier] = true
			if certain && imp.Kind == lang.Mock {
				within[i] = append(within[i], imp.SpecSpan)
			}
		}
		for _, name := range fixers.ReplacedMembers(l, file, src) {
			specs[name] = true
		}
	}
	want := literals(l, file, before, within[0])
	for text, n := range literals(l, file, after, within[1]) {
		if n != want[text] && !specs[unquote(text)] {
			return true
		}
		delete(want, text)
	}
	for text := range want {
		if !specs[unquote(text)] {
			return true
		}
	}
	return false
}

// literals counts the literals of a file, as they are but for the names.
func literals(l lang.Language, file string, src []byte, names []lang.Span) map[string]int {
	out := map[string]int{}
	for _, tok := range l.Tokens(file, src) {
		if tok.Kind != lang.Number && tok.Kind != lang.String {
			continue
		}
		text := string(src[tok.Start:tok.End])
		for _, n := range names {
			if n.Start > tok.Start && n.End < tok.End && n.Len() < tok.Len()-2 {
				text = text[:n.Start-tok.Start] + "*" + text[n.End-tok.Start:]
				break
			}
		}
		out[text]++
	}
	return out
}

func unquote(s string) string { return strings.Trim(s, "\"'`") }

// judge applies the guard to all of a fix's files.
func (c *run) guard(fix fixers.Fix) (refused []Refused) {
	for _, file := range editedFiles(fix) {
		if !slices.Contains(c.deps.Workspace.Files(), file) {
			// Ignored, or reached through a link that leads elsewhere.
			refused = append(refused, Refused{Rule: ruleOutside, File: file})
			continue
		}
		before, after, err := c.ledger.after(fix, file)
		if err != nil {
			refused = append(refused, Refused{Rule: err.Error(), File: file})
			continue
		}
		if rule := guard(c.deps.Languages.For(file), c.discover(file), fix, file, before.Data, after.Data); rule != "" {
			refused = append(refused, Refused{Rule: rule, File: file})
		}
	}
	if fix.Asserts && !c.opts.UpdateAssertions && fix.Applicability != fixers.Propose {
		refused = append(refused, Refused{Rule: ruleExpectation, File: strings.Join(editedFiles(fix), ", ")})
	}
	return refused
}

func (c *run) discover(file string) func(string, []byte) []runner.Decl {
	for _, u := range c.deps.Units {
		if u.Layout.IsTest != nil && u.Layout.IsTest(file) {
			return u.Framework.Discover
		}
	}
	return nil
}
