package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/engine"
	"regreen/internal/runner"
)

// bench is one repository.
type bench struct {
	options
	root, scratch string
	log           *slog.Logger
	config        config.Config
	files         []string
	projects      []runner.Project
	engine        *engine.Engine
	tracing       *engine.Engine // with affected.precision = "traced"; nil where it is not asked
	opened        []runner.Opened
	peers         []peer
	store         *store
	start         *start
	alone         results         // of test files run by themselves before any edit
	lists         map[string]bool // whether a test file lists one of some folders
}

func (b *bench) close(ctx context.Context) error {
	var err error
	for _, e := range []*engine.Engine{b.engine, b.tracing} {
		if e != nil {
			err = errors.Join(err, e.Close())
		}
	}
	return errors.Join(err, b.restore(context.WithoutCancel(ctx)))
}

// all measures the edits that the store does not know; unknown tells that the
// framework runs what is no test to regreen, or with -loads that a run opened
// what the graph does not know.
func (b *bench) all(ctx context.Context) (unknown bool, err error) {
	if err := b.prepare(ctx); err != nil {
		return false, err
	}
	if b.loads {
		if _, err := b.suite(ctx); err != nil {
			return false, err
		}
		fmt.Fprintf(b.out, "%s at %s: %d files\n", filepath.Base(b.root), b.start.Rev, len(b.files))
		return b.unknown(ctx)
	}
	if !b.noSuite {
		if unknown, err = b.before(ctx); err != nil {
			return unknown, err
		}
	}
	ed := newEditor(b.root, b.files, b.start.Tests, b.seed)
	for n := range b.n {
		e, ok := ed.next(b.only)
		if !ok {
			break
		}
		id := caseID{b.start.place, b.seed, b.only, n}
		have := b.store.edit(id)
		if have != nil && !b.again {
			b.show(have)
			continue
		}
		m, err := b.measure(ctx, id, e, have)
		if err != nil {
			return unknown, fmt.Errorf("edit %d (%s %s): %w", n+1, e.kind, e.what, err)
		}
		if err := b.store.Add(line{Edit: m}); err != nil {
			return unknown, err
		}
		b.show(m)
	}
	return unknown, nil
}

// prepare puts the tree right and finds what regreen finds in it.
func (b *bench) prepare(ctx context.Context) error {
	if err := b.restore(ctx); err != nil {
		return err
	}
	list, err := b.git(ctx, "ls-files", "-z")
	if err != nil {
		return err
	}
	for _, f := range strings.Split(list, "\x00") {
		if f != "" {
			b.files = append(b.files, f)
		}
	}
	if b.config, err = b.settings(); err != nil {
		return err
	}
	if err := b.findProjects(ctx); err != nil {
		return err
	}
	if b.engine, err = b.open(ctx, "state", b.config); err != nil {
		return err
	}
	engines := []*engine.Engine{b.engine}
	if b.traced {
		traced := b.config
		traced.Affected.Precision = "traced"
		if b.tracing, err = b.open(ctx, "traced", traced); err != nil {
			return err
		}
		engines = append(engines, b.tracing)
	}
	for _, e := range engines {
		if b.unseen {
			break
		}
		if err := b.see(ctx, e); err != nil {
			return err
		}
	}
	tests, err := b.ask(ctx, b.engine, true)
	b.start = &start{place: place{filepath.Base(b.root), b.revision(ctx)}, Files: len(b.files), Tests: tests}
	return err
}

// see lets regreen see one whole run, as it does in a daemon's first cycle.
func (b *bench) see(ctx context.Context, e *engine.Engine) error {
	doc, err := e.Cycle(ctx, engine.Request{All: true, NoMerge: true}, nil)
	if err != nil {
		return fmt.Errorf("let regreen run everything once: %w", err)
	}
	if doc.Outcome != cycle.Passed {
		fmt.Fprintf(b.out, "  regreen's own run of everything: %s %s\n", doc.Outcome, doc.Reason)
	}
	return nil
}

