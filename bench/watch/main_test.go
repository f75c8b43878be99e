package main

import (
	"strings"
	"testing"

	"regreen/internal/git/gittest"
)

// TestSoak does a little of what the program does.
func TestSoak(t *testing.T) {
	saves := 400
	if testing.Short() {
		saves = 100
	}
	var out strings.Builder
	b := bench{dir: t.TempDir(), environ: gittest.Environ(), out: &out}
	if err := b.all(t.Context(), saves, 300, 200, 2); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
}
