package daemon

import (
	"path/filepath"
	"strings"
	"testing"
)

// A folder for sockets may have a name that leaves no room for one.
func TestSocketPathFits(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 100))
	for _, tt := range []struct{ name, runtime, temp string }{
		{"both short", "/run/user/1000", "/tmp"}, {"long runtime", long, "/tmp"}, {"both long", long, long}, {"none", "", "/tmp"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("TMPDIR", tt.temp)
			env := func(string) string { return tt.runtime }
			got := SocketPath("/home/ann/shop", env)
			if len(got) > maxSocket || !filepath.IsAbs(got) {
				t.Errorf("SocketPath = %q, %d bytes", got, len(got))
			}
			if tt.name == "both short" && got != filepath.Join(tt.runtime, "regreen", filepath.Base(got)) {
				t.Errorf("SocketPath = %q, want it below %s", got, tt.runtime)
			}
			if got == SocketPath("/home/ann/other", env) {
				t.Error("two repositories have one socket")
			}
		})
	}
}
