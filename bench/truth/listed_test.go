package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestListedPlugin: to list one of the folders throws in code of the repository,
// by os.walk too, and in no other.
func TestListedPlugin(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"plugin/truth_listed.py": string(listedPlugin),
		"root/sub/a.txt":         "",
		"root/other/a.txt":       "",
		"root/own.py":            "import glob, os\n\ndef walks(d):\n    return [f for _, _, f in os.walk(d)]\n\ndef globs(d):\n    return glob.glob(d + '/*')\n",
		"away/foreign.py":        "import os\n\ndef lists(d):\n    return os.listdir(d)\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const script = `
import truth_listed, own, foreign
for f, d in (own.walks, "sub"), (own.globs, "sub"), (own.walks, "other"), (foreign.lists, "sub"):
    try:
        print(len(f(d)), end=" ")
    except RuntimeError as e:
        print(e, end="; ")
`
	cmd := exec.Command(python, "-c", script)
	cmd.Dir = filepath.Join(dir, "root")
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "TRUTH_ROOT="+cmd.Dir, "TRUTH_LISTED="+filepath.Join(cmd.Dir, "sub"),
		"PYTHONPATH="+strings.Join([]string{filepath.Join(dir, "plugin"), cmd.Dir, filepath.Join(dir, "away")}, string(filepath.ListSeparator)))
	out, err := cmd.CombinedOutput()
	if want := "regreen truth; regreen truth; 1 1 "; err != nil || string(out) != want {
		t.Errorf("the listings gave %q (%v), want %q", out, err, want)
	}
}
