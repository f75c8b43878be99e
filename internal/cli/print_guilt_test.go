package cli

import (
	"bytes"
	"testing"

	"regreen/cycle"
)

func TestPrintGuilty(t *testing.T) {
	part := cycle.Part{File: "src/tax.ts", Line: 7, EndLine: 7, Before: "  if (n < 10) {\n", After: "  if (n <= 10) {\n"}
	cases := []struct {
		name string
		g    *cycle.Guilt
		want string
	}{
		{"none", nil, ""},
		{"one line", &cycle.Guilt{Tests: make([]cycle.TestRef, 1), Parts: []cycle.Part{part}, Smallest: true},
			"without this part of your changes what fails would pass:\nsrc/tax.ts:7:\n    - if (n < 10) {\n    + if (n <= 10) {\n"},
		{"since the last green run", &cycle.Guilt{Tests: make([]cycle.TestRef, 1), Parts: []cycle.Part{part}, Since: cycle.SinceGreen, Smallest: true},
			"without this part of your changes since they last passed what fails would pass:\nsrc/tax.ts:7:\n    - if (n < 10) {\n    + if (n <= 10) {\n"},
		{"not to the end", &cycle.Guilt{Tests: []cycle.TestRef{{Path: []string{"a"}}, {Path: []string{"b"}}},
			Parts: []cycle.Part{{File: "a.py", Line: 3, EndLine: 2, Before: "x\n"}}},
			"without this part of your changes 2 tests would pass (the budget ran out before a smaller part was found):\na.py:3:\n    - x\n"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			var b bytes.Buffer
			p := &printer{screen: screen{w: &b}}
			p.guilty(tc.g)
			if b.String() != tc.want {
				t.Errorf("printed %q, want %q", b.String(), tc.want)
			}
		})
	}
}
