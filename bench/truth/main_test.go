package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	cases := []struct {
		truth, selected   []string
		recall, precision float64
		missed            []string
	}{
		{nil, nil, 1, 1, nil},
		{[]string{"a", "b"}, []string{"a", "b"}, 1, 1, nil},
		{[]string{"a", "b"}, []string{"a", "c"}, 0.5, 0.5, []string{"b"}},
		{nil, []string{"a"}, 1, 0, nil},
	}
	for _, tc := range cases {
		recall, precision, missed := compare(tc.truth, tc.selected)
		if recall != tc.recall || precision != tc.precision || !cmp.Equal(missed, tc.missed) {
			t.Errorf("compare(%q, %q) = %v, %v, %q, want %v, %v, %q", tc.truth, tc.selected, recall, precision, missed, tc.recall, tc.precision, tc.missed)
		}
	}
}

// TestEditsRepeat: one seed gives one sequence, and each kind can be made.
func TestEditsRepeat(t *testing.T) {
	root := t.TempDir()
	files := []string{"data.json", "package.json", "src/a.ts", "test/a.test.ts"}
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, f)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, f), []byte("export const n = 1;\nexport function f() { return 2; }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sequence := func() (out []string) {
		e := newEditor(root, files, []string{"test/a.test.ts"}, 3)
		for range 60 {
			ed, ok := e.next("")
			if !ok {
				t.Fatal("no edit can be made")
			}
			out = append(out, ed.kind+" "+ed.what)
		}
		return out
	}
	first := sequence()
	if diff := cmp.Diff(first, sequence()); diff != "" {
		t.Errorf("the same seed gave other edits (-first +second)\n%s", diff)
	}
	for _, k := range kinds {
		if _, ok := newEditor(root, files, []string{"test/a.test.ts"}, 3).next(k.name); !ok {
			t.Errorf("no edit of kind %s", k.name)
		}
	}
}