// before runs the suite on the tree as it is committed, twice.
func (b *bench) before(ctx context.Context) (unknown bool, err error) {
	if known := b.store.start(b.start.place); known != nil {
		b.start = known
	} else if err := b.firstRuns(ctx); err != nil {
		return false, err
	}
	st := b.start
	fmt.Fprintf(b.out, "%s at %s: %d files, %d test files, whole suite %.1f s, %d of them red before any edit, %d differ from run to run\n",
		st.Repo, st.Rev, st.Files, len(st.Tests), float64(st.SuiteMS)/1000, st.Red, len(st.Shaky))
	for _, p := range st.Projects {
		fmt.Fprintf(b.out, "  %s\n", p)
	}
	for _, f := range slices.Sorted(maps.Keys(st.Results)) {
		if !slices.Contains(st.Tests, f) {
			fmt.Fprintf(b.out, "  UNKNOWN %s is run and is no test to regreen\n", f)
			unknown = true
		}
	}
	b.peers, err = b.newPeers(ctx)
	return unknown, err
}

func (b *bench) firstRuns(ctx context.Context) error {
	st := b.start
	began := time.Now()
	first, err := b.suite(ctx)
	if err != nil {
		return err
	}
	st.SuiteMS = time.Since(began).Milliseconds()
	again, err := b.suite(ctx)
	if err != nil {
		return err
	}
	for _, v := range first {
		if broken(v) {
			st.Red++
		}
	}
	if st.Red == len(first) {
		return errors.New("no test file is green before any edit: nothing can be told from it")
	}
	st.Results, st.Shaky = first.hashed(), differ(first.hashed(), again.hashed(), nil)
	var frameworks []string
	for _, p := range b.projects {
		frameworks = append(frameworks, p.Framework)
		st.Projects = append(st.Projects, fmt.Sprintf("%s %s in %s", p.Framework, p.Version, p.Root))
	}
	slices.Sort(frameworks)
	st.Framework = strings.Join(slices.Compact(frameworks), ", ")
	return b.store.Add(line{Start: st})
}

func (b *bench) revision(ctx context.Context) string {
	rev, err := b.git(ctx, "rev-parse", "--short", "HEAD")
	if err != nil {
		return "?"
	}
	return strings.TrimSpace(rev)
}

// measure makes one edit and compares. What an earlier measurement of it knows
// of others is taken from there.
func (b *bench) measure(ctx context.Context, id caseID, e edit, have *measured) (*measured, error) {
	m := &measured{caseID: id, Kind: e.kind, What: e.what, Silent: e.silent, Tests: len(b.start.Tests), Peers: map[string][]string{}}
	if err := e.plausible(); err != nil {
		return nil, err
	}
	began := time.Now()
	selected, err := b.ask(ctx, b.engine, false)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		// A configuration that cannot be read stops everything, aloud.
		m.Refused, selected = err.Error(), b.start.Tests
	}
	m.SelectMS, m.Selected = time.Since(began).Milliseconds(), selected
	if m.Traced, err = b.askTraced(ctx, m, have); err != nil {
		return nil, err
	}
	if b.cold && m.Refused == "" {
		if err := b.compareCold(ctx, e, selected); err != nil {
			return nil, err
		}
	}
	if have != nil {
		maps.Copy(m.Peers, have.Peers)
	}
	for _, p := range b.peers {
		if _, ok := m.Peers[p.name()]; ok {
			continue
		}
		if selected, ok := p.selects(ctx); ok {
			m.Peers[p.name()] = selected
		}
	}
	if e.loud != nil {
		if err := e.loud(); err != nil {
			return nil, err
		}
	}
	if b.noSuite {
		return m, b.restore(ctx)
	}
	if err := b.judge(ctx, m); err != nil {
		return nil, err
	}
	folders, err := b.folders(ctx)
	if err != nil {
		return nil, err
	}
	after, err := b.judgeAlone(ctx, m)
	if err = errors.Join(err, b.restore(ctx)); err != nil {
		return nil, err
	}
	if err := b.compareAlone(ctx, m, after); err != nil {
		return nil, err
	}
	if err := b.judgeListed(ctx, m, folders); err != nil {
		return nil, err
	}
	return m, b.judgeSpared(ctx, m, e)
}

// askTraced selects with what runs were seen to do; it takes an earlier answer
// where it does not ask.
func (b *bench) askTraced(ctx context.Context, m, have *measured) ([]string, error) {
	switch {
	case b.tracing == nil && have != nil:
		return have.Traced, nil
	case b.tracing == nil:
		return nil, nil
	case m.Refused != "":
		return m.Selected, nil
	}
	return b.ask(ctx, b.tracing, false)
}

