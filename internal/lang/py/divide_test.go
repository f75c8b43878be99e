package py

import (
	"slices"
	"strings"
	"testing"

	"regreen/internal/lang"
)

// TestDivide: which edits are inside the bodies of functions, and of which.
func TestDivide(t *testing.T) {
	const src = `import random
from os import path

LIMIT = 3


def one(a, b=LIMIT):
    """One."""
    def inner():
        return a
    return inner() + b


class Shop:
    rate = 1

    @property
    def price(self):
        return self.rate * 2

    async def later(self) -> int: return 1


if LIMIT:
    def odd():
        return random.random()
`
	l := New("")
	before, ok := l.Divide("a.py", []byte(src))
	if !ok {
		t.Fatal("the text is not taken apart")
	}
	var names []string
	for _, b := range before.Bodies {
		names = append(names, b.Name)
	}
	if got := strings.Join(names, " "); got != "one Shop.price Shop.later odd" {
		t.Errorf("bodies %q", got)
	}
	if b := before.Bodies; b[0].First != 7 || b[0].Last != 11 || b[1].First != 17 || b[2].First != 21 || b[2].Last != 21 || before.Loose || b[0].Loose || !b[3].Loose {
		t.Errorf("parts %+v", before)
	}
	for _, tc := range []struct{ name, old, new, want string }{
		{"a body", "inner() + b", "inner() - b", "one"},
		{"an inner function", "return a\n", "return -a\n", "one"},
		{"a method", "* 2", "* 3", "Shop.price"},
		{"a body on the line of its header", "int: return 1", "int: return 2", "Shop.later"},
		{"a body under a condition", "random.random()", "random.random() + 1", "odd"},
		{"a remark and a line more in a body", "    return inner()", "    # a remark\n\n    return inner()", ""},
		{"CRLF", "\n", "\r\n", ""},
		{"a line more above", "import random", "import random\n", ""},
		{"a line that belongs to the block no longer", "    def odd():\n        return random.random()\n", "    def odd():\n        return random.random()\n    odd()\n", "rest"},
		{"a docstring", "One.", "Two.", "rest"},
		{"a default", "b=LIMIT", "b=4", "rest"},
		{"an annotation", "-> int", "-> str", "rest"},
		{"a decorator", "@property", "@cached", "rest"},
		{"a class body", "rate = 1", "rate = 2", "rest"},
		{"the module", "LIMIT = 3", "LIMIT = 4", "rest"},
		{"a function more", "class Shop", "def more():\n    pass\n\n\nclass Shop", "rest"},
		{"a function less", "    async def later(self) -> int: return 1\n", "", "rest"},
		{"another name", "def odd", "def even", "rest"},
		{"a generator", "return self.rate", "yield self.rate", "rest"},
		{"the cell of the class", "return self.rate", "return super().rate", "rest"},
		{"the encoding", "import random", "# coding: latin-1\nimport random", "rest"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if !strings.Contains(src, tc.old) {
				t.Fatalf("%q is not in the text", tc.old)
			}
			after, ok := l.Divide("a.py", []byte(strings.ReplaceAll(src, tc.old, tc.new)))
			if !ok {
				t.Fatal("the text is not taken apart")
			}
			got := "rest"
			if before.Rest == after.Rest {
				got = differing(before.Bodies, after.Bodies)
			}
			if got != tc.want {
				t.Errorf("differs in %q, want %q", got, tc.want)
			}
		})
	}
	if _, ok := l.Divide("a.py", []byte("x = 'open\n")); ok {
		t.Error("a text with an open string is taken apart")
	}
}

func differing(a, b []lang.Body) string {
	var out []string
	for i := range a {
		if a[i].Sum != b[i].Sum {
			out = append(out, a[i].Name)
		}
	}
	return strings.Join(slices.Compact(out), " ")
}
