package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/engine"
	"regreen/internal/runner"
	"regreen/watch"
)

// errNewer is why a cycle is cancelled for newer content, errOther for another
// operation.
var (
	errNewer = errors.New("a newer save came")
	errOther = errors.New("a command needs the sandbox")
)

// loop owns the daemon's state. All its fields belong to Run's goroutine.
type loop struct {
	d   *Daemon
	hub *hub

	worker   Worker // nil: not open
	contents contents
	pending  *job // waits for its cycle
	running  *job // the cycle's, nil when none runs or it is being cancelled
	decided  bool // the cycle gave its verdict and only has to end
	owed     *job // the saves of cycles that found nothing out: the next one is about them too
	cancel   context.CancelCauseFunc
	matter   func(files []string) bool   // whether saves can change the running cycle's verdict; nil: not known yet
	ops      []func(ctx context.Context) // wait for the running cycle to end
	busy     bool                        // an operation runs, a cycle or another
	lent     int                         // commands that hold the sandbox
	writing  bool                        // an undo or an apply runs
	held     []watch.Batch               // came meanwhile
	paused   bool
	gitWait  string
	lastSave time.Time
	typing   typing
	why      string // of the state
	config   config.Config
	reopen   bool // the configuration changed, or something went wrong: the worker is opened anew
	watcher  Watcher
	unwatch  context.CancelFunc // ends the watcher
	rewatch  func() error       // watches by the present configuration
	broken   error              // why the daemon cannot go on
	ready    bool               // a cycle got as far as its tests, or to a verdict

	untidy   int                // operations since the last tidying
	rest     *time.Timer        // when to tidy up or to audit; runs only while nothing else does
	tidying  context.CancelFunc // the tidying that runs; nil when none does
	settled  bool               // the last cycle's selection can be audited
	auditing context.CancelFunc // the audit that runs; nil when none does

	last    *cycle.Document // of the last cycle that was not cancelled
	failing Failing
	undone  map[string]bool // files that are as an undo left them: no merge is to come again by itself
	waiters []*waiter

	// done gets the ends of operations. It has room for one, and there is
	// never more than one operation.
	done  chan func()
	state State
}

func (l *loop) run(ctx context.Context, batches <-chan watch.Batch, failed <-chan error) {
	l.rest = time.NewTimer(tidyAfter)
	defer l.rest.Stop()
	l.typing.quiet = time.NewTimer(time.Hour)
	defer l.typing.quiet.Stop()
	l.typing.quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.typing.quiet.C:
			l.pending = l.pending.add(l.typing.finish(time.Now(), l.config.Cycle.TypingQuiet.Std()))
		case <-l.rest.C:
			l.tidy(ctx)
			l.audit(ctx)
		case l.broken = <-failed:
			return
		case b := <-batches:
			if l.lent > 0 || l.writing {
				// Who writes will say what of it was no save.
				l.held = append(l.held, b)
			} else {
				l.take(b)
			}
		case f := <-l.d.asks:
			f()
		case f := <-l.done:
			f()
		case <-l.d.waits.poke:
			l.gitWait = l.d.waits.get()
			l.rest.Reset(tidyAfter)
		}
		l.next(ctx)
	}
}

// take accepts a batch.
func (l *loop) take(b watch.Batch) {
	files := l.contents.fresh(b)
	// A checkout without paths is one whose files were told before.
	if late := b.Checkout && len(b.Paths)+len(b.Deleted) == 0; len(files) == 0 && !late {
		return
	}
	if slices.Contains(files, config.Name) {
		l.reload()
	}
	l.lastSave = time.Now()
	l.failing.Gone(b.Deleted)
	l.hub.emit(Event{Event: cycle.Event{Kind: EventBatch, Text: string(b.Reason)}, Files: b.Paths, Deleted: b.Deleted})
	j := &job{files: map[string]bool{}, modified: b.Full || b.Checkout}
	for _, f := range files {
		j.files[f] = true
		delete(l.undone, f)
	}
	l.typing.saved(files, l.lastSave, l.config.Cycle.TypingQuiet.Std())
	l.pending = l.pending.add(j)
	if l.running != nil && (j.modified || l.matters(files)) {
		l.stop(errNewer)
	}
}

