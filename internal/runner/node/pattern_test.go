package node

import "testing"

func TestPatternPrefix(t *testing.T) {
	for pattern, want := range map[string]string{
		"^@/(.*)$": "@/*$", "^@lib$": "@lib$", "^src/(.+)": "src/*", `\.css$`: "", "^(a|b)/(.*)$": "", "^~(.*)": "~*", "[": "",
		"^.*$": "", `^~\/`: "~/", "^a(.*)$": "a*$",
	} {
		lit, rest, whole, ok := PatternPrefix(pattern)
		if rest {
			lit += "*"
		}
		if whole {
			lit += "$"
		}
		if !ok {
			lit = ""
		}
		if lit != want {
			t.Errorf("PatternPrefix(%q) = %q, want %q", pattern, lit, want)
		}
	}
}
