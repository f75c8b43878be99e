package pytest

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"regreen/internal/lazyregexp"
	"regreen/internal/plain"
	"regreen/internal/runner"
)

// A stack as faulthandler writes it, innermost first.
type stack []runner.RawFrame

var dumpFrame = lazyregexp.New(`^  File "(.*)", line ([0-9]+) in (.*)$`)

// parseDump reads faulthandler's text: one stack per thread and dump, in order.
func parseDump(text string) []stack {
	var out []stack
	open := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasSuffix(line, "(most recent call first):") {
			out = append(out, nil)
			open = true
			continue
		}
		m := dumpFrame.FindStringSubmatch(line)
		if m == nil || !open {
			continue
		}
		n, _ := strconv.Atoi(m[2])
		last := &out[len(out)-1]
		*last = append(*last, runner.RawFrame{File: unescaped(m[1]), Line: n, Function: unescaped(m[3])})
	}
	return out
}

var dumpEscape = lazyregexp.New(`\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})`)

// unescaped reads faulthandler's ASCII. It does not escape a backslash itself,
// so a Windows path may be read wrong; there is no dump on Windows.
func unescaped(s string) string {
	return dumpEscape.ReplaceAllStringFunc(s, func(m string) string {
		n, err := strconv.ParseInt(m[2:], 16, 32)
		if err != nil {
			return m
		}
		return string(rune(n))
	})
}

// readDumps gives the samples of the thread that ran tests, in order: of the
// process whose stacks hold code of the project below pytest's.
func (a *assembly) readDumps(dump string) []stack {
	files, _ := filepath.Glob(dump + ".*")
	slices.Sort(files)
	var best []stack
	for _, f := range files {
		text, err := plain.ReadFile(f)
		if err != nil {
			continue
		}
		var mine []stack
		for _, s := range parseDump(string(text)) {
			if underPytest(s) {
				mine = append(mine, s)
			}
		}
		if len(mine) > 0 && (len(best) == 0 || len(a.frames(best[0])) == 0) {
			best = mine
		}
	}
	return best
}

func underPytest(s stack) bool {
	for _, f := range s {
		p := filepath.ToSlash(f.File)
		if strings.HasSuffix(p, "/_pytest/runner.py") || strings.HasSuffix(p, "/_pytest/main.py") {
			return true
		}
	}
	return false
}

// hungAt says where a process that was asked several times hangs. A wait
// stands at the same place each time: the innermost frame of the project is it.
// What moves is in a loop: the innermost frame that all samples share is, or is
// called from, the loop's own. Inside a loop the place is the loop's header.
func (a *assembly) hungAt(dumps []stack) (runner.Place, []runner.Frame) {
	if len(dumps) == 0 {
		return runner.Place{}, nil
	}
	frames := a.frames(dumps[len(dumps)-1])
	if len(frames) == 0 {
		return runner.Place{}, nil
	}
	shared := len(frames)
	moving := false
	for _, d := range dumps[:len(dumps)-1] {
		other := a.frames(d)
		shared = min(shared, common(frames, other))
		moving = moving || len(d) == 0 || d[0] != dumps[len(dumps)-1][0] || len(other) != len(frames)
	}
	if shared == 0 {
		shared = len(frames)
	}
	inner := frames[len(frames)-shared:]
	for i, f := range inner {
		if header := loopHeader(scan(a.source(f.File)), f.Line); header > 0 {
			return runner.Place{File: f.File, Line: header}, inner[i:]
		}
		if !moving {
			break
		}
	}
	return runner.Place{File: inner[0].File, Line: inner[0].Line}, inner
}

// common counts the outermost frames that two stacks share by function.
func common(x, y []runner.Frame) int {
	n := 0
	for n < len(x) && n < len(y) {
		f, g := x[len(x)-1-n], y[len(y)-1-n]
		if f.File != g.File || f.Function != g.Function {
			break
		}
		n++
	}
	return n
}
