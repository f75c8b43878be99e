//go:build unix

package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDemoSaysWhatTookTooLong holds that an installation that hangs is named
// with its limit, not with an empty message.
func TestDemoSaysWhatTookTooLong(t *testing.T) {
	var out bytes.Buffer
	d := &demo{app: &app{stdout: &out, environ: []string{"PATH=/usr/bin:/bin"}}, dir: filepath.Join(t.TempDir(), "shop"), limit: 50 * time.Millisecond}
	err := d.install(t.Context(), demoKit{name: "mocha", files: "cjs", install: [][]string{{"sleep", "600"}}})
	if err == nil || err.Error() != "sleep 600 did not end within 0.1s" {
		t.Errorf("error = %v", err)
	}
	if want := "# sleep 600, which takes a while\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("said %q, want %q at the end", out.String(), want)
	}
}
