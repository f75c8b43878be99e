package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestStaleAndUnfinished(t *testing.T) {
	state := t.TempDir()
	if got, err := Stale(filepath.Join(state, "not", "there")); got != nil || err != nil {
		t.Errorf("Stale of nothing = %q, %v", got, err)
	}
	put := func(rel, text string) {
		t.Helper()
		path := filepath.Join(state, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const alternates = "/shadow.git/objects/info/alternates"
	put("aaaaaaaaaaaa"+alternates, filepath.Join(state, "gone")+"\n")
	put("bbbbbbbbbbbb"+alternates, state+"\n")
	put("cccccccccccc/pid", "1")                          // half made
	put("another-folder"+alternates, "/nowhere/at/all\n") // not ours
	put("dddddddddddd"+alternates, "\"/odd\\npath\"\n")   // not for us to read
	want := []string{filepath.Join(state, "aaaaaaaaaaaa")}
	if got, err := Stale(state); err != nil || !slices.Equal(got, want) {
		t.Errorf("Stale = %q, %v, want %q", got, err, want)
	}
	home := filepath.Join(state, "bbbbbbbbbbbb")
	if Unfinished(home) {
		t.Error("Unfinished without a journal")
	}
	put("bbbbbbbbbbbb/journal/x/plan.json", "{}")
	if !Unfinished(home) {
		t.Error("a journal that is left is not told")
	}
}
