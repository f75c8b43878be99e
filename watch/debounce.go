package watch

import "time"

// debounce says when a window of changes is over: when nothing came for a
// while, but never later than max after its first change.
type debounce struct {
	quiet, storm, max time.Duration

	first, last time.Time
	events      int
}

// stormEvents in one window mean that a program writes, not a person.
const stormEvents = 100

// hit counts changes that matter; what was filtered must not come here.
func (d *debounce) hit(now time.Time, events int) {
	if d.events == 0 {
		d.first = now
	}
	d.last = now
	d.events += events
}

func (d *debounce) stormy() bool { return d.events > stormEvents }

// due is when the window is over. atLeast lengthens the quiet period, settled
// is the one that suffices when it is known that the storm is over, 0 if not.
func (d *debounce) due(atLeast, settled time.Duration) time.Time {
	quiet := d.quiet
	if d.stormy() {
		quiet = d.storm
	}
	if settled > 0 {
		quiet = max(d.quiet, settled)
	}
	at := d.last.Add(max(quiet, atLeast))
	if limit := d.first.Add(d.max); at.After(limit) {
		return limit
	}
	return at
}

func (d *debounce) reset() { d.first, d.last, d.events = time.Time{}, time.Time{}, 0 }
