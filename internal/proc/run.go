package proc

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

func run(ctx context.Context, c Cmd) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{Code: -1, Stopped: true}, nil
	}
	grace := c.Grace
	if grace == 0 {
		grace = 2 * time.Second
	}
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	m := newMeter(c.MaxOutput)
	begin, err := feed(cmd, c.Stdin)
	if err != nil {
		return Exit{}, fmt.Errorf("start %s: %w", c.Path, err)
	}
	cmd.Stdout, cmd.Stderr = m.of(c.Stdout, c.Stderr)
	// A grandchild may hold the output pipes open after the child has ended.
	cmd.WaitDelay = grace
	if c.Setup != nil {
		c.Setup(cmd)
	}
	setGroup(cmd)
	keepFiles()
	if err := cmd.Start(); err != nil {
		return Exit{}, fmt.Errorf("start %s: %w", c.Path, err)
	}
	begin()
	pgid := cmd.Process.Pid
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	stopped := false
	select {
	case err = <-done:
	case <-m.over:
		kill(pgid)
		err = <-done
	case <-ctx.Done():
		stopped = true
		if c.BeforeKill != nil {
			c.BeforeKill(pgid)
		}
		terminate(pgid)
		timer := time.NewTimer(grace)
		select {
		case err = <-done:
		case <-timer.C:
			kill(pgid)
			err = <-done
		case <-insisted(ctx):
			kill(pgid)
			err = <-done
		}
		timer.Stop()
	}
	// Whatever the leader left behind in its group ends with it.
	kill(pgid)
	var ee *exec.ExitError
	if err != nil && !errors.As(err, &ee) && !errors.Is(err, exec.ErrWaitDelay) {
		return Exit{}, fmt.Errorf("wait for %s: %w", c.Path, err)
	}
	ex := Exit{Code: cmd.ProcessState.ExitCode(), Stopped: stopped, Limit: m.passed()}
	ex.Signal = signalName(cmd.ProcessState)
	return ex, nil
}
