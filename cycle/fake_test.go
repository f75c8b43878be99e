package cycle

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"regreen/fixers"
	"regreen/internal/config"
	"regreen/internal/lang"
	"regreen/internal/runner"
)

// world is a repository and a framework in memory. A test file holds one test
// a line: "name: FILE has WORD", which passes when FILE contains WORD. A file
// that "loads FILE has WORD" fails to load until it does; where one "starts
// FILE has WORD" the whole run fails until then; a test named "hang" that does
// not pass hangs the run. "name: skipped" is skipped, and "name: skipped FILE has
// WORD" once FILE contains WORD, and passes until then.
type world struct {
	files, orig map[string][]byte
	fixes       func(c fixers.Cause, w *world) []fixers.Fix
	merged      []Change
	mergeErr    error
	guard       string
	moves       func() string                     // is the guard, when set
	late        error                             // of the first merge
	saves       []func(w *world) (Rebased, error) // what Rebase gives, in turn
	already     bool                              // the user's files are as the merge wants them
	kept        map[string][]Change
	reach       map[string]bool
	runs        int
	hang        bool
	unlucky     map[string]int           // tests that fail in one run, by name, whatever the files hold
	luckyFrom   int                      // the run from which on all tests pass, whatever the files hold; 0: none
	took        map[string]time.Duration // by the tests' names
	boot        time.Duration            // a run takes at least that
	limits      []time.Duration          // of the runs that hung
	alone       map[string]bool          // of tests that are run by their names: what they say whatever the files hold
	named       int                      // runs of tests by their names
	collects    bool                     // no test runs where a file does not load, as with pytest
	litter      func(w *world)           // what the tests do to the tree as they run
	events      []Event
	hidden      string            // a file that can be read and is none of the repository's
	base        map[string]string // the base revision, where it differs from what the cycle found
}

func newWorld(files map[string]string) *world {
	w := &world{files: map[string][]byte{}, orig: map[string][]byte{}, kept: map[string][]Change{}, reach: map[string]bool{}}
	for f, s := range files {
		w.files[f], w.orig[f] = []byte(s), []byte(s)
	}
	return w
}

func (w *world) ReadFile(rel string) ([]byte, error) {
	b, ok := w.files[rel]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return bytes.Clone(b), nil
}
func (w *world) Exists(rel string) bool { _, ok := w.files[rel]; return ok }
func (w *world) IsDir(string) bool      { return false }
func (w *world) Files() []string {
	var out []string
	for f := range w.files {
		if f != w.hidden {
			out = append(out, f)
		}
	}
	sort.Strings(out)
	return out
}
func (w *world) Base(rel string) ([]byte, bool) {
	if s, ok := w.base[rel]; ok {
		return []byte(s), true
	}
	b, ok := w.orig[rel]
	return b, ok
}
func (w *world) BaseFiles() []string                  { return w.Files() }
func (w *world) Renames() []fixers.Rename             { return nil }
func (w *world) Changed() []string                    { return slices.Sorted(maps.Keys(w.base)) }
func (w *world) Languages() lang.Set                  { return nil }
func (w *world) Resolver(lang.Language) lang.Resolver { return nil }
func (w *world) IsTest(rel string) bool               { return strings.HasSuffix(rel, ".test") }

func (w *world) Level() string { return "copy" }
func (w *world) Write(rel string, f File) error {
	if f.Gone {
		delete(w.files, rel)
		return nil
	}
	w.files[rel] = bytes.Clone(f.Data)
	return nil
}
func (w *world) Changed2(context.Context) ([]string, error) { return nil, nil }
func (w *world) Guard(context.Context) (string, error) {
	if w.moves != nil {
		return w.moves(), nil
	}
	return w.guard, nil
}
func (w *world) Original(_ context.Context, rel string) ([]byte, error) { return w.orig[rel], nil }
func (w *world) Reset(_ context.Context, edits map[string]File) error {
	w.files = map[string][]byte{}
	maps.Copy(w.files, w.orig)
	for rel, f := range edits {
		if err := w.Write(rel, f); err != nil {
			return err
		}
	}
	return nil
}
func (w *world) Merge(_ context.Context, id string, ch []Change) (string, error) {
	if w.mergeErr != nil {
		return "", w.mergeErr
	}
	if w.already {
		return "", nil
	}
	if w.late != nil {
		err := w.late
		w.late = nil
		return "", err
	}
	w.merged = ch
	return id, nil
}

func (w *world) Rebase(context.Context, []Change) (Rebased, error) {
	if len(w.saves) == 0 {
		return Rebased{}, nil
	}
	next := w.saves[0]
	w.saves = w.saves[1:]
	return next(w)
}

