package cycle

import (
	"bytes"
	"fmt"

	"regreen/internal/runner"
)

// A file that does not parse for the markers of a merge in it waits for who
// merges: which side is meant, no test can tell.

// conflicts takes out the causes that are conflicts of a merge, and says where
// the first one is, "" where there is none.
func (c *run) conflicts(causes []cause) (rest []cause, where string) {
	for _, x := range causes {
		line := 0
		if x.Kind == runner.SyntaxError {
			if src, err := c.deps.Workspace.ReadFile(x.Place.File); err == nil {
				line = conflictLine(src)
			}
		}
		switch {
		case line == 0:
			rest = append(rest, x)
		case where == "":
			where = fmt.Sprintf("%s:%d", x.Place.File, line)
		}
	}
	return rest, where
}

// conflictReason says what is waited for, "" for nothing.
func (c *run) conflictReason() string {
	if c.conflict == "" {
		return ""
	}
	return c.conflict + " is a conflict of a merge, which only you can resolve"
}

// conflictLine is the line, from 1, of the first conflict that git (gitattributes,
// conflict-marker-size: 7) marks in a file, 0 for none: all three marks, in order,
// each at the beginning of a line.
func conflictLine(src []byte) int {
	marks := []string{"<<<<<<< ", "=======", ">>>>>>> "}
	at, n, seen := 0, 0, 0
	for line := range bytes.Lines(src) {
		n++
		if seen == 0 || !bytes.HasPrefix(line, []byte(marks[0])) {
			if !bytes.HasPrefix(line, []byte(marks[seen])) {
				continue
			}
		} else {
			seen = 0 // another one begins
		}
		if seen == 0 {
			at = n
		}
		if seen++; seen == len(marks) {
			return at
		}
	}
	return 0
}
