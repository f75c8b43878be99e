package py

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"regreen/internal/proc"
)

//go:embed helper.py
var helperText string

// ErrNoInterpreter is Check's error where no Python is known.
var ErrNoInterpreter = errors.New("no python interpreter is known")

// checker owns the interpreter that compiles texts.
type checker struct {
	python string
	lock   chan struct{} // holds one value while nobody uses the fields below
	helper *helper
}

func newChecker(python string) *checker {
	c := &checker{python: python, lock: make(chan struct{}, 1)}
	c.lock <- struct{}{}
	return c
}

func (c *checker) ask(ctx context.Context, path string, src []byte) (*answer, error) {
	if c.python == "" {
		return nil, ErrNoInterpreter
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.lock:
	}
	defer func() { c.lock <- struct{}{} }()
	if c.helper == nil {
		h, err := startHelper(ctx, c.python)
		if err != nil {
			return nil, err
		}
		c.helper = h
	}
	a, err := c.helper.ask(ctx, path, src)
	if err != nil {
		// A text can bring the interpreter down (very deep nesting): the next
		// one gets a new interpreter.
		_ = c.helper.close()
		c.helper = nil
		return nil, fmt.Errorf("check %s with %s: %w", path, c.python, err)
	}
	return a, nil
}

func (c *checker) close() error {
	<-c.lock
	defer func() { c.lock <- struct{}{} }()
	if c.helper == nil {
		return nil
	}
	err := c.helper.close()
	c.helper = nil
	return err
}

// helper is a running interpreter.
type helper struct {
	in     *os.File
	out    *os.File
	lines  chan []byte // from the reader; closed at the process's end
	stop   context.CancelFunc
	wait   sync.WaitGroup
	errs   *proc.Tail
	minor  int
	runErr error // of the process; read after wait
}

func startHelper(ctx context.Context, python string) (*helper, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", python, err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		_, _ = childIn.Close(), in.Close()
		return nil, fmt.Errorf("start %s: %w", python, err)
	}
	// The process outlives the call that starts it; close ends it.
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	h := &helper{in: in, out: out, lines: make(chan []byte), stop: stop, errs: proc.NewTail(4 << 10)}
	h.wait.Go(func() {
		_, h.runErr = proc.Local{}.Run(life, proc.Cmd{Path: python, Args: []string{"-I", "-S", "-c", helperText},
			Dir: os.TempDir(), Stdin: childIn, Stdout: childOut, Stderr: h.errs})
		_, _ = childIn.Close(), childOut.Close()
	})
	h.wait.Go(func() { h.read(life) })
	line, err := h.line(ctx)
	if err != nil {
		_ = h.close()
		if h.runErr != nil {
			return nil, h.runErr
		}
		return nil, fmt.Errorf("start %s: %w", python, err)
	}
	var major int
	if _, err := fmt.Sscanf(string(line), "ready %d %d", &major, &h.minor); err != nil || major != 3 {
		_ = h.close()
		return nil, fmt.Errorf("start %s: it is not a Python 3 interpreter (it says %.80q)", python, line)
	}
	return h, nil
}

func (h *helper) read(ctx context.Context) {
	defer close(h.lines)
	r := bufio.NewReader(h.out)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		select {
		case h.lines <- line:
		case <-ctx.Done():
			return
		}
	}
}

func (h *helper) line(ctx context.Context) ([]byte, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case line, ok := <-h.lines:
		if !ok {
			return nil, fmt.Errorf("the interpreter ended: %.200s", h.errs.String())
		}
		return line, nil
	}
}

func (h *helper) ask(ctx context.Context, path string, src []byte) (*answer, error) {
	req, err := json.Marshal(struct {
		Path string `json:"path"`
		Src  []byte `json:"src"` // base64
	}{path, src})
	if err != nil {
		return nil, err
	}
	if _, err := h.in.Write(append(req, '\n')); err != nil {
		return nil, fmt.Errorf("the interpreter ended: %w", err)
	}
	line, err := h.line(ctx)
	if err != nil {
		return nil, err
	}
	a := &answer{minor: h.minor}
	if err := json.Unmarshal(line, a); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return a, nil
}

// close ends the interpreter and waits for it.
func (h *helper) close() error {
	err := h.in.Close()
	h.stop()
	h.wait.Wait()
	_ = h.out.Close()
	return err
}