// box adapts the world, whose Changed has two meanings.
type box struct{ *world }

func (b box) Changed(ctx context.Context) ([]string, error) { return b.Changed2(ctx) }

func (w *world) Name() string { return "fake" }
func (w *world) Detect(context.Context, runner.DetectInput) ([]runner.Candidate, error) {
	return nil, nil
}
func (w *world) Layout(context.Context, runner.Env, runner.Project) (runner.Layout, error) {
	return runner.Layout{IsTest: w.IsTest}, nil
}
func (w *world) Open(context.Context, runner.Env, runner.Project) (runner.Session, error) {
	return w, nil
}
func (w *world) Close() error { return nil }

func (w *world) Discover(_ string, src []byte) []runner.Decl {
	var out []runner.Decl
	for line := range strings.Lines(string(src)) {
		if name, _, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "loads") {
			out = append(out, runner.Decl{Path: []string{name}, Count: 1})
		}
	}
	return out
}

func (w *world) Run(_ context.Context, req runner.Request) (*runner.Report, error) {
	w.runs++
	if w.boot > 0 {
		time.Sleep(w.boot) // in a bubble of testing/synctest
	}
	if len(req.Tests) > 0 {
		w.named++
	}
	rep := &runner.Report{Framework: "fake", Project: ".", Ended: true}
	if w.hang {
		rep.Ended, rep.TimedOut = false, true
		return rep, nil
	}
	files := req.Files
	if files == nil {
		for _, f := range w.Files() {
			if w.IsTest(f) {
				files = append(files, f)
			}
		}
	}
	if fail, ok := w.start(files); !ok {
		rep.Failures, rep.NotLoaded = []runner.Failure{fail}, files
		files = nil
	}
	if w.collects && w.unloaded(files, rep) {
		files = nil
	}
	for _, f := range files {
		w.runFile(f, req.Tests, rep)
		if rep.TimedOut {
			w.limits = append(w.limits, req.Timeout)
			return rep, nil
		}
	}
	if w.litter != nil {
		w.litter(w)
	}
	if len(rep.Failures) > 0 {
		rep.Exit.Code = 1
	}
	return rep, nil
}

// start tells whether a run of the files gets as far as its tests.
func (w *world) start(files []string) (runner.Failure, bool) {
	for _, f := range files {
		cond, ok := strings.CutPrefix(string(w.files[f]), "starts ")
		cond, _, _ = strings.Cut(cond, "\n")
		file, word, _ := strings.Cut(cond, " has ")
		if ok && !bytes.Contains(w.files[file], []byte(word)) {
			return runner.Failure{Scope: runner.ScopeRun, Kind: runner.AttributeError, Symbol: word, Place: runner.Place{File: file, Line: 1}, Message: "no " + word}, false
		}
	}
	return runner.Failure{}, true
}

// unloaded loads all files before any test runs, and tells whether one failed.
func (w *world) unloaded(files []string, rep *runner.Report) bool {
	all := &runner.Report{}
	for _, f := range files {
		w.runFile(f, nil, all)
	}
	for _, f := range all.Failures {
		if f.Scope == runner.ScopeFile {
			rep.Failures = append(rep.Failures, f)
		}
	}
	if len(rep.Failures) == 0 {
		return false
	}
	rep.NotLoaded = files
	return true
}

