package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/engine"
	"regreen/watch"
)

// fakeWorker runs cycles that the test ends.
type fakeWorker struct {
	begun chan engine.Request  // each cycle as it begins
	end   chan *cycle.Document // ends the present one
	merge chan []cycle.Change  // has the present one merge first
	met   chan error           // what BeforeMerge said
	fail  chan error           // ends the present one with an error

	audits chan context.Context // each audit that is held; nil: there is nothing to audit

	tidied  chan context.Context // each tidying that is held
	tidyEnd chan struct{}        // ends it

	mu       sync.Mutex // guards the fields below
	cycles   int
	heldTidy bool
	undo     func(id string) (*engine.Written, error) // does what Undo is to do; nil: nothing
	open     bool
	undone   []string
}

func newFakeWorker() *fakeWorker {
	return &fakeWorker{begun: make(chan engine.Request, 100), end: make(chan *cycle.Document), merge: make(chan []cycle.Change), met: make(chan error, 10), fail: make(chan error),
		tidied: make(chan context.Context), tidyEnd: make(chan struct{})}
}

func (f *fakeWorker) Cycle(ctx context.Context, req engine.Request, sink func(cycle.Event)) (*cycle.Document, error) {
	f.mu.Lock()
	f.cycles++
	f.mu.Unlock()
	req.Selected(func(files []string) bool { return !slices.Equal(files, []string{"README.md"}) })
	f.begun <- req
	for {
		select {
		case <-ctx.Done():
			return &cycle.Document{Outcome: cycle.Cancelled}, context.Cause(ctx)
		case ch := <-f.merge:
			f.met <- req.BeforeMerge(ctx, ch)
		case err := <-f.fail:
			return nil, err
		case doc := <-f.end:
			if doc.Reason == "panic" {
				panic("a defect")
			}
			sink(cycle.Event{Kind: cycle.EventVerdict, Document: doc})
			return doc, nil
		}
	}
}

func (f *fakeWorker) Undo(_ context.Context, id string) (*engine.Written, error) {
	f.mu.Lock()
	f.undone = append(f.undone, id)
	undo := f.undo
	f.mu.Unlock()
	if undo != nil {
		return undo(id)
	}
	return &engine.Written{ID: id}, nil
}

func (f *fakeWorker) Apply(context.Context, string) (*engine.Written, error) {
	return nil, errors.New("nothing to apply")
}

func (f *fakeWorker) Tidy(ctx context.Context) error {
	f.mu.Lock()
	held := f.heldTidy
	f.mu.Unlock()
	if held {
		f.tidied <- ctx
		<-f.tidyEnd
	}
	return ctx.Err()
}

func (f *fakeWorker) Audit(ctx context.Context, sink func(cycle.Event)) error {
	if f.audits == nil {
		return nil
	}
	f.audits <- ctx
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-f.audits: // the test lets it end
		sink(cycle.Event{Kind: cycle.EventAudit, Done: 1, Total: 1})
		return nil
	}
}

func (f *fakeWorker) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open = false
	return nil
}

func (f *fakeWorker) isOpen() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open
}

// fakeWatcher tells what the test sends.
type fakeWatcher struct {
	batches chan watch.Batch
	ready   chan struct{}
	expects chan string
}

func (f *fakeWatcher) Run(ctx context.Context, out chan<- watch.Batch) error {
	close(f.ready)
	for {
		select {
		case <-ctx.Done():
			return nil
		case b := <-f.batches:
			select {
			case out <- b:
			case <-ctx.Done():
				return nil
			}
		}
	}
}

func (f *fakeWatcher) Ready() <-chan struct{} { return f.ready }
func (f *fakeWatcher) Touch(...string)        {}
func (f *fakeWatcher) Expect(rel, sum string) error {
	f.expects <- rel
	return nil
}

// fixture is a daemon that runs over fakes.
type fixture struct {
	t       *testing.T
	d       *Daemon
	c       *Client
	cfg     Config
	work    *fakeWorker
	batches chan watch.Batch
	expects chan string
	waiting func(string)
	events  chan Event
	done    chan error
	cancel  context.CancelFunc
	times   times // zero: the usual
}

