package watch

import (
	"strings"
	"testing"
)

func TestWild(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		fold, want    bool
	}{
		{"foo", "foo", false, true},
		{"foo", "Foo", false, false},
		{"foo", "Foo", true, true},
		{"*.js", "a.js", false, true},
		{"*.js", "a/b.js", false, false},
		{"a/*/c", "a/b/c", false, true},
		{"a/*/c", "a/b/b/c", false, false},
		{"a/**/c", "a/c", false, true},
		{"a/**/c", "a/b/b/c", false, true},
		{"**/c", "c", false, true},
		{"**/c", "a/b/c", false, true},
		{"***/c", "a/b/c", false, true},
		{"a/**", "a/b/c", false, true},
		{"a/**", "a", false, false},
		{"a**b", "axxb", false, true},
		{"a**b", "a/b", false, false},
		{"[a-c]x", "bx", false, true},
		{"[!a-c]x", "bx", false, false},
		{"[^a-c]x", "dx", false, true},
		{"[]a]", "]", false, true},
		{"[a-", "a", false, false},
		{"[[:digit:]]", "7", false, true},
		{"[[:nope:]]", "7", false, false},
		{"[A-Z]", "q", true, true},
		{"a[/]b", "a/b", false, false},
		{`\*`, "*", false, true},
		{`\*`, "x", false, false},
		{`a\`, "a", false, false},
		{"?", "/", false, false},
		{"", "", false, true},
	} {
		if got := wild(c.pattern, c.text, c.fold); got != c.want {
			t.Errorf("wild(%q, %q, %v) = %v, want %v", c.pattern, c.text, c.fold, got, c.want)
		}
	}
}

func TestWildIsBounded(t *testing.T) {
	// Without its bound this does not come back.
	if wild(strings.Repeat("*a", 40)+"b", strings.Repeat("a", 4000), false) {
		t.Error("a pattern that ends in b matches a text without one")
	}
}

func FuzzWild(f *testing.F) {
	f.Add("a/**/[!x]*.js", "a/b/c.js")
	f.Add(`[[:alpha:]\]-z]`, "b")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		wild(pattern, text, false)
		wild(pattern, text, true)
		var none *rules
		none.with("", parsePatterns([]byte(pattern)), false).match(text, true)
	})
}
