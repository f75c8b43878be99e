package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"

	"regreen/affected"
	"regreen/internal/sandbox"
)

// selecting is what the engine keeps for the next selection.
type selecting struct {
	scans *affected.Scans
	pasts *pasts
	seen  *openedStore
	// executed is nil until asked for
	executed *executedStore
	graph    *affected.Graph
	snap     *sandbox.Snapshot // that the graph is of
}

// choose selects the tests, from the graph of the last selection where there
// is one.
func (e *Engine) choose(ctx context.Context, p *prepared, all bool) (*affected.Set, error) {
	k := &e.selecting
	if k.scans == nil {
		k.scans = affected.OpenScans(filepath.Join(e.box.Dir(), "scans"), buildID())
	}
	p.input.Scans, p.input.Sum, p.input.Past = k.scans, sums(p.snap), e.past().of
	p.input.Opened, p.input.Traced = e.seen().known(), e.traced()
	if p.input.Traced {
		e.executed().at(p.snap.Files)
		p.input.Executed = e.executed().toSelect(e.projectOf(), before(p.input))
	}
	graph := k.graph
	k.graph = nil // what an error leaves is not to be used again
	var set *affected.Set
	var err error
	switch {
	case graph != nil && all:
		set, err = graph.UpdateAll(ctx, p.input, p.snap.Saved(k.snap))
	case graph != nil:
		set, err = graph.Update(ctx, p.input, p.snap.Saved(k.snap))
	case all:
		set, err = affected.All(ctx, p.input)
	default:
		set, err = affected.Select(ctx, p.input)
	}
	if err != nil {
		return nil, err
	}
	k.graph, k.snap = set.Graph(), p.snap
	if k.scans.Fresh() >= manyScans {
		e.keepScans()
	}
	return set, nil
}

// manyScans is from how many new scans on a selection writes them at once. To write
// takes 3 ms for 10,000 files, since the file is written as a whole; that is as
// much as all else that a save has to do here. What a killed program did not write
// the next one scans again.
const manyScans = 64

// keepScans remembers what the files import.
func (e *Engine) keepScans() {
	err := e.selecting.scans.Save()
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // the state folder was removed
		e.opts.Log.Warn("what the files import is not remembered", "err", err)
	}
}

// again adds the tests that failed before and may pass now.
func (e *Engine) again(p *prepared, req Request) {
	for _, test := range req.Failing {
		if len(req.Files) == 0 || p.set.Graph().Sees([]string{test}, req.Files) {
			p.set.Include(test, test+" failed when it last ran")
		}
	}
}

// matter answers for a selection while its cycle runs, when nothing else uses
// the graph.
type matter struct {
	mu    sync.Mutex // guards the fields below
	graph *affected.Graph
	tests []string
}

func newMatter(set *affected.Set) *matter {
	m := &matter{graph: set.Graph()}
	for _, t := range set.Tests {
		m.tests = append(m.tests, t.File)
	}
	return m
}

func (m *matter) matters(files []string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.graph == nil || m.graph.Sees(m.tests, files)
}

func (m *matter) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.graph = nil
}

// past is what is known of the tests' last runs.
func (e *Engine) past() *pasts {
	if e.selecting.pasts == nil {
		e.selecting.pasts = openPasts(e.box.Dir())
	}
	return e.selecting.pasts
}

// seen is what runs were seen to open.
func (e *Engine) seen() *openedStore {
	if e.selecting.seen == nil {
		e.selecting.seen = openOpened(e.box.Dir())
	}
	return e.selecting.seen
}

// sums gives the snapshot's own sums; that of a link tells of its target's name.
func sums(snap *sandbox.Snapshot) func(string) (string, bool) {
	return func(rel string) (string, bool) {
		entry, ok := snap.Files[rel]
		return string(entry.Sum[:]), ok && entry.Mode&fs.ModeSymlink == 0
	}
}

// buildID names this build of the program: what is remembered of files holds
// for the scanners that it was made with.
func buildID() string {
	var b strings.Builder
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
				b.WriteString(s.Value + " ")
			}
		}
	}
	if exe, err := os.Executable(); err == nil {
		if fi, err := os.Stat(exe); err == nil {
			fmt.Fprintf(&b, "%d %d", fi.Size(), fi.ModTime().UnixNano())
		}
	}
	return b.String()
}
