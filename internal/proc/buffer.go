package proc

import "sync"

// Tail is a writer that keeps the first and the last part of what it is given
// and counts the rest: a process that prints without end costs no memory.
// The zero value keeps nothing; use NewTail.
type Tail struct {
	mu    sync.Mutex // guards the fields below
	limit int
	head  []byte
	tail  []byte
	total int64
}

// NewTail keeps at most limit bytes, half from the start, half from the end.
func NewTail(limit int) *Tail { return &Tail{limit: limit} }

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	t.total += int64(n)
	half := t.limit / 2
	if room := half - len(t.head); room > 0 {
		k := min(room, len(p))
		t.head = append(t.head, p[:k]...)
		p = p[k:]
	}
	if len(p) > half {
		p = p[len(p)-half:]
	}
	t.tail = append(t.tail, p...)
	if len(t.tail) > 2*half && len(t.tail) > half {
		t.tail = append([]byte(nil), t.tail[len(t.tail)-half:]...)
	}
	return n, nil
}

// String is what was kept, with a mark where something is left out.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	tail := t.tail
	if half := t.limit / 2; len(tail) > half {
		tail = tail[len(tail)-half:]
	}
	if int64(len(t.head)+len(tail)) < t.total {
		return string(t.head) + "\n… output left out …\n" + string(tail)
	}
	return string(t.head) + string(tail)
}

// Total is how many bytes were written.
func (t *Tail) Total() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total
}
