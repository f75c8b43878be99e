package watch

import (
	"context"
	"errors"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// source is what tells of changes in folders; tests have a fake.
type source interface {
	Add(dir string) error
	Remove(dir string) error
	Close() error
	Events() <-chan fsnotify.Event
	Errors() <-chan error
}

type notify struct{ w *fsnotify.Watcher }

func newNotify() (source, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return notify{w}, nil
}

func (n notify) Add(dir string) error          { return n.w.Add(dir) }
func (n notify) Remove(dir string) error       { return n.w.Remove(dir) }
func (n notify) Close() error                  { return n.w.Close() }
func (n notify) Events() <-chan fsnotify.Event { return n.w.Events }
func (n notify) Errors() <-chan error          { return n.w.Errors }

// queue holds the paths that events named until Run takes them. It is bounded:
// beyond maxQueued the paths are dropped and the whole tree is compared.
type queue struct {
	wake chan struct{} // holds one: something is queued

	mu    sync.Mutex // guards the fields below
	paths map[string]fsnotify.Op
	count int // events since the last take
	lost  bool
}

// maxQueued paths take about as long to look at one by one as the whole tree.
const maxQueued = 100_000

func newQueue() *queue {
	return &queue{wake: make(chan struct{}, 1), paths: map[string]fsnotify.Op{}}
}

func (q *queue) put(path string, op fsnotify.Op) {
	q.mu.Lock()
	q.count++
	if len(q.paths) < maxQueued {
		q.paths[path] |= op
	} else {
		q.lost = true
	}
	q.mu.Unlock()
	q.poke()
}

func (q *queue) lose() {
	q.mu.Lock()
	q.lost = true
	q.mu.Unlock()
	q.poke()
}

func (q *queue) poke() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) take() (paths map[string]fsnotify.Op, count int, lost bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	paths, count, lost = q.paths, q.count, q.lost
	q.paths, q.count, q.lost = map[string]fsnotify.Op{}, 0, false
	return paths, count, lost
}

// read is the goroutine that drains the source, and does nothing else. hold is
// for tests that want it held up.
func (q *queue) read(ctx context.Context, s source, hold <-chan struct{}) {
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return
		}
	}
	events, errs := s.Events(), s.Errors()
	for events != nil || errs != nil {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			if e.Op != fsnotify.Chmod {
				q.put(e.Name, e.Op)
			}
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			if err != nil && !errors.Is(err, fsnotify.ErrClosed) {
				// Whatever it is, events may be missing.
				q.lose()
			}
		}
	}
}
