package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDemo runs the demonstration as `make demo` does; it installs its
// framework as a user's npm would.
func TestDemo(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "", map[string]string{"README.md": "somewhere to stand\n"})
	res := r.regreen("demo", "--framework", "mocha")
	if res.exit != 0 {
		t.Fatalf("exit %d\nstdout: %s\nstderr: %s", res.exit, res.stdout, res.stderr)
	}
	for _, want := range []string{"$ regreen run\n", "undefined_variable", "missing_import", "\nrepaired: ", "+import { format } from './lib/money.js';", "$ regreen undo\nundone "} {
		if !strings.Contains(res.stdout, want) {
			t.Errorf("the demo does not show %q:\n%s", want, res.stdout)
		}
	}
	left, err := os.ReadDir(filepath.Join(filepath.Dir(filepath.Dir(r.dir)), "tmp"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		if strings.HasPrefix(e.Name(), "regreen-demo-") {
			t.Errorf("the demo left %s", e.Name())
		}
	}
}
