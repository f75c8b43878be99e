package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"regreen/cycle"
)

func TestKnownFixes(t *testing.T) {
	dir := t.TempDir()
	k := openKnown(dir)
	if err := k.learn([]cycle.Learned{{Cause: "a", Fix: "x"}, {Cause: "b", Fix: "y"}}); err != nil {
		t.Fatal(err)
	}
	if got := openKnown(dir).of("b"); got != "y" {
		t.Errorf("of b: %q, want y", got)
	}
	for i := range maxKnown + 3 {
		if err := k.learn([]cycle.Learned{{Cause: fmt.Sprint(i), Fix: "z"}}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(openKnown(dir).fixes); n > maxKnown {
		t.Errorf("%d fixes are remembered, want at most %d", n, maxKnown)
	}
	if err := os.WriteFile(filepath.Join(dir, "known-fixes.json"), []byte("{nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := openKnown(dir).of("a"); got != "" {
		t.Errorf("from a broken file: %q", got)
	}
}
