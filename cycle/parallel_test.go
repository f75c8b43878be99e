package cycle

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"regreen/fixers"
	"regreen/internal/runner"
)

// gated is a world's session whose runs wait for leave.
type gated struct {
	*world
	before func(ctx context.Context, w *world, req runner.Request) error
	mu     *sync.Mutex // the fakes are not made for more than one goroutine
}

func (g gated) Run(ctx context.Context, req runner.Request) (*runner.Report, error) {
	if err := g.before(ctx, g.world, req); err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.world.Run(ctx, req)
}

// lanesOf gives worlds that hold what w was made of.
func lanesOf(w *world, before func(context.Context, *world, runner.Request) error) func(context.Context, int) ([]Lane, error) {
	var mu sync.Mutex
	return func(_ context.Context, n int) ([]Lane, error) {
		var out []Lane
		for range n {
			files := map[string]string{}
			for f, b := range w.orig {
				files[f] = string(b)
			}
			l := newWorld(files)
			out = append(out, Lane{Box: box{l}, Workspace: l, Units: []Unit{{Project: runner.Project{Root: ".", Framework: "fake"},
				Layout: runner.Layout{IsTest: l.IsTest}, Framework: l, Session: gated{l, before, &mu}}}})
		}
		return out, nil
	}
}

// three are causes that have nothing to do with each other.
func three() map[string]string {
	return map[string]string{"a": "", "b": "", "c": "", "a.test": "one: a has a", "b.test": "two: b has b", "c.test": "three: c has c"}
}

// TestParallelIsDeterministic holds that the repair and what is told of it are
// the same whichever sandbox is ready first, and however many there are.
func TestParallelIsDeterministic(t *testing.T) {
	var want *Document
	for _, tc := range []struct {
		name  string
		jobs  int
		first string // the test file whose run ends before any other begins to end
	}{{"two, a is first", 2, "a.test"}, {"two, b is first", 2, "b.test"}, {"three, c is first", 3, "c.test"}, {"three, a is first", 3, "a.test"}} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(three())
			w.fixes = sayMissing
			ended := make(chan struct{})
			var once sync.Once
			var mu sync.Mutex
			ran := map[string]bool{}
			before := func(ctx context.Context, _ *world, req runner.Request) error {
				if len(req.Files) != 1 {
					return nil // the whole selection
				}
				mu.Lock()
				ran[req.Files[0]] = true
				mu.Unlock()
				if slices.Contains(req.Files, tc.first) {
					once.Do(func() { close(ended) })
					return nil
				}
				if tc.jobs < 3 && tc.first == "b.test" && req.Files[0] == "c.test" {
					return nil
				}
				select {
				case <-ended:
				case <-ctx.Done():
					return ctx.Err()
				}
				return nil
			}
			doc := w.cycle(t, func(o *Options, _ *Selection, d *Deps) {
				o.Jobs = tc.jobs
				d.Lanes = lanesOf(w, before)
				d.Units[0].Session = gated{w, before, &sync.Mutex{}}
			})
			if doc.Outcome != Repaired || len(doc.Iterations) != 1 {
				t.Fatalf("outcome %s in %d rounds, want repaired in one: %s", doc.Outcome, len(doc.Iterations), doc.Reason)
			}
			if files := slices.Sorted(maps.Keys(ran)); !slices.Equal(files, []string{"a.test", "b.test", "c.test"}) {
				t.Errorf("tried for %q", files)
			}
			if want == nil {
				want = doc
			}
			if d := cmp.Diff(want, doc, cmpopts.IgnoreFields(Document{}, "Timings")); d != "" {
				t.Errorf("another document (-want +got):\n%s", d)
			}
		})
	}
}

// TestParallelIsProvedTogether holds that repairs that each help alone and not
// together are not merged together.
func TestParallelIsProvedTogether(t *testing.T) {
	// With both a and b the third test fails.
	w := newWorld(map[string]string{"a": "", "b": "", "a.test": "one: a has a", "b.test": "two: b has b", "c.test": "three: a has a"})
	w.orig["c.test"], w.files["c.test"] = []byte("three: c has c"), []byte("three: c has c")
	w.orig["c"], w.files["c"] = []byte("c"), []byte("c")
	w.fixes = sayMissing
	w.litter = func(w *world) {
		if bytes.Contains(w.files["a"], []byte("a")) && bytes.Contains(w.files["b"], []byte("b")) {
			w.files["c"] = nil
		}
	}
	pass := func(context.Context, *world, runner.Request) error { return nil }
	doc := w.cycle(t, func(o *Options, _ *Selection, d *Deps) {
		o.Jobs, d.Lanes = 2, lanesOf(w, pass)
		d.Units[0].Session = reading{w}
	})
	if doc.Outcome == Repaired {
		t.Errorf("merged %v, which breaks a test", w.merged)
	}
}

