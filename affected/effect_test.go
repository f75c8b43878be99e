package affected_test

import (
	"strings"
	"testing"

	"regreen/affected"
)

// tarpas/pytest-testmon is the one peer that selects nothing for a change of
// comments; vitest and jest run all dependents.
func TestCosmeticChanges(t *testing.T) {
	web := files{
		"package.json": "{}", "vitest.config.ts": "// c\nexport default {}\n", "setup.ts": "export {} // s\n",
		"src/a.ts": "/** @jest-environment node */\nexport const a = 1 // one\n", "test/a.test.ts": "import { a } from '../src/a' // x\n",
		"test/raw.test.ts": "import text from '../src/a.ts?raw'\n", "test/read.test.ts": "import { readFileSync } from 'node:fs'\nreadFileSync(new URL('../src/a.ts', import.meta.url))\n",
		"test/uses.test.ts": "import './a.test'\n",
	}
	app := files{
		"pyproject.toml": "", "app.py": "def f():\n    '''\n    >>> f()\n    '''\n    return 1  # one\n", "conftest.py": "# c\n",
		"test_app.py": "import app  # x\n", "test_other.py": "from test_app import app\n",
	}
	everyWeb := "test/a.test.ts test/raw.test.ts test/read.test.ts test/uses.test.ts"
	for _, tc := range []struct {
		name string
		tree files
		edit edit
		want string
	}{
		{"comment", web, edit{"src/a.ts", "// one", "// two"}, "test/raw.test.ts test/read.test.ts"},
		{"formatting", web, edit{"src/a.ts", "a = 1", "a =\n  1"}, "test/raw.test.ts test/read.test.ts"},
		{"pragma", web, edit{"src/a.ts", "node", "jsdom"}, "test/a.test.ts test/raw.test.ts test/read.test.ts test/uses.test.ts"},
		{"code", web, edit{"src/a.ts", "= 1", "= 2"}, "test/a.test.ts test/raw.test.ts test/read.test.ts test/uses.test.ts"},
		{"comment in a test", web, edit{"test/a.test.ts", "// x", "// y"}, "test/a.test.ts"},
		{"comment in the setup file", web, edit{"setup.ts", "// s", "// t"}, ""},
		{"comment in the configuration", web, edit{"vitest.config.ts", "// c", "// d"}, ""},
		{"configuration", web, edit{"vitest.config.ts", "{}", "{ a: 1 }"}, everyWeb},
		{"python comment", app, edit{"app.py", "# one", "# two"}, ""},
		{"python docstring", app, edit{"app.py", ">>> f()", ">>> f( )"}, "test_app.py test_other.py"},
		{"python code", app, edit{"app.py", "return 1", "return 2"}, "test_app.py test_other.py"},
		{"comment in a python test", app, edit{"test_app.py", "# x", "# y"}, "test_app.py"},
		{"comment in conftest", app, edit{"conftest.py", "# c", "# d"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			projects := []affected.Project{python(tc.tree, ".")}
			if tc.tree.Exists("package.json") {
				projects = []affected.Project{node(".", "setup.ts", "vitest.config.ts")}
			}
			set := selectAfter(t, tc.tree, projects, tc.edit)
			if got := names(set); got != tc.want {
				t.Errorf("selected %q, want %q", got, tc.want)
			}
			quiet := strings.HasPrefix(tc.name, "comment") || tc.name == "formatting" || tc.name == "python comment"
			if quiet != (len(set.Spared) == 1) {
				t.Errorf("spared for %q", set.Spared)
			}
		})
	}
}

// What a file's own difference cannot do says nothing of another change that
// reaches tests through it.
func TestCosmeticChangeOnTheWayOfAnother(t *testing.T) {
	web := files{
		"package.json": "{}", "src/index.ts": "export * from './a'\n// i\n", "src/a.ts": "import text from './index?raw'\nexport const a = 1 // one\n",
		"src/b.ts": "export const b = 1\n", "test/a.test.ts": "import { a } from '../src/index'\n", "test/b.test.ts": "import { b } from '../src/b'\n",
	}
	app := files{
		"pyproject.toml": "", "app.py": "def f():\n    return 1\n",
		"conftest.py": "import pytest\nimport app\n\n\n@pytest.fixture\ndef one():\n    return 1\n\n\n@pytest.fixture\ndef two():\n    return 2\n",
		"test_one.py": "def test_one(one):\n    assert one\n", "test_two.py": "def test_two(two):\n    assert two\n",
	}
	for _, tc := range []struct {
		name  string
		tree  files
		edits []edit
		want  string
	}{
		{"a comment in the barrel", web, []edit{{"src/index.ts", "// i", "// j"}, {"src/a.ts", "= 1", "= 2"}}, "test/a.test.ts"},
		{"the other way round", web, []edit{{"src/a.ts", "= 1", "= 2"}, {"src/index.ts", "// i", "// j"}}, "test/a.test.ts"},
		{"comments in both", web, []edit{{"src/index.ts", "// i", "// j"}, {"src/a.ts", "// one", "// two"}}, "test/a.test.ts"}, // a reads the barrel's text
		{"a fixture and what conftest imports", app, []edit{{"conftest.py", "return 1", "return 3"}, {"app.py", "return 1", "return 4"}}, "test_one.py test_two.py"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			projects := []affected.Project{python(tc.tree, ".")}
			if tc.tree.Exists("package.json") {
				projects = []affected.Project{node(".")}
			}
			if got := names(selectAfter(t, tc.tree, projects, tc.edits...)); got != tc.want {
				t.Errorf("selected %q, want %q", got, tc.want)
			}
		})
	}
}
