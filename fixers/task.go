package fixers

import (
	"fmt"
	"strings"
	"time"
)

// TaskSchema is the version of Task as JSON. Fields are only ever added.
const TaskSchema = 1

// Task is what a command fixer gets as one JSON document on standard input,
// and a chat fixer as a prompt. Secrets are taken out of it.
type Task struct {
	Schema int         `json:"schema"`
	Fixer  string      `json:"fixer"`
	Round  int         `json:"round"` // from 1
	Budget TaskBudget  `json:"budget"`
	Rules  []string    `json:"rules"` // what is refused, in words
	Causes []TaskCause `json:"causes"`
	// ModifiedFiles are the files that the user changed since the base
	// revision, Diff what he changed in them.
	ModifiedFiles []string `json:"modified_files"`
	Diff          string   `json:"diff"`
	// Files may be edited and are where to begin: those that the causes name
	// and those that the user changed, without tests.
	Files []string `json:"files"`
	// Tried are the changes that did not hold, oldest first.
	Tried []Tried `json:"tried"`

	// Read gives a file of the tree as it is; it is not part of the document.
	Read func(rel string) ([]byte, error) `json:"-"`
}

// TaskBudget is what a fixer may spend.
type TaskBudget struct {
	Seconds int `json:"seconds"` // of this round
	Rounds  int `json:"rounds"`  // of the cycle
	Files   int `json:"files"`
	Lines   int `json:"lines"` // added and removed
}

// TaskCause is a cause of failures: its place is where the error came up.
type TaskCause struct {
	ID       string     `json:"id"`
	Kind     string     `json:"kind"`
	Severity string     `json:"severity"`
	Place    TaskPlace  `json:"place"`
	Symbol   string     `json:"symbol"`
	Message  string     `json:"message"`
	Expected string     `json:"expected"`
	Received string     `json:"received"`
	Tests    []TaskTest `json:"tests"` // that fail for it
	// Left is how many more tests fail for it than Tests names.
	Left int `json:"left"`
}

// TaskPlace is a place in the repository; Line and Column count from 1, 0 is
// unknown.
type TaskPlace struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// TaskTest is a failing test; a whole file has no path.
type TaskTest struct {
	Framework string      `json:"framework"`
	File      string      `json:"file"`
	Path      []string    `json:"path"`
	Message   string      `json:"message"`
	Frames    []TaskPlace `json:"frames"`
}

// Tried is a change that did not hold.
type Tried struct {
	By     string   `json:"by"`
	Title  string   `json:"title"`
	Files  []string `json:"files"`
	Rule   string   `json:"rule"` // the rule that it broke, "" for none
	Reason string   `json:"reason"`
	Patch  string   `json:"patch"` // cut where it is long
}

// Prompt is the task in words, for a model.
func (t Task) Prompt() string {
	var b strings.Builder
	b.WriteString("Tests of this repository fail. Repair the source code so that they pass.\n\nRules:\n")
	for _, r := range t.Rules {
		b.WriteString("- " + r + "\n")
	}
	for i, c := range t.Causes {
		fmt.Fprintf(&b, "\nCause %d: %s", i+1, c.Kind)
		if c.Symbol != "" {
			fmt.Fprintf(&b, " (%s)", c.Symbol)
		}
		if c.Place.File != "" {
			fmt.Fprintf(&b, " at %s:%d:%d", c.Place.File, c.Place.Line, c.Place.Column)
		}
		b.WriteString("\n" + indent(c.Message))
		if c.Expected != "" || c.Received != "" {
			fmt.Fprintf(&b, "  expected: %s\n  received: %s\n", c.Expected, c.Received)
		}
		for _, test := range c.Tests {
			fmt.Fprintf(&b, "  test: %s", test.File)
			if len(test.Path) > 0 {
				b.WriteString(" > " + strings.Join(test.Path, " > "))
			}
			b.WriteString("\n")
		}
		if c.Left > 0 {
			fmt.Fprintf(&b, "  and %d more\n", c.Left)
		}
	}
	if t.Diff != "" {
		b.WriteString("\nWhat was changed since the last commit:\n" + t.Diff)
	}
	for _, x := range t.Tried {
		fmt.Fprintf(&b, "\nTried, and did not hold (%s): %s\n%s", x.Reason, x.Title, x.Patch)
	}
	return b.String()
}

func indent(s string) string {
	if s == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") + "\n"
}

// Limits bound a fixer that is another program.
type Limits struct {
	Time   time.Duration // of one round
	Rounds int           // of one cycle
	Files  int           // changed by one answer
	Lines  int           // added and removed by one answer
}

// Answer is what such a fixer made of a task.
type Answer struct {
	// Title and Notes are its own words: short, without control characters.
	Title, Notes string
	// Whole are the files that it changed.
	Whole []Whole
	// Failed says why there is no change: it ended with an error, hung, passed
	// a limit or was not understood. Rule and File name the limit that the
	// change itself passes.
	Failed     string
	Rule, File string
	// Again says that it may do better when it is told so.
	Again bool
	// Off says that asking again in this cycle is of no use.
	Off bool
	// Doubt says why only a person may merge what it made, "" for nothing.
	Doubt    string
	Warnings []string
}
