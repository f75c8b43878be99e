package pytest

import (
	"testing"

	"regreen/internal/runner"
)

// TestUnread: a file that pytest comes to only after the one that it takes its
// settings from, and that nothing else in a run reads, has no part in it.
func TestUnread(t *testing.T) {
	const pyproject = "-- pyproject.toml --\n[tool.pytest.ini_options]\naddopts = '-q'\n"
	for name, tc := range map[string]struct {
		text, file, content string
		args                []string
		root, version       string
		want                bool
	}{
		"after pyproject.toml":        {text: pyproject, file: "setup.cfg", content: "[metadata]\nname = x\nfiles =\n    a\n# x\n    b\n", want: true},
		"tox.ini after it":            {text: pyproject, file: "tox.ini", content: "[tox]\nenvlist: py3\n", want: true},
		"before setup.cfg":            {text: "-- setup.cfg --\n[tool:pytest]\n", file: "tox.ini", content: "[tox]"},
		"the file that is taken":      {text: "-- setup.cfg --\n[tool:pytest]\n", file: "setup.cfg", content: "[tool:pytest]\n"},
		"no settings at all":          {text: "-- a.py --\n", file: "setup.cfg", content: "[metadata]"},
		"above the folder":            {text: "-- sub/pytest.ini --\n", root: "sub", file: "setup.cfg", content: "[metadata]", want: true},
		"below the folder":            {text: pyproject, file: "sub/setup.cfg", content: "[metadata]"},
		"with settings for pytest":    {text: pyproject, file: "setup.cfg", content: "[tool:pytest]\n"},
		"with a plugin":               {text: pyproject, file: "setup.cfg", content: "[options.entry_points]\npytest11 =\n"},
		"read by coverage":            {text: pyproject, file: "setup.cfg", content: "[metadata]", args: []string{"--cov=app"}},
		"read by a linter":            {text: pyproject, file: "setup.cfg", content: "[metadata]", args: []string{"--flake8"}},
		"with another file by hand":   {text: pyproject, file: "setup.cfg", content: "[metadata]", args: []string{"-c", "other.ini"}},
		"that does not parse":         {text: pyproject, file: "setup.cfg", content: "[metadata\n"},
		"that 8 does not parse":       {text: pyproject, file: "setup.cfg", content: "[metadata\n", version: "8.4.2", want: true},
		"that 9 does not parse":       {text: pyproject, file: "setup.cfg", content: "[metadata\n", version: "9.2.0"},
		"with a section twice":        {text: pyproject, file: "setup.cfg", content: "[a]\n[a]\n"},
		"with a name twice":           {text: pyproject, file: "setup.cfg", content: "[a]\nx = 1\nx: 2\n"},
		"with a line of no section":   {text: pyproject, file: "setup.cfg", content: "x = 1\n"},
		"with a line of no value":     {text: pyproject, file: "setup.cfg", content: "[a]\n  x = 1\n"},
		"with a name alone":           {text: pyproject, file: "setup.cfg", content: "[a]\nx\n"},
		"what everybody reads":        {text: pyproject, file: "pyproject.toml", content: ""},
		"settings that are not there": {text: "-- pyproject.toml --\n[tool.other]\n", file: "setup.cfg", content: "[metadata]"},
	} {
		t.Run(name, func(t *testing.T) {
			l := layoutOf(t, tc.text, runner.Project{Root: tc.root, Args: tc.args, Version: tc.version})
			if got := l.Unread(tc.file, []byte(tc.content)); got != tc.want {
				t.Errorf("Unread(%q) = %v, want %v", tc.file, got, tc.want)
			}
		})
	}
}
