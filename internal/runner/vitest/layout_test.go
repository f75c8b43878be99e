package vitest

import (
	"os"
	"path/filepath"
	"testing"

	"regreen/internal/proc"
	"regreen/internal/runner"
)

// TestLayoutThatIsNotShown: where the framework does not say which files are
// tests, all that look like some are, or a broken configuration selects nothing.
func TestLayoutThatIsNotShown(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	p := runner.Project{Root: "web", Framework: Name, Command: []string{filepath.Join(root, "no-node"), filepath.Join(root, "no-vitest")}, Args: []string{}}
	if err := os.Mkdir(filepath.Join(root, "web"), 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := Framework{}.Layout(t.Context(), runner.Env{Root: root, Origin: root, Scratch: t.TempDir(), Exec: proc.Local{}}, p)
	if err != nil || l.Blind == "" {
		t.Fatalf("Layout = %+v, %v, want one that is blind", l, err)
	}
	for rel, want := range map[string]bool{"web/test/deep/a.ts": true, "web/x_spec.mjs": true, "web/x.js": false, "test/a.js": false, "web/node_modules/x/test/a.js": false} {
		if got := l.IsTest(rel); got != want {
			t.Errorf("IsTest(%q) = %v, want %v", rel, got, want)
		}
	}
}
