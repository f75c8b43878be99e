package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"regreen/affected"
	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/git"
	"regreen/internal/history"
	"regreen/internal/runner"
	"regreen/internal/runner/pytest"
	"regreen/internal/sandbox"
)

// Request asks for one cycle.
type Request struct {
	Files   []string // rel; empty: what git says is modified
	All     bool     // the whole suite
	NoMerge bool
	// NoMergeReason is why, for people; "" is that it was asked for.
	NoMergeReason string
	// Saved says that Files come from a watcher and not from a person: one that
	// is in no tree was deleted before it was ever committed.
	Saved bool
	// Failing are test files of which something failed when they last ran. Those
	// that Files can matter to run whatever else is selected, without Files all:
	// what makes them pass again may be a change that no test can see when it is
	// compared with the base, or no difference from it at all.
	Failing []string
	// Typing gives the files (rel) that were saved so lately that somebody may
	// still be writing in them (cycle.typing_quiet). It is called from the
	// cycle's goroutine. Nil is that nobody is.
	Typing func() []string
	// Selected is called once the tests are chosen. What it gets tells whether
	// saves of files (rel) can change the verdict, may be called from any
	// goroutine, and says yes once Cycle has returned. May be nil.
	Selected func(matter func(files []string) bool)
	// BeforeMerge is called with what is about to be written into the user's
	// files. An error stops it; with a *cycle.NotMerged the result is kept as a
	// proposal. May be nil.
	BeforeMerge func(ctx context.Context, changes []cycle.Change) error

	whole bool // the whole tree is listed, not only Files
}

// savedCause bounds the search for a cause after a save.
const savedCause = config.Duration(5 * time.Second)

// prepared is a snapshot in the sandbox with the selection over it.
type prepared struct {
	start   time.Time // before the snapshot
	snap    *sandbox.Snapshot
	work    *workspace
	changes []git.Change
	input   affected.Input
	set     *affected.Set
	// timings
	snapshot, selecting time.Duration
	choosing            time.Duration // of selecting, what choose took
}

