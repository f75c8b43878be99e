package cycle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/runner"
)

func TestSuspects(t *testing.T) {
	base := "const a = 1;\nconst b = 2;\nconst c = `\n// text\n`;\n"
	now := "// why\nconst a = 9;\n\nconst b = 2; // two\nconst c = `\n// words\n`;\n/* end\n   of it */\n"
	one := failure{Failure: runner.Failure{Frames: []runner.Frame{{Place: runner.Place{File: "a.js", Line: 6}}, {Place: runner.Place{File: "b.js", Line: 2}}}}}
	d := &delta{c: &run{deps: Deps{Languages: lang.Set{js.Language{}}}}, target: []failure{one},
		base: map[string][]string{"a.js": lines([]byte(base))}, now: map[string][]string{"a.js": lines([]byte(now))}}
	atoms := []atom{{"a.js", 0, 0, 0, 1, false}, {"a.js", 0, 1, 1, 2, false}, {"a.js", 1, 1, 2, 3, false}, {"a.js", 3, 4, 5, 6, false},
		{"a.js", 5, 5, 7, 9, false}, {"data.json", 0, 1, 0, 1, false}}
	var got []string
	for _, part := range d.suspects(atoms) {
		var s []string
		for _, a := range part {
			s = append(s, fmt.Sprintf("%s:%d", a.file, a.n0+1))
		}
		got = append(got, strings.Join(s, " "))
	}
	want := []string{"a.js:6", "a.js:2 a.js:6 data.json:1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("suspects (-want +got):\n%s", diff)
	}
}
