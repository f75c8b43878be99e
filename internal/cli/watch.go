package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"regreen/internal/daemon"
)

func (a *app) watchCommand() *cobra.Command {
	var detach bool
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Watch the files and repair what a save breaks",
		Long: `Watch the repository's files. After each save the tests that it can affect run
in a private copy, and what broke for a mechanical reason is repaired. One
process watches a repository; the other commands work beside it.

It ends with q, Ctrl-C, regreen stop, or when who reads its output has gone.

While it runs in a terminal: Enter runs all tests, u undoes the last merge,
a applies the last proposal, p pauses, q quits, ? helps.`,
		Example: "  regreen watch\n  regreen watch --detach\n  regreen watch --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			if detach {
				return a.detach(cmd.Context(), r)
			}
			return a.watch(cmd.Context(), r)
		},
	}
	cmd.Flags().BoolVar(&detach, "detach", false, "watch in the background; regreen status and stop reach it")
	return cmd
}

func (a *app) watch(ctx context.Context, r Repo) error {
	view := newView(a.screen(a.stdout), a.flags.quiet)
	sink := view.event
	if a.flags.json {
		sink = a.jsonEvents()
	}
	notices, stopNotices := a.newNotices(r)
	defer stopNotices()
	runCtx, stop := context.WithCancel(ctx)
	defer stop()
	shown := newQueue(func(e daemon.Event) {
		sink(e)
		if a.unread() {
			stop() // for whom should it go on?
		}
	})
	d, closeRepo, err := newDaemon(ctx, r, func(e daemon.Event) { shown.put(e); notices.event(e) }, notices.configure)
	if err != nil {
		return err
	}
	go shown.run()
	hup := make(chan os.Signal, 1) // one that comes while another is seen to says the same
	if !hasTerminal() {
		// With a terminal a hang-up is its end, and ours; without one, as under
		// --detach or systemd, it says that the configuration changed.
		signal.Reset(syscall.SIGHUP)
		signal.Notify(hup, syscall.SIGHUP)
		defer signal.Stop(hup)
	}
	done := make(chan error, 1)
	go func() { done <- d.Run(runCtx) }()
	var keys <-chan byte
	if view.tty && !a.flags.json {
		k, closeKeys := a.keys()
		defer closeKeys()
		keys = k
	}
	for {
		select {
		case err := <-done:
			if shown.end() {
				view.end()
			}
			return errors.Join(a.watched(ctx, err), closeRepo())
		case <-hup:
			_ = d.Reload(runCtx) // only the end of the daemon is an error
		case k, ok := <-keys:
			if !ok {
				keys = nil
				continue
			}
			if !view.key(runCtx, d, k) {
				stop()
			}
		}
	}
}

// unread tells whether standard output is a pipe that was closed at its other end.
func (a *app) unread() bool {
	o, ok := a.stdout.(*output)
	return ok && o.unread()
}

// hasTerminal tells whether a terminal controls this process, whatever its
// output goes to.
func hasTerminal() bool {
	f, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	_ = f.Close()
	return true
}

// watched is the end of a daemon.
func (a *app) watched(ctx context.Context, err error) error {
	var busy *daemon.BusyError
	var stopped Stopped
	switch {
	case errors.As(err, &busy):
		return &Problem{Code: "busy", Exit: ExitEnvironment, Message: busy.Error(), Hint: "regreen status tells what it does, regreen stop ends it", Err: err}
	case err == nil && errors.As(context.Cause(ctx), &stopped):
		a.exit = stopped.Exit // the usual way to end, and no news
	}
	return err
}

// jsonEvents prints an event a line.
func (a *app) jsonEvents() func(daemon.Event) {
	return func(e daemon.Event) {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if e.Document != nil {
			d := normal(*e.Document)
			e.Document = &d
		}
		if enc.Encode(e) == nil {
			_, _ = a.stdout.Write(b.Bytes())
		}
	}
}

// logFile is where a detached daemon writes.
func logFile(r Repo) (string, error) {
	dir, err := stateDir(r.Environ)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "log", filepath.Base(socketPath(r.Root, r.Environ))+".log"), nil
}
