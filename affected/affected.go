// Package affected names the tests that can see a change, each with the chain
// of reasons.
//
// Its invariant: it errs on the side of more tests. What an import surely or
// possibly loads is an edge; where that cannot be told the selection widens
// and says why. It knows no language and no framework: files are read by
// lang.Language, tests and their setup are told by runner.Layout.
//
// # Design
//
// Every file of the repository that a language owns is scanned, in parallel,
// and its imports are resolved (graph.go). The selection is one breadth-first
// walk from the changed files along the edges backwards (select.go), so the
// chain to each test is a shortest one. Rules that hold for a whole folder or
// project (manifests, setup files, computed imports) are virtual nodes or are
// expanded during the walk, and never an edge for each pair of files.
//
// A change may be known to do less than its file could (effect.go): it differs
// in comments and white space alone, as the language proves by its tokens; a
// lock file or manifest differs in packages, and those are nodes that files
// depend on (packages.go); what tests are run with differs inside fixtures that
// are used by name (fixture.go). Whatever cannot be told in these ways is a
// change of the whole, and Set says which was the case.
//
// A file that re-exports others is an edge to each of them, whichever names
// its importers use: the module loads them all, and one that throws while it
// is loaded fails every importer. Only a change of which the language proves
// that loading does the same before and after goes on by names (names.go): to
// those who use what differs, through those who hand it on. A package's
// __init__.py is never taken apart: to import one name of it runs all of it.
//
// The graph can be kept (update.go): a save reads the saved files. Where files
// come or go, the imports that may have to do with them are resolved anew
// (grow.go), and all of them where what steers resolution differs. What files
// say is remembered by their content between processes (scans.go).
//
// What runs were seen to open (opened.go) adds to all this and takes nothing
// away, unless Input.Traced asks for it. What they were seen to execute
// (executed.go) only takes away, and only then.
//
// A deleted file has no importers in the present tree. So with a deletion
// every import is resolved once more in the tree as it would be with the
// deleted files (base.go), and what leads to them is an edge.
package affected

import (
	"context"
	"slices"
	"time"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// Change is one file that differs from the base.
type Change struct {
	Path    string // rel
	Deleted bool
	From    string // the path before a rename, "" for none
}

// Project is one framework in one folder with what its configuration says.
type Project struct {
	runner.Project
	runner.Layout
	// Narrow is the framework's runner.Narrower; nil where it has none.
	Narrow func(file string, before, after []byte, others map[string][]byte) (runner.Narrowing, bool)
}

// Input is what a selection is made from. Tree.ReadFile must be safe for
// concurrent use.
type Input struct {
	Tree      lang.Tree
	Languages lang.Set
	Projects  []Project
	Changes   []Change
	// Base gives a file at the base revision; may be nil.
	Base func(rel string) ([]byte, bool)
	// BaseFiles are the base revision's files; may be nil.
	BaseFiles []string
	// Sum gives a hash of a file's content, where one is known; may be nil.
	Sum func(rel string) (string, bool)
	// Scans remembers what files of a known Sum say; may be nil.
	Scans *Scans
	// Links are the tree's links by path, each with the path in the tree that
	// it leads to in the end, a file or a folder; may be nil.
	Links map[string]string
	// Past tells of a test file's last run whether something in it failed and
	// how long it took, 0 where that is not known; may be nil.
	Past func(test string) (failed bool, took time.Duration)
	// Opened is what runs were seen to open; may be nil.
	Opened *Opened
	// Traced lets what runs were seen to load stand for what a computed import
	// may load, and spares tests that execute nothing that differs.
	Traced bool
	// Executed is what test files were seen to execute; may be nil.
	Executed *Executed
	// Data maps globs of data files to globs of the tests that read them.
	Data map[string][]string
}

// Test is a selected test file.
type Test struct {
	File string
	// Projects are the indices of the projects that run it.
	Projects []int
	// Why is a shortest chain from the test to a change, a sentence a step.
	Why []string
	// Distance is the number of steps: 0 for a test that changed itself, -1
	// for one that no change reaches (All).
	Distance int
}

// Set is a selection.
type Set struct {
	// Modified are the changed files (both paths of a rename), sorted.
	Modified []string
	// Tests are in the order to run them: those that failed last, then the
	// nearest, then the fastest, then by name.
	Tests []Test
	// All says that every test is selected by one reason for all.
	All bool
	// Reason is why all are selected, or why the selection was widened; "" for
	// neither.
	Reason string
	// Widened are all reasons for which more was selected than surely depends.
	Widened []string
	// Spared are the reasons for which a change selects less than all that
	// depends on the file, sorted.
	Spared []string
	// Unreached are the changed files that no test depends on, as far as can
	// be seen (documentation, tools).
	Unreached []string

	graph *Graph
}

// Select names the tests that the changes can affect.
func Select(ctx context.Context, in Input) (*Set, error) {
	g, err := Build(ctx, in)
	if err != nil {
		return nil, err
	}
	return g.selected(ctx), nil
}

// All selects every test file of every project. The tests that the changes
// reach come first.
func All(ctx context.Context, in Input) (*Set, error) {
	g, err := Build(ctx, in)
	if err != nil {
		return nil, err
	}
	return g.all(ctx), nil
}

// Graph is the graph that the selection was made from.
func (s *Set) Graph() *Graph { return s.graph }

// Reaches tells whether the changes can reach a test file.
func (s *Set) Reaches(test string) bool {
	return slices.ContainsFunc(s.Tests, func(t Test) bool { return t.File == test && t.Distance >= 0 })
}
