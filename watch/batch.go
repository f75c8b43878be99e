package watch

// Reason says what a batch is the result of.
type Reason string

// The reasons. When several hold the last of them in this order is given.
const (
	Saved    Reason = "saved"
	Checkout Reason = "checkout" // git moved HEAD or the stash meanwhile
	Rescan   Reason = "rescan"   // events were lost, or ignore rules changed
)

// Batch is what changed in one quiet period. Paths are rel and sorted; a path
// beyond a linked folder begins with the link's own path.
type Batch struct {
	Paths   []string // made or changed
	Deleted []string // gone
	// Full says that the whole tree was compared, Checkout that git moved HEAD
	// or the stash, so more than these paths may differ from the last commit.
	// A checkout whose files were told before git had moved HEAD is told again
	// then, without paths.
	Full     bool
	Checkout bool
	Reason   Reason
}

func (b *Batch) reason() Reason {
	switch {
	case b.Full:
		return Rescan
	case b.Checkout:
		return Checkout
	}
	return Saved
}
