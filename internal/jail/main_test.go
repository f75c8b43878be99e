package jail_test

import (
	"os"
	"testing"

	"regreen/internal/jail"
)

// TestMain is the helper when a test starts this program again as that.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == jail.Command {
		os.Exit(jail.Help(os.Stderr))
	}
	os.Exit(m.Run())
}
