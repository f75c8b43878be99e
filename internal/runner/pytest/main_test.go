package pytest

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) {
	code := m.Run()
	tick := time.NewTicker(10 * time.Millisecond)
	for range 300 {
		if runtime.NumGoroutine() <= 2 {
			break
		}
		<-tick.C
	}
	tick.Stop()
	if n := runtime.NumGoroutine(); n > 2 && code == 0 {
		buf := make([]byte, 1<<20)
		fmt.Fprintf(os.Stderr, "%d goroutines are left\n%s\n", n, buf[:runtime.Stack(buf, true)])
		code = 1
	}
	os.Exit(code)
}
