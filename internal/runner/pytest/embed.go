package pytest

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed python/regreen_pytest.py python/regreen_errors.py python/regreen_executed.py python/regreen_opened.py python/sitecustomize.py
var scripts embed.FS

// writePython puts the Python files into dir.
func writePython(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	names, err := fs.Glob(scripts, "python/*.py")
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := scripts.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600); err != nil {
			return fmt.Errorf("write the plugin: %w", err)
		}
	}
	return nil
}
