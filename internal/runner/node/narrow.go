package node

import (
	"slices"
	"strings"

	"regreen/internal/runner"
)

// maxPattern bounds a name pattern; beyond it whole files run.
const maxPattern = 64 << 10

// NamePattern is a regular expression of JavaScript for exactly these tests'
// full names, whose titles stand between separators as the expression
// separator has them; "" where there are none or it would be too long.
func NamePattern(tests []runner.TestID, separator string) string {
	if len(tests) == 0 {
		return ""
	}
	var alternatives []string
	for _, t := range tests {
		var parts []string
		for _, title := range t.Path {
			parts = append(parts, quoteJS(title))
		}
		if name := strings.Join(parts, separator); !slices.Contains(alternatives, name) {
			alternatives = append(alternatives, name)
		}
	}
	out := `^\s*(?:` + strings.Join(alternatives, "|") + `)$`
	if len(out) > maxPattern {
		return ""
	}
	return out
}

// quoteJS quotes a text for a regular expression of JavaScript.
func quoteJS(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case strings.ContainsRune(`\^$.*+?()[]{}|/`, r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\u2028' || r == '\u2029':
			b.WriteString(`\s`)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Narrow drops from a report the tests that only the name pattern skipped.
func Narrow(r *runner.Report, tests []runner.TestID) {
	want := map[string]bool{}
	for _, t := range tests {
		want[t.Key()] = true
	}
	r.Tests = slices.DeleteFunc(r.Tests, func(t runner.Test) bool {
		return !want[t.ID.Key()] && (t.Verdict == runner.Skipped || t.Verdict == runner.Todo)
	})
}
