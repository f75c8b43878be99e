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
	w   io.Writer
	mu  sync.Mutex // guards the field below
	err error
}

// Write never fails for its caller; see failed.
func (o *output) Write(p []byte) (int, error) {
	_, err := o.w.Write(p)
	// Who closes the pipe (| head) has read enough.
	if err != nil && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, io.ErrClosedPipe) && !errors.Is(err, fs.ErrClosed) {
		o.mu.Lock()
		if o.err == nil {
			o.err = err
		}
		o.mu.Unlock()
	}
	return len(p), nil
}

// failed gives the first error of a write.
func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