// matters tells whether saves can change the verdict of the cycle under way.
// Before its tests are chosen nobody knows, and little is lost by beginning anew.
func (l *loop) matters(files []string) bool {
	return l.matter == nil || l.running.all || slices.Contains(files, config.Name) || l.matter(files)
}

// stop cancels the cycle under way, unless it has given its verdict. Its saves
// wait again when it has ended.
func (l *loop) stop(why error) {
	if l.running == nil || l.decided {
		return
	}
	l.running = nil
	l.cancel(why)
}

// next begins what can begin.
func (l *loop) next(ctx context.Context) {
	defer l.show()
	if l.tidying != nil && (len(l.ops) > 0 || !l.pending.empty() && !l.paused && l.gitWait == "") && l.untidy < untidyLimit {
		l.tidying() // whoever works comes first
	}
	if l.auditing != nil {
		l.whileAuditing()
	}
	if l.busy {
		return
	}
	if l.untidy >= untidyLimit && l.lent == 0 {
		l.tidy(ctx)
		return
	}
	for len(l.ops) > 0 && !l.busy {
		op := l.ops[0]
		l.ops = l.ops[1:]
		op(ctx)
	}
	if !l.busy && l.paused {
		l.answer() // whoever waits would wait for a person
	}
	if l.busy || l.lent > 0 || l.paused || l.gitWait != "" {
		return
	}
	if l.pending.empty() {
		l.answer()
		return
	}
	var gone bool
	if gone, l.broken = l.d.hold(); l.broken != nil {
		l.d.quit()
		return
	}
	// The sandbox's own lock keeps nobody out of a folder that was made again.
	l.reopen = l.reopen || gone
	verdictOnly := l.pending.noMerge // whatever is owed besides
	j := l.pending.add(l.owed)
	j.noMerge = verdictOnly
	l.pending, l.owed = nil, nil
	l.cycle(ctx, j)
}

// background runs an operation beside the loop; end is called in the loop.
func (l *loop) background(ctx context.Context, do func(context.Context) error, end func(error)) {
	l.busy = true
	l.untidy++
	l.d.group.Go(func() {
		err := guarded(ctx, do)
		l.done <- func() { l.busy = false; l.rest.Reset(tidyAfter); end(err) }
	})
}

// guarded turns a panic of an operation into its error.
func guarded(ctx context.Context, do func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a defect of regreen: %v\n%s", p, debug.Stack())
		}
	}()
	return do(ctx)
}

// opener gives what makes sure of a worker, to be called in an operation, which
// has the worker to itself.
func (l *loop) opener() func(context.Context) error {
	reopen, cfg := l.reopen, l.config
	l.reopen = false
	return func(ctx context.Context) error {
		if l.worker != nil && reopen {
			w := l.worker
			l.worker = nil
			if err := w.Close(); err != nil { // it may be why it is opened anew
				l.d.log().Debug("close the sandbox", "err", err)
			}
		}
		if l.worker != nil {
			return nil
		}
		w, err := l.d.cfg.Open(ctx, cfg)
		if err == nil {
			l.worker = w
		}
		return err
	}
}

func (l *loop) cycle(ctx context.Context, j *job) {
	runCtx, cancel := context.WithCancelCause(ctx)
	l.running, l.decided, l.cancel, l.matter = j, false, cancel, nil
	var doc *cycle.Document
	req := j.request()
	req.BeforeMerge = l.beforeMerge
	req.Failing = l.failing.Files()
	req.Selected = func(matter func([]string) bool) {
		_ = l.d.ask(runCtx, func() { l.matter = matter }) // else the cycle is ending
	}
	req.Typing = func() (files []string) {
		_ = l.d.ask(runCtx, func() { files = l.typing.now(time.Now(), l.config.Cycle.TypingQuiet.Std()) }) // else the cycle is ending
		return files
	}
	open := l.opener()
	l.background(runCtx, func(ctx context.Context) (err error) {
		if err := open(ctx); err != nil {
			return err
		}
		doc, err = l.worker.Cycle(ctx, req, func(e cycle.Event) { l.heard(ctx, e); l.hub.emit(Event{Event: e}) })
		return err
	}, func(err error) {
		cancel(nil)
		superseded := l.running == nil
		l.running = nil
		l.ended(j, doc, err, superseded)
	})
}

