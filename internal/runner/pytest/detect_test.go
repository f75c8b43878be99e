package pytest

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"regreen/internal/proc"
	"regreen/internal/runner"
)

// answers is an executor that answers for interpreters: path to the version
// of pytest, "" for none, "!" for one that does not start.
type answers map[string]string

func (a answers) Run(_ context.Context, cmd proc.Cmd) (proc.Exit, error) {
	version, ok := a[cmd.Path]
	if !ok || version == "!" {
		return proc.Exit{Code: 127}, nil
	}
	text, err := json.Marshal(map[string]string{"executable": cmd.Path, "pytest": version})
	if err != nil {
		return proc.Exit{}, err
	}
	_, err = fmt.Fprintf(cmd.Stdout, "noise\nregreen:%s\n", text)
	return proc.Exit{}, err
}

// detectIn writes the files, makes interpreters (rel path to version) and detects.
func detectIn(t *testing.T, text string, interpreters map[string]string, env ...string) ([]runner.Candidate, string, runner.DetectInput) {
	t.Helper()
	dir := resolved(t.TempDir())
	root := filepath.Join(dir, "repo")
	write(t, root, text)
	var files []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(root, p)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	a := answers{}
	for rel, version := range interpreters {
		p := filepath.Join(dir, filepath.FromSlash(rel))
		save(t, p, "")
		save(t, filepath.Join(filepath.Dir(filepath.Dir(p)), "pyvenv.cfg"), "")
		a[p] = version
	}
	environ := []string{"PATH=" + filepath.Join(dir, "bin")}
	for _, kv := range env {
		environ = append(environ, strings.ReplaceAll(kv, "DIR", dir))
	}
	in := runner.DetectInput{Root: root, Files: files, Environ: environ, Exec: a}
	got, err := New().Detect(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return got, dir, in
}

func TestDetectFindsProjects(t *testing.T) {
	const test = "def test_a():\n    pass\n"
	tests := []struct {
		name, text string
		want       []string // root strength args problem
	}{
		{"ini section", "-- pyproject.toml --\n[tool.pytest.ini_options]\n-- tests/test_a.py --\n" + test, []string{". 30 []"}},
		{"pytest.ini below", "-- api/pytest.ini --\n-- api/tests/test_a.py --\n" + test, []string{"api 30 []"}},
		{"pytest 9's own table", "-- pyproject.toml --\n[tool.pytest]\ntestpaths = ['t']\n", []string{". 30 []"}},
		{"setup.cfg", "-- setup.cfg --\n[tool:pytest]\n", []string{". 30 []"}},
		{"tox.ini without the section", "-- tox.ini --\n[testenv]\ndeps = pytest>=7\n", []string{". 20 []"}},
		{"a dependency group", "-- pyproject.toml --\n[dependency-groups]\ndev = ['pytest>=8', {include-group = 'x'}]\n", []string{". 20 []"}},
		{"an extra", "-- pyproject.toml --\n[project.optional-dependencies]\ntest = ['pytest[x]>=8']\n", []string{". 20 []"}},
		{"poetry", "-- pyproject.toml --\n[tool.poetry.group.dev.dependencies]\npytest = '^8'\n", []string{". 20 []"}},
		{"hatch", "-- pyproject.toml --\n[tool.hatch.envs.test]\ndependencies = ['pytest']\n", []string{". 20 []"}},
		{"a plugin alone is not pytest", "-- pyproject.toml --\n[project]\ndependencies = ['pytesting', 'typing']\n", nil},
		{"requirements", "-- requirements/dev.txt --\n# the tests\nblack\npytest==8.0 ; python_version > '3'\n", []string{". 20 []"}},
		{"requirements in a comment", "-- requirements.txt --\n# pytest one day\nflask\n", nil},
		{"setup.py", "-- setup.py --\nsetup(tests_require=['pytest'])\n", []string{". 20 []"}},
		{"conftest", "-- backend/setup.py --\n-- backend/tests/conftest.py --\n-- backend/tests/test_a.py --\n" + test, []string{"backend 10 []"}},
		{"content", "-- test_a.py --\n" + test, []string{". 5 []"}},
		{"a folder of tests without any", "-- tests/helpers.py --\nX = 1\n-- shop/calc.py --\n", []string{". 5 []"}},
		{"unittest run by pytest", "-- tests/test_a.py --\nimport unittest\n", []string{". 5 []"}},
		{"no Python", "-- a.js --\n", nil},
		{"the root's command runs what is below", "-- pytest.ini --\n-- lib/pytest.ini --\n-- lib/test_a.py --\n" + test, []string{". 30 []"}},
		{"the root's testpaths leave it out", "-- pytest.ini --\n[pytest]\ntestpaths = tests\n-- tests/test_r.py --\n" + test + "-- lib/pytest.ini --\n-- lib/test_a.py --\n" + test, []string{". 30 []", "lib 30 []"}},
		{"a workspace", "-- pyproject.toml --\n[dependency-groups]\ndev = ['pytest']\n-- packages/a/pyproject.toml --\n[tool.pytest.ini_options]\n-- packages/a/test_a.py --\n" + test + "-- packages/b/pyproject.toml --\n[tool.pytest.ini_options]\n-- packages/b/test_b.py --\n" + test,
			[]string{"packages/a 30 []", "packages/b 30 []"}},
		{"a workspace with tests of its own", "-- requirements.txt --\npytest\n-- tests/test_r.py --\n" + test + "-- lib/pytest.ini --\n-- lib/test_a.py --\n" + test, []string{". 20 [--ignore=lib]", "lib 30 []"}},
		{"what is weaker belongs above", "-- pytest.ini --\n-- lib/requirements.txt --\npytest\n-- lib/test_a.py --\n" + test, []string{". 30 []"}},
		{"a file that is named as an ini file by chance", "-- pyproject.toml --\n[tool.pytest.ini_options]\ntestpaths = ['testing']\n-- testing/test_a.py --\n" + test + "-- recipes/pytest.toml --\n[[test]]\nargv = ['pytest']\n", []string{". 30 []"}},
		{"the same beside tests", "-- pyproject.toml --\n[tool.pytest.ini_options]\ntestpaths = ['testing']\n-- testing/test_a.py --\n" + test + "-- recipes/pytest.toml --\n[[test]]\nargv = ['pytest']\n-- recipes/run.py --\n", []string{". 30 []"}},
		{"an empty pytest.toml", "-- pyproject.toml --\n[tool.pytest.ini_options]\ntestpaths = ['testing']\n-- testing/test_a.py --\n" + test + "-- lib/pytest.toml --\n-- lib/test_b.py --\n" + test, []string{". 30 []", "lib 30 []"}},
		{"broken TOML", "-- pyproject.toml --\n[tool.pytest\n-- test_a.py --\n" + test, []string{". 20 []"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, _ := detectIn(t, tt.text, map[string]string{"bin/python3": "9.0.1"})
			var have []string
			for _, c := range got {
				have = append(have, fmt.Sprintf("%s %d %v%s", c.Project.Root, c.Strength, c.Project.Args, c.Problem))
				if c.Project.Version != "9.0.1" || len(c.Project.Command) != 3 {
					t.Errorf("project %+v", c.Project)
				}
			}
			diff(t, "candidates", tt.want, have)
		})
	}
}

func TestDetectFindsTheInterpreter(t *testing.T) {
	tests := []struct {
		name, text   string
		interpreters map[string]string
		env          []string
		want         string // rel path, or the problem
		hint         string
	}{
		{"the project's own first", "", map[string]string{"bin/python3": "9", "repo/.venv/bin/python": "9"}, nil, "repo/.venv/bin/python", ""},
		{"venv", "", map[string]string{"bin/python3": "9", "repo/venv/bin/python": "9"}, nil, "repo/venv/bin/python", ""},
		{"the repository's for a project below", "-- api/pytest.ini --\n-- api/test_a.py --\n", map[string]string{"repo/.venv/bin/python": "9"}, nil, "repo/.venv/bin/python", ""},
		{"above the repository", "", map[string]string{".venv/bin/python": "9"}, nil, ".venv/bin/python", ""},
		{"the active one", "", map[string]string{"bin/python3": "9", "v/bin/python": "9"}, []string{"VIRTUAL_ENV=DIR/v"}, "v/bin/python", ""},
		{"the active one, where the project's has no pytest", "", map[string]string{"repo/.venv/bin/python": "", "v/bin/python": "9"}, []string{"VIRTUAL_ENV=DIR/v"}, "v/bin/python", ""},
		{"never PATH's where the project has one", "-- uv.lock --\n", map[string]string{"bin/python3": "9", "repo/.venv/bin/python": ""}, nil,
			"pytest is not installed in DIR/repo/.venv/bin/python", "run uv sync (or uv add --dev pytest)"},
		{"python after python3", "", map[string]string{"bin/python3": "", "bin/python": "8.1"}, nil, "bin/python", ""},
		{"a second python3, where the first has none", "", map[string]string{"bin/python3": "", "usr/python3": "8.1"}, []string{"PATH=DIR/bin:DIR/usr"}, "usr/python3", ""},
		{"none", "", nil, nil, "no Python interpreter was found", "install Python, or set command of the [[project]] in regreen.toml"},
		{"one without pytest", "-- requirements-dev.txt --\npytest\n", map[string]string{"bin/python3": ""}, nil,
			"pytest is not installed in DIR/bin/python3", "run DIR/bin/python3 -m pip install -r requirements-dev.txt"},
		{"too old", "", map[string]string{"bin/python3": "6.2.5"}, nil, "pytest 6.2.5 in DIR/bin/python3 is too old", "update it to 7 or later: run DIR/bin/python3 -m pip install pytest"},
		{"a broken environment", "-- poetry.lock --\n", map[string]string{"repo/.venv/bin/python": "!"}, nil,
			"DIR/repo/.venv/bin/python ended with exit code 127: ", "make the environment anew: run poetry install"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.text == "" || !strings.Contains(tt.text, "pytest.ini") {
				tt.text += "-- pytest.ini --\n-- test_a.py --\n"
			}
			got, dir, _ := detectIn(t, tt.text, tt.interpreters, tt.env...)
			if len(got) != 1 {
				t.Fatalf("candidates %+v", got)
			}
			c := got[0]
			have := c.Problem
			if have == "" {
				rel, err := filepath.Rel(dir, c.Project.Command[0])
				if err != nil {
					t.Fatal(err)
				}
				have = filepath.ToSlash(rel)
			}
			diff(t, "interpreter or problem", tt.want, strings.ReplaceAll(have, dir, "DIR"))
			diff(t, "hint", tt.hint, strings.ReplaceAll(c.Hint, dir, "DIR"))
		})
	}
}

