package cycle

import (
	"testing"

	"regreen/internal/runner"
)

func TestStarts(t *testing.T) {
	p := runner.Project{Root: "web", Command: []string{"/usr/bin/node", "scripts/test.js"},
		Args: []string{"--require=./tools/hook.cjs", "-r", "/home/ann/shop/tools/abs.cjs", "--config", "x=y.js"}}
	for file, want := range map[string]bool{
		"web/scripts/test.js": true, "web/tools/hook.cjs": true, "tools/abs.cjs": true, "web/x=y.js": true,
		"scripts/test.js": false, "web/src/a.js": false, "tools/hook.cjs": false, "web/y.js": false,
	} {
		if got := starts(p, file); got != want {
			t.Errorf("starts(%q) = %v, want %v", file, got, want)
		}
	}
	if root := (runner.Project{Root: ".", Command: []string{"node", "jest.cjs"}}); !starts(root, "jest.cjs") || starts(root, "src/jest.cjs") {
		t.Error("the command of the repository's own folder is not known")
	}
}