const patience = 10 * time.Second

func begin(t *testing.T, set func(*Config)) *fixture {
	t.Helper()
	f := prepare(t, set)
	f.start()
	return f
}

// prepare makes a daemon that is yet to be started.
func prepare(t *testing.T, set func(*Config)) *fixture {
	t.Helper()
	f := &fixture{t: t, work: newFakeWorker(), batches: make(chan watch.Batch), expects: make(chan string, 100),
		events: make(chan Event, 10_000), done: make(chan error, 1)}
	dir, err := os.MkdirTemp("", "d") // a socket's path is short
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Mkdir(filepath.Join(dir, "repo"), 0o755))
	cfg := config.Default()
	cfg.Cycle.MergeQuiet = 0
	f.cfg = Config{Root: filepath.Join(dir, "repo"), Socket: filepath.Join(dir, "run", "s.sock"), LockFile: filepath.Join(dir, "state", "daemon.lock"),
		Config: cfg, Load: func() (config.Config, error) { return cfg, nil },
		Open: func(context.Context, config.Config) (Worker, error) {
			f.work.mu.Lock()
			defer f.work.mu.Unlock()
			if f.work.open {
				return nil, errors.New("it is open already")
			}
			f.work.open = true
			return f.work, nil
		},
		Watch: func(_ config.Config, waiting func(string), _ func(string, string)) (Watcher, error) {
			f.waiting = waiting
			return &fakeWatcher{f.batches, make(chan struct{}), f.expects}, nil
		},
		Sink: func(e Event) { f.events <- e },
	}
	if set != nil {
		set(&f.cfg)
	}
	return f
}

func (f *fixture) start() {
	f.t.Helper()
	f.d, f.c = New(f.cfg), NewClient(f.cfg.Socket)
	if f.times != (times{}) {
		f.d.times = f.times
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		f.done <- f.d.Run(ctx)
	}()
	f.t.Cleanup(func() {
		cancel()
		select {
		case <-returned:
		case <-time.After(patience):
			f.t.Error("the daemon does not end")
		}
		f.c.Close()
	})
	f.began() // the cycle over what was saved before
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// began waits for a cycle to begin and gives its files.
func (f *fixture) began() engine.Request {
	f.t.Helper()
	select {
	case r := <-f.work.begun:
		r.BeforeMerge, r.Selected = nil, nil
		return r
	case <-time.After(patience):
		f.t.Fatal("no cycle began")
	}
	return engine.Request{}
}

// finish ends the present cycle.
func (f *fixture) finish(doc *cycle.Document) {
	f.t.Helper()
	select {
	case f.work.end <- doc:
	case <-time.After(patience):
		f.t.Fatal("no cycle runs")
	}
}

// save writes a file and tells of it as the watcher does.
func (f *fixture) save(rel, content string) {
	f.t.Helper()
	must(f.t, os.WriteFile(filepath.Join(f.cfg.Root, rel), []byte(content), 0o644))
	f.batches <- watch.Batch{Paths: []string{rel}, Reason: watch.Saved}
}

// told waits for an event.
func (f *fixture) told(kind cycle.EventKind) Event {
	f.t.Helper()
	for {
		select {
		case e := <-f.events:
			if e.Kind == kind {
				return e
			}
		case <-time.After(patience):
			f.t.Fatalf("no event %s came", kind)
		}
	}
}

// until waits for a state.
func (f *fixture) until(s State) {
	f.t.Helper()
	for end := time.Now().Add(patience); ; {
		got, err := f.c.Status(f.t.Context())
		must(f.t, err)
		if got.State == s {
			return
		}
		if time.Now().After(end) {
			f.t.Fatalf("state = %s, want %s", got.State, s)
		}
	}
}

// idle says that no cycle began that was not asked for.
func (f *fixture) idle() {
	f.t.Helper()
	f.until(Idle)
	if n := len(f.work.begun); n > 0 {
		f.t.Fatalf("%d cycles began without need: %v", n, <-f.work.begun)
	}
}

func files(r engine.Request) []string { return slices.Clone(r.Files) }
