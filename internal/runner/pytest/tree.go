package pytest

import (
	"path/filepath"
	"strings"

	"regreen/internal/runner"
)

// tree turns the paths that Python names into rel paths.
type tree struct {
	roots []string // Root and Origin, as given and resolved, without trailing separators
	// prefix is the virtual environment's folder, when it stands in the tree.
	prefix string
}

func newTree(env runner.Env, interpreter string) tree {
	var t tree
	seen := map[string]bool{}
	for _, r := range []string{env.Root, env.Origin, env.Disk} {
		for _, p := range []string{r, resolved(r)} {
			if p != "" && !seen[p] {
				seen[p] = true
				t.roots = append(t.roots, filepath.Clean(p))
			}
		}
	}
	if dir := filepath.Dir(filepath.Dir(interpreter)); isVenv(dir) {
		t.prefix = dir
	}
	return t
}

func resolved(p string) string {
	if r, err := filepath.EvalSymlinks(p); err == nil {
		return r
	}
	return p
}

// rel gives the path below the root; ok is false when it lies elsewhere. A
// path that is not absolute is taken as rel already.
func (t tree) rel(path string) (string, bool) {
	if path == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		return filepath.ToSlash(filepath.Clean(path)), !strings.HasPrefix(path, "<")
	}
	clean := filepath.Clean(path)
	for _, r := range t.roots {
		if clean == r {
			return ".", true
		}
		if rest, ok := strings.CutPrefix(clean, r+string(filepath.Separator)); ok {
			return filepath.ToSlash(rest), true
		}
	}
	return filepath.ToSlash(clean), false
}

// shorten takes the tree's own place out of a text.
func (t tree) shorten(text string) string {
	for _, r := range t.roots {
		text = strings.ReplaceAll(text, r+string(filepath.Separator), "")
	}
	return text
}

// own gives the rel path when the file is the project's own: in the tree, and
// not an installed package or generated text.
func (t tree) own(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		return "", false // "<string>", "<frozen importlib._bootstrap>"
	}
	if t.prefix != "" && strings.HasPrefix(path, t.prefix+string(filepath.Separator)) {
		return "", false
	}
	rel, ok := t.rel(path)
	if !ok || rel == "." {
		return "", false
	}
	for _, part := range strings.Split(rel, "/") {
		switch part {
		case "site-packages", "dist-packages", "node_modules", ".tox", ".nox", ".venv", "__pypackages__":
			return "", false
		}
	}
	return rel, true
}

// mapped moves a path from the user's tree to the copy, wherever it stands in
// the text after the start, a "=" or the list separator.
func mapped(env runner.Env, text string) string {
	if env.Origin == env.Root || env.Origin == "" {
		return text
	}
	parts := strings.Split(text, string(filepath.ListSeparator))
	for i, p := range parts {
		head, path := "", p
		if at := strings.IndexByte(p, '='); at >= 0 {
			head, path = p[:at+1], p[at+1:]
		}
		if path == env.Origin || strings.HasPrefix(path, env.Origin+string(filepath.Separator)) {
			parts[i] = head + env.Root + path[len(env.Origin):]
		}
	}
	return strings.Join(parts, string(filepath.ListSeparator))
}
