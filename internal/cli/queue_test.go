package cli

import (
	"fmt"
	"strings"
	"testing"

	"regreen/cycle"
	"regreen/internal/daemon"
)

// TestQueue holds that a reader that is stuck keeps nobody waiting, that all
// comes in order, and that what is left out is told.
func TestQueue(t *testing.T) {
	for _, c := range []struct {
		name      string
		put, lost int
	}{
		{"few", 3, 0},
		{"full", queueSize + 1, 0}, // one is being printed
		{"too many", queueSize + 11, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			stuck, begun := make(chan struct{}), make(chan struct{}, 1)
			var got []string
			q := newQueue(func(e daemon.Event) {
				if got = append(got, e.Text); len(got) == 1 {
					begun <- struct{}{}
					<-stuck
				}
			})
			go q.run()
			for i := range c.put {
				q.put(daemon.Event{Event: cycle.Event{Text: fmt.Sprint(i)}})
				if i == 0 {
					<-begun
				}
			}
			close(stuck)
			if !q.end() {
				t.Fatal("not all was printed")
			}
			if c.lost > 0 {
				if want := fmt.Sprintf("%d events were left out", c.lost); !strings.Contains(got[1], want) {
					t.Errorf("second event %q, want %q", got[1], want)
				}
				got = append(got[:1], got[2:]...)
			}
			if len(got) != c.put-c.lost || got[0] != "0" || got[len(got)-1] != fmt.Sprint(c.put-1) || len(got) > 1 && got[1] != fmt.Sprint(c.lost+1) {
				t.Errorf("%d of %d printed, from %s to %s", len(got), c.put, got[0], got[len(got)-1])
			}
		})
	}
}
