package proc

import (
	"errors"
	"io"
	"os"
	"os/exec"
)

// feed gives a process its input. Package exec waits for its own copying of the
// input even when the process has ended, so a reader that has nothing to give
// any more would hold Wait up for ever. What copies here ends with the reader,
// which is the caller's to close.
func feed(cmd *exec.Cmd, stdin io.Reader) (start func(), err error) {
	if f, ok := stdin.(*os.File); ok || stdin == nil {
		if ok {
			cmd.Stdin = f
		}
		return func() {}, nil
	}
	w, err := cmd.StdinPipe() // Wait closes it
	if err != nil {
		return nil, err
	}
	return func() {
		go func() {
			_, err := io.Copy(w, stdin)
			if err == nil || !errors.Is(err, os.ErrClosed) {
				_ = w.Close() // the process may have gone
			}
		}()
	}, nil
}
