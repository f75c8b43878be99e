//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"regreen/cycle"
	"regreen/internal/daemon"
)

// marker is in the environment of everything that the daemon starts.
const marker = "REGREEN_SOAK=1"

// day is a daemon at work, and the person who works beside it.
type day struct {
	out     io.Writer
	dir     string // the repository
	state   string
	environ []string
	regreen string
	cmd     *exec.Cmd
	client  *daemon.Client
	rnd     *rand.Rand
	events  chan daemon.Event // batches
	ended   chan error        // the daemon's process
	streams sync.WaitGroup

	wrong   map[int]bool // modules whose test has to fail
	serial  int
	added   [][2]string // made folders and tests, oldest first
	did     map[string]int
	samples []sample

	mu       sync.Mutex // guards the field below
	verdicts int
}

// begin makes the project and starts the daemon over it.
func begin(ctx context.Context, out io.Writer, dir string, o options) (*day, error) {
	d := &day{out: out, dir: filepath.Join(dir, "shop"), state: filepath.Join(dir, "state"), regreen: o.regreen,
		rnd: rand.New(rand.NewPCG(o.seed, o.seed)), events: make(chan daemon.Event, 100), ended: make(chan error, 1),
		wrong: map[int]bool{}, did: map[string]int{}}
	for _, f := range []string{"shop", "state", "run", "home", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, f), 0o700); err != nil {
			return nil, err
		}
	}
	d.environ = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "XDG_STATE_HOME=" + d.state,
		"XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"), "TMPDIR=" + filepath.Join(dir, "tmp"), "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", marker}
	if err := errors.Join(d.project(o.deps), d.many(o.files)); err != nil {
		return nil, err
	}
	socket, err := d.start(ctx)
	if err != nil {
		return nil, err
	}
	d.client = daemon.NewClient(socket)
	d.streams.Go(func() { _ = d.client.Events(ctx, d.event) }) // it ends with the daemon
	_, err = d.client.Save(ctx, nil, true)
	return d, err
}

func (d *day) event(e daemon.Event) bool {
	switch e.Kind {
	case cycle.EventVerdict:
		d.mu.Lock()
		d.verdicts++
		d.mu.Unlock()
	case daemon.EventBatch:
		select {
		case d.events <- e:
		default: // nobody waits
		}
	}
	return true
}

func (d *day) cycles() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.verdicts
}

// start starts the daemon and waits for its socket.
func (d *day) start(ctx context.Context) (socket string, err error) {
	log, err := os.Create(filepath.Join(filepath.Dir(d.dir), "log"))
	if err != nil {
		return "", err
	}
	d.cmd = exec.Command(d.regreen, "watch")
	d.cmd.Dir, d.cmd.Env, d.cmd.Stdout, d.cmd.Stderr = d.dir, d.environ, log, log
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := errors.Join(d.cmd.Start(), log.Close()); err != nil {
		return "", err
	}
	go func() { d.ended <- d.cmd.Wait() }()
	env := func(key string) string { return filepath.Join(filepath.Dir(d.dir), "run") }
	socket = daemon.SocketPath(d.dir, env)
	late := time.After(time.Minute)
	for {
		if _, err := os.Stat(socket); err == nil {
			return socket, nil
		}
		select {
		case err := <-d.ended:
			src, _ := os.ReadFile(log.Name())
			return "", fmt.Errorf("the daemon ended at once: %v: %s", err, src)
		case <-late:
			return "", errors.New("the daemon does not listen")
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stop ends the daemon and looks for what it left.
func (d *day) stop(ctx context.Context) error {
	err := d.client.Stop(ctx)
	select {
	case end := <-d.ended:
		err = errors.Join(err, end)
	case <-time.After(30 * time.Second):
		return errors.New("the daemon does not end")
	}
	d.streams.Wait()
	d.client.Close()
	if left := ours(d.cmd.Process.Pid); len(left) > 0 {
		err = errors.Join(err, fmt.Errorf("processes are left: %v", left))
	}
	for _, f := range []string{"run/regreen", "tmp"} {
		names, _ := os.ReadDir(filepath.Join(filepath.Dir(d.dir), f))
		for _, n := range names {
			err = errors.Join(err, fmt.Errorf("%s is left in %s", n.Name(), f))
		}
	}
	return err
}

// dump ends a daemon that went wrong and gives what it said at last, with what
// each of its goroutines was doing.
func (d *day) dump() error {
	log, err := os.Open(filepath.Join(filepath.Dir(d.dir), "log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	_ = d.cmd.Process.Signal(syscall.SIGQUIT) // it may have ended
	select {
	case <-d.ended:
	case <-time.After(10 * time.Second):
		_ = d.cmd.Process.Kill()
	}
	src, err := io.ReadAll(log)
	if err != nil {
		return err
	}
	const last = 60 << 10
	return fmt.Errorf("the daemon said:\n%s", src[max(len(src)-last, 0):])
}

// command runs the program beside the daemon and gives what it printed.
func (d *day) command(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, d.regreen, args...)
	cmd.Dir, cmd.Env = d.dir, d.environ
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("regreen %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

func (d *day) git(args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = d.dir, d.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}
