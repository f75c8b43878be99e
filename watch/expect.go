package watch

import (
	"sync"
	"time"
)

// expectTTL is how long a write of our own is waited for. It only bounds the
// table: an event that comes later finds the content in place.
const expectTTL = 30 * time.Second

// expected are the contents that we are about to write ourselves.
type expected struct {
	mu    sync.Mutex // guards the field below
	files map[string][]expectation
}

type expectation struct {
	sum   sum
	gone  bool
	until time.Time
}

func (x *expected) add(rel string, e expectation) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.files == nil {
		x.files = map[string][]expectation{}
	}
	now := e.until.Add(-expectTTL)
	for r, es := range x.files {
		if now.After(es[len(es)-1].until) {
			delete(x.files, r)
		}
	}
	x.files[rel] = append(x.files[rel], e)
}

func (x *expected) has(rel string, s sum, gone bool, now time.Time) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range x.files[rel] {
		if e.gone == gone && (gone || e.sum == s) && now.Before(e.until) {
			return true
		}
	}
	return false
}