func (w *world) runFile(f string, only []runner.TestID, rep *runner.Report) {
	n := 0
	for line := range strings.Lines(string(w.files[f])) {
		n++
		line = strings.TrimSpace(line)
		name, cond, ok := strings.Cut(line, ":")
		if load, isLoad := strings.CutPrefix(line, "loads "); isLoad {
			name, cond, ok = "loads", load, true
		}
		if !ok {
			continue
		}
		file, word, _ := strings.Cut(strings.TrimSpace(cond), " has ")
		id := runner.TestID{Framework: "fake", File: f, Path: []string{name}}
		if len(only) > 0 && !slices.ContainsFunc(only, func(t runner.TestID) bool { return t.Key() == id.Key() }) {
			continue
		}
		cond, skips := strings.CutPrefix(strings.TrimSpace(cond), "skipped")
		if skips {
			file, word, _ = strings.Cut(strings.TrimSpace(cond), " has ")
			v := runner.Passed
			if bytes.Contains(w.files[file], []byte(word)) {
				v = runner.Skipped
			}
			rep.Tests = append(rep.Tests, runner.Test{ID: id, Verdict: v})
			continue
		}
		good := bytes.Contains(w.files[file], []byte(word)) || w.luckyFrom > 0 && w.runs >= w.luckyFrom
		good = good && (w.unlucky[name] == 0 || w.unlucky[name] != w.runs)
		if says, ok := w.alone[name]; ok && len(only) > 0 {
			good = says
		}
		kind := runner.UndefinedVariable
		if strings.HasPrefix(word, "=") {
			kind = runner.AssertionMismatch
		}
		if word == ";" {
			kind = runner.SyntaxError
		}
		fail := runner.Failure{Scope: runner.ScopeTest, Test: id, Kind: kind, Symbol: word,
			Place: runner.Place{File: file, Line: 1}, Message: "no " + word}
		switch {
		case name == "hang" && !good:
			fail.Scope, fail.Kind = runner.ScopeRun, runner.Timeout
			rep.Failures = append(rep.Failures, fail)
			rep.Ended, rep.TimedOut = false, true
			return
		case name == "loads" && !good:
			fail.Scope, fail.Kind, fail.Test.Path = runner.ScopeFile, runner.MissingImport, nil
			rep.Failures = append(rep.Failures, fail)
			rep.NotLoaded = append(rep.NotLoaded, f)
			return
		case name == "loads":
		case good:
			rep.Tests = append(rep.Tests, runner.Test{ID: id, Verdict: runner.Passed, Duration: w.took[name]})
		default:
			rep.Tests = append(rep.Tests, runner.Test{ID: id, Verdict: runner.Failed, Duration: w.took[name]})
			rep.Failures = append(rep.Failures, fail)
		}
	}
}

// say is a fix that puts text at the end of a file.
func (w *world) say(file, text string, rank int, a fixers.Applicability) fixers.Fix {
	n := len(w.files[file])
	f := fixers.Fix{ID: fmt.Sprintf("%s+%s@%d", file, text, n), Title: "say " + text, Rule: "fake", Rank: rank, Applicability: a,
		Edits: []fixers.Edit{{File: file, Start: n, End: n, New: text + "\n"}}, Evidence: "fake"}
	return f
}

func (w *world) cycle(t *testing.T, change func(*Options, *Selection, *Deps)) *Document {
	t.Helper()
	opts, sel, deps := w.parts()
	if change != nil {
		change(&opts, &sel, &deps)
	}
	doc, err := Run(context.Background(), sel, opts, deps)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	if len(w.merged) == 0 && doc.Outcome == Repaired && !w.already {
		t.Errorf("repaired, but nothing was merged")
	}
	return doc
}

// parts are what a cycle over the world is made of.
func (w *world) parts() (Options, Selection, Deps) {
	opts := Options{ID: "c1", Config: config.Default(), Started: time.Now()}
	sel := Selection{Modified: []string{"src"}}
	for _, f := range w.Files() {
		if w.IsTest(f) {
			sel.Tests = append(sel.Tests, Selected{File: f, Units: []int{0}, Why: []string{}})
		}
	}
	deps := Deps{Units: []Unit{{Project: runner.Project{Root: ".", Framework: "fake"}, Layout: runner.Layout{IsTest: w.IsTest}, Framework: w, Session: w}},
		Box: box{w}, Workspace: w,
		Candidates: func(_ context.Context, c fixers.Cause, _ fixers.Workspace) ([]fixers.Fix, error) {
			if w.fixes == nil {
				return nil, nil
			}
			return w.fixes(c, w), nil
		},
		Reaches: func(f string) bool { return w.reach[f] },
		Keep:    func(id string, ch []Change) error { w.kept[id] = ch; return nil },
		Sink:    func(e Event) { w.events = append(w.events, e) },
	}
	return opts, sel, deps
}

// sayMissing offers the word that a cause misses.
func sayMissing(c fixers.Cause, w *world) []fixers.Fix {
	if c.Kind == runner.AssertionMismatch {
		return nil
	}
	return []fixers.Fix{w.say(c.Place.File, c.Symbol, 0, fixers.Safe)}
}

// sayOnly offers one word and no other.
func sayOnly(word string) func(fixers.Cause, *world) []fixers.Fix {
	return func(c fixers.Cause, w *world) []fixers.Fix {
		if c.Symbol != word {
			return nil
		}
		return sayMissing(c, w)
	}
}

func only(files ...string) func(*Options, *Selection, *Deps) {
	return func(_ *Options, s *Selection, _ *Deps) {
		s.Tests = slices.DeleteFunc(s.Tests, func(t Selected) bool { return !slices.Contains(files, t.File) })
	}
}
