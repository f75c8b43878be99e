//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// regreen is `regreen watch --json`.
type regreen struct {
	cmd     *exec.Cmd
	log     string
	events  chan event
	resting bool
	stages  map[string]int64
}

// event is what is looked at of one.
type event struct {
	at    time.Time
	Event string
	State string
	Text  string

	Iteration *struct {
		N      int
		Failed int
		NotRun int     `json:"not_run"`
		Rate   float64 `json:"pass_rate"`
	}
	Document *struct {
		Outcome string
		Timings map[string]int64 `json:"timings_ms"`
	}
}

func startRegreen(ctx context.Context, p *project, program string) (*regreen, error) {
	log, err := os.Create(filepath.Join(p.home, "log"))
	if err != nil {
		return nil, err
	}
	w := &regreen{log: log.Name(), events: make(chan event, 10_000)}
	w.cmd = exec.CommandContext(ctx, program, "watch", "--json")
	w.cmd.Dir, w.cmd.Env, w.cmd.Stderr = p.dir, p.environ, log
	w.cmd.Cancel = func() error { return w.cmd.Process.Signal(syscall.SIGTERM) }
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(w.cmd.Start(), log.Close()); err != nil {
		return nil, err
	}
	go func() {
		defer close(w.events)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			e := event{at: time.Now()}
			if json.Unmarshal(lines.Bytes(), &e) == nil {
				w.events <- e
			}
		}
	}()
	if _, _, err := w.verdict(); err != nil { // of the first cycle
		return nil, errors.Join(err, w.stop())
	}
	return w, nil
}

func (w *regreen) next() (event, error) {
	select {
	case e, ok := <-w.events:
		if !ok {
			said, _ := os.ReadFile(w.log)
			return e, fmt.Errorf("regreen watch has ended: %s", said)
		}
		if e.Event == "state" {
			w.resting = e.State == "idle"
		}
		if e.Event == "verdict" && e.Document != nil {
			w.stages = e.Document.Timings
		}
		return e, nil
	case <-time.After(patience):
		return event{}, errors.New("no verdict")
	}
}

func (w *regreen) mark([]string) {
	w.resting = false
}

func (w *regreen) verdict() (time.Time, bool, error) {
	for {
		e, err := w.next()
		switch {
		case err != nil:
			return time.Time{}, false, err
		case e.Event == "iteration" && e.Iteration.N == 1 && e.Iteration.Rate < 100:
			return e.at, true, nil
		case e.Event == "error":
			return time.Time{}, false, fmt.Errorf("regreen: %s", e.Text)
		case e.Event == "verdict" && e.Document != nil:
			return e.at, e.Document.Outcome != "passed", nil
		}
	}
}

func (w *regreen) rest() {
	for !w.resting {
		if _, err := w.next(); err != nil {
			return
		}
	}
}

func (w *regreen) cpu() time.Duration { return familyCPU(w.cmd.Process.Pid) }
func (w *regreen) memory() int        { return familyPSS(w.cmd.Process.Pid) }

func (w *regreen) stop() error {
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	for range w.events { // it is not to wait for a reader
	}
	_ = w.cmd.Wait() // ended by a signal
	return nil
}
