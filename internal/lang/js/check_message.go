package js

import (
	"strings"

	"regreen/internal/lang"
)

// readMessage takes from esbuild's words what it wanted and what it found:
// `Expected ")" but found "}"`, `Unexpected "}"`, `Unexpected end of file`.
func readMessage(e *lang.SyntaxError) {
	rest := e.Message
	if after, ok := strings.CutPrefix(rest, "Expected "); ok {
		want, found, both := strings.Cut(after, " but found ")
		e.Expected = strings.Trim(want, `"`)
		if !both {
			return
		}
		rest = found
	} else if after, ok := strings.CutPrefix(rest, "Unexpected "); ok {
		rest = after
	} else {
		return
	}
	if strings.HasPrefix(rest, "end of file") {
		e.Token = ""
		return
	}
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		if i := strings.LastIndexByte(quoted, '"'); i > 0 {
			e.Token = quoted[:i]
		}
	}
}
