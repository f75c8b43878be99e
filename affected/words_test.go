package affected

import (
	"testing"

	"regreen/internal/lang"
)

// TestWordSetsMissNothing: an import that a coming or going file may concern is
// never passed over because of the words it was found by.
func TestWordSetsMissNothing(t *testing.T) {
	specs := []string{"", ".", "..", "./", "../..", "./a", "../a/b.js", "a", "a.b.c", "@s/a", ".env", "./.env.local", "a\\b", "x?raw", "a//b", "./a/", "é/ü", "...", "..a", "./%41"}
	names := []string{"a", "b", ".env", "*", "x", "ü", ".", "", "?raw"}
	kept := 0
	for _, spec := range specs {
		for _, name := range names {
			for _, s := range []*scanned{
				{imports: []imported{{kind: lang.Static, spec: spec}}},
				{imports: []imported{{kind: lang.From, spec: spec, names: []string{name}}}},
				{imports: []imported{{kind: lang.Wide, spec: spec}}},
				{imports: []imported{{kind: lang.Static, spec: "z", mapped: true}}},
				{data: []string{spec}},
			} {
				s.words = s.wordSet()
				for _, key := range append(names, specs...) {
					keys := map[string]bool{key: true}
					if s.concerned(keys) && !s.words.meets(setOf(keys)) {
						t.Errorf("%+v is concerned by %q, and its words do not say so", s, key)
					}
					if !s.words.meets(setOf(keys)) {
						kept++
					}
				}
			}
		}
	}
	if kept == 0 {
		t.Error("the words spare no look at anything")
	}
}
