package daemon

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// TestMain fails the run when a goroutine outlives it.
func TestMain(m *testing.M) {
	before := runtime.NumGoroutine()
	code := m.Run()
	if f := flag.Lookup("test.fuzz"); f != nil && f.Value.String() != "" {
		os.Exit(code) // fuzzing keeps goroutines of its own
	}
	if n := goroutines(before); code == 0 && n > before {
		fmt.Fprintf(os.Stderr, "%d goroutines are left, %d were there\n", n, before)
		code = 1
	}
	os.Exit(code)
}

// goroutines counts them, and gives those that are ending the time to end.
func goroutines(want int) int {
	deadline := time.After(3 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		n := runtime.NumGoroutine()
		if n <= want {
			return n
		}
		select {
		case <-deadline:
			return n
		case <-tick.C:
		}
	}
}
