package fixers

import (
	"context"
	"fmt"
	"strconv"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// timeLimit proposes to give one test more time. It is never applied by
// itself: most such changes hide a cause that lies elsewhere.
type timeLimit struct{}

func (timeLimit) Name() string { return "time_limit" }

func (timeLimit) Kinds() []runner.Kind { return []runner.Kind{runner.Timeout} }

// raise is how many times longer a test may take.
const raise = 3

// Fix finds the test's own limit. A project's limit is not touched.
func (timeLimit) Fix(ctx context.Context, c Cause, w Workspace) ([]Fix, error) {
	v := look(w)
	for _, p := range v.places(c) {
		t := v.text(p.File)
		if t == nil || p.Line == 0 || !v.editable(p.File) || !v.IsTest(p.File) {
			continue
		}
		k, ok := t.limitNear(p.Line)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(t.str(k), 64)
		if err != nil || n <= 0 {
			continue
		}
		text := strconv.FormatFloat(n*raise, 'g', 6, 64)
		return []Fix{{Title: fmt.Sprintf("raise the limit of the test from %s to %s", t.str(k), text), Applicability: Propose, Rank: 50, Asserts: true,
			Edits: inFile(t.path, []lang.TextEdit{{Span: k.Span, New: text}}), Evidence: "the test passed its own limit"}}, ctx.Err()
	}
	return nil, ctx.Err()
}

// limitNear finds the number that limits the test declared on a line: behind
// the body, in this.timeout(), or in a mark above it.
func (t *text) limitNear(line int) (lang.Token, bool) {
	ks := t.significant()
	for i, k := range ks {
		l := t.lineOf(k.Start)
		if l < line-6 || l > line+6 {
			continue
		}
		switch w := t.word(i); {
		case w == "timeout" && (t.word(i+1) == "(" || t.word(i+1) == "="):
			if i+2 < len(ks) && ks[i+2].Kind == lang.Number {
				return ks[i+2], true
			}
		case l == line && t.word(i+1) == "(" && isTestCallee(w):
			if c := t.matching(i + 1); c > 1 && ks[c-1].Kind == lang.Number && t.word(c-2) == "," {
				return ks[c-1], true
			}
		}
	}
	return lang.Token{}, false
}
