package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"regreen/internal/daemon"
)

// maxLog is when a log of earlier daemons is begun anew.
const maxLog = 4 << 20

// startFor is how long a daemon may take to answer: a large repository is
// watched in a second or two.
const startFor = 30 * time.Second

// detach starts the daemon as a process of its own, and waits until it answers
// and knows that tests can run here, or waits itself, as for git.
func (a *app) detach(ctx context.Context, r Repo) error {
	c := daemon.NewClient(socketPath(r.Root, r.Environ))
	defer c.Close()
	if s, err := c.Status(ctx); err == nil {
		return &Problem{Code: "busy", Exit: ExitEnvironment, Message: (&daemon.BusyError{PID: s.PID}).Error(),
			Hint: "regreen status tells what it does, regreen stop ends it"}
	}
	path, err := logFile(r)
	if err != nil {
		return err
	}
	log, err := openLog(path)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the program: %w", err)
	}
	args := []string{"watch", "-C", r.Root, "--color=never"}
	if a.flags.config != "" {
		args = append(args, "--config", a.abs(a.flags.config))
	}
	if a.flags.verbose {
		args = append(args, "--verbose")
	}
	cmd := exec.Command(self, args...) // it outlives this process and its context
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.Root, a.environ, log, log
	apart(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(startFor)
	var last error // of asking
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ended:
			return a.notStarted(path, from)
		case <-late:
			if s, err := c.Status(ctx); err == nil { // a repository so large that its first cycle still begins
				return a.detached(r, s, path)
			}
			return errors.Join(&Problem{Code: "environment", Exit: ExitEnvironment, Message: "the daemon does not answer", Hint: "see " + path}, last)
		case <-tick.C:
			s, err := c.Status(ctx)
			if last = err; err != nil {
				continue // it is not there yet, or ends, and then says why
			}
			if s.Ready || s.State == daemon.Waiting || s.State == daemon.Paused {
				return a.detached(r, s, path)
			}
		}
	}
}

// detached tells of a daemon that runs.
func (a *app) detached(r Repo, s daemon.Status, log string) error {
	if a.flags.json {
		a.printJSON(s)
	} else {
		fmt.Fprintf(a.stdout, "watching %s (process %d, log %s)\n", r.Root, s.PID, log)
	}
	return nil
}

func openLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the log's folder: %w", err)
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if fi, err := os.Stat(path); err == nil && fi.Size() > maxLog {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	return f, nil
}

// notStarted says what the daemon said before it ended.
func (a *app) notStarted(path string, from int64) error {
	p := &Problem{Code: "environment", Exit: ExitEnvironment, Message: "the daemon ended at once", Hint: "see " + path}
	src, err := os.ReadFile(path)
	if err != nil || int64(len(src)) < from {
		return errors.Join(p, err)
	}
	for line := range strings.SplitSeq(string(src[from:]), "\n") {
		if m, ok := strings.CutPrefix(line, "regreen: error: "); ok {
			p.Message = m
		}
		if h, ok := strings.CutPrefix(line, "regreen: hint: "); ok {
			p.Hint = h
		}
	}
	return p
}
