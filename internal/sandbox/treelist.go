package sandbox

import (
	"io/fs"
	"os"
	"path"

	"regreen/internal/lang"
)

var _ lang.Lister = (*Tree)(nil)

// List gives the files of one folder, links to files among them.
func (t *Tree) List(rel string) map[string]bool {
	entries, err := os.ReadDir(t.abs(rel))
	if err != nil {
		return nil
	}
	out := make(map[string]bool, len(entries))
	for _, e := range entries {
		switch {
		case e.Type().IsRegular():
			out[e.Name()] = true
		case e.Type()&fs.ModeSymlink != 0:
			out[e.Name()] = t.Exists(path.Join(rel, e.Name()))
		}
	}
	return out
}