// judge runs the suite, unless it has been run on the same tree.
func (b *bench) judge(ctx context.Context, m *measured) (err error) {
	if m.Tree, err = b.treeHash(ctx); err != nil {
		return err
	}
	if known := b.store.truth(m.place, m.Tree); known != nil {
		m.Truth, m.Alone = slices.Concat(known.Truth, known.Spared), known.Alone
		slices.Sort(m.Truth)
		return nil
	}
	began := time.Now()
	after, err := b.suite(ctx)
	if err != nil {
		return err
	}
	m.SuiteMS = time.Since(began).Milliseconds()
	m.Truth = []string{}
	for _, f := range differ(b.start.Results, after.hashed(), b.start.Shaky) {
		if path.Base(f) == "conftest.py" {
			continue // pytest names one that fails as if it were a test
		}
		if _, err := os.Stat(filepath.Join(b.root, filepath.FromSlash(f))); err == nil {
			m.Truth = append(m.Truth, f)
		}
	}
	return nil
}

// judgeAlone runs by themselves the test files that somebody selected and that
// seem not to depend, where all of them share one process.
func (b *bench) judgeAlone(ctx context.Context, m *measured) (results, error) {
	if !slices.Contains([]string{"pytest", "mocha"}, b.start.Framework) {
		return nil, nil
	}
	after := results{}
	for _, list := range append(slices.Collect(maps.Values(m.Peers)), m.Selected, m.Traced) {
		for _, f := range list {
			if after[f] != "" || slices.Contains(m.Truth, f) || slices.Contains(m.Alone, f) || b.start.Results[f] == "" {
				continue
			}
			if _, err := os.Stat(filepath.Join(b.root, filepath.FromSlash(f))); err != nil {
				continue
			}
			said, err := b.suite(ctx, f)
			if err != nil {
				return nil, err
			}
			after[f] = said.whole()
		}
	}
	return after, nil
}

// compareAlone adds to the truth what differs from a run of the file on the tree
// as it was committed.
func (b *bench) compareAlone(ctx context.Context, m *measured, after results) error {
	for _, f := range slices.Sorted(maps.Keys(after)) {
		before, err := b.byItself(ctx, f)
		if err != nil {
			return err
		}
		if after[f] != before {
			m.Truth = append(m.Truth, f)
		} else {
			m.Alone = append(m.Alone, f)
		}
	}
	slices.Sort(m.Truth)
	return nil
}

// byItself is what a run of one test file says on the tree as it was committed.
func (b *bench) byItself(ctx context.Context, f string) (string, error) {
	if b.alone[f] == "" {
		said, err := b.suite(ctx, f)
		if err != nil {
			return "", err
		}
		b.alone[f] = said.whole()
	}
	return b.alone[f], nil
}

// compareCold asks an engine that has seen nothing before, beside the one that
// keeps its graph from edit to edit.
func (b *bench) compareCold(ctx context.Context, e edit, selected []string) error {
	dir, err := os.MkdirTemp(b.scratch, "cold-")
	if err != nil {
		return err
	}
	cold, err := b.open(ctx, filepath.Base(dir), b.config)
	if err != nil {
		return err
	}
	again, err := b.ask(ctx, cold, false)
	if err = errors.Join(err, cold.Close(), os.RemoveAll(dir)); err != nil {
		return err
	}
	if !slices.Equal(again, selected) {
		fmt.Fprintf(b.out, "  KEPT GRAPH DIFFERS after %s %s: %v and %v\n", e.kind, e.what, selected, again)
	}
	return nil
}

// broken tells whether a test file's results hold no passed test.
func broken(result string) bool { return !strings.Contains(result, " "+string(runner.Passed)+" ") }

// differ lists the test files of which two runs say other things.
func differ(a, b results, without []string) []string {
	var out []string
	for f := range a {
		if b[f] != a[f] {
			out = append(out, f)
		}
	}
	for f := range b {
		if _, ok := a[f]; !ok {
			out = append(out, f)
		}
	}
	out = slices.DeleteFunc(out, func(f string) bool { return slices.Contains(without, f) })
	slices.Sort(out)
	return out
}
