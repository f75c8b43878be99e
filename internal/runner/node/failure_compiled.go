package node

import (
	"strconv"
	"strings"

	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
)

var tsName = lazyregexp.New(`'([^']+)'`)

// compiled is an error of the TypeScript compiler (ts-jest, ts-node) that is
// neither of syntax nor of a module: a name or a member that does not exist,
// or types that do not fit, of which the place is all that is said.
func compiled(c Context, r raw, f *runner.Failure) bool {
	var first runner.Place
	for _, m := range tsMember.FindAllStringSubmatch(r.message, 20) {
		rel, ok := Rel(c, m[1])
		if !ok {
			continue
		}
		at := runner.Place{File: rel}
		at.Line, _ = strconv.Atoi(m[2])
		at.Column, _ = strconv.Atoi(m[3])
		if first.File == "" {
			first = at
		}
		name := tsName.FindStringSubmatch(m[5])
		switch m[4] {
		case "2304", "2552", "2503", "2580", "2581", "2582", "2583", "2584":
			f.Kind = runner.UndefinedVariable
		case "2339", "2551", "2576":
			f.Kind = runner.AttributeError
		default:
			continue
		}
		if name != nil {
			f.Symbol = name[1]
		}
		f.Place = at
		return true
	}
	if first.File == "" || len(r.frames) > 0 {
		return false
	}
	f.Place = first
	return true
}

// differing is what two texts do not share, line by line, from the first to
// the last difference: a snapshot's own lines without those around them.
func differing(expected, received string) (e, r string) {
	a, b := strings.Split(expected, "\n"), strings.Split(received, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	join := func(ls []string) string {
		return strings.TrimSuffix(strings.TrimSpace(strings.Join(ls, "\n")), ",")
	}
	return join(a), join(b)
}
