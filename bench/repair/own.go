package main

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// testdata holds small projects of our own; the comment of each archive names
// the folder of the repository's testdata/deps that it is tested with.
//
//go:embed testdata/*.txtar
var testdata embed.FS

// withOwn puts our own projects in place of "own".
func withOwn(repos []string, work string) ([]string, error) {
	i := slices.Index(repos, "own")
	var out []string
	for _, r := range slices.Delete(slices.Clone(repos), max(i, 0), max(i, -1)+1) {
		abs, err := filepath.Abs(r)
		if err != nil {
			return nil, err
		}
		out = append(out, abs)
	}
	if i < 0 {
		return out, nil
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, fmt.Errorf("find the module: %w", err)
	}
	entries, err := testdata.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		src, err := testdata.ReadFile("testdata/" + e.Name())
		if err != nil {
			return nil, err
		}
		dir := filepath.Join(work, "own", strings.TrimSuffix(e.Name(), ".txtar"))
		if err := makeOwn(dir, strings.TrimSpace(string(root)), txtar.Parse(src)); err != nil {
			return nil, fmt.Errorf("make %s: %w", e.Name(), err)
		}
		out = append(out, dir)
	}
	return out, nil
}

func makeOwn(dir, root string, a *txtar.Archive) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, f := range append(a.Files, txtar.File{Name: ".gitignore", Data: []byte("node_modules\n.venv\n__pycache__\n.pytest_cache\n")}) {
		abs := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(abs, f.Data, 0o644); err != nil {
			return err
		}
	}
	deps := filepath.Join(root, "testdata", "deps", strings.TrimSpace(string(a.Comment)))
	for _, name := range []string{"node_modules", ".venv"} {
		if _, err := os.Stat(filepath.Join(deps, name)); err == nil {
			if err := copyInstalled(filepath.Join(deps, name), filepath.Join(dir, name), deps, dir); err != nil {
				return err
			}
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main", "."}, {"add", "-A"}, {"commit", "-q", "-m", "start"}} {
		cmd := exec.Command("git", append([]string{"-c", "user.name=bench", "-c", "user.email=bench@example.invalid"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}
