package cycle

import "fmt"

// Schema is the version of the JSON documents (DESIGN.md section 8). Fields
// are only ever added.
const Schema = 1

// Outcome is how a cycle ended.
type Outcome string

// The outcomes of DESIGN.md section 4.
const (
	Passed    Outcome = "passed"
	Repaired  Outcome = "repaired"
	Proposed  Outcome = "proposed"
	Failed    Outcome = "failed"
	NoTests   Outcome = "no_tests"
	Cancelled Outcome = "cancelled"
	Errored   Outcome = "error"
)

// NothingModified is the Reason of a Document when the selection is empty
// because no file differs from the base.
const NothingModified = "nothing is modified"

// NoTestSees is the Reason of a Document when files differ from the base and
// no test depends on what differs: not on the files, or they differ in comments
// alone.
const NoTestSees = "no test can see what is modified"

// Document is what `regreen run --json` prints and what the history keeps.
type Document struct {
	Schema        int         `json:"schema"`
	ID            string      `json:"id"` // the cycle's, for show, apply and undo
	Outcome       Outcome     `json:"outcome"`
	Isolation     string      `json:"isolation"`
	IsolationNote string      `json:"isolation_note"` // why it is not a stronger level
	Frameworks    []string    `json:"frameworks"`
	ModifiedFiles []string    `json:"modified_files"`
	AffectedTests []Affected  `json:"affected_tests"`
	Iterations    []Iteration `json:"iterations"`
	BestPassRate  float64     `json:"best_pass_rate"`
	// Final are the numbers of the best state's run over the selection; an
	// iteration holds those from before its fixes.
	Final        Totals      `json:"final"`
	FullSuiteRun bool        `json:"full_suite_run"`
	Merged       []Merged    `json:"merged"`
	Proposals    []Proposal  `json:"proposals"`
	Refused      []Refused   `json:"refused"`
	Remaining    []Remaining `json:"remaining"`
	// FailedBefore are tests that fail without the fix too and that the modified
	// files cannot reach, or that fail in the same way at the base: they do not
	// count.
	FailedBefore []Remaining `json:"failed_before"`
	// Flaky are tests that failed and passed on the same files in this cycle:
	// nothing is credited to a fix for them.
	Flaky  []TestRef `json:"flaky"`
	Undo   string    `json:"undo"`   // the undo record's id, "" when nothing was merged
	Reason string    `json:"reason"` // why the outcome is not passed or repaired, for a person
	Patch  string    `json:"patch"`  // unified diff of what was merged
	// Cause is the part of the user's own changes that turns tests red which no
	// repair is for; nil when that was not looked for or not found.
	Cause *Guilt `json:"cause"`
	// HalfWritten are places that somebody is still writing: nothing is repaired
	// before they were left alone for cycle.typing_quiet.
	HalfWritten []HalfWritten `json:"half_written"`
	Warnings    []string      `json:"warnings"`
	Timings     Timings       `json:"timings_ms"`
	Error       *Problem      `json:"error"`
}

// Affected is a selected test file with the chain of reasons.
type Affected struct {
	File string   `json:"file"`
	Why  []string `json:"why"`
}

// Iteration is one round of the loop.
type Iteration struct {
	N        int     `json:"n"`
	Strategy string  `json:"strategy"` // the one used in this round, "" when nothing was left to repair
	Scope    string  `json:"scope"`    // affected | full
	PassRate float64 `json:"pass_rate"`
	Total    int     `json:"total"`
	Passed   int     `json:"passed"`
	Failed   int     `json:"failed"`
	Errored  int     `json:"errored"`
	Skipped  int     `json:"skipped"`
	NotRun   int     `json:"not_run"`
	Causes   []Cause `json:"causes"`
	Fixes    []Fix   `json:"fixes"`
}

// Totals are the numbers of one run.
type Totals struct {
	PassRate float64 `json:"pass_rate"`
	Total    int     `json:"total"`
	Passed   int     `json:"passed"`
	Failed   int     `json:"failed"`
	Errored  int     `json:"errored"`
	Skipped  int     `json:"skipped"`
	NotRun   int     `json:"not_run"`
}

