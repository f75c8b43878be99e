package main

import (
	"os"
	"strings"
	"testing"

	"regreen/internal/git/gittest"
)

func TestMain(m *testing.M) {
	if os.Getenv(writerEnv) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestRace does a little of what the program does.
func TestRace(t *testing.T) {
	merges := 60
	if testing.Short() {
		merges = 15
	}
	var out strings.Builder
	if err := run(t.Context(), t.TempDir(), merges, 2, gittest.Environ(), &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	t.Log(out.String())
}