// heard takes in that tests can run, and a verdict before anybody is told of
// it, so that who asks for the status then hears the same. It is called in the
// cycle's goroutine.
func (l *loop) heard(ctx context.Context, e cycle.Event) {
	if e.Kind == cycle.EventSelected {
		_ = l.d.ask(ctx, func() { l.ready = true }) // else the cycle is being cancelled
	}
	if e.Kind != cycle.EventVerdict || e.Document == nil || e.Document.Outcome == cycle.Cancelled {
		return
	}
	_ = l.d.ask(ctx, func() { // else the cycle is being cancelled
		l.ready, l.decided = true, true
		l.last = e.Document
		l.failing.Update(e.Document)
	})
}

// ended takes a cycle's result in.
func (l *loop) ended(j *job, doc *cycle.Document, err error, superseded bool) {
	if doc != nil {
		for _, m := range doc.Merged {
			l.contents.set(m.File, m.After)
		}
	}
	if superseded && (doc == nil || len(doc.Merged) == 0) {
		// What was merged has its verdict; to run again could only bring back
		// what the command that stopped it is about to take back.
		l.pending = l.pending.add(j)
	}
	stopped := superseded || errors.Is(err, context.Canceled)
	switch {
	case stopped && (doc == nil || (err != nil || doc.Outcome == cycle.Cancelled) && len(doc.Merged) == 0): // its saves wait again, or the daemon ends
		if doc == nil { // it did not get as far as to say so itself
			doc = &cycle.Document{Schema: cycle.Schema, Outcome: cycle.Cancelled, Reason: "cancelled"}
			l.hub.emit(Event{Event: cycle.Event{Kind: cycle.EventVerdict, Document: doc}})
		}
		return
	case err != nil:
		l.owed = l.owed.add(j)
		l.reopen = true // what it holds may be gone, such as the state folder
		var setup *runner.Problem
		if l.last == nil && errors.As(err, &setup) {
			// Nothing ever ran here, and will not by itself: who just started
			// this has to hear it, and not find it in a log.
			l.broken = err
			l.d.quit()
			return
		}
		l.ready = true // it stays, and says what is wrong
		code, hint := "environment", ""
		if l.d.cfg.Explain != nil {
			code, hint = l.d.cfg.Explain(err)
		}
		l.hub.emit(Event{Event: cycle.Event{Kind: EventError, Text: err.Error()}, Hint: hint})
		l.last = &cycle.Document{Schema: cycle.Schema, Outcome: cycle.Errored, Reason: err.Error(),
			Error: &cycle.Problem{Code: code, Message: err.Error(), Hint: hint}}
	default:
		if doc.Outcome == cycle.Errored {
			l.owed = l.owed.add(j)
		}
		l.last = doc
		l.failing.Update(doc)
		l.typing.wait(doc.HalfWritten, time.Now(), l.config.Cycle.TypingQuiet.Std())
		l.settled = doc.Outcome != cycle.Errored && len(doc.HalfWritten) == 0
	}
	for _, w := range l.waiters {
		w.hear(j, l.last)
	}
}

// beforeMerge is called in the cycle's goroutine. It lets a person finish what
// they are writing, and announces what will be written.
func (l *loop) beforeMerge(ctx context.Context, changes []cycle.Change) error {
	for {
		wait, quiet, err := l.untilQuiet(ctx)
		if err != nil {
			return &cycle.NotMerged{Reason: errNewer.Error()}
		}
		if quiet {
			break
		}
		select {
		case <-ctx.Done():
			return &cycle.NotMerged{Reason: context.Cause(ctx).Error()}
		case <-time.After(wait):
		}
	}
	if err := cmp.Or(Unsaved(l.d.cfg.Root, changes, l.d.cfg.Environ), l.d.undoneBefore(changes)); err != nil {
		return err
	}
	var undone error
	err := l.d.ask(ctx, func() {
		for _, c := range changes {
			if l.undone[c.File] {
				undone = &cycle.NotMerged{Reason: "a merge into " + c.File + " was undone, and the file was not saved since"}
				return
			}
		}
		for _, c := range changes {
			_ = l.watcher.Expect(c.File, hexSum(c.After))
		}
	})
	return cmp.Or(err, undone)
}

