package pytest

import "path/filepath"

// interpreterIn is the interpreter of a virtual environment.
func interpreterIn(venv string) string { return filepath.Join(venv, "Scripts", "python.exe") }

// pythonNames are the interpreter's names on PATH.
var pythonNames = []string{"python.exe", "python3.exe"}
