package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/engine"
	"regreen/watch"
)

// Worker runs cycles over one repository; *engine.Engine is one.
type Worker interface {
	Cycle(ctx context.Context, req engine.Request, sink func(cycle.Event)) (*cycle.Document, error)
	Undo(ctx context.Context, id string) (*engine.Written, error)
	Apply(ctx context.Context, id string) (*engine.Written, error)
	Tidy(ctx context.Context) error
	Audit(ctx context.Context, sink func(cycle.Event)) error
	Close() error
}

// Watcher tells of saves; *watch.Watcher is one.
type Watcher interface {
	Run(ctx context.Context, out chan<- watch.Batch) error
	Ready() <-chan struct{}
	Touch(rels ...string)
	Expect(rel, sha256 string) error
}

// Config says what a daemon is for.
type Config struct {
	Root     string // the repository, real path
	Environ  []string
	Socket   string // abs; its folder is made
	LockFile string // abs; its folder is made
	Config   config.Config
	// Load reads the configuration anew.
	Load func() (config.Config, error)
	// Open opens the repository's sandbox, and waits for whoever holds it.
	Open func(ctx context.Context, cfg config.Config) (Worker, error)
	// Watch makes a watcher that says why it waits, and what a person should know.
	Watch func(cfg config.Config, waiting func(why string), warn func(message, hint string)) (Watcher, error)
	// Undone gives the files that are to stay as an undo left them: file to the
	// SHA-256 of that content in hex, "" for one that it removed. It is called
	// in a cycle, before a merge. It may be nil.
	Undone func() map[string]string
	// Misses are the tests that an audit found missing in a selection and that
	// nobody understands yet. It may be nil.
	Misses func() []cycle.Miss
	// Explain gives an error's word for scripts, and what a person can do. It may be nil.
	Explain func(error) (code, hint string)
	// Sink gets every event, in order. It must not block. It may be nil.
	Sink func(Event)
	Log  *slog.Logger
}

// BusyError says that another daemon watches the repository.
type BusyError struct{ PID int } // 0 when it is not known

// Error names the process.
func (e *BusyError) Error() string {
	if e.PID == 0 {
		return "another regreen watches this repository"
	}
	return fmt.Sprintf("another regreen watches this repository (process %d)", e.PID)
}

// Daemon is one repository's. Its methods may be called from any goroutine
// while Run runs.
type Daemon struct {
	cfg   Config
	asks  chan func()
	ended chan struct{} // closed when Run's loop no longer answers
	quit  context.CancelFunc
	loop  *loop
	lock  *lock // while Run runs
	// servers are those of Run; the last one listens, the others, whose socket was
	// removed, see to the connections they have.
	servers []*server
	group   sync.WaitGroup // operations and watchers
	waits   latest
	times   times // of the server's clients
}

// latest is a word of which only the newest counts.
type latest struct {
	poke chan struct{} // holds one

	mu  sync.Mutex // guards the field below
	why string
}

func (w *latest) set(why string) {
	w.mu.Lock()
	w.why = why
	w.mu.Unlock()
	select {
	case w.poke <- struct{}{}:
	default:
	}
}

func (w *latest) get() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.why
}

// errEnded answers what comes when the daemon ends.
var errEnded = errors.New("the daemon is ending")

// New prepares a daemon.
func New(cfg Config) *Daemon {
	d := &Daemon{cfg: cfg, asks: make(chan func()), ended: make(chan struct{}), waits: latest{poke: make(chan struct{}, 1)}, times: usualTimes()}
	d.loop = &loop{d: d, hub: &hub{sink: cfg.Sink}, config: cfg.Config, done: make(chan func(), 1),
		contents: contents{root: cfg.Root, seen: map[string]string{}}}
	return d
}

