// Command regreen turns red tests green again while you code.
package main

import (
	_ "embed"
	"fmt"
	"os"

	"regreen/internal/cli"
	"regreen/internal/jail"
)

// example shows every key of regreen.toml, for regreen init.
//
//go:embed config.example.toml
var example string

func main() {
	if jail.Wanted(os.Args) { // before all else: it starts for every run of tests
		os.Exit(jail.Help(os.Stderr))
	}
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "regreen: error: working folder: %v\n", err)
		os.Exit(cli.ExitEnvironment)
	}
	ctx := cli.Signals(os.Exit)
	os.Exit(cli.Run(ctx, example, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ(), dir))
}
