package sandbox

import (
	"errors"
	"os"
	"runtime"
	"testing"
)

// TestMergeMeanwhile has the user change what is not in a file's bytes just
// before the swap: it must not be lost with the file that is displaced.
func TestMergeMeanwhile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such modes and links on Windows")
	}
	tests := []struct {
		name string
		do   func(file string) error
	}{
		{"mode", func(file string) error { return os.Chmod(file, 0o755) }},
		{"hard link", func(file string) error { return os.Link(file, file+".other") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, simple(t))
			snap := r.ready()
			old := r.Read("src/a.js")
			r.write("src/a.js", "new\n")
			done := false
			r.s.fx.hook = func(call, _ string) error {
				if done || call != "exchange" {
					return nil
				}
				done = true
				return tt.do(r.Path("src/a.js"))
			}
			var c *Conflict
			if _, err := r.merge("c1", snap); !errors.As(err, &c) {
				t.Errorf("merge: %v, want a conflict", err)
			}
			if got := r.Read("src/a.js"); got != old {
				t.Errorf("the file holds %q", got)
			}
			fi, err := os.Stat(r.Path("src/a.js"))
			if err != nil {
				t.Fatal(err)
			}
			if tt.name == "mode" && fi.Mode().Perm() != 0o755 || tt.name == "hard link" && links(fi) != 2 {
				t.Errorf("what the user did is lost: %v, %d links", fi.Mode(), links(fi))
			}
		})
	}
}
