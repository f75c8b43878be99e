package watch

import (
	"context"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"

	"regreen/internal/git/gittest"
)

func TestDue(t *testing.T) {
	const ms = time.Millisecond
	start := time.Unix(0, 0)
	for _, c := range []struct {
		name             string
		hits             []time.Duration
		each             int
		atLeast, settled time.Duration
		want             time.Duration
	}{
		{name: "one save", hits: []time.Duration{0}, each: 1, want: 30 * ms},
		{name: "each save waits anew", hits: []time.Duration{0, 20 * ms, 40 * ms}, each: 1, want: 70 * ms},
		{name: "a storm waits longer", hits: []time.Duration{0, 10 * ms}, each: 60, want: 260 * ms},
		{name: "a storm of git's is over when git is", hits: []time.Duration{0, 10 * ms}, each: 60, settled: 120 * ms, want: 130 * ms},
		{name: "half a save waits longer", hits: []time.Duration{0}, each: 1, atLeast: 100 * ms, want: 100 * ms},
		{name: "the cap", hits: []time.Duration{0, 4990 * ms}, each: 1, want: 5000 * ms},
		{name: "the cap in a storm", hits: []time.Duration{0, 4990 * ms}, each: 1000, atLeast: time.Second, want: 5000 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := debounce{quiet: 30 * ms, storm: 250 * ms, max: 5 * time.Second}
			for _, h := range c.hits {
				d.hit(start.Add(h), c.each)
			}
			if got := d.due(c.atLeast, c.settled).Sub(start); got != c.want {
				t.Errorf("due = %s, want %s", got, c.want)
			}
		})
	}
}

// bubble is a watcher in fake time, with events that the test makes.
type bubble struct {
	*gittest.Repo
	t   *testing.T
	src *fake
	out chan Batch
}

// inBubble runs f with a watcher in fake time.
func inBubble(t *testing.T, f func(*bubble)) {
	r := repoWith(t, ".gitignore", "*.log\n", "a.ts", "1\n", "b.ts", "1\n")
	g := opened(t, r)
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{Repo: r, t: t, src: newFake(), out: make(chan Batch)}
		w, err := New(Config{Repo: g, deaf: func(string) string { return "" }, newSource: func() (source, error) { return b.src, nil }})
		must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- w.Run(ctx, b.out) }()
		<-w.Ready()
		synctest.Wait()
		f(b)
		cancel()
		must(t, <-done)
	})
}

// save writes a file and makes the event of it.
func (b *bubble) save(rel, s string) {
	b.t.Helper()
	b.Write(rel, s)
	b.src.events <- fsnotify.Event{Name: b.Path(rel), Op: fsnotify.Write}
	synctest.Wait()
}

// after gives the next batch and how long it took.
func (b *bubble) after() (Batch, time.Duration) {
	b.t.Helper()
	start := time.Now()
	select {
	case got := <-b.out:
		return got, time.Since(start)
	case <-time.After(time.Minute):
		b.t.Fatal("no batch came")
	}
	return Batch{}, 0
}

func TestQuietPeriod(t *testing.T) {
	inBubble(t, func(b *bubble) {
		b.save("a.ts", "2\n")
		time.Sleep(20 * time.Millisecond)
		b.save("b.ts", "2\n")
		got, took := b.after()
		if diff := cmp.Diff(Batch{Paths: []string{"a.ts", "b.ts"}, Reason: Saved}, got); diff != "" {
			t.Errorf("batch (-want +got):\n%s", diff)
		}
		if took != 30*time.Millisecond {
			t.Errorf("it came after %s, want 30ms", took)
		}
	})
}

// TestNoiseDoesNotDelay holds that what is filtered does not move the timer.
func TestNoiseDoesNotDelay(t *testing.T) {
	inBubble(t, func(b *bubble) {
		b.save("a.ts", "2\n")
		start := time.Now()
		for i := range 3 {
			time.Sleep(9 * time.Millisecond)
			b.save("x.log", fmt.Sprint(i))
			b.save("a.ts", "2\n") // the same content again
			b.save(".a.ts.swp", fmt.Sprint(i))
		}
		b.after()
		if took := time.Since(start); took != 30*time.Millisecond {
			t.Errorf("the batch came after %s, want 30ms", took)
		}
	})
}