// Cause is a cause as the document shows it.
type Cause struct {
	Kind     string `json:"kind"`
	Severity string `json:"severity"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Symbol   string `json:"symbol"`
	Victims  int    `json:"victims"`
	Message  string `json:"message"`
}

// Fix is a candidate that was tried.
type Fix struct {
	ID            string   `json:"id"`
	Title         string   `json:"title"`
	Kind          string   `json:"kind"`
	Applicability string   `json:"applicability"`
	Files         []string `json:"files"`
	Kept          bool     `json:"kept"`
	Why           string   `json:"why"`          // the evidence, or why it was not kept
	By            string   `json:"by,omitempty"` // the command or chat fixer that made it
}

// Merged is one file that was written.
type Merged struct {
	File   string `json:"file"`
	Before string `json:"before"` // sha256, "" for a new file
	After  string `json:"after"`  // sha256, "" for a deleted file
}

// Proposal is a result that waits for the user's apply.
type Proposal struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Reason string `json:"reason"`
	Patch  string `json:"patch"`
}

// Refused is an edit that the guard did not let through.
type Refused struct {
	Rule string `json:"rule"`
	File string `json:"file"`
	By   string `json:"by,omitempty"` // the command or chat fixer that made it
}

// TestRef is a test in the document.
type TestRef struct {
	Framework string   `json:"framework"`
	File      string   `json:"file"`
	Path      []string `json:"path"`
}

// Remaining is a failure that is left.
type Remaining struct {
	Test     TestRef `json:"test"`
	Scope    string  `json:"scope"` // test | hook | file | run
	Kind     string  `json:"kind"`
	Severity string  `json:"severity"`
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Column   int     `json:"column"`
	Symbol   string  `json:"symbol"`
	Expected string  `json:"expected"`
	Received string  `json:"received"`
	Message  string  `json:"message"`
}

// Timings are milliseconds spent.
type Timings struct {
	Snapshot  int64 `json:"snapshot"`
	Affected  int64 `json:"affected"`
	FirstRun  int64 `json:"first_run"`
	Fix       int64 `json:"fix"`
	FullSuite int64 `json:"full_suite"`
	Merge     int64 `json:"merge"`
	AtBase    int64 `json:"at_base"` // runs that tell old failures from new ones
	Cause     int64 `json:"cause"`   // the search for the guilty part of the diff
	Guess     int64 `json:"guess"`   // guesses at the guilty lines
	Total     int64 `json:"total"`
}

// HalfWritten is a place where a file that parsed stops, in the middle of what
// somebody writes.
type HalfWritten struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// String tells what is waited for.
func (h HalfWritten) String() string {
	return fmt.Sprintf("you to finish line %d of %s", h.Line, h.File)
}

// Cursor is a place in a file at which somebody writes.
type Cursor struct {
	File         string
	Line, Offset int // Line counts from 1
}

// Problem is an error as the document shows it.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// Guilt is the smallest part of the difference from an earlier state whose
// reversal turns tests green. It is told and never applied.
type Guilt struct {
	Tests []TestRef `json:"tests"` // the tests that pass without it
	Parts []Part    `json:"parts"`
	// Since is the state that the difference is from: the last one in which the
	// tests were known to pass, or the base.
	Since string `json:"since"`
	Patch string `json:"patch"` // unified diff, from that state to the present
	Runs  int    `json:"runs"`  // how many runs that took
	// Smallest is false when the budget ran out before every smaller part was
	// tried.
	Smallest bool `json:"smallest"`
}

// What Guilt.Since says.
const (
	SinceGreen = "last_green"
	SinceBase  = "base"
)

// Part is a range of lines that the user changed: Line to EndLine of the
// present file, both from 1; EndLine is Line-1 where lines were only removed.
type Part struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	EndLine int    `json:"end_line"`
	Before  string `json:"before"`
	After   string `json:"after"`
}
