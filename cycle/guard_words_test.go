package cycle

import (
	"slices"
	"testing"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

// TestPatches holds that what is put into a thing of everybody's is seen,
// however it is written, and that what is the file's own is not.
func TestPatches(t *testing.T) {
	for _, tc := range []struct {
		file, src string
		want      int
	}{
		{"a.js", "Object.is = () => true;", 1},
		{"a.js", "Object['is'] = () => true;", 1},
		{"a.js", "x: Object.is = () => true;", 1},
		{"a.js", "Array.prototype.map = f;", 1},
		{"a.js", "Object.assign(Object, { is: () => true });", 2},
		{"a.js", "const o = Object; o.is = () => true;", 1},
		{"a.js", "import assert from 'node:assert';\nassert.strict.equal = () => {};", 1},
		{"a.js", "const assert = require('assert');\nassert.equal = () => {};", 1},
		{"a.js", "const a = {}; a.b = 1; a['c'] = Object.keys(a); module.exports.x = Math.max(1, 2);", 0},
		{"a.js", "const a = Object.assign({}, b); if (Object.is(a, b) === true) c = 1;", 0},
		{"a.ts", "import { Item } from './item';\nconst xs: Item[] = [];\nclass A {\n  private ys: Date[] = [];\n  zs: Item[] = [];\n}\nconst f = (a: Item[] = []) => a;", 0},
		{"a.py", "import math\nmath.isclose = lambda a, b: True", 1},
		{"a.py", "import math\nif x: math.isclose = f", 1},
		{"a.py", "import math\nif a.b: math.isclose = f\nelse: math.isclose = g", 2},
		{"a.py", "from typing import List\nxs: List[int] = []\n\n\nclass A:\n    def __init__(self, ys: List[int] = ()):\n        self.ys: List[int] = ys\n        self.d[1] = 2", 0},
	} {
		l := languageOf(t, tc.file)
		if got := vocabulary(l, tc.file, []byte(tc.src)).patched; got != tc.want {
			t.Errorf("%s: %d of others' things are patched, want %d", tc.src, got, tc.want)
		}
	}
}

// TestWrittenOtherwise holds that a value is known however it is written.
func TestWrittenOtherwise(t *testing.T) {
	for _, tc := range []struct{ file, src string }{
		{"a.js", "x = 0x96"}, {"a.js", "x = 15e1"}, {"a.js", "x = 150.0"}, {"a.js", "x = 1_50"}, {"a.js", "x = 150n"}, {"a.js", "x = 15 * 10"},
		{"a.py", "x = 0o226"}, {"a.py", "x = 1.5e2"}, {"a.py", "x = 100 + 50"},
	} {
		if got := vocabulary(languageOf(t, tc.file), tc.file, []byte(tc.src)).numbers; !slices.Contains(got, "150") {
			t.Errorf("%s: numbers %q, want 150 among them", tc.src, got)
		}
	}
	if got := vocabulary(languageOf(t, "a.js"), "a.js", []byte("x = 'sun' + 'day'")).strings; !slices.Contains(got, "sunday") {
		t.Errorf("strings %q", got)
	}
}

func languageOf(t *testing.T, file string) lang.Language {
	t.Helper()
	if file == "a.py" {
		p := py.New("python3")
		t.Cleanup(func() { _ = p.Close() })
		return p
	}
	return js.Language{}
}