// Run is the daemon's life. It gives *BusyError when another one has the
// repository, and nil when ctx is done or it was asked to stop. Nothing of it
// is left when it returns.
func (d *Daemon) Run(ctx context.Context) (err error) {
	if d.lock, err = takeLock(d.cfg.LockFile); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.lock.release()) }()
	ctx, d.quit = context.WithCancel(ctx)
	defer d.quit()

	batches, failed := make(chan watch.Batch), make(chan error, 1)
	if err := d.loop.watch(ctx, batches, failed); err != nil {
		return err
	}
	if err := d.listenAgain(); err != nil {
		d.quit()
		d.group.Wait()
		return err
	}
	d.loop.pending = &job{modified: true} // what was saved before we came
	d.loop.next(ctx)
	d.loop.run(ctx, batches, failed)

	close(d.ended)
	d.loop.hub.close() // ends the streams, which the server would wait for
	for _, s := range d.servers {
		s.close()
	}
	d.quit()
	d.group.Wait()
	select {
	case end := <-d.loop.done:
		end()
	default:
	}
	err = d.loop.broken
	if d.loop.worker != nil {
		err = errors.Join(err, d.loop.worker.Close())
	}
	return err
}

// hold makes sure of the lock and the socket, whose files somebody may have
// removed. gone tells that the lock's was, and so what else is in its folder. It
// gives *BusyError where another daemon came in between; what else goes wrong a
// cycle will say, too.
func (d *Daemon) hold() (gone bool, err error) {
	var busy *BusyError
	gone = !d.lock.ours()
	err = d.lock.again()
	if errors.As(err, &busy) {
		return gone, err
	}
	if err := errors.Join(err, d.listenAgain()); err != nil {
		d.log().Warn("not everybody can reach this process", "err", err)
	}
	return gone, nil
}

// watch begins to watch, in the place of the present watcher if there is one,
// which ends once the new one is ready. It returns when the new one is.
func (l *loop) watch(ctx context.Context, out chan<- watch.Batch, failed chan<- error) error {
	warn := func(message, hint string) {
		l.hub.emit(Event{Event: cycle.Event{Kind: cycle.EventWarning, Text: message}, Hint: hint})
	}
	w, err := l.d.cfg.Watch(l.config, l.d.waits.set, warn)
	if err != nil {
		return err
	}
	watchCtx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	l.d.group.Go(func() {
		err := w.Run(watchCtx, out)
		ended <- err
		if err != nil {
			select {
			case failed <- err:
			default:
			}
		}
	})
	select {
	case <-w.Ready():
	case err := <-ended:
		cancel()
		if err == nil {
			err = ctx.Err()
		}
		return err
	}
	if l.unwatch != nil {
		l.unwatch()
	}
	l.watcher, l.unwatch = w, cancel
	l.rewatch = func() error { return l.watch(ctx, out, failed) }
	return nil
}

// reload reads the configuration anew; a broken one changes nothing.
func (l *loop) reload() {
	cfg, err := l.d.cfg.Load()
	if err == nil {
		before := l.config
		l.config = cfg
		if err = l.rewatch(); err != nil {
			l.config = before
		}
	}
	if err != nil {
		l.hub.emit(Event{Event: cycle.Event{Kind: EventError, Text: err.Error()}, Hint: "the configuration from before stays in force"})
		return
	}
	l.reopen = true
	// The watcher that ended may have had saves to tell, and the verdict may be
	// another one now.
	l.pending = l.pending.add(&job{modified: true})
	l.hub.emit(Event{Event: cycle.Event{Kind: EventState, Text: "the configuration was read anew"}, State: l.state})
}

// ask has the loop call f, and waits for it.
func (d *Daemon) ask(ctx context.Context, f func()) error {
	done := make(chan struct{})
	select {
	case d.asks <- func() { f(); close(done) }:
	case <-d.ended:
		return errEnded
	case <-ctx.Done():
		return ctx.Err()
	}
	<-done
	return nil
}

// Stop ends the daemon.
func (d *Daemon) Stop() { d.quit() }

// Reload reads the configuration anew.
func (d *Daemon) Reload(ctx context.Context) error { return d.ask(ctx, d.loop.reload) }

// RunAll runs the whole suite next.
func (d *Daemon) RunAll(ctx context.Context) error {
	return d.ask(ctx, func() { d.loop.pending = d.loop.pending.add(&job{all: true}) })
}

// Pause stops new cycles from starting, or lets them start again; it gives the
// state from now on. A cycle under way is cancelled by it, and its saves wait.
func (d *Daemon) Pause(ctx context.Context) (paused bool, err error) {
	err = d.ask(ctx, func() {
		d.loop.paused = !d.loop.paused
		if paused = d.loop.paused; paused {
			d.loop.stop(errOther)
		}
		d.loop.rest.Reset(tidyAfter)
	})
	return paused, err
}

