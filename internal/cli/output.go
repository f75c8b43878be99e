package cli

import (
	"errors"
	"io"
	"io/fs"
	"sync"
	"syscall"
)

// output is standard output that remembers what went wrong: a result that
// nobody got must not end with exit 0.
type output struct {
	w      io.Writer
	mu     sync.Mutex // guards the fields below
	err    error
	closed bool // nobody reads it any more
}

// Write never fails for its caller; see failed.
func (o *output) Write(p []byte) (int, error) {
	_, err := o.w.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		// Who closes the pipe (| head) has read enough.
		if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, fs.ErrClosed) {
			o.closed = true
		} else if o.err == nil {
			o.err = err
		}
	}
	return len(p), nil
}

// unread tells that the other end of the pipe was closed.
func (o *output) unread() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed
}

// failed gives the first error of a write.
func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
