package node

import "regreen/internal/runner"

// NewProbe is the probe for one run; where a hang cannot be looked into, one
// that finds nothing.
func NewProbe(c Context) Probe {
	return noProbe{}
}

type noProbe struct{}

func (noProbe) Env() []string          { return nil }
func (noProbe) BeforeKill(int)         {}
func (noProbe) Frames() []runner.Frame { return nil }
