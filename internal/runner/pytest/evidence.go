package pytest

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/lazyregexp"
	"regreen/internal/plain"
	"regreen/internal/runner"

	"github.com/BurntSushi/toml"
)

// The strengths of evidence (see runner.Candidate).
const (
	byIni      = 30
	byManifest = 20
	byConftest = 10
	byContent  = 5
)

// evidence is what the repository's files say about one folder.
type evidence struct {
	strength int
	source   string
	// unittest: all there is are unittest's own test cases, or a folder of
	// tests without any; pytest runs them where it is installed.
	unittest bool
}

// survey collects evidence by folder (rel).
type survey struct {
	in        runner.DetectInput
	manifests map[string]bool // folders with a Python manifest
	found     map[string]evidence
	tests     []string // files that are named as tests
	python    bool
}

func newSurvey(in runner.DetectInput) *survey {
	s := &survey{in: in, manifests: map[string]bool{}, found: map[string]evidence{}}
	var conftests []string
	for _, f := range in.Files {
		if foreign(f) {
			continue
		}
		dir, name := path.Dir(f), path.Base(f)
		s.python = s.python || strings.HasSuffix(f, ".py")
		switch {
		case slices.Contains(configNames, name):
			s.configFile(f, dir, name)
		case requirements(f):
			if path.Base(dir) == "requirements" {
				dir = path.Dir(dir)
			}
			s.manifests[dir] = true
			s.requires(f, dir)
		case name == "Pipfile" || name == "setup.py" || name == "environment.yml":
			s.manifests[dir] = true
			s.requires(f, dir)
		case name == "conftest.py":
			conftests = append(conftests, f)
		}
		if testNamed(name) {
			s.tests = append(s.tests, f)
		}
	}
	for _, f := range conftests {
		s.note(s.home(path.Dir(f)), evidence{strength: byConftest, source: f})
	}
	s.contents()
	return s
}

// foreign tells whether a tracked file belongs to something installed.
func foreign(rel string) bool {
	for _, part := range strings.Split(rel, "/") {
		switch part {
		case "site-packages", "node_modules", ".venv", "venv", ".tox", ".nox", "testdata":
			return true
		}
	}
	return false
}

func testNamed(name string) bool {
	return matchesAny([]string{"test_*.py", "*_test.py"}, name)
}

func requirements(rel string) bool {
	name, dir := path.Base(rel), path.Base(path.Dir(rel))
	ext := path.Ext(name)
	if ext != ".txt" && ext != ".in" {
		return false
	}
	return strings.Contains(name, "requirements") || dir == "requirements"
}

func (s *survey) note(dir string, e evidence) {
	if old, ok := s.found[dir]; !ok || e.strength > old.strength {
		s.found[dir] = e
	}
}

// home is the nearest folder upwards that has a manifest or an ini file.
func (s *survey) home(dir string) string {
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if s.manifests[dir] || s.found[dir].strength >= byManifest {
			return dir
		}
	}
	return "."
}

func (s *survey) read(rel string) []byte {
	text, err := plain.ReadFile(filepath.Join(s.in.Root, filepath.FromSlash(rel)))
	if err != nil {
		return nil
	}
	return text
}

func (s *survey) configFile(f, dir, name string) {
	text := s.read(f)
	if name == "pyproject.toml" || name == "setup.cfg" {
		s.manifests[dir] = true
	}
	if _, ok, err := pytestSection(name, text); err == nil && ok {
		s.note(dir, evidence{strength: byIni, source: f})
		return
	}
	switch name {
	case "pyproject.toml":
		if pyprojectRequires(text) {
			s.note(dir, evidence{strength: byManifest, source: f})
		}
	case "tox.ini", "setup.cfg":
		s.requires(f, dir)
	}
}

// requirement is pytest as a requirement: a word of its own, with a version,
// extras or a marker after it, not in a comment.
var requirement = lazyregexp.New(`(?m)^[^#\n]*?(?:^|[\s"'=\[,])pytest(?:\[[^\]]*\])?(?:\s*(?:[<>=~!;,"'\]]|$)|\s)`)

func (s *survey) requires(f, dir string) {
	if requirement.Match(s.read(f)) {
		s.note(dir, evidence{strength: byManifest, source: f})
	}
}

// pyprojectRequires tells whether any table of requirements names pytest: the
// project's own, dependency groups, poetry, uv, pdm and hatch.
func pyprojectRequires(text []byte) bool {
	var doc struct {
		Project struct {
			Dependencies         []string            `toml:"dependencies"`
			OptionalDependencies map[string][]string `toml:"optional-dependencies"`
		} `toml:"project"`
		Groups map[string][]any          `toml:"dependency-groups"`
		Tool   map[string]map[string]any `toml:"tool"`
	}
	if err := toml.Unmarshal(text, &doc); err != nil {
		return bytes.Contains(text, []byte("pytest"))
	}
	if slices.ContainsFunc(doc.Project.Dependencies, isPytest) {
		return true
	}
	for _, list := range doc.Project.OptionalDependencies {
		if slices.ContainsFunc(list, isPytest) {
			return true
		}
	}
	for _, list := range doc.Groups {
		if names(list) {
			return true
		}
	}
	for _, tool := range []string{"poetry", "uv", "pdm", "hatch"} {
		if names(doc.Tool[tool]) {
			return true
		}
	}
	return false
}

// names tells whether a value holds pytest as a requirement or as a key.
func names(v any) bool {
	switch v := v.(type) {
	case string:
		return isPytest(v)
	case []any:
		return slices.ContainsFunc(v, names)
	case map[string]any:
		for k, e := range v {
			if k == "pytest" || names(e) {
				return true
			}
		}
	}
	return false
}

func isPytest(req string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(req), "pytest")
	return ok && (rest == "" || strings.ContainsAny(rest[:1], " <>=~![;@("))
}

// maxContents bounds how many test files are read for evidence.
const maxContents = 300

// contents reads test files where nothing stronger is known.
func (s *survey) contents() {
	for i, f := range s.tests {
		dir := s.home(path.Dir(f))
		if have, ok := s.found[dir]; i >= maxContents || ok && !have.unittest {
			continue
		}
		text := s.read(f)
		switch {
		case usesPytest(text):
			s.found[dir] = evidence{strength: byContent, source: f}
		case usesUnittest(text):
			s.note(dir, evidence{strength: byContent, source: f, unittest: true})
		}
	}
	if len(s.found) > 0 || !s.python {
		return
	}
	for _, f := range s.in.Files {
		if d := path.Base(path.Dir(f)); strings.HasSuffix(f, ".py") && !foreign(f) && (d == "tests" || d == "test") {
			s.note(s.home(path.Dir(f)), evidence{strength: byContent, source: path.Dir(f), unittest: true})
		}
	}
}

var (
	importsPytest   = lazyregexp.New(`(?m)^\s*(?:import|from)\s+pytest\b`)
	testFunction    = lazyregexp.New(`(?m)^(?:async\s+)?def test`)
	bareClass       = lazyregexp.New(`(?m)^class Test\w*(?:\(object\)|\(\))?:`)
	importsUnittest = lazyregexp.New(`(?m)^\s*(?:import|from)\s+unittest\b|TestCase\)`)
)

func usesPytest(text []byte) bool {
	return importsPytest.Match(text) || testFunction.Match(text) || bareClass.Match(text)
}

func usesUnittest(text []byte) bool { return importsUnittest.Match(text) }
