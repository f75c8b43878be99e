package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"regreen/internal/proc"
)

// batch is one running `git cat-file --batch`: a process for all blobs.
type batch struct {
	mu     sync.Mutex // one question at a time
	in     *io.PipeWriter
	out    *bufio.Reader
	outR   *io.PipeReader
	cancel context.CancelFunc
	done   chan struct{}
}

func startBatch(ctx context.Context, run *Runner, dir string) *batch {
	// The process outlives the call that needed it first; close ends it.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	b := &batch{in: inW, out: bufio.NewReaderSize(outR, 64<<10), outR: outR, cancel: cancel, done: make(chan struct{})}
	cmd := run.cmd(Call{Dir: dir, Args: []string{"cat-file", "--batch"}, Stdin: inR}, outW, nil)
	go func() {
		defer close(b.done)
		_, err := proc.Local{}.Run(ctx, cmd)
		if err == nil {
			err = errors.New("git cat-file has ended")
		}
		_ = outW.CloseWithError(err)
		_ = inR.CloseWithError(err)
	}()
	return b
}

// get asks for one object by its id.
func (b *batch) get(ctx context.Context, oid string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	stop := context.AfterFunc(ctx, b.cancel)
	defer stop()
	if _, err := io.WriteString(b.in, oid+"\n"); err != nil {
		return nil, fmt.Errorf("ask for %s: %w", oid, err)
	}
	head, err := b.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", oid, err)
	}
	var id, typ string
	var size int64
	if _, err := fmt.Sscan(strings.TrimSpace(head), &id, &typ, &size); err != nil {
		return nil, fmt.Errorf("read %s: git says %q", oid, strings.TrimSpace(head))
	}
	src := make([]byte, size+1)
	if _, err := io.ReadFull(b.out, src); err != nil {
		return nil, fmt.Errorf("read %s: %w", oid, err)
	}
	return src[:size], nil
}

func (b *batch) close() {
	_ = b.in.Close()
	b.cancel()
	_ = b.outR.Close()
	<-b.done
}

// blob gives the raw bytes of an object.
func (r *Repo) blob(ctx context.Context, oid string) ([]byte, error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, errors.New("the repository is closed")
	}
	if r.blobs == nil {
		r.blobs = startBatch(ctx, r.run, r.root)
	}
	b := r.blobs
	r.mu.Unlock()
	src, err := b.get(ctx, oid)
	if err == nil {
		return src, nil
	}
	r.mu.Lock()
	if r.blobs == b {
		r.blobs = nil
	}
	r.mu.Unlock()
	b.close()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	// The process may have died, or its object list is older than a gc.
	out, err := r.git(ctx, "cat-file", "blob", oid)
	return out, err
}
