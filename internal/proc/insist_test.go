//go:build unix

package proc

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestInsistTakesTheGraceAway(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	insist := make(chan struct{})
	ctx, cancel := context.WithCancel(WithInsist(t.Context(), insist))
	defer cancel()
	out := newSignalled("ready")
	type end struct {
		exit Exit
		err  error
	}
	ended := make(chan end, 1)
	go func() {
		// It ignores TERM, and so does its child, which holds the output open.
		e, err := Local{}.Run(ctx, Cmd{Path: sh, Args: []string{"-c", `trap "" TERM; sleep 600 & echo ready; wait; wait`},
			Dir: t.TempDir(), Env: os.Environ(), Stdout: out, Grace: time.Hour})
		ended <- end{e, err}
	}()
	<-out.seen
	cancel()
	select {
	case e := <-ended:
		t.Fatalf("ended before anyone insisted: %+v", e)
	case <-time.After(50 * time.Millisecond):
	}
	close(insist)
	select {
	case e := <-ended:
		if e.err != nil || !e.exit.Stopped || e.exit.Signal != "killed" {
			t.Errorf("Run = %+v, %v, want stopped by a kill", e.exit, e.err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the process outlives the second request")
	}
}

// signalled tells when a word was written to it.
type signalled struct {
	buf  bytes.Buffer
	word string
	seen chan struct{}
}

func newSignalled(word string) *signalled { return &signalled{word: word, seen: make(chan struct{})} }

func (s *signalled) Write(p []byte) (int, error) {
	had := bytes.Contains(s.buf.Bytes(), []byte(s.word))
	s.buf.Write(p)
	if !had && bytes.Contains(s.buf.Bytes(), []byte(s.word)) {
		close(s.seen)
	}
	return len(p), nil
}

func TestNothingStartsAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	e, err := Local{}.Run(ctx, Cmd{Path: "/nowhere"})
	if err != nil || !e.Stopped || e.Code != -1 {
		t.Errorf("Run = %+v, %v, want stopped and no error", e, err)
	}
}
