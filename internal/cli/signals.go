package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"regreen/internal/proc"
)

// lastWord is how long a second signal leaves for killing what still runs.
const lastWord = time.Second

// Signals gives the context of the whole program. The first Ctrl-C, TERM or
// closed terminal ends it with a Stopped cause; the second one kills what
// still runs, and calls exit if that was not enough. A signal that the starter
// had switched off (nohup) stays off. Output that nobody reads ends nothing:
// a merge must not stop half way for it.
func Signals(exit func(code int)) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	insist := make(chan struct{})
	signals := make(chan os.Signal, 2) // the one that asks and the one that insists
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	// Caught and not ignored: what is ignored would be so in the tests, too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		cancel(Stopped{Exit: exitOfSignal(<-signals)})
		code := exitOfSignal(<-signals)
		close(insist)
		<-time.After(lastWord)
		exit(code)
	}()
	return proc.WithInsist(ctx, insist)
}

func exitOfSignal(s os.Signal) int {
	switch s {
	case syscall.SIGTERM:
		return ExitTerminate
	case syscall.SIGHUP:
		return ExitHangup
	}
	return ExitInterrupt
}
