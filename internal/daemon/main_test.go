package daemon

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails the run when a goroutine outlives it. net/http waits half a
// second, longer than goleak does, after it refused a request.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}
