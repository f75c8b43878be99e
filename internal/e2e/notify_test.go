//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"regreen/cycle"
)

// TestWatchNotifies holds that the desktop's program is called once when tests
// begin to fail, and never unless that was asked for. A script stands in for it.
func TestWatchNotifies(t *testing.T) {
	t.Parallel()
	for name, toml := range map[string]string{"off": "", "red": "[notify]\non = [\"red\"]\n"} {
		t.Run(name, func(t *testing.T) {
			r := taxRepo(t)
			bin := t.TempDir()
			said := filepath.Join(bin, "said")
			for _, program := range []string{"notify-send", "osascript"} {
				script := "#!/bin/sh\nprintf '%s\\n' \"$@\" >" + said + ".new && mv " + said + ".new " + said + "\n"
				if err := os.WriteFile(filepath.Join(bin, program), []byte(script), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			r.environ = append(r.environ, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			if toml != "" {
				r.write("regreen.toml", toml)
			}
			w := startWatching(t, r)
			w.until("regreen: end: ")
			r.write("shop/tax.py", strings.Replace(r.read("shop/tax.py"), "RATE = 2", "RATE = 3", 1))
			w.verdict(cycle.Failed)
			if toml != "" {
				waitForFile(t, said, w.done)
				if src, err := os.ReadFile(said); err != nil || !strings.Contains(string(src), "regreen: shop is red\n1 failure, first ") {
					t.Errorf("the notice: %q, %v", src, err)
				}
			}
			if res := r.regreen("stop"); res.exit != 0 {
				t.Errorf("stop: %+v", res)
			}
			_ = w.ended()
			if _, err := os.Stat(said); toml == "" && err == nil {
				t.Error("a notice was shown without being asked for")
			}
		})
	}
}