func TestUnittestAloneIsUnsupported(t *testing.T) {
	const text = "-- tests/test_a.py --\nimport unittest\n"
	got, _, in := detectIn(t, text, map[string]string{"bin/python3": ""})
	if len(got) > 0 {
		t.Errorf("candidates %+v, want none", got)
	}
	diff(t, "Unsupported", []string{"unittest"}, Unsupported(in))
	_, _, in = detectIn(t, text+"-- pytest.ini --\n", nil)
	diff(t, "Unsupported", []string(nil), Unsupported(in))
}

func TestDetectAsksTheRealInterpreter(t *testing.T) {
	for _, major := range []string{"7", "8", "9"} {
		root := t.TempDir()
		write(t, root, "-- test_a.py --\ndef test_a(): pass\n-- json.py --\nraise SystemExit(9)\n")
		in := runner.DetectInput{Root: root, Files: []string{"json.py", "test_a.py"}, Exec: proc.Local{},
			Environ: append(environ(), "VIRTUAL_ENV="+filepath.Dir(filepath.Dir(python(t, major))))}
		got, err := New().Detect(context.Background(), in)
		if err != nil || len(got) != 1 || !strings.HasPrefix(got[0].Project.Version, major+".") {
			t.Errorf("Detect = %+v, %v; want version %s", got, err, major)
		}
	}
}
