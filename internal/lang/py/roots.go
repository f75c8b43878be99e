package py

import (
	"path"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
	"gopkg.in/ini.v1"

	"regreen/internal/lang"
)

// roots are the folders that the tests' sys.path can hold: the repository's
// and each project's root with its src folder, what the configuration of
// pytest and of the build names, and the folders that pytest inserts for test
// files and conftest files (the first one upwards that is no package).
type roots struct {
	tree  lang.Tree
	list  []string // sorted, the deepest first
	set   map[string]bool
	bases map[string]string // folder to the first folder upwards that is no package
}

// projectFiles make their folder one of a project.
var projectFiles = []string{"pyproject.toml", "setup.cfg", "pytest.ini", ".pytest.ini", "tox.ini", "setup.py"}

func findRoots(t lang.Tree) *roots {
	r := &roots{tree: t, set: map[string]bool{}, bases: map[string]string{}}
	r.add(".")
	r.add("src")
	for _, f := range t.Files() {
		dir, base := path.Dir(f), path.Base(f)
		switch {
		case base == "pyproject.toml":
			r.project(dir)
			r.pyproject(f)
		case base == "setup.cfg" || base == "pytest.ini" || base == ".pytest.ini" || base == "tox.ini":
			r.project(dir)
			r.ini(f)
		case base == "setup.py":
			r.project(dir)
		case isTestName(base):
			r.add(r.base(dir))
		}
	}
	for dir := range r.set {
		r.list = append(r.list, dir)
	}
	sort.Slice(r.list, func(i, j int) bool {
		a, b := r.list[i], r.list[j]
		if x, y := depth(a), depth(b); x != y {
			return x > y
		}
		return a < b
	})
	return r
}

func depth(dir string) int {
	if dir == "." {
		return 0
	}
	return 1 + strings.Count(dir, "/")
}

// isTestName knows pytest's default names.
func isTestName(base string) bool {
	return base == "conftest.py" || strings.HasPrefix(base, "test_") && strings.HasSuffix(base, ".py") ||
		strings.HasSuffix(base, "_test.py")
}

// add takes a folder that exists as a root.
func (r *roots) add(dir string) {
	dir = path.Clean(dir)
	if strings.HasPrefix(dir, "../") || dir == ".." || path.IsAbs(dir) {
		return
	}
	if dir == "." || r.tree.IsDir(dir) {
		r.set[dir] = true
	}
}

func (r *roots) project(dir string) {
	r.add(dir)
	r.add(path.Join(dir, "src"))
}

// base gives the first folder upwards, dir itself included, that holds no
// __init__.py: the one that pytest and Python put on sys.path.
func (r *roots) base(dir string) string {
	if b, ok := r.bases[dir]; ok {
		return b
	}
	b := dir
	if dir != "." && r.tree.Exists(path.Join(dir, "__init__.py")) {
		b = r.base(path.Dir(dir))
	}
	r.bases[dir] = b
	return b
}

// stringOrList is a TOML value that may be either.
type stringOrList []string

func (s *stringOrList) UnmarshalTOML(v any) error {
	switch v := v.(type) {
	case string:
		*s = strings.Fields(v)
	case []any:
		for _, e := range v {
			if str, ok := e.(string); ok {
				*s = append(*s, str)
			}
		}
	}
	return nil
}

func (r *roots) pyproject(file string) {
	src, err := r.tree.ReadFile(file)
	if err != nil {
		return
	}
	var doc struct {
		Tool struct {
			Pytest struct {
				Pythonpath stringOrList
				IniOptions struct {
					Pythonpath stringOrList
				} `toml:"ini_options"`
			}
			Setuptools struct {
				PackageDir map[string]string `toml:"package-dir"`
				Packages   any
			}
			Poetry struct {
				Packages []struct{ From string }
			}
		}
	}
	if _, err := toml.Decode(string(src), &doc); err != nil {
		return
	}
	dir := path.Dir(file)
	more := append(doc.Tool.Pytest.Pythonpath, doc.Tool.Pytest.IniOptions.Pythonpath...)
	for _, p := range doc.Tool.Setuptools.PackageDir {
		more = append(more, p)
	}
	if packages, ok := doc.Tool.Setuptools.Packages.(map[string]any); ok {
		if find, ok := packages["find"].(map[string]any); ok {
			var where stringOrList
			_ = where.UnmarshalTOML(find["where"])
			more = append(more, where...)
		}
	}
	for _, p := range doc.Tool.Poetry.Packages {
		more = append(more, p.From)
	}
	for _, p := range more {
		if p != "" {
			r.add(path.Join(dir, p))
		}
	}
}

func (r *roots) ini(file string) {
	src, err := r.tree.ReadFile(file)
	if err != nil {
		return
	}
	doc, err := ini.LoadSources(ini.LoadOptions{AllowPythonMultilineValues: true, Loose: true, SkipUnrecognizableLines: true}, src)
	if err != nil {
		return
	}
	dir := path.Dir(file)
	for section, key := range map[string]string{"pytest": "pythonpath", "tool:pytest": "pythonpath", "options.packages.find": "where"} {
		for _, p := range strings.Fields(doc.Section(section).Key(key).String()) {
			r.add(path.Join(dir, p))
		}
	}
	for _, line := range strings.Split(doc.Section("options").Key("package_dir").String(), "\n") {
		if _, p, ok := strings.Cut(line, "="); ok {
			r.add(path.Join(dir, strings.TrimSpace(p)))
		}
	}
}
