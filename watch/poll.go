package watch

import "time"

// poller says when the polled folders are looked at: often while somebody
// works, rarely otherwise, and never so often that it is felt.
type poller struct {
	busy time.Duration // between two looks while somebody works
	next time.Time
	last time.Time // the last change
	cost time.Duration
}

const (
	pollBusy = 500 * time.Millisecond
	// pollIdle is how many times rarer a look is while nobody does.
	pollIdle = 6
	// workFor is how long after a change more of them are likely.
	workFor = time.Minute
)

// step looks if it is time.
func (p *poller) step(l *loop, now time.Time) {
	if now.Before(p.next) {
		return
	}
	start := time.Now()
	for _, d := range l.tree.dirs {
		if d.polled && l.tree.dirs[d.rel] == d {
			l.tree.scan(d, false)
		}
	}
	if l.tree.rescan {
		l.tree.rescan = false
		l.compare()
	}
	p.cost = time.Since(start)
	if l.tree.hits > 0 {
		l.hit(time.Now())
	}
	p.next = time.Now().Add(p.interval(now))
}

// interval keeps polling at 5 % of a processor while somebody works, at 1 %
// otherwise.
func (p *poller) interval(now time.Time) time.Duration {
	if now.Sub(p.last) < workFor {
		return max(p.busy, 19*p.cost)
	}
	return max(pollIdle*p.busy, 99*p.cost)
}

// poke brings the next look forward.
func (p *poller) poke(now time.Time) {
	p.last = now
	if at := now.Add(p.busy); p.next.After(at) {
		p.next = at
	}
}
