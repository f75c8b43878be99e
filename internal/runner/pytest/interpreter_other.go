//go:build !windows

package pytest

import "path/filepath"

// interpreterIn is the interpreter of a virtual environment. The link itself
// is what counts: resolved, it would be an interpreter without the packages.
func interpreterIn(venv string) string { return filepath.Join(venv, "bin", "python") }

// pythonNames are the interpreter's names on PATH.
var pythonNames = []string{"python3", "python"}
