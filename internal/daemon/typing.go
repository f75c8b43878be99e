package daemon

import (
	"slices"
	"time"

	"regreen/cycle"
)

// typing knows which files were saved a moment ago, and which of them a cycle
// left alone because somebody is still writing in them. Times are given so that
// it holds no clock of its own.
type typing struct {
	last  map[string]time.Time // when a file was saved, within the quiet time
	half  []cycle.HalfWritten  // they wait
	quiet *time.Timer          // runs while half are waited for
}

// saved notes saves, and forgets those that are longer ago than the quiet time.
// What waited in these files is for the cycle that comes now to say again.
func (t *typing) saved(files []string, at time.Time, quiet time.Duration) {
	for f, last := range t.last {
		if at.Sub(last) >= quiet {
			delete(t.last, f)
		}
	}
	if t.last == nil {
		t.last = map[string]time.Time{}
	}
	for _, f := range files {
		t.last[f] = at
	}
	t.half = slices.DeleteFunc(slices.Clone(t.half), func(h cycle.HalfWritten) bool { return slices.Contains(files, h.File) })
	if len(t.half) == 0 {
		t.quiet.Stop()
	}
}

// now are the files that were saved less than the quiet time ago.
func (t *typing) now(at time.Time, quiet time.Duration) []string {
	var out []string
	for f, last := range t.last {
		if at.Sub(last) < quiet {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return out
}

// wait takes in what a cycle left alone, until all of it was quiet.
func (t *typing) wait(half []cycle.HalfWritten, at time.Time, quiet time.Duration) {
	for _, h := range half {
		if !slices.ContainsFunc(t.half, func(o cycle.HalfWritten) bool { return o.File == h.File }) {
			t.half = append(t.half, h)
		}
	}
	if len(t.half) > 0 {
		t.quiet.Reset(t.until(at, quiet))
	}
}

// until is how long it is until all that waits was quiet.
func (t *typing) until(at time.Time, quiet time.Duration) time.Duration {
	wait := time.Duration(0)
	for _, h := range t.half {
		wait = max(wait, t.last[h.File].Add(quiet).Sub(at))
	}
	return wait
}

// finish gives what is to be repaired now: nil while it is not yet time.
func (t *typing) finish(at time.Time, quiet time.Duration) *job {
	if wait := t.until(at, quiet); wait > 0 {
		t.quiet.Reset(wait)
		return nil
	}
	j := &job{files: map[string]bool{}}
	for _, h := range t.half {
		j.files[h.File] = true
	}
	t.half = nil
	return j
}
