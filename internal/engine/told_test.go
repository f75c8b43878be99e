package engine

import (
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"regreen/cycle"
	"regreen/internal/git"
	"regreen/internal/git/gittest"
	"regreen/internal/sandbox"
)

// TestMissed: a verdict on a snapshot of what was told is confirmed by one of
// the whole tree, and what differed already when it was taken is found.
func TestMissed(t *testing.T) {
	g := gittest.New(t)
	g.Write("a.js", "a\n", "b.js", "b\n", "c.js", "c\n", "later.js", "x\n")
	g.Commit("one")
	long := time.Now().Add(-time.Hour)
	for _, f := range []string{"a.js", "b.js", "c.js", "later.js"} {
		if err := os.Chtimes(g.Path(f), long, long); err != nil {
			t.Fatal(err)
		}
	}
	repo, err := git.Open(t.Context(), g.Dir, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	box, err := sandbox.Open(t.Context(), sandbox.Config{Repo: repo, StateDir: t.TempDir(), Isolation: "copy", Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	e := &Engine{box: box, opts: Options{Log: slog.New(slog.DiscardHandler)}}
	whole, err := e.snapshot(t.Context(), Request{Saved: true, Files: []string{"a.js"}})
	if err != nil || whole.Told {
		t.Fatalf("Told = %v, %v in a small repository", whole.Told, err)
	}
	for settled := false; !settled; {
		s, err := box.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		settled = s.Read == 0
	}
	g.Write("a.js", "told\n", "b.js", "not told\n")
	if err := os.Remove(g.Path("c.js")); err != nil {
		t.Fatal(err)
	}
	before := time.Now().Add(time.Minute) // the file system's clock may be behind
	p := &prepared{start: before}
	if p.snap, err = box.SnapshotOf(t.Context(), []string{"a.js"}); err != nil || !p.snap.Told {
		t.Fatalf("Told = %v, %v", p.snap.Told, err)
	}
	g.Write("later.js", "saved since\n")
	if err := os.Chtimes(g.Path("later.js"), before, before.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if got := e.missed(t.Context(), p, &cycle.Document{Merged: []cycle.Merged{{File: "x"}}}); got != nil {
		t.Errorf("after a merge, which looks itself: missed %q", got)
	}
	if got := e.missed(t.Context(), p, &cycle.Document{}); !slices.Equal(got, []string{"b.js", "c.js"}) {
		t.Errorf("missed %q, want b.js and c.js", got)
	}
	// In a run that nobody watches over, that is a warning; what was merged is not.
	sum := hexSum([]byte("saved since\n"))
	if got := e.meanwhile(t.Context(), p, &cycle.Document{Merged: []cycle.Merged{{File: "later.js", After: sum}}}); !strings.HasPrefix(got, "b.js, c.js changed while the tests ran: the verdict is of the files as they were at ") {
		t.Errorf("meanwhile = %q", got)
	}
	if p.snap, err = box.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := e.meanwhile(t.Context(), p, &cycle.Document{}); got != "" {
		t.Errorf("meanwhile = %q where nothing changed", got)
	}
}
