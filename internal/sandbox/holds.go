package sandbox

import (
	"fmt"
	"strings"
)

// Walls tells people what the level in force keeps a run from, after Isolate.
type Walls struct {
	Level string
	Note  string // why it is not a stronger level; "" when it is the strongest
	// Limits says what bounds a run, and what holds it to that.
	Limits string
	// Gaps are what the level cannot keep a run from.
	Gaps []string
}

// Walls describes the level in force.
func (s *Sandbox) Walls() Walls {
	w := Walls{Level: s.Level(), Note: s.Note()}
	output := fmt.Sprintf("%d MB of output", maxRunOutput>>20)
	if w.Level == "copy" {
		w.Limits = output + ", and time; memory, processes and disk are not bounded at this level"
		w.Gaps = []string{"nothing keeps a test from writing outside the sandbox", "a process that left its group outlives a run", "the network cannot be cut off"}
		return w
	}
	var of []string
	if s.limits.MemoryBytes > 0 {
		of = append(of, humanSize(s.limits.MemoryBytes)+" of memory")
	}
	if s.limits.Processes > 0 {
		of = append(of, fmt.Sprintf("%d processes", s.limits.Processes))
	}
	if s.limits.DiskBytes > 0 {
		of = append(of, humanSize(s.limits.DiskBytes)+" written to disk")
	}
	w.Limits = strings.Join(append(of, output), ", ") + "; regreen's helper watches them, no control group is used"
	w.Gaps = []string{"a test can connect to sockets of your other programs, and ask those to act"}
	if w.Level == "landlock" {
		w.Gaps = append(w.Gaps, "modes, owners and time stamps outside the sandbox can be changed, bytes and names cannot", "the network cannot be cut off")
	}
	return w
}

// humanSize writes a size for people.
func humanSize(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
}