// Cycle takes a snapshot, selects, runs and repairs. The document is nil only
// with an error. sink gets the events and must not block.
func (e *Engine) Cycle(ctx context.Context, req Request, sink func(cycle.Event)) (*cycle.Document, error) {
	started := time.Now()
	id := history.NewID(started)
	say := func(k cycle.EventKind, text string) {
		if sink != nil {
			sink(cycle.Event{Kind: k, Cycle: id, Time: time.Now(), Text: text})
		}
	}
	say(cycle.EventPhase, "snapshot")
	p, err := e.prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	if req.Selected != nil {
		m := newMatter(p.set)
		defer m.end()
		req.Selected(m.matters)
	}
	for _, w := range slices.Concat(e.notes, e.warnings) {
		say(cycle.EventWarning, w)
	}
	units, closeUnits, err := e.units(ctx)
	if err != nil {
		return nil, err
	}
	distrust, err := e.probe(ctx, p.snap.Names())
	if err != nil {
		return nil, fmt.Errorf("probe what the tests import: %w", err)
	}
	secrets := e.secrets()
	var kept []history.Proposal
	knows := openKnown(e.box.Dir())
	lanes, closeLanes := e.lanes(p)
	deps := cycle.Deps{
		Units: units, Box: announced{e.cycleBox(p), req.BeforeMerge}, Workspace: p.work, Languages: e.langs.set,
		Candidates: e.candidates(),
		Programs:   e.programs(secrets), Secrets: secrets,
		Reaches:     p.set.Reaches,
		HalfWritten: e.halfWritten(p, req), Cursors: e.cursors(p, req),
		Sees: func(files []string, test string) bool { return p.set.Graph().Sees([]string{test}, files) },
		Keep: func(id string, changes []cycle.Change) error {
			kept = append(kept, history.Proposal{ID: id, Changes: toHistory(toSandbox(changes, p.snap))})
			return nil
		},
		Known: knows.of,
		Learn: knows.learn,
		Green: e.lastGreen(p),
		Lanes: lanes, Share: e.share,
		Sink: sink,
	}
	opts := cycle.Options{ID: id, Config: e.opts.Config, NoMerge: req.NoMerge, NoMergeReason: req.NoMergeReason, UpdateAssertions: e.opts.Config.Fixers.UpdateAssertions,
		Distrust: distrust, Jobs: e.jobs(len(p.snap.Files)), Started: started, LastFull: e.lastFull(), Snapshot: p.snapshot, Affected: p.selecting}
	if req.Saved {
		// Whoever saved waits for the verdict.
		opts.Config.Cycle.CauseBudget = min(opts.Config.Cycle.CauseBudget, savedCause)
		opts.Config.Cycle.GuessBudget = min(opts.Config.Cycle.GuessBudget, savedCause)
	}
	doc, err := cycle.Run(ctx, selection(p.set, req), opts, deps)
	closeUnits = both(closeUnits, closeLanes)
	if missed := e.missed(ctx, p, doc); err == nil && len(missed) > 0 {
		e.opts.Log.Debug("files differ that nobody told of", "files", missed)
		if err := closeUnits(); err != nil {
			return nil, err
		}
		req.Files, req.whole = append(slices.Clone(req.Files), missed...), true
		return e.Cycle(ctx, req, sink)
	}
	if !req.Saved { // a watcher tells of the next save
		if w := e.meanwhile(ctx, p, doc); w != "" {
			doc.Warnings = append(doc.Warnings, w)
		}
	}
	doc.IsolationNote = e.box.Note()
	doc.Warnings = slices.Concat(e.notes, doc.Warnings, e.warnings)
	for _, s := range p.snap.Skipped {
		doc.Warnings = append(doc.Warnings, "not in the sandbox: "+s)
	}
	// The verdict stands, and what was merged is merged, whatever goes wrong now.
	if cerr := closeUnits(); cerr != nil {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("the test runs were not cleaned up: %v", cerr))
	}
	if perr := e.past().ended(p.set, doc); perr != nil {
		doc.Warnings = append(doc.Warnings, perr.Error())
	}
	if gerr := e.keepGreen(ctx, p, doc); gerr != nil && ctx.Err() == nil {
		doc.Warnings = append(doc.Warnings, gerr.Error())
	}
	switch doc.Outcome {
	case cycle.Passed, cycle.Repaired, cycle.Failed, cycle.Proposed:
		if doc.FullSuiteRun {
			e.seen().regained()
		}
	}
	if oerr := e.seen().save(p.work.Exists); oerr != nil {
		doc.Warnings = append(doc.Warnings, oerr.Error())
	}
	if terr := e.takeExecuted(ctx, p); terr != nil {
		doc.Warnings = append(doc.Warnings, terr.Error())
	}
	e.settle(ctx, p, req, doc)
	if herr := e.remember(started, doc, kept); herr != nil {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("log, show and apply will not know of this: %v", herr))
	}
	return doc, err
}

// prepare brings the sandbox to the working tree's present state and selects.
func (e *Engine) prepare(ctx context.Context, req Request) (*prepared, error) {
	start := time.Now()
	p := &prepared{start: start}
	e.settled.left = nil // the sandbox is to hold another tree
	var err error
	for anew := false; ; anew = true {
		if p.snap, err = e.snapshot(ctx, req); err != nil {
			return nil, fmt.Errorf("take a snapshot: %w", err)
		}
		if err = e.box.Prepare(ctx, p.snap); err == nil {
			break
		}
		if anew || !errors.Is(err, sandbox.ErrShadowAnew) {
			return nil, err
		}
	}
	e.edited.Store(false)
	p.snapshot = time.Since(start)
	start = time.Now()
	if err = e.detect(ctx, p.snap.Names()); err != nil {
		return nil, err
	}
	base := e.opts.Config.Affected.Base
	if p.changes, err = e.repo.Modified(ctx, base); err != nil {
		return nil, err
	}
	if p.work, err = e.newWorkspace(ctx, p.snap, base, p.changes); err != nil {
		return nil, err
	}
	if req.Files, err = e.named(p.snap, p.work.baseFiles, req); err != nil {
		return nil, err
	}
	if err := e.keepGood(ctx, p, req); err != nil {
		return nil, err
	}
	p.input = e.input(p, req)
	if p.input.Links, err = linksOf(ctx, p.snap, e.box.Origin()); err != nil {
		return nil, err
	}
	everything, choosing := e.everything(p.work.Exists), time.Now()
	if p.set, err = e.choose(ctx, p, req.All || everything != ""); err != nil {
		return nil, fmt.Errorf("select the affected tests: %w", err)
	}
	p.choosing = time.Since(choosing)
	if everything != "" && !req.All {
		p.set.Reason = everything
	}
	e.again(p, req)
	p.selecting = time.Since(start)
	return p, nil
}

