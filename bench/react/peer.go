//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/fsnotify/fsnotify"
)

// peer is a framework's own watch mode on a pseudo-terminal.
type peer struct {
	cmd     *exec.Cmd
	tty     *os.File
	said    chan []byte
	text    []byte // since the mark, without colours
	summary *regexp.Regexp
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[a-zA-Z]`)

// quiet is how long a peer has to say nothing to be at rest. It is long, so
// that it is at rest also where other work holds it up.
const quiet = 1500 * time.Millisecond

func startPeer(ctx context.Context, p *project, ready, summary *regexp.Regexp, args ...string) (watcher, error) {
	w := &peer{summary: ready, said: make(chan []byte, 10_000)}
	w.cmd = exec.CommandContext(ctx, lookPath(args[0], p), args[1:]...)
	w.cmd.Dir, w.cmd.Env = p.dir, p.environ
	tty, err := pty.StartWithSize(w.cmd, &pty.Winsize{Rows: 40, Cols: 160})
	if err != nil {
		return nil, err
	}
	w.tty = tty
	go func() {
		defer close(w.said)
		for {
			b := make([]byte, 1<<16)
			n, err := tty.Read(b)
			w.said <- b[:n]
			if err != nil {
				return
			}
		}
	}()
	if _, _, err := w.verdict(); err != nil {
		return nil, errors.Join(fmt.Errorf("it is not ready: %s: %w", w.text, err), w.stop())
	}
	w.rest()
	w.summary = summary
	return w, nil
}

func (w *peer) mark([]string) {
	w.rest()
	w.text = nil
}

func (w *peer) verdict() (time.Time, bool, error) {
	late := time.After(patience)
	for {
		select {
		case b, ok := <-w.said:
			if !ok {
				return time.Time{}, false, errors.New("it has ended")
			}
			at := time.Now()
			w.text = append(w.text, b...)
			if plain := escapes.ReplaceAll(w.text, nil); w.summary.Match(plain) {
				return at, redSummary.Match(plain), nil
			}
		case <-late:
			return time.Time{}, false, fmt.Errorf("no verdict in %q", w.text)
		}
	}
}

func (w *peer) rest() {
	for {
		select {
		case b, ok := <-w.said:
			if !ok {
				return
			}
			w.text = append(w.text, b...)
		case <-time.After(quiet):
			return
		}
	}
}

func (w *peer) cpu() time.Duration { return familyCPU(w.cmd.Process.Pid) }
func (w *peer) memory() int        { return familyPSS(w.cmd.Process.Pid) }

func (w *peer) stop() error {
	err := syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL) // its session is its group
	for range w.said {
	}
	_ = w.cmd.Wait() // killed
	return errors.Join(err, w.tty.Close())
}

// loop runs pytest after each save, in this process.
type loop struct {
	*cold
	watcher *fsnotify.Watcher
}

// loopQuiet is what loops of this kind wait after a save.
const loopQuiet = 50 * time.Millisecond

func startLoop(ctx context.Context, p *project) (watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(filepath.Join(p.dir, "app"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			err = w.Add(path)
		}
		return err
	})
	return &loop{newCold(ctx, p), w}, err
}

func (l *loop) verdict() (time.Time, bool, error) {
	for e := range l.watcher.Events {
		if filepath.Ext(e.Name) == ".py" {
			break
		}
	}
	for {
		select {
		case <-l.watcher.Events:
			continue
		case <-time.After(loopQuiet):
		}
		return l.cold.verdict()
	}
}

func (l *loop) stop() error { return l.watcher.Close() }
