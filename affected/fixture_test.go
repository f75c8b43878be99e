package affected_test

import (
	"os/exec"
	"strings"
	"testing"

	"regreen/affected"
	"regreen/internal/lang"
	"regreen/internal/lang/py"
	"regreen/internal/runner/pytest"
)

// tarpas/pytest-testmon#74: a conftest's change selects those that can use
// what changed, and nobody else.
func TestFixtures(t *testing.T) {
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	python3 := py.New(interpreter)
	t.Cleanup(func() { _ = python3.Close() })
	app := files{
		"conftest.py":         "import pytest\n\n@pytest.fixture\ndef db():\n    return 1\n\n@pytest.fixture\ndef spare():\n    return 2\n\ndef unused():\n    return 3\n",
		"pytest.ini":          "[pytest]\n",
		"sub/conftest.py":     "import pytest\n\n@pytest.fixture\ndef web(db):\n    return db\n",
		"test_db.py":          "def test_a(db): pass\n",
		"test_none.py":        "def test_a(): pass\n",
		"sub/test_web.py":     "def test_a(web): pass\n",
		"sub/test_none.py":    "def test_a(): pass\n",
		"base.py":             "import pytest\nclass Base:\n    @pytest.fixture(autouse=True)\n    def start(self, db): pass\n",
		"test_base.py":        "from base import Base\nclass TestA(Base):\n    def test_a(self): pass\n",
		"test_helper.py":      "from conftest import unused\ndef test_a(): unused()\n",
		"product.py":          "def query(db): pass\n",
		"test_product.py":     "import product\ndef test_a(): pass\n",
		"test_computed.py":    "def test_a(request, n): request.getfixturevalue(n)\n",
		"other/conftest.py":   "def pytest_configure(): pass\n",
		"other/test_other.py": "def test_a(): pass\n",
	}
	all := "other/test_other.py sub/test_none.py sub/test_web.py test_base.py test_computed.py test_db.py test_helper.py test_none.py test_product.py"
	for _, tc := range []struct {
		name string
		edit edit
		want string
	}{
		{"a fixture", edit{"conftest.py", "return 1", "return 10"}, "sub/test_web.py test_base.py test_computed.py test_db.py test_helper.py"},
		{"a fixture that nobody takes", edit{"conftest.py", "return 2", "return 20"}, "test_computed.py test_helper.py"},
		{"a function that only an importer uses", edit{"conftest.py", "return 3", "return 30"}, "test_helper.py"},
		{"a fixture of a folder", edit{"sub/conftest.py", "return db", "return db + 1"}, "sub/test_web.py"},
		{"a module's statement", edit{"conftest.py", "", "X = 1\n"}, all},
		{"a hook of a folder", edit{"other/conftest.py", "pass", "return"}, "other/test_other.py"},
		{"what does not parse", edit{"conftest.py", "return 1", "retrun 1"}, all},
	} {
		t.Run(tc.name, func(t *testing.T) {
			project := python(app, ".")
			project.Global = []string{"pytest.ini"}
			project.Narrow = pytest.New().Narrow
			set := selectIn(t, lang.Set{python3}, app, []affected.Project{project}, tc.edit)
			if got := names(set); got != tc.want {
				t.Errorf("selected %q, want %q (%q)", got, tc.want, set.Spared)
			}
			if said := len(set.Spared) == 1; said != strings.Contains(tc.name, "fixture") && said != strings.HasPrefix(tc.name, "a function") {
				t.Errorf("spared for %q", set.Spared)
			}
		})
	}
}
