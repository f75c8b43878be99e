package watch

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails the run when a goroutine outlives it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
