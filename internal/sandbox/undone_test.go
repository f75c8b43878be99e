package sandbox

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestUndone holds that it is known after a restart what an undo gave back,
// until a person applies a proposal to it.
func TestUndone(t *testing.T) {
	r := newRig(t, simple(t))
	snap := r.ready()
	a, b := r.Read("src/a.js"), r.Read("src/b.js")
	r.write("src/a.js", "fix\n")
	r.write("new/n.js", "n\n")
	if _, err := r.merge("c1", snap); err != nil {
		t.Fatal(err)
	}
	want := func(files map[string]string) {
		t.Helper()
		r.close()
		r.open()
		if d := cmp.Diff(files, Undone(r.s.dir)); d != "" {
			t.Errorf("Undone (-want +got):\n%s", d)
		}
	}
	want(map[string]string{})
	if _, err := r.s.Undo(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	sum := sumOf([]byte(a)).String()
	want(map[string]string{"src/a.js": sum, "new/n.js": ""})

	if _, err := r.s.Apply(t.Context(), "p1", []Change{{Path: "src/b.js", Op: Modify, Before: []byte(b), After: []byte("fix\n")}}); err != nil {
		t.Fatal(err)
	}
	want(map[string]string{"src/a.js": sum, "new/n.js": ""})
	if _, err := r.s.Apply(t.Context(), "p2", []Change{{Path: "src/a.js", Op: Modify, Before: []byte(a), After: []byte("fix\n")}}); err != nil {
		t.Fatal(err)
	}
	want(map[string]string{"new/n.js": ""})

	// A merge that was taken back by hand is undone, too.
	r.Write("src/a.js", a)
	if _, err := r.s.Undo(t.Context(), "p2"); err != nil {
		t.Fatal(err)
	}
	want(map[string]string{"new/n.js": "", "src/a.js": sum})

	r.s.noteUndone(&plan{}, time.Now().Add(undoAge+time.Hour))
	want(map[string]string{})
	if err := os.WriteFile(filepath.Join(r.s.dir, undoneName), []byte("nul"), 0o600); err != nil {
		t.Fatal(err)
	}
	want(map[string]string{})
}