func (e *Engine) input(p *prepared, req Request) affected.Input {
	in := affected.Input{Tree: p.work, Languages: e.langs.set, Projects: e.projects, Base: p.work.Base, BaseFiles: p.work.baseFiles,
		Data: e.opts.Config.Affected.Data}
	from := map[string]string{}
	for _, r := range p.work.renames {
		from[r.To] = r.From
	}
	if len(req.Files) > 0 {
		for _, f := range req.Files {
			in.Changes = append(in.Changes, affected.Change{Path: f, Deleted: !p.work.Exists(f), From: from[f]})
		}
		return in
	}
	for _, c := range p.changes {
		in.Changes = append(in.Changes, affected.Change{Path: c.Path, Deleted: c.Status == git.Deleted, From: from[c.Path]})
	}
	return in
}

// selection turns what affected chose into what the cycle runs.
func selection(set *affected.Set, req Request) cycle.Selection {
	return cycle.Selection{Modified: set.Modified, All: req.All || set.All, Reason: set.Reason, Tests: selected(set)}
}

func selected(set *affected.Set) []cycle.Selected { return selectedTests(set.Tests) }

func selectedTests(tests []affected.Test) []cycle.Selected {
	var out []cycle.Selected
	for _, t := range tests {
		out = append(out, cycle.Selected{File: t.File, Units: t.Projects, Why: t.Why})
	}
	return out
}

func (e *Engine) cycleBox(p *prepared) *box {
	return &box{s: e.box, repo: e.repo, snap: p.snap, commits: e.opts.Config.Cycle.MergeAfterCommit, selects: e.reselect(p),
		edited: func() { e.edited.Store(true) }}
}

// probe tells why the results cannot be trusted to be of the sandbox's code,
// "" when they can (the identity probe of DESIGN.md section 7).
func (e *Engine) probe(ctx context.Context, files []string) (string, error) {
	if e.box.Level() == "namespace" {
		return "", nil
	}
	bad, err := e.box.ProbeNode(ctx)
	if err != nil {
		return "", err
	}
	for _, p := range e.projects {
		if p.Framework != pytest.Name {
			continue
		}
		more, err := pytest.Probe(ctx, e.env(), p.Project, files)
		if err != nil {
			return "", err
		}
		bad = append(bad, more...)
	}
	if len(bad) == 0 {
		return "", nil
	}
	return "tests would import code from outside the sandbox: " + strings.Join(bad, ", "), nil
}

// Affected selects without running anything.
func (e *Engine) Affected(ctx context.Context, req Request) (*affected.Set, error) {
	p, err := e.prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	return p.set, nil
}

// Candidates is what detection sees in the user's own tree, with nothing that is
// remembered.
func (e *Engine) Candidates(ctx context.Context) ([]runner.Candidate, error) {
	files, err := e.repo.Files(ctx)
	if err != nil {
		return nil, err
	}
	return Candidates(ctx, runner.DetectInput{Root: e.repo.Root(), Files: files, Environ: e.opts.Environ, Exec: e.box})
}

// Isolation finds the level that a cycle runs at, and what it holds.
func (e *Engine) Isolation(ctx context.Context) (sandbox.Walls, error) {
	err := e.box.Isolate(ctx)
	return e.box.Walls(), err
}
