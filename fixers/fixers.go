// Package fixers turns one cause of failure into ranked candidate fixes.
//
// A fixer reads the cause and the workspace. It never runs tests and never
// writes: the cycle applies a candidate in the sandbox and proves it. Its
// invariant: a fix is a list of byte ranges; nothing outside them changes,
// nothing is reformatted, and no assertion, skip mark, configuration file or
// manifest is ever edited unless the user asked for it by name.
package fixers

import (
	"context"
	"io/fs"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// Cause is failures with one fingerprint: one broken import is one cause with
// many victims.
type Cause struct {
	// ID is the fingerprint: kind, place, symbol (DESIGN.md section 3).
	ID        string
	Kind      runner.Kind
	Place     runner.Place
	Symbol    string
	Specifier string
	Message   string
	// Failures are the victims, at least one.
	Failures []runner.Failure
	Project  runner.Project
}

// Applicability says what may happen with a fix, as DESIGN.md section 3 has it.
type Applicability int

// Propose is shown and never applied by itself; Likely is unique at its rank
// and proved by the tests; Safe is certain, and proved by the tests.
const (
	Propose Applicability = iota
	Likely
	Safe
)

// String is the word of the JSON contract.
func (a Applicability) String() string { return [...]string{"propose", "likely", "safe"}[a] }

// Edit replaces the bytes [Start, End) of a file with New. Start == End
// inserts. Offsets are of the workspace's present bytes.
type Edit struct {
	File       string
	Start, End int
	New        string
}

// Whole is one file before and after a fix.
type Whole struct {
	File          string
	Before, After []byte
	// Created and Deleted say that there was no file, or is none now.
	Created, Deleted bool
	// BeforeMode and Mode are permission bits, and fs.ModeSymlink for a link,
	// whose bytes are its target. Mode 0 keeps what there is.
	BeforeMode, Mode fs.FileMode
}

// Fix is one candidate.
type Fix struct {
	ID            string // stable: a hash of rule and edits (see Seal)
	Title         string // for a person: "import add from ./math.js instead of ./calc.js"
	Kind          runner.Kind
	Rule          string // the fixer's name
	Applicability Applicability
	// Rank orders candidates, lowest first. Candidates of equal rank are
	// alternatives: if two of them pass, neither is applied.
	Rank  int
	Edits []Edit
	// Whole are the files of a fix that another program made, each as a whole;
	// such a fix has no Edits.
	Whole []Whole
	// By names the program, "" for a built-in fixer.
	By string
	// Doubt says why only a person may merge it, "" for nothing.
	Doubt string
	// Evidence says why, for a person: "git says src/calc.js was renamed to src/math.js".
	Evidence string
	// Asserts marks a fix that changes what a test demands (literals,
	// snapshots, limits): the guard lets it pass only if the user asked.
	Asserts bool
	// UpdateSnapshots asks for the framework's own update of the victims'
	// snapshots instead of edits.
	UpdateSnapshots bool
}

// Rename is a file that git says was moved since the base.
type Rename struct{ From, To string }

// Workspace is the sandbox's tree as a fixer sees it. All paths are rel.
type Workspace interface {
	lang.Tree
	// Base gives the file at the base revision; ok is false when it was not there.
	Base(rel string) (src []byte, ok bool)
	// BaseFiles are the base revision's files, sorted.
	BaseFiles() []string
	// Renames are moves since the base, by git's rename detection.
	Renames() []Rename
	// Changed are the files that differ from the base, sorted; deleted ones too.
	Changed() []string
	Languages() lang.Set
	// Resolver is the resolver of a language for the present tree.
	Resolver(l lang.Language) lang.Resolver
	// IsTest tells whether a framework would run the file.
	IsTest(rel string) bool
}

// Fixer proposes fixes for some kinds of cause.
type Fixer interface {
	Name() string
	Kinds() []runner.Kind
	// Fix returns candidates, best first. No candidate is not an error.
	Fix(ctx context.Context, c Cause, w Workspace) ([]Fix, error)
}
