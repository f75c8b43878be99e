package proc

import (
	"fmt"
	"io"
	"sync"
)

// meter counts what a process prints.
type meter struct {
	limit int64         // 0 is none
	over  chan struct{} // closed when the limit is passed

	mu sync.Mutex // guards the field below
	n  int64
}

func newMeter(limit int64) *meter { return &meter{limit: limit, over: make(chan struct{})} }

// of gives writers that count into the meter. One writer stays one: package
// exec then gives a process one pipe for both.
func (m *meter) of(out, err io.Writer) (io.Writer, io.Writer) {
	if m.limit == 0 {
		return out, err
	}
	a := &metered{m, out}
	if out == err {
		return a, a
	}
	return a, &metered{m, err}
}

type metered struct {
	m *meter
	w io.Writer
}

// Write passes on what is within the limit.
func (w *metered) Write(p []byte) (int, error) {
	m := w.m
	m.mu.Lock()
	before := m.n
	m.n += int64(len(p))
	if before <= m.limit && m.n > m.limit {
		close(m.over)
	}
	m.mu.Unlock()
	if before > m.limit || w.w == nil {
		return len(p), nil
	}
	return w.w.Write(p)
}

// passed names the limit, "" when it was not passed.
func (m *meter) passed() string {
	select {
	case <-m.over:
		return fmt.Sprintf("the limit of %d MB of output", m.limit>>20)
	default:
		return ""
	}
}
