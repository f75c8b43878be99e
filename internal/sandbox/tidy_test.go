package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestTidy holds that a long life leaves one pack and no halves of one, that a
// tidying that is cancelled breaks nothing, and that the user's objects stay.
func TestTidy(t *testing.T) {
	g := simple(t)
	r := newRig(t, g)
	untouchedGit(t, g)
	var snap *Snapshot
	for i := range maxPacks + 5 {
		g.Write("src/b.js", fmt.Sprintf("content %d\n", i))
		snap = r.snap()
	}
	packs := func() int {
		t.Helper()
		names, err := filepath.Glob(filepath.Join(r.s.Dir(), "shadow.git", "objects", "pack", "*.pack"))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	if n := packs(); n <= maxPacks {
		t.Fatalf("there are %d packs only", n)
	}
	half := filepath.Join(r.s.Dir(), "shadow.git", "objects", "pack", ".tmp-12-pack-half.pack")
	if err := os.WriteFile(half, []byte("PACK"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.s.Tidy(ctx); err == nil {
		t.Error("Tidy ended well although it was cancelled")
	}
	if err := r.s.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := packs(); n != 1 {
		t.Errorf("%d packs are left", n)
	}
	if _, err := os.Stat(half); err == nil {
		t.Error("half a pack is left")
	}
	if src, err := snap.Bytes(t.Context(), "src/b.js"); err != nil || string(src) != fmt.Sprintf("content %d\n", maxPacks+4) {
		t.Errorf("the last snapshot: %q, %v", src, err)
	}
	if src, err := snap.Bytes(t.Context(), "src/a.js"); err != nil || len(src) == 0 {
		t.Errorf("a file that the user's repository holds: %q, %v", src, err)
	}
	g.Write("src/b.js", "after\n")
	r.ready()
	if got := r.box("src/b.js"); got != "after\n" {
		t.Errorf("the next snapshot has %q", got)
	}
}
