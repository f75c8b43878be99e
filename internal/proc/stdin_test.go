//go:build unix

package proc

import (
	"context"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestInputThatNeverComes holds that a process which ends, or is ended, is not
// waited for any longer because its input has not come to an end.
func TestInputThatNeverComes(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		name, script string
		stop         bool
	}{
		{"it ends without reading", "echo ready", false},
		{"it ends after a line", "read line; echo ready", false},
		{"it is ended while it waits for a line", "read line; echo ready; read line", true},
		{"it is ended and never read", "echo ready; exec sleep 600", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, w := io.Pipe()
			defer func() { _ = w.Close() }()
			go func() { _, _ = io.WriteString(w, "a line\n") }() // it ends with w
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out := newSignalled("ready")
			ended := make(chan Exit, 1)
			go func() {
				e, err := Local{}.Run(ctx, Cmd{Path: sh, Args: []string{"-c", c.script}, Dir: t.TempDir(), Env: os.Environ(), Stdin: in, Stdout: out,
					Grace: 100 * time.Millisecond})
				if err != nil {
					t.Error(err)
				}
				ended <- e
			}()
			<-out.seen
			if c.stop {
				cancel()
			}
			select {
			case e := <-ended:
				if e.Stopped != c.stop {
					t.Errorf("exit = %+v", e)
				}
			case <-time.After(30 * time.Second):
				t.Fatal("Run does not return")
			}
		})
	}
}
