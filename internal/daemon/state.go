package daemon

import "regreen/cycle"

// State is what the daemon is doing.
type State string

// The states.
const (
	Idle    State = "idle"
	Waiting State = "waiting" // for git, or for a command that borrowed the sandbox
	Running State = "running"
	Paused  State = "paused"
)

// show tells a change of state.
func (l *loop) show() {
	s, why := Idle, ""
	switch {
	case l.busy && l.tidying == nil && l.auditing == nil:
		s = Running
	case l.lent > 0:
		s, why = Waiting, "another regreen command works in this repository"
	case l.paused:
		s = Paused
	case l.gitWait != "":
		s, why = Waiting, l.gitWait
	case len(l.typing.half) > 0:
		s, why = Waiting, "for "+l.typing.half[0].String()
	}
	if s != l.state || s == Waiting && why != l.why {
		l.state, l.why = s, why
		l.hub.emit(Event{Event: cycle.Event{Kind: EventState, Text: why}, State: s})
	}
}
