package cycle

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"regreen/internal/config"
	"regreen/internal/lang"
	"regreen/internal/lang/js"
)

func TestGuilt(t *testing.T) {
	many := func(mark string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, "line %d\n", i)
			if i%5 == 0 {
				fmt.Fprintf(&b, "%s %d\n", mark, i)
			}
		}
		return b.String()
	}
	cases := []struct {
		name        string
		base, files map[string]string
		want        []string // "file:line-end before -> after"
		change      func(*Options, *Selection, *Deps)
	}{
		{name: "one line among many hunks", base: map[string]string{"src": many("old") + "=4\n", "b": "x\n"},
			files: map[string]string{"src": many("new") + "=5\n", "b": "y\n", "t.test": "one: src has =4"},
			want:  []string{"src:49-49 =4\n -> =5\n"}},
		{name: "one line of a hunk", base: map[string]string{"src": "a\n=4\nc\n"},
			files: map[string]string{"src": "A\n=5\nC\n", "t.test": "one: src has =4"}, want: []string{"src:2-2 =4\n -> =5\n"}},
		{name: "a removed line", base: map[string]string{"src": "a\nb\n=4\nc\n"},
			files: map[string]string{"src": "a\nb\nc\n", "t.test": "one: src has =4"}, want: []string{"src:3-2 =4\n -> "}},
		{name: "two places together", base: map[string]string{"src": "=4\nb\nc\nd\n", "u": "=6\nx\n"},
			files: map[string]string{"src": "=5\nb\nC\nd\n", "u": "=7\ny\n", "t.test": "one: src has =4\ntwo: u has =6"},
			want:  []string{"src:1-1 =4\n -> =5\n", "u:1-1 =6\n -> =7\n"}},
		{name: "a file that is gone", base: map[string]string{"old": "=4\n", "b": "x\n"},
			files: map[string]string{"b": "y\n", "t.test": "one: old has =4"}, want: []string{"old:1-0 =4\n -> "}},
		{name: "the test's own change", base: map[string]string{"t.test": "one: src has =4", "src": "=4\nb\n"},
			files: map[string]string{"src": "=4\nc\n", "t.test": "one: src has =5"}, want: []string{"t.test:1-1 one: src has =4 -> one: src has =5"}},
		{name: "what keeps every test from running", base: map[string]string{"src": "a\n=4\nc\n", "b": "x\n"},
			files: map[string]string{"src": "a\n=5\nc\n", "b": "y\n", "t.test": "starts src has =4\none: b has y", "u.test": "two: src has c"}, want: []string{"src:2-2 =4\n -> =5\n"}},
		{name: "the diff does not explain it", base: map[string]string{"src": "a\n"}, files: map[string]string{"src": "b\n", "t.test": "one: src has =4"}},
		{name: "nothing is changed", files: map[string]string{"src": "b\n", "t.test": "one: src has =4"}},
		{name: "switched off", base: map[string]string{"src": "=4\n"}, files: map[string]string{"src": "=5\n", "t.test": "one: src has =4"},
			change: func(o *Options, _ *Selection, _ *Deps) { o.Config.Cycle.CauseBudget = config.Duration(0) }},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(tc.files)
			w.base = tc.base
			doc := w.cycle(t, tc.change)
			if doc.Outcome != Failed || len(w.merged) > 0 {
				t.Errorf("outcome %s, merged %d: a cause is told and never applied", doc.Outcome, len(w.merged))
			}
			var got []string
			if doc.Cause != nil {
				for _, p := range doc.Cause.Parts {
					got = append(got, fmt.Sprintf("%s:%d-%d %s -> %s", p.File, p.Line, p.EndLine, p.Before, p.After))
				}
				if !doc.Cause.Smallest || doc.Cause.Runs > 24 {
					t.Errorf("smallest %v after %d runs", doc.Cause.Smallest, doc.Cause.Runs)
				}
			}
			if strings.Join(got, "\n") != strings.Join(tc.want, "\n") {
				t.Errorf("cause = %q, want %q", got, tc.want)
			}
		})
	}
}

// TestGuiltInFewRuns holds that the one line of code among comments costs a run
// without it and one with it, and that no set is run twice.
func TestGuiltInFewRuns(t *testing.T) {
	text := func(four, note string) string {
		return "// " + note + " 1\nlet a = 1\nlet b = 2\nlet c " + four + "\nlet d = 1\n// " + note + " 2\nlet e = 1\n"
	}
	for _, tc := range []struct {
		name, test string
		b          string // of another file
		want       string
		runs       int
	}{
		{"one line of code", "one: src.js has =4", "// old\nlet b = 1\n", "src.js:4", 2},
		{"code elsewhere", "one: src.js has =4", "// old\nlet b = 2\n", "src.js:4", 4},
		{"another test is red anyway", "one: src.js has =4\ntwo: src.js has =9", "// old\nlet b = 1\n", "src.js:4", 3},
		{"a comment is what counts", "one: src.js has // old 2", "// old\nlet b = 1\n", "src.js:6", 6},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(map[string]string{"src.js": text("=5", "new"), "b.js": "// new\nlet b = 1\n", "t.test": tc.test})
			w.base = map[string]string{"src.js": text("=4", "old"), "b.js": tc.b}
			doc := w.cycle(t, func(_ *Options, _ *Selection, d *Deps) { d.Languages = lang.Set{js.Language{}} })
			if doc.Cause == nil || doc.Cause.String() != tc.want || !doc.Cause.Smallest {
				t.Fatalf("cause = %+v, want %s", doc.Cause, tc.want)
			}
			if doc.Cause.Runs > tc.runs {
				t.Errorf("%d runs, want %d at most", doc.Cause.Runs, tc.runs)
			}
		})
	}
}

// TestGuiltSinceGreen holds that the cause is looked for in what changed since
// the tests last passed, and since the base where that does not explain it.
func TestGuiltSinceGreen(t *testing.T) {
	for _, tc := range []struct {
		name        string
		green, want string
		since       string
	}{
		{"the last green state", "a1\nb\n=4\n", "src:3-3 =4\n -> =5\n", SinceGreen},
		{"the tests did not pass in it", "a1\nb\n=6\n", "src:1-3 a\nb\n=4\n -> a1\nb1\n=5\n", SinceBase},
		{"it is the present one", "a1\nb1\n=5\n", "src:1-3 a\nb\n=4\n -> a1\nb1\n=5\n", SinceBase},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(map[string]string{"src": "a1\nb1\n=5\n", "t.test": "one: src has a\ntwo: src has =4"})
			w.base = map[string]string{"src": "a\nb\n=4\n"}
			doc := w.cycle(t, func(_ *Options, _ *Selection, d *Deps) {
				d.Green = func(context.Context) (*Reference, error) {
					return &Reference{Changed: []string{"src"}, Text: func(string) ([]byte, bool) { return []byte(tc.green), true }}, nil
				}
			})
			if doc.Cause == nil || doc.Cause.Since != tc.since {
				t.Fatalf("cause = %+v, want one since %s", doc.Cause, tc.since)
			}
			p := doc.Cause.Parts[0]
			if got := fmt.Sprintf("%s:%d-%d %s -> %s", p.File, p.Line, p.EndLine, p.Before, p.After); got != tc.want && tc.since == SinceGreen {
				t.Errorf("cause = %q, want %q", got, tc.want)
			}
		})
	}
}
