package node

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/runner"
)

// What node loads before the framework is of every test, however it is told to.
func TestHooks(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"hook.mjs", "old.js", "loader.mjs", "vars.env", "more.cjs"} {
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := runner.Env{Root: root, Origin: root, Environ: []string{"NODE_OPTIONS=--max-old-space-size=99", "A=--import=./none.mjs"}}
	p := runner.Project{Root: ".", Command: []string{"/bin/node", "--env-file=vars.env", "--loader", "./loader.mjs", "/x/mocha.js"},
		Env: map[string]string{"NODE_OPTIONS": "--import './hook.mjs' -r ./old -r dotenv/config --require ./gone"}}
	var got []string
	for _, f := range Hooks(env, p, "--require="+filepath.Join(root, "more.cjs")) {
		got = append(got, filepath.Base(f))
	}
	if d := cmp.Diff([]string{"vars.env", "loader.mjs", "hook.mjs", "old.js", "more.cjs"}, got); d != "" {
		t.Errorf("Hooks (-want +got):\n%s", d)
	}
}
