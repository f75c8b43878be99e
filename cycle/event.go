package cycle

import "time"

// EventKind says what an Event tells.
type EventKind string

// The kinds. The terminal, the JSON stream, the socket and the history read
// the same events.
const (
	EventPhase     EventKind = "phase"     // Text: what begins ("snapshot", "first run", "full suite", "merge")
	EventSelected  EventKind = "selected"  // Total: test files; Text: why all, or why widened
	EventTest      EventKind = "test"      // Test, File, Done, Total: one test ended
	EventIteration EventKind = "iteration" // Iteration: a round begins, with what its run gave
	EventTry       EventKind = "try"       // Fix: a candidate is tried
	EventFix       EventKind = "fix"       // Fix: kept or not, with why
	EventProgress  EventKind = "progress"  // from the sixth iteration on
	EventRefused   EventKind = "refused"   // Text: the rule; File
	EventMerged    EventKind = "merged"    // Text: the undo record
	EventProposed  EventKind = "proposed"  // Text: the reason
	EventWarning   EventKind = "warning"   // Text
	EventAudit     EventKind = "audit"     // Total: tests that run; Done: how many did, 0 as it begins; Text
	EventMissed    EventKind = "missed"    // Miss: a test that the selection should have had
	EventVerdict   EventKind = "verdict"   // Document
)

// Event is one step of a cycle as it happens.
type Event struct {
	Kind      EventKind  `json:"event"`
	Cycle     string     `json:"cycle"`
	Time      time.Time  `json:"time"`
	Text      string     `json:"text,omitempty"`
	File      string     `json:"file,omitempty"`
	Test      string     `json:"test,omitempty"` // titles joined for people
	Done      int        `json:"done,omitempty"`
	Total     int        `json:"total,omitempty"`
	Passed    int        `json:"passed,omitempty"`
	Failed    int        `json:"failed,omitempty"`
	PassRate  float64    `json:"pass_rate,omitempty"`
	Iteration *Iteration `json:"iteration,omitempty"`
	Fix       *Fix       `json:"fix,omitempty"`
	Document  *Document  `json:"document,omitempty"`
	Miss      *Miss      `json:"miss,omitempty"`
}