// untilQuiet asks the loop how long it is until nothing was saved for
// merge_quiet.
func (l *loop) untilQuiet(ctx context.Context) (wait time.Duration, quiet bool, err error) {
	err = l.d.ask(ctx, func() {
		wait = time.Until(l.lastSave.Add(l.config.Cycle.MergeQuiet.Std()))
		quiet = wait <= 0
	})
	return wait, quiet, err
}

// operate runs an undo or an apply, after the cycle under way was cancelled.
func (l *loop) operate(do func(context.Context, Worker) (*engine.Written, error), end func(*engine.Written, error)) {
	l.stop(errOther)
	l.ops = append(l.ops, func(ctx context.Context) {
		var out *engine.Written
		open := l.opener()
		l.writing = true
		l.background(ctx, func(ctx context.Context) (err error) {
			if err := open(ctx); err != nil {
				return err
			}
			out, err = do(ctx, l.worker)
			return err
		}, func(err error) {
			l.writing = false
			if out != nil {
				l.told(wroteOf(out))
			}
			l.takeHeld()
			end(out, err)
		})
	})
}

// wrote notes files that we, or a command of ours, wrote.
func (l *loop) wrote(files []cycle.Merged) {
	for _, f := range files {
		l.contents.set(f.File, f.After)
		_ = l.watcher.Expect(f.File, f.After) // a sum that is none is of no use, and of no harm
	}
}

// told takes in what a command did with the sandbox it borrowed.
func (l *loop) told(r wroteRequest) {
	l.wrote(r.Files)
	if r.Undone != "" {
		l.changed(r)
	}
	if r.Document != nil {
		l.last = r.Document
		l.failing.Update(r.Document)
		l.hub.emit(Event{Event: cycle.Event{Kind: cycle.EventVerdict, Cycle: r.Document.ID, Document: r.Document}})
	}
}

// changed takes in that a merge was undone or a proposal applied. The last
// verdict is not about these files any more, so there is a new one; it merges
// nothing, since what was just taken back must not come again by itself. Nor
// does a later cycle write into these files before a person did.
func (l *loop) changed(r wroteRequest) {
	if l.last != nil {
		last := *l.last // readers of events have the other
		if last.Undo == r.Undone {
			last.Undo = ""
		}
		last.Proposals = slices.DeleteFunc(slices.Clone(last.Proposals), func(p cycle.Proposal) bool { return p.ID == r.Undone })
		l.last = &last
	}
	if len(r.Files) == 0 {
		return // nothing was written: there was no such merge, or all was so already
	}
	j := &job{files: map[string]bool{}, noMerge: true}
	for _, f := range r.Files {
		j.files[f.File] = true
		if r.Applied {
			delete(l.undone, f.File)
			continue
		}
		if l.undone == nil {
			l.undone = map[string]bool{}
		}
		l.undone[f.File] = true
	}
	l.pending = l.pending.add(j)
	l.pending.noMerge = true // what was saved before this, too
}

// lend lets the sandbox go, and calls ready when it is free.
func (l *loop) lend(ready func(error)) {
	l.stop(errOther)
	l.ops = append(l.ops, func(context.Context) {
		var err error
		if l.worker != nil {
			err = l.worker.Close()
			l.worker = nil
		}
		l.lent++
		ready(err)
	})
}

// back takes the sandbox back.
func (l *loop) back() {
	if l.lent--; l.lent > 0 {
		return
	}
	l.rest.Reset(tidyAfter)
	l.takeHeld()
}

// takeHeld takes up what came while somebody else wrote.
func (l *loop) takeHeld() {
	if l.lent > 0 || l.writing {
		return
	}
	held := l.held
	l.held = nil
	for _, b := range held {
		l.take(b)
	}
}
