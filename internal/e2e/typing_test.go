//go:build unix

package e2e

import (
	"strings"
	"testing"

	"regreen/cycle"
)

// TestHalfWritten saves a file in the middle of a line: the red verdict comes
// and nothing is written into the file before it was left alone for
// cycle.typing_quiet, by anybody but who writes it.
func TestHalfWritten(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		deps, source, test       string
		first, half, closed, end string
	}{
		{"mocha12", "src/a.js", "import assert from 'node:assert';\nimport { add } from '../src/a.js';\nit('adds', () => assert.equal(add(1, 2), 3));\n",
			"export const add = (a, b) => a + b;\n", "export const add = (a, b) => (a + b;\n", "export const add = (a, b) => (a + b) * 1;\n", "test/a.test.js"},
		{"pytest9", "a.py", "from a import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
			"def add(a, b):\n    return a + b\n", "def add(a, b):\n    return (a + b\n", "def add(a, b):\n    return (a + b)\n", "test_a.py"},
		{"pytest8", "a.py", "from a import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
			"def add(a, b):\n    total = a + b\n    return total\n", "def add(a, b):\n    total = a + b\n    return tota\n",
			"def add(a, b):\n    total = a + b\n    return total + 0\n", "test_a.py"}, // a word, in a file that parses
	} {
		t.Run(tc.deps, func(t *testing.T) {
			files := map[string]string{tc.source: tc.first, tc.end: tc.test, "regreen.toml": "[cycle]\ntyping_quiet = \"1h\"\nmerge_quiet = \"0s\"\n"}
			if strings.HasPrefix(tc.deps, "mocha") {
				files["package.json"] = `{"type":"module","scripts":{"test":"mocha"},"devDependencies":{"mocha":"*"}}`
			} else {
				files["pytest.ini"] = "[pytest]\n"
			}
			r := newRepo(t, tc.deps, files)
			w := startWatching(t, r)
			w.until("regreen: end: no tests")
			r.write(tc.source, tc.half)
			said := w.verdict(cycle.Failed)
			if want := "waiting for you to finish line "; !strings.Contains(said, want) {
				t.Errorf("said\n%s\nwant %q", said, want)
			}
			w.until("regreen: waiting: for you to finish line ")
			if got := r.read(tc.source); got != tc.half {
				t.Errorf("the file was written: %q", got)
			}
			r.write(tc.source, tc.closed)
			w.verdict(cycle.Passed)

			// Left alone, it is repaired.
			r.write("regreen.toml", "[cycle]\ntyping_quiet = \"50ms\"\nmerge_quiet = \"0s\"\n")
			w.until("regreen: end: passed")
			r.write(tc.source, tc.half)
			w.verdict(cycle.Repaired)
			if got := r.read(tc.source); got != tc.first { // one edit from the base's
				t.Errorf("repaired to %q, want %q", got, tc.first)
			}
			if res := r.regreen("stop"); res.exit != 0 {
				t.Errorf("stop: %+v", res)
			}
		})
	}
}
