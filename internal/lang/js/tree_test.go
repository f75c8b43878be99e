package js

import (
	"io/fs"
	"sort"
	"strings"
)

// mapTree is a lang.Tree of texts by path. What stands below node_modules can
// be read but is not listed.
type mapTree map[string]string

func (m mapTree) ReadFile(rel string) ([]byte, error) {
	s, ok := m[rel]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(s), nil
}

func (m mapTree) Exists(rel string) bool { _, ok := m[rel]; return ok }

func (m mapTree) IsDir(rel string) bool {
	for p := range m {
		if rel == "." || strings.HasPrefix(p, rel+"/") {
			return true
		}
	}
	return false
}

func (m mapTree) Files() []string {
	var out []string
	for p := range m {
		if !strings.Contains(p, "node_modules/") && !strings.HasPrefix(p, "dist/") && !strings.Contains(p, "/dist/") {
			out = append(out, p)
		}
	}
	sort.Strings(out)
	return out
}

// with adds files of which the text does not matter.
func (m mapTree) with(paths ...string) mapTree {
	out := mapTree{}
	for k, v := range m {
		out[k] = v
	}
	for _, p := range paths {
		out[p] = ""
	}
	return out
}
