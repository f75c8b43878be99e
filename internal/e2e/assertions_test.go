package e2e

import (
	"strings"
	"testing"

	"regreen/cycle"
)

// TestUpdateAssertions: what a test expects is rewritten only when the user
// asks, and then only that expectation, by the framework where it recorded it.
func TestUpdateAssertions(t *testing.T) {
	cases := []struct {
		name    string
		stacks  []string
		prepare map[string]string
		js, py  []edit
		file    func(s stack) string
		was, is string
	}{
		{name: "a snapshot", stacks: []string{"ts-vitest", "cjs-jest"}, prepare: map[string]string{"snapshot": "yes"},
			js:   []edit{{"src/words", "toUpperCase", "toLowerCase"}},
			file: func(s stack) string { return "test/__snapshots__/snap.test" + s.ext + ".snap" }, was: `"A B"`, is: `"a b"`},
		{name: "a literal", stacks: []string{"esm-mocha", "py-pytest"}, prepare: map[string]string{"probe": "yes"},
			js: []edit{{"src/probe", "return 1;", "return 2;"}}, py: []edit{{"src/probe", "return 1", "return 2"}},
			file: func(s stack) string { return s.testFile("probe") }, was: "1", is: "2"},
	}
	for _, s := range stacks() {
		for _, tc := range cases {
			if !strings.Contains(strings.Join(tc.stacks, " "), s.name) {
				continue
			}
			t.Run(s.name+"/"+strings.ReplaceAll(tc.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				r := s.repoWith(t, func(files map[string]string) { s.prepare(files, tc.prepare) })
				file := tc.file(s)
				want := r.read(file)
				at := strings.LastIndex(want, tc.was)
				want = want[:at] + tc.is + want[at+len(tc.was):]
				before := s.breakIt(r, scenario{js: tc.js, py: tc.py})
				d, res := r.run("--update-assertions", "--target", "1")
				if d.Outcome != cycle.Repaired {
					t.Fatalf("outcome %q (%s)\n%s", d.Outcome, d.Reason, res.stderr)
				}
				if got := r.read(file); got != want {
					t.Errorf("%s is %q, want %q", file, got, want)
				}
				for f, text := range r.files() {
					if text != before[f] && !strings.HasPrefix(f, "test") {
						t.Errorf("the source %s was changed", f)
					}
				}
			})
		}
	}
}
