package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
	opened        []runner.Opened
	peers         peer
}

func (b *bench) close(ctx context.Context) error {
	var err error
	if b.engine != nil {
		err = b.engine.Close()
	}
	return errors.Join(err, b.restore(context.WithoutCancel(ctx)))
}

// measured is one edit's outcome.
type measured struct {
	edit                       edit
	truth, selected, peer      []string
	missed, peerMissed         []string
	recall, precision          float64
	peerRecall, peerPrecision  float64
	peerKnown                  bool
	selecting, peering, suites time.Duration
}

func (b *bench) all(ctx context.Context) (missed bool, err error) {
	if err := b.restore(ctx); err != nil {
		return false, err
	}
	list, err := b.git(ctx, "ls-files", "-z")
	if err != nil {
		return false, err
	}
	for _, f := range strings.Split(list, "\x00") {
		if f != "" {
			b.files = append(b.files, f)
		}
	}
	if b.config, err = b.settings(); err != nil {
		return false, err
	}
	if err := b.findProjects(ctx); err != nil {
		return false, err
	}
	if b.engine, err = b.open(ctx, "state"); err != nil {
		return false, err
	}
	tests, _, err := b.ask(ctx, b.engine, true)
	if err != nil {
		return false, err
	}
	start := time.Now()
	before, err := b.suite(ctx)
	if err != nil {
		return false, err
	}
	took := time.Since(start)
	if b.loads {
		fmt.Fprintf(b.out, "%s at %s: %d files, %d test files\n", filepath.Base(b.root), b.revision(ctx), len(b.files), len(tests))
		return b.unknown(ctx)
	}
	again, err := b.suite(ctx)
	if err != nil {
		return false, err
	}
	shaky := differ(before, again, nil)
	red := 0
	for _, v := range before {
		if broken(v) {
			red++
		}
	}
	if red == len(before) && !b.noSuite {
		return false, errors.New("no test file is green before any edit: nothing can be told from it")
	}
	fmt.Fprintf(b.out, "%s at %s: %d files, %d test files, whole suite %.1f s, %d of them red before any edit, %d differ from run to run\n", filepath.Base(b.root), b.revision(ctx), len(b.files), len(tests), took.Seconds(), red, len(shaky))
	for _, p := range b.projects {
		fmt.Fprintf(b.out, "  %s %s in %s\n", p.Framework, p.Version, p.Root)
	}
	for f := range before {
		if !slices.Contains(tests, f) {
			fmt.Fprintf(b.out, "  UNKNOWN %s is run and is no test to regreen\n", f)
			missed = true
		}
	}
	if b.peers, err = b.newPeer(ctx); err != nil {
		return missed, err
	}
	ed := newEditor(b.root, b.files, tests, b.seed)
	var all []measured
	for n := range b.n {
		e, ok := ed.next(b.only)
		if !ok {
			break
		}
		m, err := b.measure(ctx, e, before, shaky)
		if err != nil {
			return missed, fmt.Errorf("edit %d (%s %s): %w", n+1, e.kind, e.what, err)
		}
		b.show(n, m)
		missed = missed || len(m.missed) > 0
		all = append(all, m)
	}
	b.summary(all)
	return missed, nil
}

func (b *bench) revision(ctx context.Context) string {
	rev, err := b.git(ctx, "rev-parse", "--short", "HEAD")
	if err != nil {
		return "?"
	}
	return strings.TrimSpace(rev)
}

// measure makes one edit and compares.
func (b *bench) measure(ctx context.Context, e edit, before results, shaky []string) (m measured, err error) {
	m.edit = e
	if err := e.plausible(); err != nil {
		return m, err
	}
	start := time.Now()
	selected, why, err := b.ask(ctx, b.engine, false)
	if err != nil {
		// A configuration that cannot be read stops everything, aloud.
		fmt.Fprintf(b.out, "  %s %s: refused: %v\n", e.kind, e.what, err)
		for f := range before {
			selected = append(selected, f)
		}
	}
	m.selecting = time.Since(start)
	m.selected = selected
	if b.cold && err == nil {
		if err := b.compareCold(ctx, e, selected); err != nil {
			return m, err
		}
	}
	if b.peers != nil {
		start := time.Now()
		m.peer, m.peerKnown = b.peers.selects(ctx)
		m.peering = time.Since(start)
	}
	if e.loud != nil {
		if err := e.loud(); err != nil {
			return m, err
		}
	}
	start = time.Now()
	after, err := b.suite(ctx)
	if err != nil {
		return m, err
	}
	m.suites = time.Since(start)
	for _, f := range differ(before, after, shaky) {
		if _, err := os.Stat(filepath.Join(b.root, filepath.FromSlash(f))); err == nil {
			m.truth = append(m.truth, f)
		}
	}
	m.recall, m.precision, m.missed = compare(m.truth, m.selected)
	m.peerRecall, m.peerPrecision, m.peerMissed = compare(m.truth, m.peer)
	_ = why
	return m, b.restore(ctx)
}

// compareCold asks an engine that has seen nothing before, beside the one that
// keeps its graph from edit to edit.
func (b *bench) compareCold(ctx context.Context, e edit, selected []string) error {
	dir, err := os.MkdirTemp(b.scratch, "cold-")
	if err != nil {
		return err
	}
	cold, err := b.open(ctx, filepath.Base(dir))
	if err != nil {
		return err
	}
	again, _, err := b.ask(ctx, cold, false)
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
