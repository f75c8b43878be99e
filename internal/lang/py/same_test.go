package py

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSameCode(t *testing.T) {
	for _, tc := range []struct {
		name, before, after string
		want                bool
	}{
		{"comment", "a = 1  # one\n", "# two\na = 1\n", true},
		{"noqa", "import os  # noqa: F401\n", "import os\n", true},
		{"spaces", "f(a,b)\n", "f( a, b )\n", true},
		{"wrapped", "f(a, b)\n", "f(\n    a,\n    b\n)\n", true},
		{"blank lines", "a\n\n\n\nb\n", "a\n\nb\n", true},
		{"wider indentation", "if a:\n  b\n", "if a:\n    b\n", true},
		{"out of the block", "if a:\n    b\n    c\n", "if a:\n    b\nc\n", false},
		{"two statements", "a\nb\n", "a; b\n", false},
		{"docstring", "def f():\n    '''>>> 1'''\n", "def f():\n    '''>>> 2'''\n", false},
		{"a text", "'#  a'\n", "'# a'\n", false},
		{"encoding", "# -*- coding: latin-1 -*-\na\n", "a\n", false},
		{"broken", "'a # b\n", "'a # b \n", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, pair := range [][2]string{{tc.before, tc.after}, {tc.after, tc.before}} {
				if got := New("").SameCode("a.py", []byte(pair[0]), []byte(pair[1])); got != tc.want {
					t.Errorf("SameCode(%q, %q) = %v, want %v", pair[0], pair[1], got, tc.want)
				}
			}
		})
	}
}

func TestInstalled(t *testing.T) {
	venv := t.TempDir()
	for name, text := range map[string]string{
		"PyYAML-6.0.dist-info/METADATA": "Name: PyYAML\nVersion: 6\n\nName: not this\n", "PyYAML-6.0.dist-info/top_level.txt": "_yaml\nyaml\n",
		"anyio-4.dist-info/METADATA":         "Name: anyio\nRequires-Dist: idna>=2.8\nRequires-Dist: Typing_Extensions; python_version < '3.13'\n",
		"anyio-4.dist-info/RECORD":           "anyio/__init__.py,sha256=x,1\nanyio/abc.py,,\nanyio-4.dist-info/METADATA,,\n../../bin/x,,\nsix.py,,\n",
		"anyio-4.dist-info/entry_points.txt": "[pytest11]\nanyio = anyio.pytest_plugin\n",
	} {
		file := filepath.Join(venv, "lib", "python3.12", "site-packages", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := New(filepath.Join(venv, "bin", "python")).Installed()
	if d := got["pyyaml"]; !slices.Equal(d.Modules, []string{"_yaml", "yaml"}) {
		t.Errorf("pyyaml has %v", d.Modules)
	}
	d := got["anyio"]
	if !slices.Equal(d.Modules, []string{"anyio", "six"}) || !slices.Equal(d.Requires, []string{"idna", "typing-extensions"}) || !slices.Equal(d.EntryPoints, []string{"pytest11"}) {
		t.Errorf("anyio is %+v", d)
	}
	if New("").Installed() != nil {
		t.Error("without an interpreter something is installed")
	}
}
