package cycle

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestGuiltOfTestsAlone holds that a search runs the failed tests alone where
// those beside them take long, and whole files where a test on its own tells
// something else than among the others.
func TestGuiltOfTestsAlone(t *testing.T) {
	base := map[string]string{"src": "a\n=4\nc\nd\n", "b": "x\n"}
	for _, tc := range []struct {
		name  string
		took  time.Duration
		start time.Duration
		alone map[string]bool
		named bool
	}{
		{name: "alone", took: 3 * time.Second, named: true},
		{name: "nothing would be saved", took: 9 * time.Millisecond},
		{name: "most of the time is the framework's own start", took: 1100 * time.Millisecond, start: 2400 * time.Millisecond},
		{name: "it passes on its own", took: 3 * time.Second, alone: map[string]bool{"one": true}, named: true},
		{name: "it fails on its own", took: 3 * time.Second, alone: map[string]bool{"one": false}, named: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(map[string]string{"src": "a\n=5\nc\nD\n", "b": "y\n", "t.test": "one: src has =4\ntwo: src has a"})
				w.base, w.alone, w.took = base, tc.alone, map[string]time.Duration{"two": tc.took}
				w.boot = tc.start
				doc := w.cycle(t, nil)
				if doc.Cause == nil || doc.Cause.String() != "src:2" || !doc.Cause.Smallest || len(doc.Cause.Parts) != 1 {
					t.Fatalf("cause = %+v, want src:2", doc.Cause)
				}
				if (w.named > 0) != tc.named {
					t.Errorf("%d runs of tests by name", w.named)
				}
				if len(doc.Flaky) > 0 {
					t.Errorf("flaky = %v", doc.Flaky)
				}
			})
		})
	}
}
