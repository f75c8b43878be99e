//go:build !linux

package jail

import (
	"context"
	"io"

	"regreen/internal/proc"
)

// Run is for Linux only: elsewhere nothing is run.
func Run(context.Context, []string, Spec, proc.Cmd) (proc.Exit, error) {
	return proc.Exit{}, &SetupError{Problem: "this system has no namespaces and no Landlock"}
}

// Help is for Linux only.
func Help(io.Writer) int { return 2 }

// DefaultLimits are none, since nothing would hold them.
func DefaultLimits() Limits { return Limits{} }

// LandlockProblem tells why Landlock cannot protect files here.
func LandlockProblem() string { return "this system has no Landlock" }
