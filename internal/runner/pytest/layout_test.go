package pytest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"regreen/internal/runner"
)

func layoutOf(t *testing.T, text string, p runner.Project) runner.Layout {
	t.Helper()
	root := t.TempDir()
	write(t, root, text)
	if p.Root == "" {
		p.Root = "."
	}
	l, err := New().Layout(context.Background(), runner.Env{Root: root, Origin: root}, p)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLayoutIsTest(t *testing.T) {
	const files = "-- tests/test_a.py --\n-- other/test_b.py --\n-- docs/test_doc.txt --\n>>> 1\n1\n-- docs/test_plain.txt --\nx\n-- shop/calc.py --\n'''\n>>> 1\n1\n'''\n-- v/pyvenv.cfg --\n"
	all := []string{"tests/test_a.py", "tests/a_test.py", "tests/deep/test_c.py", "tests/helper.py", "tests/conftest.py", "other/test_b.py",
		"docs/test_doc.txt", "docs/test_plain.txt", "shop/calc.py", "node_modules/x/test_x.py", ".tox/test_x.py", "build/test_x.py", "v/lib/test_x.py", "tests/check_a.py"}
	tests := []struct {
		name, text string
		project    runner.Project
		want       []string
	}{
		{"defaults", "", runner.Project{}, []string{"tests/test_a.py", "tests/a_test.py", "tests/deep/test_c.py", "other/test_b.py", "docs/test_doc.txt"}},
		{"testpaths", "-- pytest.ini --\n[pytest]\ntestpaths = tests missing\n", runner.Project{}, []string{"tests/test_a.py", "tests/a_test.py", "tests/deep/test_c.py"}},
		{"testpaths as patterns", "-- pytest.ini --\n[pytest]\ntestpaths = o*\n", runner.Project{}, []string{"other/test_b.py"}},
		{"testpaths that are not there", "-- pytest.ini --\n[pytest]\ntestpaths = missing\n", runner.Project{}, []string{"tests/test_a.py", "tests/a_test.py", "tests/deep/test_c.py", "other/test_b.py", "docs/test_doc.txt"}},
		{"python_files", "-- pyproject.toml --\n[tool.pytest.ini_options]\npython_files = ['check_*.py']\ntestpaths = 'tests'\n", runner.Project{}, []string{"tests/check_a.py"}},
		{"settings that do not parse", "-- pyproject.toml --\n[tool.pytest.ini_options]\npython_files = ['check_*.py']\n]] rubbish\n", runner.Project{},
			[]string{"tests/test_a.py", "tests/a_test.py", "tests/deep/test_c.py", "tests/helper.py", "other/test_b.py", "docs/test_doc.txt", "tests/check_a.py"}},
		{"ignore", "-- setup.cfg --\n[tool:pytest]\naddopts = --ignore=tests/deep --ignore-glob='oth*/*'\ntestpaths = tests other\n", runner.Project{}, []string{"tests/test_a.py", "tests/a_test.py"}},
		{"doctests", "-- tox.ini --\n[pytest]\naddopts = --doctest-modules\ntestpaths = shop\n", runner.Project{}, []string{"shop/calc.py"}},
		{"paths in the arguments", "", runner.Project{Args: []string{"-q", "other"}}, []string{"other/test_b.py"}},
		{"a project below", "", runner.Project{Root: "tests"}, []string{"tests/test_a.py", "tests/a_test.py", "tests/deep/test_c.py"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := layoutOf(t, files+tt.text, tt.project)
			var got []string
			for _, rel := range all {
				if l.IsTest(rel) {
					got = append(got, rel)
				}
			}
			diff(t, "tests", tt.want, got)
		})
	}
}

func TestLayoutFilesThatTestsDependOn(t *testing.T) {
	l := layoutOf(t, `
-- pytest.ini --
[pytest]
addopts = -p shop.plugin -p no:cacheprovider
-- conftest.py --
pytest_plugins = ("tests.fixtures", 'shop.missing')
-- tests/conftest.py --
-- tests/fixtures.py --
-- src/shop/plugin/__init__.py --
-- tests/deep/test_a.py --
pytest_plugins = "shop.plugin"
`, runner.Project{})
	diff(t, "Global", []string{"pytest.ini", "src/shop/plugin/__init__.py"}, l.Global)
	diff(t, "Implicit", []string{"tests/conftest.py", "conftest.py", "tests/fixtures.py", "src/shop/plugin/__init__.py"}, l.Implicit("tests/deep/test_a.py"))
	diff(t, "Uncertain", "", l.Uncertain)
	if l := layoutOf(t, "-- pyproject.toml --\n[tool.pytest\n", runner.Project{}); l.Uncertain == "" || !l.IsTest("test_a.py") {
		t.Errorf("a broken ini file: uncertain %q", l.Uncertain)
	}
}

// TestLayoutNamesTheConfigurationOfCoverage: pytest does not start where the one
// that it measures with is broken.
func TestLayoutNamesTheConfigurationOfCoverage(t *testing.T) {
	for addopts, want := range map[string]string{
		"--cov=shop":                        ".coveragerc",
		"--cov shop --cov-config=c/cov.ini": "c/cov.ini",
		"--cov-config c/cov.ini --cov":      "c/cov.ini",
		"-q --covers":                       "",
	} {
		l := layoutOf(t, "-- pytest.ini --\n[pytest]\naddopts = "+addopts+"\n", runner.Project{})
		diff(t, addopts, strings.Fields("pytest.ini "+want), l.Global)
	}
}

// TestLayoutKnowsDjangosSettings has the module that pytest-django loads before
// any test, by each of the places that name it.
func TestLayoutKnowsDjangosSettings(t *testing.T) {
	const files = "-- shop/__init__.py --\n-- shop/settings.py --\n-- shop/test.py --\n-- tests/test_a.py --\n"
	for _, tt := range []struct {
		name, text string
		project    runner.Project
		want       []string
	}{
		{"ini file", "-- pytest.ini --\n[pytest]\nDJANGO_SETTINGS_MODULE = shop.settings\n", runner.Project{}, []string{"pytest.ini", "shop/settings.py", "shop/__init__.py"}},
		{"argument", "", runner.Project{Args: []string{"--ds", "shop.test"}}, []string{"shop/test.py", "shop/__init__.py"}},
		{"option of the ini file", "-- tox.ini --\n[pytest]\naddopts = --ds=shop.test\n", runner.Project{}, []string{"tox.ini", "shop/test.py", "shop/__init__.py"}},
		{"environment", "", runner.Project{Env: map[string]string{"DJANGO_SETTINGS_MODULE": "shop.settings"}}, []string{"shop/settings.py", "shop/__init__.py"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			diff(t, "Global", tt.want, layoutOf(t, files+tt.text, tt.project).Global)
		})
	}
}

func TestLayoutKnowsThePluginsOfThePackageItself(t *testing.T) {
	const files = "-- src/shop/__init__.py --\n-- src/shop/plugin.py --\n-- tests/test_a.py --\n"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"pyproject.toml", "-- pyproject.toml --\n[project.entry-points.pytest11]\nshop = 'shop.plugin'\n", []string{"src/shop/plugin.py", "src/shop/__init__.py"}},
		{"poetry", "-- pyproject.toml --\n[tool.poetry.plugins.pytest11]\nshop = 'shop.plugin:Plugin [x]'\n", []string{"src/shop/plugin.py", "src/shop/__init__.py"}},
		{"setup.cfg", "-- setup.cfg --\n[options.entry_points]\npytest11 =\n    shop = shop.plugin\n", []string{"src/shop/plugin.py", "src/shop/__init__.py"}},
		{"setup.py", "-- setup.py --\nsetup(entry_points={'console_scripts': ['a = b.c:d'], 'pytest11': ['shop = shop.plugin']}, x=['e = f'])\n", []string{"src/shop/plugin.py", "src/shop/__init__.py"}},
		{"a module that is gone", "-- pyproject.toml --\n[project.entry-points.pytest11]\nshop = 'shop.gone'\n", []string{"src/shop/gone.py", "src/shop/__init__.py"}},
		{"another package's", "-- pyproject.toml --\n[project.entry-points.pytest11]\nshop = 'mall.plugin'\n", nil},
		{"other entry points", "-- pyproject.toml --\n[project.entry-points.console]\nshop = 'shop.plugin'\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := layoutOf(t, files+tt.text, runner.Project{})
			got := slices.DeleteFunc(l.Global, func(f string) bool { return f == "pyproject.toml" || f == "setup.cfg" })
			diff(t, "Global", tt.want, append([]string(nil), got...))
		})
	}
}
