package cycle

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"regreen/internal/config"
	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

func TestMutations(t *testing.T) {
	cases := []struct {
		name, file, src string
		first, last     int
		want            []string
	}{
		{"an operator", "a.js", "const f = (a) =>\n  a <= limit;\n", 2, 2, []string{"  a < limit;", "  a >= limit;"}},
		{"a bound", "a.py", "def f():\n    return g(9)\n", 2, 2, []string{"    return g(10)", "    return g(8)"}},
		{"arguments", "a.js", "f(x, 'y');\n", 1, 1, []string{"f('y', x);"}},
		{"a variable", "a.py", "def f(width, height):\n    return g(width)\n", 2, 2, []string{"    return g(height)"}},
		{"words of Python", "a.py", "x = True and y\n", 1, 1, []string{"x = False and y", "x = True or y"}},
		{"a string and a comment", "a.js", "f('1 < 2'); // 3 < 4\n", 1, 1, nil},
		{"a member and a key", "a.js", "function f(a, b) {\n  return b.a;\n}\n", 2, 2, []string{"  return a.a;"}},
		{"another line", "a.js", "x < 1;\ny();\n", 2, 2, nil},
	}
	python := py.New("python3")
	t.Cleanup(func() { _ = python.Close() })
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			var l lang.Language = js.Language{}
			if strings.HasSuffix(tc.file, ".py") {
				l = python
			}
			var got []string
			for _, m := range mutations(l, tc.file, []byte(tc.src), tc.first, tc.last) {
				lines := strings.Split(string(lang.Apply([]byte(tc.src), m.edits)), "\n")
				got = append(got, strings.Join(lines[tc.first-1:tc.last], "\n"))
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("mutations = %q, want %q", got, tc.want)
			}
		})
	}
}

// TestGuess holds that a guess is a proposal with its warning and nothing more,
// that it breaks no other test, and that nothing is guessed at unasked or where
// tests lie.
func TestGuess(t *testing.T) {
	for _, tc := range []struct {
		name   string
		files  map[string]string
		base   map[string]string
		budget time.Duration
		want   []string
	}{
		{"a bound", map[string]string{"src.js": "export const limit = 5;\n", "t.test": "one: src.js has = 4;"}, map[string]string{"src.js": "export const limit = 4;\n"},
			time.Hour, []string{"a guess: 4 in the place of 5, line 1 of src.js"}},
		{"one that breaks another test", map[string]string{"src.js": "export const limit = 5;\n", "t.test": "one: src.js has = 4;", "u.test": "two: src.js has = 5;"},
			map[string]string{"src.js": "export const limit = 4;\n"}, time.Hour, nil},
		{"switched off", map[string]string{"src.js": "export const limit = 5;\n", "t.test": "one: src.js has = 4;"}, map[string]string{"src.js": "export const limit = 4;\n"}, 0, nil},
		{"the test's own line", map[string]string{"src.js": "export const limit = 5;\n", "t.test": "one: src.js has = 6;"}, map[string]string{"t.test": "one: src.js has = 5;"},
			time.Hour, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(tc.files)
			w.base = tc.base
			doc := w.cycle(t, func(o *Options, _ *Selection, d *Deps) {
				o.Config.Cycle.GuessBudget = config.Duration(tc.budget)
				d.Languages = lang.Set{js.Language{}}
			})
			if doc.Outcome != Failed || doc.Cause == nil || len(w.merged) > 0 {
				t.Errorf("outcome %s, cause %v, merged %d; want failed with a cause", doc.Outcome, doc.Cause, len(w.merged))
			}
			var got []string
			for _, p := range doc.Proposals {
				got = append(got, p.Title)
				if p.Reason != guessReason || len(w.kept[p.ID]) != 1 {
					t.Errorf("proposal %+v, kept %v", p, w.kept[p.ID])
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(tc.want) {
				t.Errorf("proposals = %q, want %q", got, tc.want)
			}
		})
	}
}
