package jsonlines

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type value struct{ N int }

// TestTakesUp: a file holds what was added, also after a line was cut off.
func TestTakesUp(t *testing.T) {
	name := filepath.Join(t.TempDir(), "results.jsonl")
	for n, want := range [][]value{nil, {{0}}, {{0}, {1}}} {
		f, err := Open[value](name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, f.List); diff != "" {
			t.Errorf("opened for the %d. time (-want +got)\n%s", n+1, diff)
		}
		if err := f.Add(value{n}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, append(text, `{"N":`...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoFile(t *testing.T) {
	f, err := Open[value]("")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Add(value{7}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]value{{7}}, f.List); diff != "" {
		t.Errorf("in memory (-want +got)\n%s", diff)
	}
}

// TestOtherText: a file that holds something else is left as it is.
func TestOtherText(t *testing.T) {
	name := filepath.Join(t.TempDir(), "notes")
	if err := os.WriteFile(name, []byte("no JSON\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open[value](name); err == nil {
		t.Error("a file of another kind was opened")
	}
}
