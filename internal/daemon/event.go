package daemon

import (
	"sync"
	"time"

	"regreen/cycle"
)

// The kinds of event beside a cycle's own.
const (
	EventBatch cycle.EventKind = "batch" // Files, Deleted: what was saved
	EventState cycle.EventKind = "state" // State; Text: why it waits
	EventError cycle.EventKind = "error" // Text, Hint: a cycle or the daemon itself failed
)

// Event is one line of the stream.
type Event struct {
	Schema int `json:"schema"`
	cycle.Event
	Files   []string `json:"files,omitempty"`
	Deleted []string `json:"deleted,omitempty"`
	State   State    `json:"state,omitempty"`
	Hint    string   `json:"hint,omitempty"`
}

// hub gives every event to every reader.
type hub struct {
	sink func(Event) // the terminal; may be nil

	mu      sync.Mutex // guards the fields below
	readers map[chan Event]bool
	closed  bool
}

// backlog is how many events a reader may be behind; tests of a large suite
// give thousands, and a reader that is stuck must not stop the daemon.
const backlog = 4096

func (h *hub) emit(e Event) {
	e.Schema = cycle.Schema
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	if h.sink != nil {
		h.sink(e)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for r := range h.readers {
		select {
		case r <- e:
		default: // too slow: it is cut off, and can come again
			delete(h.readers, r)
			close(r)
		}
	}
}

// subscribe gives a channel of events that is closed when the daemon ends, the
// reader is too slow, or leave is called.
func (h *hub) subscribe() (events <-chan Event, leave func()) {
	r := make(chan Event, backlog)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		close(r)
		return r, func() {}
	}
	if h.readers == nil {
		h.readers = map[chan Event]bool{}
	}
	h.readers[r] = true
	return r, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.readers[r] {
			delete(h.readers, r)
			close(r)
		}
	}
}

func (h *hub) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.readers)
}

func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for r := range h.readers {
		delete(h.readers, r)
		close(r)
	}
}
