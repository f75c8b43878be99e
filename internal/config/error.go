package config

import (
	"fmt"
	"strings"
)

// Error is one thing that is wrong with a configuration file.
type Error struct {
	File         string // as it was given to Load
	Line, Column int    // from 1; 0 is unknown
	Key          string // "cycle.max_iterations", "project[2].root"; "" when the file does not parse
	Message      string
	Hint         string // what to do, one line
}

// Error is one line that an editor can jump to.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
		if e.Column > 0 {
			fmt.Fprintf(&b, ":%d", e.Column)
		}
	}
	b.WriteString(": ")
	if e.Key != "" {
		fmt.Fprintf(&b, "%s: ", e.Key)
	}
	b.WriteString(e.Message)
	return b.String()
}
