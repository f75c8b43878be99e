package cycle

import (
	"crypto/sha256"
	"encoding/hex"

	"regreen/fixers"
)

// Learned is a fix that was merged for a cause: both as names that mean the
// same in the next cycle, wherever the lines are then.
type Learned struct{ Cause, Fix string }

// causeName is a cause's name beyond one cycle.
func causeName(x cause) string {
	h := sha256.Sum256([]byte(x.Project.Root + "\x00" + x.Project.Framework + "\x00" + x.same))
	return hex.EncodeToString(h[:12])
}

// fixName is a fix's name beyond one state of the files.
func fixName(f fixers.Fix) string {
	h := sha256.Sum256([]byte(f.Rule + "\x00" + f.Title))
	return hex.EncodeToString(h[:12])
}

// knownFirst puts the fix first that was merged for this cause before. It is
// still to be proved. One that shares its rank with another stays where it is:
// it has to be seen whether both help.
func (c *run) knownFirst(x cause, fixes []fixers.Fix) []fixers.Fix {
	if c.deps.Known == nil || len(fixes) < 2 {
		return fixes
	}
	name := c.deps.Known(causeName(x))
	if name == "" {
		return fixes
	}
	for i, f := range fixes {
		if fixName(f) != name || f.Applicability == fixers.Propose {
			continue
		}
		if i > 0 && fixes[i-1].Rank == f.Rank || i+1 < len(fixes) && fixes[i+1].Rank == f.Rank {
			return fixes
		}
		f.Rank = fixes[0].Rank - 1
		out := append([]fixers.Fix{f}, fixes[:i]...)
		return append(out, fixes[i+1:]...)
	}
	return fixes
}

// learned are the fixes of the present state, for the next time.
func (c *run) learned() []Learned {
	var out []Learned
	for _, a := range c.ledger.list {
		out = append(out, Learned{causeName(a.cause), fixName(a.fix)})
	}
	return out
}