// Undo takes back a merge; an empty id is the newest.
func (d *Daemon) Undo(ctx context.Context, id string) (*engine.Written, error) {
	return d.written(ctx, func(ctx context.Context, w Worker) (*engine.Written, error) { return w.Undo(ctx, id) })
}

// Apply writes a proposal; an empty id is the newest.
func (d *Daemon) Apply(ctx context.Context, id string) (*engine.Written, error) {
	return d.written(ctx, func(ctx context.Context, w Worker) (*engine.Written, error) { return w.Apply(ctx, id) })
}

func (d *Daemon) written(ctx context.Context, do func(context.Context, Worker) (*engine.Written, error)) (*engine.Written, error) {
	type result struct {
		w   *engine.Written
		err error
	}
	out := make(chan result, 1)
	err := d.ask(ctx, func() {
		d.loop.operate(do, func(w *engine.Written, err error) { out <- result{w, err} })
	})
	if err != nil {
		return nil, err
	}
	select {
	case r := <-out:
		return r.w, r.err
	case <-d.ended:
		return nil, errEnded
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// log is the logger; without one nothing is said.
func (d *Daemon) log() *slog.Logger {
	if d.cfg.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return d.cfg.Log
}

func hexSum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// Status is what `regreen status` tells.
type Status struct {
	Schema int    `json:"schema"`
	State  State  `json:"state"`
	Why    string `json:"why"` // of waiting, or what an idle one does
	// Ready says that a cycle got as far as its tests: before, nobody knows
	// whether any can run here, and the daemon may yet end because none can.
	Ready   bool              `json:"ready"`
	PID     int               `json:"pid"`
	Outcome cycle.Outcome     `json:"outcome"` // of the last cycle, "" before it
	Cycle   string            `json:"cycle"`
	Failing []cycle.Remaining `json:"failing"`
	// Proposals of the last cycle, and the undo record of its merge.
	Proposals []string `json:"proposals"`
	Undo      string   `json:"undo"`
	// Misses are tests that an audit found missing in a selection: all tests run
	// until they are understood.
	Misses []cycle.Miss `json:"misses"`
}

// Status tells what the daemon is doing.
func (d *Daemon) Status(ctx context.Context) (Status, error) {
	var s Status
	err := d.ask(ctx, func() {
		l := d.loop
		s = Status{Schema: cycle.Schema, State: l.state, Ready: l.ready, PID: os.Getpid(), Failing: l.failing.List(), Proposals: []string{}}
		switch {
		case s.State == Waiting:
			s.Why = l.why
		case s.State == Idle && l.auditing != nil:
			s.Why = "tests that were not selected run, for the audit"
		}
		if l.last != nil {
			s.Outcome, s.Cycle, s.Undo = l.last.Outcome, l.last.ID, l.last.Undo
			for _, p := range l.last.Proposals {
				s.Proposals = append(s.Proposals, p.ID)
			}
		}
	})
	if s.Misses = []cycle.Miss{}; d.cfg.Misses != nil {
		s.Misses = append(s.Misses, d.cfg.Misses()...)
	}
	return s, err
}

// Save takes saves up that an editor tells, at once. With wait it returns, once
// nothing is left to do, the document of the last cycle that was about them; of
// the last cycle at all when no cycle was needed, nil if there never was one.
func (d *Daemon) Save(ctx context.Context, rels []string, wait bool) (*cycle.Document, error) {
	verdict := make(chan *cycle.Document, 1)
	err := d.ask(ctx, func() {
		l := d.loop
		l.watcher.Touch(rels...)
		if l.gitWait == "" {
			l.take(watch.Batch{Paths: rels, Reason: watch.Saved})
		}
		if !wait {
			return
		}
		if l.pending.empty() && l.running == nil {
			if l.last == nil {
				l.pending = l.pending.add(&job{modified: true})
			}
			l.pending = l.pending.add(l.owed) // who asks anew wants no old error
		}
		l.waiters = append(l.waiters, &waiter{files: slices.Clone(rels), verdict: verdict})
	})
	if err != nil || !wait {
		return nil, err
	}
	select {
	case doc := <-verdict:
		return doc, nil
	case <-d.ended:
		return nil, errEnded
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
