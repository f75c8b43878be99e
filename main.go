// Command regreen turns red tests green again while you code.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"regreen/internal/cli"
)

func main() {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "regreen: error: working folder: %v\n", err)
		os.Exit(cli.ExitEnvironment)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2) // the one that asks and the one that insists
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		cancel(cli.Stopped{Exit: exitOf(<-signals)})
		os.Exit(exitOf(<-signals))
	}()
	os.Exit(cli.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ(), dir))
}

func exitOf(s os.Signal) int {
	if s == syscall.SIGTERM {
		return cli.ExitTerminate
	}
	return cli.ExitInterrupt
}
