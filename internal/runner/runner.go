// Package runner is what a test framework is to regreen: how a project that
// uses it is found, how tests are started, and what a run said.
//
// Its invariant: a Report never claims more than the framework proved. A run
// without its end record gives no verdict at all, and standard output is kept
// for people and never read for a verdict.
//
// The knowledge of one framework stands in a folder below this one and is
// registered in one line in internal/cli; nothing here names a framework.
package runner

import (
	"context"
	"strings"
	"time"

	"regreen/internal/lang"
	"regreen/internal/proc"
)

// Kind says what went wrong, in the words of DESIGN.md section 3.
type Kind string

// The kinds of failure. MissingFixture and UnhandledRejection are finer than
// the design's list: the corpus tells them apart, and so do the fixers.
const (
	MissingImport      Kind = "missing_import"
	MissingExport      Kind = "missing_export"
	UndefinedVariable  Kind = "undefined_variable"
	AttributeError     Kind = "attribute_error"
	AssertionMismatch  Kind = "assertion_mismatch"
	SnapshotMismatch   Kind = "snapshot_mismatch"
	Timeout            Kind = "timeout"
	SyntaxError        Kind = "syntax_error"
	HookError          Kind = "hook_error"
	ThrownError        Kind = "thrown_error"
	MissingFixture     Kind = "missing_fixture"
	UnhandledRejection Kind = "unhandled_rejection"
	Crash              Kind = "crash"
	NoTests            Kind = "no_tests"
	Unknown            Kind = "unknown"
)

// TestID is a test's identity: never one joined string, since " > ", " › ",
// "::" and "[" all occur inside names.
type TestID struct {
	Framework string   `json:"framework"`
	File      string   `json:"file"` // rel to the repository's root, slashes
	Path      []string `json:"path"` // titles from the outermost suite to the test
}

// Key is a map key for the identity. It is not for people.
func (t TestID) Key() string {
	return t.Framework + "\x00" + t.File + "\x00" + strings.Join(t.Path, "\x00")
}

// Verdict is what the framework itself counted a test as.
type Verdict string

// The verdicts. None is a test that is known but was given no verdict (mocha
// after a failed hook); Errored is a test that the framework counts in its
// total but neither as passed nor failed nor skipped (pytest's set-up errors).
const (
	Passed  Verdict = "passed"
	Failed  Verdict = "failed"
	Skipped Verdict = "skipped"
	Todo    Verdict = "todo"
	Errored Verdict = "errored"
	None    Verdict = "none"
)

// Test is one test of a run.
type Test struct {
	ID       TestID
	Verdict  Verdict
	NotRun   bool // its body never got a chance, because something else failed
	Duration time.Duration
	Asserts  int // assertions made, -1 where the framework does not say
}

// Place is a position in a source file; Line and Column count from 1, 0 is unknown.
type Place struct {
	File   string // rel to the repository's root; "" is unknown
	Line   int
	Column int
}

// Frame is one entry of a stack inside the repository, innermost first.
type Frame struct {
	Place
	Function string
}

// Scope says what failed: a test's body, a hook or fixture, a file that did
// not load, or the run itself (crash, hang, unhandled error).
type Scope string

// The scopes.
const (
	ScopeTest Scope = "test"
	ScopeHook Scope = "hook"
	ScopeFile Scope = "file"
	ScopeRun  Scope = "run"
)

// Failure is one thing that went wrong, as near to its cause as the
// framework's evidence allows.
type Failure struct {
	Scope Scope
	// Test is the test it surfaced in. With ScopeFile only File is set; with
	// ScopeRun it is the last test begun, or empty.
	Test      TestID
	Kind      Kind
	Place     Place // the innermost frame of the project: where a fixer must look
	Symbol    string
	Name      string // the error's class, "TypeError"
	Message   string // without colour codes, without the stack
	Expected  string // typed text: JSON for JavaScript, repr for Python; "" unknown
	Received  string
	Frames    []Frame
	Specifier string // missing_import, missing_export: the module as written
	// Names are what could have been meant where the framework tells them: the
	// receiver's attributes, the fixtures there are.
	Names []string
	// Stack is the framework's whole text, for people and for --json.
	Stack string
}

// Report is what one run gave.
type Report struct {
	Framework string
	Project   string // the project's root, rel
	Tests     []Test
	Failures  []Failure
	// NotLoaded are test files of which the run tells nothing because they,
	// or the whole run, did not load; their tests count as not run.
	NotLoaded []string
	Ended     bool // the end record was seen
	Exit      proc.Exit
	TimedOut  bool // killed at the request's time limit
	// Truncated says the channel from the framework was cut or not readable;
	// it makes the run red.
	Truncated string
	// RunnerErrored: the framework itself counts an error with no failure
	// behind it (no tests found with a non-zero exit code).
	RunnerErrored bool
	Warnings      []string
	// Foreign are files (rel) that the run loaded from the user's own tree
	// instead of Env.Root: what it said is not about the tree it ran in.
	Foreign []string
	// Opened is what the run was seen to open of the repository.
	Opened []Opened
	// Executed is which functions the tests were seen to execute; nil where that
	// was not watched.
	Executed *Executed
	Output   string // the tail of standard output and error, for people
	Duration time.Duration
}

