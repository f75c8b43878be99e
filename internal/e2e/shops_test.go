package e2e

import (
	"os/exec"
	"testing"
)

// TestShopsAreGreen holds the shops themselves: their own test command passes
// before anything is broken, and red runs later are the scenarios' doing.
func TestShopsAreGreen(t *testing.T) {
	for _, s := range append(stacks(), versions()...) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := s.repo(t)
			cmd := exec.Command("npm", "test", "--silent")
			if s.python() {
				cmd = exec.Command(r.path(".venv/bin/python"), "-m", "pytest", "-q", "-p", "no:cacheprovider")
			}
			cmd.Dir, cmd.Env = r.dir, append(r.environ, "PYTHONDONTWRITEBYTECODE=1")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			diffMaps(t, "files", r.base, r.files())
		})
	}
}