// TestCap holds that a file that is written all the time is told all the same.
func TestCap(t *testing.T) {
	inBubble(t, func(b *bubble) {
		start := time.Now()
		for i := 0; ; i++ {
			b.save("a.ts", fmt.Sprint("round ", i))
			select {
			case <-b.out:
				if took := time.Since(start); took != 5*time.Second {
					t.Errorf("the batch came after %s, want 5s", took)
				}
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
}

func TestStormWaitsLonger(t *testing.T) {
	inBubble(t, func(b *bubble) {
		for i := range 150 {
			b.save(fmt.Sprintf("f%d.ts", i), "1\n")
		}
		got, took := b.after()
		if len(got.Paths) != 150 || took != 250*time.Millisecond {
			t.Errorf("%d files after %s, want 150 after 250ms", len(got.Paths), took)
		}
	})
}

// TestFolded holds that what is saved while nobody takes a batch is folded
// into it, and what was undone meanwhile is left out.
func TestFolded(t *testing.T) {
	inBubble(t, func(b *bubble) {
		b.save("a.ts", "2\n")
		b.save("c.ts", "2\n")
		time.Sleep(time.Minute)
		b.save("b.ts", "2\n")
		must(t, os.Remove(b.Path("c.ts")))
		b.src.events <- fsnotify.Event{Name: b.Path("c.ts"), Op: fsnotify.Remove}
		time.Sleep(time.Minute)
		got, took := b.after()
		if diff := cmp.Diff(Batch{Paths: []string{"a.ts", "b.ts"}, Reason: Saved}, got); diff != "" {
			t.Errorf("batch (-want +got):\n%s", diff)
		}
		if took != 0 {
			t.Errorf("it came after %s, want at once", took)
		}
		b.save("a.ts", "3\n")
		b.save("a.ts", "2\n") // as it was told last
		b.save("b.ts", "3\n")
		got, _ = b.after()
		if diff := cmp.Diff([]string{"b.ts"}, got.Paths); diff != "" {
			t.Errorf("paths (-want +got):\n%s", diff)
		}
	})
}

// TestHalfASave holds that a file that is away for less than a save takes is
// not told as deleted.
func TestHalfASave(t *testing.T) {
	inBubble(t, func(b *bubble) {
		must(t, os.Remove(b.Path("a.ts")))
		b.src.events <- fsnotify.Event{Name: b.Path("a.ts"), Op: fsnotify.Remove}
		time.Sleep(200 * time.Millisecond)
		b.save("a.ts", "2\n")
		got, took := b.after()
		if diff := cmp.Diff([]string{"a.ts"}, got.Paths); diff != "" || took != 30*time.Millisecond {
			t.Errorf("after %s, paths (-want +got):\n%s", took, diff)
		}
	})
}

// TestStaleLock holds that a lock that a crash left does not hold batches for
// ever, and that it is named.
func TestStaleLock(t *testing.T) {
	inBubble(t, func(b *bubble) {
		must(t, os.WriteFile(b.Path(".git/index.lock"), nil, 0o644))
		b.save("a.ts", "2\n")
		if _, took := b.after(); took < staleLock || took > staleLock+time.Second {
			t.Errorf("the batch came after %s, want about %s", took, staleLock)
		}
	})
}

// TestPollInterval holds that polling backs off, and comes back with a change.
func TestPollInterval(t *testing.T) {
	now := time.Now()
	p := poller{busy: pollBusy, last: now, cost: time.Millisecond}
	for _, c := range []struct {
		idle, cost, want time.Duration
	}{
		{0, time.Millisecond, pollBusy},
		{0, 100 * time.Millisecond, 1900 * time.Millisecond},
		{time.Hour, time.Millisecond, pollIdle * pollBusy},
		{time.Hour, 100 * time.Millisecond, 9900 * time.Millisecond},
	} {
		p.cost = c.cost
		if got := p.interval(now.Add(c.idle)); got != c.want {
			t.Errorf("interval after %s at a cost of %s = %s, want %s", c.idle, c.cost, got, c.want)
		}
	}
	p.next = now.Add(time.Hour)
	p.poke(now)
	if p.next != now.Add(pollBusy) {
		t.Errorf("poke left the next look at %s", p.next.Sub(now))
	}
}
