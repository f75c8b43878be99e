package node

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExcerpt(t *testing.T) {
	noise := "\x01\x02\xff\xfeab\x80\x81"
	tests := []struct {
		name, text, first, last string
	}{
		{"nothing", " \n\t\n", "", ""},
		{"short", "one\ntwo\n", "one\ntwo", "one\ntwo"},
		{"long", "one\ntwo\nthree", "one\ntwo\n…", "two\nthree"},
		{"colours", "\x1b[31mred\x1b[0m\r\n", "red", "red"},
		{"control characters", "one two three\x00 four\a", "one two three four", "one two three four"},
		{"letters of all the world", "größe 日本語 ✓\tx", "größe 日本語 ✓\tx", "größe 日本語 ✓\tx"},
		{"no text", noise + "\n" + noise + "\n" + noise + "\nPASS", "…\nPASS", "…\nPASS"},
		{"text before no text", "a\n" + noise + "\nb", "a\n…", "…\nb"},
		{"a line without end", strings.Repeat("é", 5000), strings.Repeat("é", 300) + "…", strings.Repeat("é", 300) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.first, FirstLines(tt.text, 2)); diff != "" {
				t.Errorf("FirstLines(%q) (-want +got):\n%s", tt.text, diff)
			}
			if diff := cmp.Diff(tt.last, LastLines(tt.text, 2)); diff != "" {
				t.Errorf("LastLines(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}
