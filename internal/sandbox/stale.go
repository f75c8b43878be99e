package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"regreen/internal/lazyregexp"
)

// stateName is the name of a repository's state folder (stateID).
var stateName = lazyregexp.New(`^[0-9a-f]{12}$`)

// Stale lists the state folders (abs) of repositories that are gone: the
// objects that their shadow repository borrowed are no longer there. Nothing is
// changed.
func Stale(stateDir string) ([]string, error) {
	entries, err := os.ReadDir(stateDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the state folder: %w", err)
	}
	var out []string
	for _, e := range entries {
		dir := filepath.Join(stateDir, e.Name())
		if !e.IsDir() || !stateName.MatchString(e.Name()) {
			continue
		}
		src, err := os.ReadFile(filepath.Join(dir, "shadow.git", "objects", "info", "alternates"))
		if err != nil {
			continue // half made, or another version's: not ours to judge
		}
		objects, _, _ := strings.Cut(string(src), "\n")
		if !filepath.IsAbs(objects) { // git quotes what is odd
			continue
		}
		if _, err := os.Stat(objects); errors.Is(err, fs.ErrNotExist) {
			out = append(out, dir)
		}
	}
	return out, nil
}

// Unfinished tells whether a merge was broken off in the repository with the
// state folder home: its journal is there. The next start repairs it.
func Unfinished(home string) bool {
	entries, err := os.ReadDir(filepath.Join(home, "journal"))
	return err == nil && len(entries) > 0
}
