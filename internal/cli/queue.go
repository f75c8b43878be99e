package cli

import (
	"fmt"
	"sync"
	"time"

	"regreen/cycle"
	"regreen/internal/daemon"
)

// queueSize is how many events may wait to be printed: those of the largest
// suites, and of a night before a terminal that was stopped with Ctrl-S.
const queueSize = 1 << 14

// flushFor is how long the end waits for who reads the output.
const flushFor = 2 * time.Second

// queue stands between the daemon and its output: who does not read what is
// printed must not keep saves from being seen to. Beyond queueSize the oldest
// events are left out, and the reader is told.
type queue struct {
	print func(daemon.Event)
	poke  chan struct{} // holds one
	done  chan struct{} // closed when run has returned

	mu     sync.Mutex // guards the fields below
	events []daemon.Event
	lost   int // left out since the last print
	ended  bool
}

func newQueue(print func(daemon.Event)) *queue {
	return &queue{print: print, poke: make(chan struct{}, 1), done: make(chan struct{})}
}

// put never waits.
func (q *queue) put(e daemon.Event) {
	q.mu.Lock()
	if len(q.events) >= queueSize {
		q.events[0] = daemon.Event{} // it may hold a document
		q.events = q.events[1:]
		q.lost++
	}
	q.events = append(q.events, e)
	q.mu.Unlock()
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.poke <- struct{}{}:
	default:
	}
}

// run prints until end.
func (q *queue) run() {
	defer close(q.done)
	for {
		e, ok := q.next()
		if !ok {
			return
		}
		q.print(e)
	}
}

// next waits for the next event; it is false when there will be none.
func (q *queue) next() (e daemon.Event, ok bool) {
	for {
		q.mu.Lock()
		switch {
		case q.lost > 0:
			e = daemon.Event{Schema: cycle.Schema, Event: cycle.Event{Kind: cycle.EventWarning, Time: time.Now(),
				Text: fmt.Sprintf("%d events were left out, since nobody read them", q.lost)}}
			q.lost, ok = 0, true
		case len(q.events) > 0:
			e, ok = q.events[0], true
			q.events[0] = daemon.Event{}
			q.events = q.events[1:]
		}
		ended := q.ended
		q.mu.Unlock()
		if ok || ended {
			return e, ok
		}
		<-q.poke
	}
}

// end waits until all is printed, and tells whether it is: a reader that is
// stuck does not hold the end up for longer than flushFor.
func (q *queue) end() bool {
	q.mu.Lock()
	q.ended = true
	q.mu.Unlock()
	q.wake()
	late := time.NewTimer(flushFor)
	defer late.Stop()
	select {
	case <-q.done:
		return true
	case <-late.C:
		return false
	}
}
