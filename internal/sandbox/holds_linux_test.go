package sandbox

import (
	"strings"
	"testing"
)

// TestWalls has each level say what it cannot hold, and what bounds a run.
func TestWalls(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		r := newRig(t, simple(t), level, func(c *Config) { c.MemoryBytes, c.Processes, c.DiskBytes = 700<<20, 60, 3<<30 })
		if err := r.s.Isolate(t.Context()); err != nil {
			t.Fatal(err)
		}
		w := r.s.Walls()
		want := map[string]struct{ limits, gaps string }{
			"namespace": {"700 MB of memory, 60 processes, 3.0 GB written to disk, 256 MB of output; ", "sockets of your other programs"},
			"landlock":  {"700 MB of memory, 60 processes, 3.0 GB written to disk, 256 MB of output; ", "modes, owners and time stamps"},
			"copy":      {"256 MB of output, and time; memory, processes and disk are not bounded", "writing outside the sandbox"},
		}[r.s.Level()]
		gaps := strings.Join(w.Gaps, "; ")
		if w.Level != r.s.Level() || !strings.HasPrefix(w.Limits, want.limits) || !strings.Contains(gaps, want.gaps) {
			t.Errorf("Walls = %+v", w)
		}
	})
}
