package cycle

import (
	"slices"
	"time"

	"regreen/internal/runner"
)

// A first run that hung until its time limit still tells what failed before,
// and where it hung. What failed is repaired like any other failure: a thread
// or a coroutine that dies of it is often what the rest waits for. Only a run
// of everything that ends within the whole limit proves such a repair.

// leastPatience is for the start of a framework on a busy machine.
const leastPatience = 15 * time.Second

// patience is the time that a run gets where nothing is proved by its green,
// after one that hung: several times what all the tests took that ended, and
// no more than the limit (0 is none).
func (r *result) patience(limit time.Duration) time.Duration {
	p := leastPatience
	for _, t := range r.tests {
		p += 4 * t.Duration
	}
	if limit > 0 {
		return min(p, limit)
	}
	return p
}

// isHang tells whether a cause is that the run as a whole did not end.
func isHang(x cause) bool {
	return x.Kind == runner.Timeout && !slices.ContainsFunc(x.Failures, func(f runner.Failure) bool { return f.Scope != runner.ScopeRun })
}

// unsure are the reasons not to merge after a first run that hung: whether what
// may go away by itself comes back without its fix could not be seen to the end.
func (c *run) unsure() string {
	if c.first.timedOut && slices.ContainsFunc(c.ledger.list, doubtful) {
		return "the tests did not end without the repair, and what failed may have gone away by itself"
	}
	return ""
}
