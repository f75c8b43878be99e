package jail

import (
	"os"
	"testing"
)

// TestMain is the helper when a test starts this program again as that.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Command {
		os.Exit(Help(os.Stderr))
	}
	os.Exit(m.Run())
}
