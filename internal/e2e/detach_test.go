//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestWatchDetach holds that `watch --detach` says that it watches where it
// does, and where no test can run says that, and why.
func TestWatchDetach(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, deps string
		files      map[string]string
		hint       string
		exit       int
	}{
		{"mocha", "mocha12", map[string]string{"package.json": `{"type":"module","devDependencies":{"mocha":"*"}}`,
			"test/a.test.js": "it('is', () => {});\n"}, "", 0},
		{"no framework", "", map[string]string{"README.md": "prose\n"}, "regreen: hint: ", 3},
		{"not installed", "", map[string]string{"package.json": `{"type":"module","scripts":{"test":"mocha"},"devDependencies":{"mocha":"*"}}`,
			"test/a.test.js": "it('is', () => {});\n"}, "regreen: hint: ", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepo(t, c.deps, c.files)
			run, err := os.MkdirTemp("", "rt") // a socket's path must be short
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(run) })
			r.environ = append(r.environ, "XDG_RUNTIME_DIR="+run)
			res := r.regreen("watch", "--detach")
			t.Cleanup(func() { // it is stopped already, or the test failed
				cmd := exec.Command(binary, "stop")
				cmd.Dir, cmd.Env = r.dir, r.environ
				_ = cmd.Run()
			})
			if res.exit != c.exit || strings.Contains(res.stdout, "watching ") != (c.exit == 0) {
				t.Errorf("exit %d, want %d\n%s%s", res.exit, c.exit, res.stdout, res.stderr)
			}
			if c.exit != 0 {
				if !strings.Contains(res.stderr, "regreen: error: ") || !strings.Contains(res.stderr, c.hint) ||
					strings.Contains(res.stderr, "the daemon ended at once") {
					t.Errorf("it says %q", res.stderr)
				}
				return
			}
			var status struct{ Ready bool }
			if res := r.regreen("status", "--json"); json.Unmarshal([]byte(res.stdout), &status) != nil || !status.Ready {
				t.Errorf("status: %s%s", res.stdout, res.stderr)
			}
			if res := r.regreen("stop"); res.exit != 0 {
				t.Errorf("stop: %+v", res)
			}
		})
	}
}