// Request says what to run.
type Request struct {
	// Files are test files, rel to the repository's root; empty runs all that
	// the project's own command runs.
	Files []string
	// Tests narrows the run to these tests where the framework can; a session
	// may run more, never fewer.
	Tests []TestID
	// KeepGoing runs what can be run although a file does not load (mocha and
	// pytest stop the whole run by default, and by default so do we).
	KeepGoing bool
	// Timeout is the run's wall clock; 0 is none. At the limit the process
	// group is killed and the test that hung is named.
	Timeout time.Duration
	// UpdateSnapshots lets the framework rewrite snapshots of exactly Tests.
	UpdateSnapshots bool
	// Progress gets every test's begin and end as it happens; may be nil; must
	// not block.
	Progress func(Progress)
}

// Progress is one sign of life of a run.
type Progress struct {
	Test TestID
	Done bool // false: begun
	// Verdict is set when Done.
	Verdict Verdict
}

// Env is where a session runs.
type Env struct {
	// Root is the tree to run in (abs); Origin the user's own (abs). They are
	// the same where the sandbox is mounted over the repository's path.
	Root, Origin string
	// Disk is where this process finds the files of Root (abs), since a mounted
	// sandbox is seen at Root only by what runs in it; "" is Root.
	Disk string
	// Scratch is a private, existing folder outside the repository for
	// reporters and their output (abs).
	Scratch string
	// Keep is a private folder that lasts from run to run, for what need not be
	// asked twice (abs); it is made when needed. "" is none.
	Keep string
	// Environ is the base environment, already reduced to the allow-list.
	Environ []string
	// Exec starts processes in the sandbox.
	Exec Executor
	// Traced asks for Report.Executed where the framework can tell it.
	Traced bool
}

// OnDisk is where this process reads the files of Root.
func (e Env) OnDisk() string {
	if e.Disk != "" {
		return e.Disk
	}
	return e.Root
}

// Executor starts a process and waits for it. proc.Local is the plain one.
type Executor interface {
	Run(ctx context.Context, cmd proc.Cmd) (proc.Exit, error)
}

// Project is one framework in one folder of the repository.
type Project struct {
	Root      string // rel; "." is the repository's root
	Framework string
	Version   string // as installed
	// Command is the program and its leading arguments, with absolute paths in
	// the user's tree ("/usr/bin/node", "/repo/node_modules/jest/bin/jest.js").
	// A session maps what must come from the sandbox.
	Command []string
	// Args are what the project's own script adds ("--config", "x.ts", "-r", "ts-node/register").
	Args []string
	// Env is what the project's own script sets.
	Env map[string]string
	// Source says how it was found, for doctor and for errors ("package.json scripts.test").
	Source string
}

// Decl is a test as its file declares it, found without running it.
type Decl struct {
	Path    []string // titles as far as they are literal; "" for a computed one
	Line    int
	Skipped bool
	Count   int // how many tests it stands for (tables); at least 1
}

// Layout is what a project's own configuration says about its files.
type Layout struct {
	// IsTest tells whether the project's framework would run the file (rel to the repository).
	IsTest func(rel string) bool
	// Global are files every test of the project depends on: setup files,
	// runner configuration, env files (rel).
	Global []string
	// Implicit gives the files one test depends on without importing them
	// (conftest.py up the folders, snapshots); may be nil.
	Implicit func(testFile string) []string
	// Unread tells whether no run of the project reads a file (rel) of a name that
	// sets many programs up (setup.cfg), with such a text, nil for none; may be nil.
	Unread func(file string, text []byte) bool
	// Aliases are what specifiers mean (moduleNameMapper, resolve.alias).
	Aliases []lang.Alias
	// Uncertain says why the layout is a guess; "" when it was read from the framework itself.
	Uncertain string
	// Blind says why it cannot be told what the tests depend on, "" for nothing:
	// then any change is one of what every test depends on.
	Blind string
}

// Candidate is what a framework's detection saw in one folder.
type Candidate struct {
	Project Project
	// Strength orders evidence: scripts 40, config file 30, manifest dependency
	// 20, only installed 10, test files' content 5.
	Strength int
	// Ecosystem is what runs it ("node", "python"): evidence is weighed within
	// one, since two ecosystems in a folder are two projects. "" is the
	// framework's own.
	Ecosystem string
	// Warning is what a person should know of it though it runs: a version
	// that is older than those that are tested.
	Warning string
	// Problem is set when the project uses the framework but it cannot be
	// started (not installed, no node); it is reported with Hint.
	Problem, Hint string
}

// Framework is one test framework.
type Framework interface {
	Name() string
	// Detect looks for projects of this framework. It starts at most a version
	// query and writes nothing.
	Detect(ctx context.Context, in DetectInput) ([]Candidate, error)
	// Layout reads the project's configuration, with the framework's own
	// loader where that can be had, run in env.
	Layout(ctx context.Context, env Env, p Project) (Layout, error)
	// Discover lists the tests that a file declares, also in a file that does not parse.
	Discover(file string, src []byte) []Decl
	// Open prepares a session for the project.
	Open(ctx context.Context, env Env, p Project) (Session, error)
}

// DetectInput is what detection may look at.
type DetectInput struct {
	Root string // the user's tree, abs
	// Files are the repository's own files (tracked, or untracked and not
	// ignored), rel, sorted.
	Files []string
	// Environ is the user's environment (PATH, VIRTUAL_ENV).
	Environ []string
	Exec    Executor
	// Keep is Env.Keep; "" asks every program anew.
	Keep string
}

// Session drives one project's framework. It is used by one goroutine at a
// time. A session may keep processes warm between runs.
type Session interface {
	// Run runs tests. An error means that nothing could be found out; a red
	// run is a Report.
	Run(ctx context.Context, req Request) (*Report, error)
	// Close ends whatever the session keeps.
	Close() error
}