// reading is a session in which c is lost when a and b are both there.
type reading struct{ *world }

func (r reading) Run(ctx context.Context, req runner.Request) (*runner.Report, error) {
	r.litter(r.world)
	return r.world.Run(ctx, req)
}

// TestParallelTriesAgainAlone holds that a candidate that failed while others
// ran is tried again when nothing else runs.
func TestParallelTriesAgainAlone(t *testing.T) {
	w := newWorld(three())
	w.fixes = sayMissing
	// In the further sandboxes a port is taken: there nothing ever passes.
	busy := func(_ context.Context, l *world, _ runner.Request) error {
		for f := range l.files {
			if strings.HasSuffix(f, ".test") {
				l.files[f] = []byte("port: nothing has this")
			}
		}
		return nil
	}
	doc := w.cycle(t, func(o *Options, _ *Selection, d *Deps) { o.Jobs, d.Lanes = 3, lanesOf(w, busy) })
	if doc.Outcome != Repaired || len(doc.Merged) != 3 {
		t.Errorf("outcome %s with %d files, want all three repaired: %s", doc.Outcome, len(doc.Merged), doc.Reason)
	}
}

// TestParallelOnlyWhatIsIndependent holds that causes that share a test file or
// a file of their candidates do not go side by side, and that one that can be
// repaired in two ways is only proposed.
func TestParallelOnlyWhatIsIndependent(t *testing.T) {
	for _, tc := range []struct {
		name  string
		files map[string]string
		lanes int // asked for
	}{
		{"one test file", map[string]string{"a": "", "b": "", "t.test": "one: a has a\ntwo: b has b"}, 0},
		{"one source", map[string]string{"a": "", "a.test": "one: a has a", "b.test": "two: a has b"}, 0},
		{"two of each", map[string]string{"a": "", "b": "", "a.test": "one: a has a", "b.test": "two: b has b"}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(tc.files)
			w.fixes = sayMissing
			asked := 0
			lanes := lanesOf(w, func(context.Context, *world, runner.Request) error { return nil })
			doc := w.cycle(t, func(o *Options, _ *Selection, d *Deps) {
				o.Jobs = 3
				d.Lanes = func(ctx context.Context, n int) ([]Lane, error) { asked = n; return lanes(ctx, n) }
			})
			if doc.Outcome != Repaired || asked != tc.lanes {
				t.Errorf("outcome %s with %d lanes asked for, want repaired with %d", doc.Outcome, asked, tc.lanes)
			}
		})
	}
	w := newWorld(map[string]string{"a": "", "b": "", "a.test": "one: a has a", "b.test": "two: b has b"})
	w.fixes = func(c fixers.Cause, w *world) []fixers.Fix {
		return []fixers.Fix{w.say(c.Place.File, c.Symbol+" one", 0, fixers.Likely), w.say(c.Place.File, c.Symbol+" two", 0, fixers.Likely)}
	}
	doc := w.cycle(t, func(o *Options, _ *Selection, d *Deps) {
		o.Jobs, d.Lanes = 2, lanesOf(w, func(context.Context, *world, runner.Request) error { return nil })
	})
	if doc.Outcome != Failed || len(doc.Proposals) != 4 || doc.Proposals[0].ID != "c1" || doc.Proposals[3].ID != "c1-4" {
		t.Errorf("outcome %s, proposals %v; want four", doc.Outcome, doc.Proposals)
	}
}

// TestParallelCancelled holds that an end from outside ends all sandboxes.
func TestParallelCancelled(t *testing.T) {
	w := newWorld(three())
	w.fixes = sayMissing
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped")
	waits := func(ctx context.Context, _ *world, req runner.Request) error {
		cancel(stop)
		<-ctx.Done()
		return context.Cause(ctx)
	}
	opts, sel, deps := w.parts()
	opts.Jobs, deps.Lanes = 3, lanesOf(w, waits)
	doc, err := Run(ctx, sel, opts, deps)
	if doc.Outcome != Cancelled || !errors.Is(err, stop) || len(w.merged) > 0 {
		t.Errorf("outcome %s, error %v, merged %v; want cancelled by what stopped it", doc.Outcome, err, w.merged)
	}
}
