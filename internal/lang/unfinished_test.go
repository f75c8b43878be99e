package lang_test

import (
	"testing"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

func TestUnfinished(t *testing.T) {
	python := py.New("python3")
	t.Cleanup(func() { _ = python.Close() })
	const jsBefore = "export function add(a, b) {\n  return a + b;\n}\n\nexport const zero = 0;\n"
	const pyBefore = "def add(a, b):\n    return a + b\n\n\nZERO = 0\n"
	cases := []struct {
		name        string
		path        string
		before, now string
		line        int // 0: it is not half-written
	}{
		{"a call that is opened", "a.js", jsBefore, "export function add(a, b) {\n  check(a,\n  return a + b;\n}\n\nexport const zero = 0;\n", 2},
		{"a member that is not named yet", "a.js", jsBefore, "export function add(a, b) {\n  return a + b.;\n}\n\nexport const zero = 0;\n", 2},
		{"a member within closed brackets", "a.ts", jsBefore, "export function add(a, b) {\n  use(a.);\n  return a + b;\n}\n\nexport const zero = 0;\n", 2},
		{"an assignment without its value", "a.js", jsBefore, jsBefore + "const one =", 6},
		{"a word of an import", "a.js", jsBefore, "import { x } fro\n" + jsBefore, 1},
		{"a block that is opened", "a.js", jsBefore, jsBefore + "if (zero) {\n", 6},
		{"a string that is opened", "a.js", jsBefore, "export const name = 'ab\n" + jsBefore, 1},
		{"a new file", "a.js", "", "export const a = [1,", 1},
		{"a closing bracket that went", "a.js", jsBefore, "export function add(a, b {\n  return a + b;\n}\n\nexport const zero = 0;\n", 1},
		{"a wrong line before the last", "a.js", jsBefore, jsBefore + "const one two = 1;\nexport const three = 3;\n", 0},
		{"two places of which the first is wrong", "a.js", jsBefore, "export function add(a b) {\n  return a + b;\n}\n\nexport const zero = 1;\n", 0},
		{"a call that is opened", "a.py", pyBefore, "def add(a, b):\n    check(a,\n    return a + b\n\n\nZERO = 0\n", 2},
		{"a function without its body", "a.py", pyBefore, pyBefore + "def sub(a, b):\n", 6},
		{"a condition without its colon", "a.py", pyBefore, "def add(a, b):\n    if a\n    return a + b\n\n\nZERO = 0\n", 2},
		{"a member that is not named yet", "a.py", pyBefore, "def add(a, b):\n    return a + b.\n\n\nZERO = 0\n", 2},
		{"a string that is opened", "a.py", pyBefore, "NAME = 'ab\n" + pyBefore, 1},
		{"a wrong line before the last", "a.py", pyBefore, pyBefore + "one two = 1\nTHREE = 3\n", 0},
	}
	for _, tc := range cases {
		t.Run(tc.path+" "+tc.name, func(t *testing.T) {
			var l lang.Language = js.Language{}
			if tc.path == "a.py" {
				l = python
			}
			if bad, err := l.Check(t.Context(), tc.path, []byte(tc.before)); bad != nil || err != nil {
				t.Fatalf("the text before: %v, %v", bad, err)
			}
			bad, err := l.Check(t.Context(), tc.path, []byte(tc.now))
			if bad == nil || err != nil {
				t.Fatalf("Check = %v, %v, want an error of the text", bad, err)
			}
			line, ok := lang.Unfinished(l, tc.path, []byte(tc.before), []byte(tc.now), bad)
			if !ok {
				line = 0
			}
			if line != tc.line {
				t.Errorf("half-written line = %d, want %d (the parser: %s at %d)", line, tc.line, bad.Message, bad.Offset)
			}
		})
	}
}
