package daemon

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"

	"regreen/internal/jail"
)

// envDial has the test program ask the daemon at this socket for its state, and
// end with 0 when it gets an answer.
const envDial = "REGREEN_TEST_DIAL"

// TestMain fails the run when a goroutine outlives it. net/http waits half a
// second, longer than goleak does, after it refused a request.
func TestMain(m *testing.M) {
	if jail.Wanted(os.Args) { // stands for the helper: what it starts is behind walls
		cmd := exec.Command(os.Args[0])
		if err := cmd.Run(); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if socket := os.Getenv(envDial); socket != "" {
		c := NewClient(socket)
		_, err := c.Status(context.Background())
		c.Close()
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}
