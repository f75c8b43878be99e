package pytest

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"regreen/internal/runner"
)

// oldest is the first major version that works.
const oldest = 7

// Detect finds pytest's projects. A folder with an ini file of its own is a
// project, unless a project above it would run its tests; what is weaker
// belongs to the folder above it.
func (*Framework) Detect(ctx context.Context, in runner.DetectInput) ([]runner.Candidate, error) {
	s := newSurvey(in)
	find := newSearch(in)
	var out []runner.Candidate
	for _, root := range s.projects() {
		e := s.found[root]
		p := runner.Project{Root: root, Framework: Name, Source: e.source, Args: s.excluded(root)}
		c := runner.Candidate{Ecosystem: "python", Project: p, Strength: e.strength}
		got, err := find.find(ctx, root)
		if err != nil {
			return nil, fmt.Errorf("look for Python: %w", err)
		}
		if e.unittest && (got.problem != "" || got.pytest == "") {
			continue // see Unsupported
		}
		s.fill(&c, got)
		out = append(out, c)
	}
	return out, nil
}

// fill sets the command, or says why there is none.
func (s *survey) fill(c *runner.Candidate, got interpreter) {
	switch {
	case got.problem != "":
		c.Problem = got.problem
		c.Hint = "install Python, or set command of the [[project]] in regreen.toml"
		if got.path != "" {
			c.Hint = "make the environment anew: " + s.installs(c.Project.Root, got.path)
		}
		return
	case got.pytest == "":
		c.Problem = "pytest is not installed in " + got.path
		c.Hint = s.installs(c.Project.Root, got.path)
		return
	}
	c.Project.Command = []string{got.path, "-m", "pytest"}
	c.Project.Version = got.pytest
	c.Project.Source += ", " + got.source
	major, _, _ := strings.Cut(got.pytest, ".")
	if n, err := strconv.Atoi(major); err == nil && n < oldest {
		c.Problem = fmt.Sprintf("pytest %s in %s is too old", got.pytest, got.path)
		c.Hint = fmt.Sprintf("update it to %d or later: %s", oldest, s.installs(c.Project.Root, got.path))
	}
}

// installs is the command that installs the project's packages, by the tool
// whose lock file it has.
func (s *survey) installs(root, python string) string {
	has := func(name string) bool {
		for dir := path.Clean(root); ; dir = path.Dir(dir) {
			if slices.Contains(s.in.Files, path.Join(dir, name)) {
				return true
			}
			if dir == "." || dir == "/" {
				return false
			}
		}
	}
	switch {
	case has("uv.lock"):
		return "run uv sync (or uv add --dev pytest)"
	case has("poetry.lock"):
		return "run poetry install"
	case has("pdm.lock"):
		return "run pdm install"
	case has("Pipfile.lock"), has("Pipfile"):
		return "run pipenv install --dev"
	}
	for _, name := range []string{"requirements-dev.txt", "requirements-test.txt", "dev-requirements.txt", "requirements.txt"} {
		if rel := path.Join(root, name); slices.Contains(s.in.Files, rel) && requirement.Match(s.read(rel)) {
			return fmt.Sprintf("run %s -m pip install -r %s", python, rel)
		}
	}
	return fmt.Sprintf("run %s -m pip install pytest", python)
}

// projects are the folders that are projects of their own, outermost first.
func (s *survey) projects() []string {
	roots := slices.SortedFunc(maps.Keys(s.found), func(a, b string) int {
		if d := depth(a) - depth(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var keep []string
	for _, r := range roots {
		above := ""
		for _, k := range keep {
			if within(r, k) && k != r && len(k) >= len(above) {
				above = k
			}
		}
		if above == "" || s.separate(above, r) {
			keep = append(keep, r)
		}
	}
	// A folder whose tests all belong to projects below it (the root of a
	// workspace that only lists pytest) is none, nor is one below the root
	// without any Python: what lies there is named as an ini file by chance.
	return slices.DeleteFunc(slices.Clone(keep), func(r string) bool {
		if r != "." && !s.hasPython(r) {
			return true
		}
		below := slices.DeleteFunc(slices.Clone(keep), func(k string) bool { return k == r || !within(k, r) })
		return len(below) > 0 && !slices.ContainsFunc(s.tests, func(f string) bool {
			return within(f, r) && !slices.ContainsFunc(below, func(k string) bool { return within(f, k) })
		})
	})
}

// hasPython tells whether any Python file lies in dir.
func (s *survey) hasPython(dir string) bool {
	return slices.ContainsFunc(s.in.Files, func(f string) bool {
		return strings.HasSuffix(f, ".py") && within(f, dir)
	})
}

func depth(dir string) int {
	if dir == "." {
		return 0
	}
	return 1 + strings.Count(dir, "/")
}

// separate tells whether a folder below a project is a project of its own.
func (s *survey) separate(above, r string) bool {
	own := s.found[r].strength >= byIni || isFile(interpreterIn(filepath.Join(s.in.Root, filepath.FromSlash(r), ".venv")))
	if !own {
		return false
	}
	if s.found[above].strength < byIni {
		return true
	}
	return !s.covers(above, r)
}

// covers tells whether the command of the project above would run tests in dir.
func (s *survey) covers(above, dir string) bool {
	c, err := readConfig(s.in.Root, above)
	if err != nil {
		return true
	}
	for d := dir; d != above && d != "."; d = path.Dir(d) {
		if matchesAny(c.norecurse, path.Base(d)) {
			return false
		}
	}
	if len(c.testpaths) == 0 {
		return true
	}
	for _, t := range c.testpaths {
		// a pattern is taken as its fixed part
		t, _, _ = strings.Cut(t, "*")
		t = path.Join(above, t)
		if within(dir, t) || within(t, dir) {
			return true
		}
	}
	return false
}

// excluded are the arguments that keep the projects below root out of it.
func (s *survey) excluded(root string) []string {
	if s.found[root].strength >= byIni {
		if c, err := readConfig(s.in.Root, root); err == nil && len(c.testpaths) > 0 {
			return nil
		}
	}
	var out []string
	for _, p := range s.projects() {
		if p != root && within(p, root) {
			rel := p
			if root != "." {
				rel = strings.TrimPrefix(p, root+"/")
			}
			out = append(out, "--ignore="+rel)
		}
	}
	return out
}

// Unsupported names the Python test frameworks that the repository uses where
// nothing says pytest; they are for the error that no framework was found.
func Unsupported(in runner.DetectInput) []string {
	s := newSurvey(in)
	for _, e := range s.found {
		if !e.unittest {
			return nil
		}
	}
	for _, f := range s.tests {
		if usesUnittest(s.read(f)) {
			return []string{"unittest"}
		}
	}
	return nil
}
